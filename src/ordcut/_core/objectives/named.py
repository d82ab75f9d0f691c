"""What thresholds are judged by: additive costs and kappas, by name, matrix or callable.

An objective is data. To add a named objective, add a row to ``COSTS`` or ``KAPPAS``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ordcut._core.data import (
    ClassWeight,
    as_matrix,
    check_classes,
    class_factors,
    column_names,
    in_order,
)
from ordcut._core.errors import undefined_kappa, unknown_name
from ordcut._core.numerics.exact import ExactCost, as_exact
from ordcut._core.numerics.threads import cached_property
from ordcut._core.objectives.custom import CostFunction, Kappa, SegmentObjective
from ordcut._core.objectives.terms import TERMS
from ordcut._core.typing import Array, ArrayLike, Floats

#: Costs by name: what predicting class ``k`` costs when the truth is class ``l``, over arrays.
COSTS: dict[str, Callable[[Array, Array], Array]] = {
    "absolute": lambda k, l: np.abs(k - l),  # noqa: E741 (the paper's letters)
    "squared": lambda k, l: (k - l) ** 2,  # noqa: E741
    "zero_one": lambda k, l: k != l,  # noqa: E741
}

#: Kappas by name: the cost that each compares with what chance would pay.
KAPPAS: dict[str, str] = {
    "kappa": "zero_one",
    "linear_kappa": "absolute",
    "quadratic_kappa": "squared",
}

#: Costs that are distances: of the values of the classes, where these are numbers.
DISTANCES = ("absolute", "squared")

#: Losses in which every true class counts the same, whatever its number of rows.
BALANCED: dict[str, str] = {"macro_mae": "absolute", "balanced_zero_one": "zero_one"}

#: Other names that people use, among them those of scikit-learn's metrics and scorers.
ALIASES: dict[str, str] = {
    alias: name
    for name, aliases in {
        "absolute": "mae mean_absolute_error neg_mean_absolute_error",
        "squared": "mse mean_squared_error neg_mean_squared_error",
        "zero_one": "accuracy accuracy_score zero_one_loss",
        "balanced_zero_one": "balanced_accuracy balanced_accuracy_score",
        "macro_mae": "neg_macro_mae",
        "kappa": "cohen_kappa cohen_kappa_score",
        "linear_kappa": "linear_weighted_kappa lwk",
        "quadratic_kappa": "quadratic_weighted_kappa qwk",
        "macro_f1": "f1_macro",
        "weighted_f1": "f1_weighted",
        "geometric_recall": "geometric_mean_score",
    }.items()
    for alias in aliases.split()
}


@dataclass(frozen=True, eq=False)
class Objective:
    """A cost matrix to be minimised, or the weights of a kappa to be maximised.

    Attributes
    ----------
    name : str
        The name shown in results.
    cost : ndarray of shape (D, K)
        ``cost[d, l]`` is the cost of decision ``d`` when the truth is class ``l``. Decisions are
        the classes themselves, D = K, unless they have names of their own.
    is_kappa : bool
        Whether the objective is the kappa ``1 - cost / (cost expected by chance)``.
    decisions : ndarray of shape (D,), optional
        The names of the decisions, lowest first; None where they are the classes.

    Examples
    --------
    >>> resolve_objective("absolute", 3).cost
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    """

    name: str
    cost: Floats = field(repr=False)
    is_kappa: bool = False
    decisions: Array | None = field(default=None, repr=False)

    #: Whether every second decision hands rows over for review, and whether rows have a true class.
    has_reviews: ClassVar[bool] = False
    has_truth: ClassVar[bool] = True

    #: How thresholds are found, if not by one search: a function of the problem.
    search: ClassVar[Any] = None

    #: Whether the objective is a score that adds up over decisions, and has no costs of rows.
    is_segmented: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", as_matrix(self.cost, "cost"))
        if self.is_kappa:
            _check_kappa_weights(self.cost)

    @property
    def is_maximised(self) -> bool:
        """Whether higher values are better."""
        return self.is_kappa or self.is_segmented

    @property
    def n_classes(self) -> int:
        """The number of classes, K."""
        return int(self.cost.shape[1])

    @property
    def n_decisions(self) -> int:
        """The number of decisions, D."""
        return len(self.cost)

    def weighting(self, class_weight: ClassWeight | None) -> ClassWeight | None:
        """Return how the rows of each true class are weighted: as given, or by the objective.

        Examples
        --------
        >>> resolve_objective("macro_mae", 2).weighting(None)
        'balanced'
        """
        if self.name not in BALANCED:
            return class_weight
        if class_weight is not None:
            raise ValueError(
                f"class_weight must be None for objective {self.name!r}, in which every class "
                f"counts the same already; got {class_weight!r}. For other weights, use "
                f"objective={BALANCED[self.name]!r}."
            )
        return "balanced"

    def class_factors(
        self, class_weight: ClassWeight | None, classes: Array, totals: Floats
    ) -> Floats:
        """Return what the rows of each true class count, whose weights add up to ``totals``.

        Examples
        --------
        >>> balanced = resolve_objective("macro_mae", 2)
        >>> balanced.class_factors(None, np.array([0, 1]), np.array([30.0, 10.0]))
        array([1., 3.])
        """
        return class_factors(self.weighting(class_weight), classes, totals)

    @cached_property
    def is_convex(self) -> bool:
        """Whether every second difference over the predicted class is >= 0: Theorem 2's test.

        A kappa is a ratio of two costs, not a cost, and so is not convex in this sense.

        Examples
        --------
        >>> resolve_objective("squared", 4).is_convex, resolve_objective("zero_one", 4).is_convex
        (True, False)
        """
        return not self.is_kappa and self.exact_cost.is_convex

    @cached_property
    def has_convex_steps(self) -> bool:
        """Whether all additive costs to be minimised are convex: for a kappa, those of its steps.

        Steps of a kappa subtract a multiple, at most 1, of the mean cost over truths. They are
        convex if all truths have the same second differences.

        Examples
        --------
        >>> [resolve_objective(name, 4).has_convex_steps for name in ("absolute", "linear_kappa")]
        [True, False]
        >>> resolve_objective("quadratic_kappa", 4).has_convex_steps
        True
        """
        exact = self.exact_cost
        if not self.is_kappa:
            return exact.is_convex
        bends = exact.gain[:-1] - exact.gain[1:]
        return bool((bends == bends[:, :1]).all() and (bends >= 0).all())

    @cached_property
    def largest_cost(self) -> float:
        """The largest cost, whatever its sign."""
        return float(np.abs(self.cost).max())

    @cached_property
    def exact_cost(self) -> ExactCost:
        """The cost in whole numbers; for a kappa, its disagreement weights."""
        return ExactCost.of(self.cost)

    def asymmetric(self, factor: float) -> Objective:
        """Return the objective with the cost of every prediction that is too high times a factor.

        Examples
        --------
        >>> resolve_objective("absolute", 3).asymmetric(5).cost
        array([[ 0.,  1.,  2.],
               [ 5.,  0.,  1.],
               [10.,  5.,  0.]])
        """
        if not 0 <= factor < np.inf:
            raise ValueError(
                f"asymmetry must be a finite number that is not negative, got {factor!r}."
            )
        if self.decisions is not None:
            raise ValueError(
                "asymmetry needs predictions that are classes: of other decisions, it is not known "
                "which are too high. Put the costs that you want into the matrix itself."
            )
        cost = np.where(np.tri(self.n_classes, k=-1, dtype=np.bool_), self.cost * factor, self.cost)
        return Objective(f"{self.name}, too high {factor:g}-fold", cost, self.is_kappa)

    def review_share(self, confusion: Floats) -> float | None:
        """Return the share of the rows that are handed over for review; None without review."""
        del confusion
        return None

    def mean(self, paid: Any, totals: Floats) -> Any:
        """Return the mean of a total cost, for rows with the given weights of the classes."""
        return paid / totals.sum()

    def value(self, confusion: Floats, factors: Floats | None = None) -> float:
        """Return the mean cost or kappa of a (predicted, true) table, times ``factors`` by class.

        Examples
        --------
        >>> resolve_objective("absolute", 2).value(np.array([[3.0, 1.0], [0.0, 4.0]]))
        0.125
        """
        confusion = confusion if factors is None else confusion * factors
        weight = confusion.sum()
        if not self.is_kappa:
            return float((self.cost * confusion).sum() / weight)
        with np.errstate(over="ignore", invalid="ignore"):
            paid = (self.cost * confusion).sum() * weight
            by_chance = confusion.sum(axis=1) @ self.cost @ confusion.sum(axis=0)
        if 0 < by_chance < np.inf and paid < np.inf:
            return float(1 - paid / by_chance)
        # Beyond the range of floats, or undefined: exact fractions tell.
        cost, exact = as_exact(self.cost), as_exact(confusion)
        predicted, true = exact.sum(axis=1), exact.sum(axis=0)
        expected = predicted @ cost @ true
        if expected == 0:
            raise undefined_kappa(self.name, int(confusion.sum(axis=1).argmax()))
        return float(1 - (cost * exact).sum() * exact.sum() / expected)


ObjectiveLike: TypeAlias = str | ArrayLike | CostFunction | Objective | Kappa | SegmentObjective


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
    if isinstance(objective, SegmentObjective) or callable(objective):
        return None
    n_decisions, n_classes = as_matrix(objective, "objective").shape
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
    objective : str, array-like of shape (D, K), callable, Kappa or Objective
        As in :func:`ordcut.optimal_thresholds`.
    classes : array-like of shape (K,) or int
        The classes, lowest first. ``"absolute"`` and ``"squared"`` are distances of their values
        if they are ascending numbers, and of their positions otherwise. A number K stands for the
        classes 0..K-1.
    decisions : sequence, optional
        The names of the D decisions, lowest first, where these are not the classes.

    Examples
    --------
    >>> resolve_objective("quadratic_kappa", 5).is_kappa
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
    if isinstance(objective, SegmentObjective) or (isinstance(objective, str) and name in TERMS):
        from ordcut._core.objectives.segmented import (
            SegmentedObjective,  # a kind of Objective itself
        )

        resolved = SegmentedObjective.of(objective, n_classes)
    elif name is not None:
        if not is_named(name):
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
        try:
            cost = [[objective(k, truth) for truth in every] for k in chosen]
        except (TypeError, ValueError) as error:
            reason = str(error).removesuffix(".")
            raise TypeError(
                "objective must be a function of two positions, predicted and true, that returns a "
                f'cost, and {name} failed: {reason}. For a metric, pass its name, such as "mae".'
            ) from error
        resolved = Objective(name, as_matrix(cost, "objective"))
    else:
        matrix = as_matrix(_in_order(objective, classes, names), "objective")
        resolved = _of_matrix(matrix.tobytes(), matrix.shape)
    if names is not None:
        if resolved.is_maximised:
            raise ValueError(
                f"decisions cannot be used with the {'kappa' if resolved.is_kappa else 'score'} "
                f"{resolved.name!r}, which compares "
                "predictions and labels of the same classes. Use a cost matrix with one row for "
                "each decision."
            )
        resolved = replace(resolved, decisions=names)
    n_decisions = n_classes if resolved.decisions is None else len(resolved.decisions)
    shape = resolved.n_decisions, resolved.n_classes
    if shape != (n_decisions, n_classes):
        each = "predicted class" if resolved.decisions is None else "decision"
        raise ValueError(
            f"objective must be a ({n_decisions}, {n_classes}) matrix for {n_classes} classes, "
            f"got shape {shape}. Give it a row for each {each} and a column for "
            "each true class, including those that do not occur."
        )
    return resolved


def names_of_objectives() -> tuple[str, ...]:
    """Return the names of all objectives, without aliases."""
    return (*COSTS, *KAPPAS, *BALANCED, *TERMS)


def is_named(name: str) -> bool:
    """Return whether an objective has this name, aliases apart."""
    return name in COSTS or name in KAPPAS or name in BALANCED or name in TERMS


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
    if at.dtype.kind in "iu" and max(abs(int(at[0])), abs(int(at[-1]))) >= 2**30:
        # Squares of distances could leave the range of int64.
        at = np.array(given.tolist(), dtype=object)
    return Objective(name, cost(at[:, None], at), is_kappa=name in KAPPAS)


@lru_cache(maxsize=8)
def _of_matrix(entries: bytes, shape: tuple[int, int]) -> Objective:
    """Return the objective of a matrix, cached with all that it has computed."""
    return Objective("custom cost", np.frombuffer(entries).reshape(shape))


def _in_order(matrix: Any, classes: int | ArrayLike, decisions: Array | None = None) -> Any:
    """Return a matrix with names in the order of the classes, or of its columns for a number."""
    if isinstance(classes, (int, np.integer)):
        known = column_names(matrix)
        return matrix if known is None else in_order(matrix, known, decisions)
    return in_order(matrix, np.asarray(classes).tolist(), decisions)


def _resolve_kappa(kappa: Kappa, classes: int | ArrayLike) -> Objective:
    n_classes = classes if isinstance(classes, (int, np.integer)) else np.size(classes)
    base = resolve_objective(_in_order(kappa.weights, classes), int(n_classes))
    if base.is_kappa:
        raise ValueError(f"weights of a Kappa must be a cost, got {base.name!r}.")
    return Objective(f"kappa ({base.name})", base.cost, is_kappa=True)


def _check_kappa_weights(weights: Floats) -> None:
    if weights.shape[0] != weights.shape[1]:
        raise ValueError(f"weights of a Kappa must be a square matrix, got shape {weights.shape}.")
    if (weights < 0).any():
        raise ValueError(f"weights of a Kappa must not be negative, got {weights.min()}.")
    if np.diag(weights).any():
        raise ValueError(
            "weights of a Kappa must be 0 on the diagonal, where prediction and truth agree, "
            f"got {np.diag(weights).tolist()}. If yours say how well two classes agree, "
            "pass their largest value minus them."
        )
