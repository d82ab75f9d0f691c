"""From a name, a matrix, a function or a class of the user's to an objective."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from ordcut._core.data import (
    as_matrix,
    check_classes,
    column_names,
    in_order,
    matrix_of,
    predicted_in_rows,
    role_of,
    warn_if_gains,
)
from ordcut._core.errors import unknown_name
from ordcut._core.objectives.additive import Accuracy, Additive
from ordcut._core.objectives.custom import CostFunction, Kappa, SegmentObjective
from ordcut._core.objectives.objective import Objective
from ordcut._core.objectives.ratio import Ratio
from ordcut._core.objectives.segments import Segments
from ordcut._core.objectives.tables import (
    ACCURACIES,
    ALIASES,
    BALANCED,
    COSTS,
    DISTANCES,
    KAPPAS,
    REFUSED,
)
from ordcut._core.objectives.terms import TERMS
from ordcut._core.typing import Array, ArrayLike

ObjectiveLike: TypeAlias = (
    str | ArrayLike | Mapping[Any, Any] | CostFunction | Objective | Kappa | SegmentObjective
)


def n_classes_of(objective: ObjectiveLike, has_decisions: bool = False) -> int | None:
    """Return the number of classes that an objective requires; None if any number is possible.

    Examples
    --------
    >>> n_classes_of("absolute"), n_classes_of([[0, 1], [5, 0]])
    (None, 2)
    """
    if isinstance(objective, str):
        return None
    if isinstance(objective, Kappa):
        return n_classes_of(objective.weights)
    if isinstance(objective, Objective):
        return objective.n_classes
    if isinstance(objective, SegmentObjective | Mapping) or callable(objective):
        return None
    n_decisions, n_classes = as_matrix(predicted_in_rows(objective), "objective").shape
    if n_decisions != n_classes and not has_decisions:
        raise ValueError(
            "objective must be a (K, K) matrix, with a row for each predicted class and a column "
            f"for each true class, got shape {(n_decisions, n_classes)}. If its rows are decisions "
            "of another kind, name them with decisions=."
        )
    return int(n_classes)


def resolve_objective(
    objective: ObjectiveLike,
    classes: int | ArrayLike,
    decisions: Sequence[Any] | Array | None = None,
) -> Objective:
    """Return the objective as data, for ordered classes and decisions.

    Parameters
    ----------
    objective : str, array-like of shape (D, K), dict, callable, Kappa or Objective
        As in :func:`ordcut.optimal_thresholds`.
    classes : array-like of shape (K,) or int
        The classes, lowest first. ``"absolute"`` and ``"squared"`` are distances of their values
        if they are ascending numbers, and of their positions otherwise. A number K stands for the
        classes 0..K-1.
    decisions : sequence, optional
        The names of the D decisions, lowest first, where these are not the classes.

    Examples
    --------
    >>> resolve_objective("quadratic_kappa", 5).is_maximised
    True
    >>> resolve_objective(lambda k, l: 3 * max(k - l, 0) + max(l - k, 0), 3).is_convex
    True
    >>> resolve_objective("absolute", [1, 2, 5]).cost[0]
    array([0., 1., 4.])
    """
    values = np.arange(classes) if isinstance(classes, (int, np.integer)) else np.asarray(classes)
    n_classes = len(values)
    names = None if decisions is None else check_classes(decisions, "decisions")
    name = canonical_name(objective) if isinstance(objective, str) else None
    resolved: Objective
    if isinstance(objective, SegmentObjective):
        resolved = Segments.own(objective, n_classes)
    elif name is not None and name in TERMS:
        resolved = Segments.named(name, n_classes)
    elif name is not None:
        if not is_named(name):
            reason = REFUSED.get(name.lower().replace(" ", "_").replace("-", "_"))
            if reason is not None:
                raise ValueError(reason)
            raise unknown_name("objective", objective, names_of_objectives(), ALIASES)
        paid = BALANCED.get(name, name)
        has_values = paid in DISTANCES and values.dtype.kind in "iuf"
        at = values if has_values else np.arange(n_classes)
        resolved = _named(name, COSTS[KAPPAS.get(paid, paid)], at.tobytes(), at.dtype.str)
    elif isinstance(objective, Objective):
        resolved = objective
    elif isinstance(objective, Kappa):
        resolved = _resolve_kappa(objective, classes)
    elif callable(objective):
        name = getattr(objective, "__name__", "callable")
        name = "custom cost" if name == "<lambda>" else name
        every, chosen = range(n_classes), range(n_classes if names is None else len(names))
        takes_truth_first = _takes_truth_first(objective)
        try:
            if takes_truth_first:
                cost = [[objective(truth, k) for truth in every] for k in chosen]
            else:
                cost = [[objective(k, truth) for truth in every] for k in chosen]
        except (TypeError, ValueError) as error:
            reason = str(error).removesuffix(".")
            raise TypeError(
                "objective must be a function of two positions, predicted and true, that returns a "
                f'cost, and {name} failed: {reason}. For a metric, pass its name, such as "mae".'
            ) from error
        resolved = Additive(name, as_matrix(cost, "objective"))
    else:
        matrix = as_matrix(_in_order(objective, classes, names), "objective")
        if names is None:
            warn_if_gains(matrix)
        resolved = _of_matrix(matrix.tobytes(), matrix.shape)
    if names is not None:
        if resolved.is_maximised:
            raise ValueError(
                f"decisions cannot be used with the {resolved.noun} {resolved.name!r}, which "
                "compares predictions and labels of the same classes. Use a cost matrix with one "
                "row for each decision."
            )
        resolved = replace(resolved, decisions=names)
    n_decisions = n_classes if resolved.decisions is None else len(resolved.decisions)
    shape = resolved.n_decisions, resolved.n_classes
    if shape != (n_decisions, n_classes):
        each = "predicted class" if resolved.decisions is None else "decision"
        raise ValueError(
            f"objective must be a ({n_decisions}, {n_classes}) matrix for {n_classes} classes, "
            f"got shape {shape}. Give it a row for each {each} and a column for "
            "each true class, also for classes that do not occur."
        )
    return resolved


def _takes_truth_first(function: Callable[..., Any]) -> bool:
    """Return whether the parameters of a function are named for what is true, then predicted.

    Examples
    --------
    >>> _takes_truth_first(lambda y_true, y_pred: 0), _takes_truth_first(lambda k, l: 0)
    (True, False)
    """
    try:
        names = list(inspect.signature(function).parameters)[:2]
    except (TypeError, ValueError):  # of a function of C that does not say
        return False
    return [*map(role_of, names)] in (["true", "predicted"], ["true", None], [None, "predicted"])


def objective_of(
    name: str,
    cost: ArrayLike,
    is_kappa: bool = False,
    decisions: Sequence[Any] | Array | None = None,
) -> Objective:
    """Return the objective of a cost matrix, or the kappa with these weights.

    Examples
    --------
    >>> objective_of("mine", [[0, 1], [1, 0]], is_kappa=True).noun
    'kappa'
    """
    names = None if decisions is None else check_classes(decisions, "decisions")
    kind: type[Additive | Ratio] = Ratio if is_kappa else Additive
    return kind(name, as_matrix(cost, "cost"), decisions=names)


def names_of_objectives() -> tuple[str, ...]:
    """Return the names of all objectives, without aliases."""
    return (*COSTS, *KAPPAS, *BALANCED, *TERMS)


def is_named(name: str) -> bool:
    """Return whether an objective has this name, aliases apart."""
    return name in COSTS or name in KAPPAS or name in BALANCED or name in TERMS


def is_maximised(objective: ObjectiveLike) -> bool:
    """Return whether higher values of an objective are better, however it was passed.

    Examples
    --------
    >>> is_maximised("qwk"), is_maximised("absolute"), is_maximised([[0, 1], [5, 0]])
    (True, False, False)
    """
    if isinstance(objective, Objective):
        return objective.is_maximised
    if isinstance(objective, str):
        return canonical_name(objective) in (*KAPPAS, *TERMS)
    return isinstance(objective, Kappa | SegmentObjective)


def is_accuracy(objective: Any) -> bool:
    """Return whether an objective is the name of a share of right rows, which is 1 minus a loss.

    Examples
    --------
    >>> is_accuracy("accuracy"), is_accuracy("zero_one")
    (True, False)
    """
    return isinstance(objective, str) and objective.lower() in ACCURACIES


def as_shown(resolved: Objective, objective: Any) -> Objective:
    """Return an objective by which values are shown: an accuracy where its name was passed.

    Examples
    --------
    >>> as_shown(resolve_objective("accuracy", 2), "accuracy").value(np.eye(2))
    1.0
    """
    if not is_accuracy(objective) or not isinstance(resolved, Additive):
        return resolved
    name = "balanced_accuracy" if resolved.name in BALANCED else "accuracy"
    return Accuracy(name, resolved.cost, class_weight=resolved.class_weight)


def canonical_name(name: str) -> str:
    """Return the name that an alias, or a name in capitals, stands for; any other as it is.

    Examples
    --------
    >>> canonical_name("QWK"), canonical_name("Squared"), canonical_name("other")
    ('quadratic_kappa', 'squared', 'other')
    """
    known = ALIASES.get(name.lower(), name.lower())
    return known if is_named(known) and not is_named(name) else name


@lru_cache(maxsize=64)
def _named(
    name: str, cost: Callable[[Array, Array], Array], values: bytes, dtype: str
) -> Objective:
    """Return a named objective, cached with all that it has computed.

    It is about the values of the classes if these ascend, and about their positions otherwise.
    """
    given = np.frombuffer(values, dtype)
    at = np.array(given.tolist()) if (given[1:] > given[:-1]).all() else np.arange(len(given))
    if at.dtype.kind in "iu" and max(abs(int(at[0])), abs(int(at[-1]))) >= 2**25:
        # Squares of distances could leave the range of int64, or of exact numbers in float64.
        at = np.array(at.tolist(), dtype=object)
        _check_distances(BALANCED.get(name, name), cost(at[:, None], at), at)
    matrix = cost(at[:, None], at)
    if name in KAPPAS:
        return Ratio(name, matrix)
    return Additive(name, matrix, class_weight="balanced" if name in BALANCED else None)


def _check_distances(name: str, costs: Array, classes: Array) -> None:
    """Raise an error if float64 rounds the cost of taking an integer for another."""
    rounded = [cost for cost in costs.ravel().tolist() if float(cost) != cost]
    if rounded:
        raise ValueError(
            f"classes must have {name} distances that are exact in float64, which holds whole "
            f"numbers up to 2**53, got {rounded[0]} between two of the classes from {classes[0]} "
            f"to {classes[-1]}. Divide the classes by a common factor, or pass them as text in "
            "classes= to compare their positions."
        )


@lru_cache(maxsize=8)
def _of_matrix(entries: bytes, shape: tuple[int, int]) -> Objective:
    """Return the objective of a matrix, cached with all that it has computed."""
    return Additive("custom cost", np.frombuffer(entries).reshape(shape))


def _in_order(matrix: Any, classes: int | ArrayLike, decisions: Array | None = None) -> Any:
    """Return a matrix with names in the order of the classes, or of its columns for a number."""
    if isinstance(matrix, Mapping):
        values = np.arange(classes) if isinstance(classes, (int, np.integer)) else classes
        return matrix_of(matrix, np.asarray(values).tolist(), decisions)
    matrix = predicted_in_rows(matrix)
    if isinstance(classes, (int, np.integer)):
        known = column_names(matrix)
        return matrix if known is None else in_order(matrix, known, decisions)
    return in_order(matrix, np.asarray(classes).tolist(), decisions)


def _resolve_kappa(kappa: Kappa, classes: int | ArrayLike) -> Objective:
    n_classes = classes if isinstance(classes, (int, np.integer)) else np.size(classes)
    weights = _in_order(kappa.weights, classes)
    base: Objective
    if isinstance(weights, str) or callable(weights):
        base = resolve_objective(weights, int(n_classes))
    else:
        matrix = as_matrix(weights, "weights of a Kappa")
        base = _of_matrix(matrix.tobytes(), matrix.shape)
    if not isinstance(base, Additive):
        raise ValueError(f"weights of a Kappa must be a cost, got {base.name!r}.")
    return Ratio(f"kappa ({base.name})", base.cost)
