"""What thresholds are judged by: additive costs and kappas, by name, matrix or callable.

An objective is data. A new one with a name is one row in ``COSTS`` or ``KAPPAS``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np

from ordcut.errors import unknown_name
from ordcut.exact import ExactCost
from ordcut.typing import Array, ArrayLike, Floats, Ints

CostFunction: TypeAlias = Callable[[int, int], float]

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

#: Other names that people use, among them those of scikit-learn's metrics and scorers.
ALIASES: dict[str, str] = {
    "mae": "absolute",
    "mean_absolute_error": "absolute",
    "neg_mean_absolute_error": "absolute",
    "mse": "squared",
    "mean_squared_error": "squared",
    "neg_mean_squared_error": "squared",
    "accuracy": "zero_one",
    "accuracy_score": "zero_one",
    "zero_one_loss": "zero_one",
    "cohen_kappa": "kappa",
    "cohen_kappa_score": "kappa",
    "linear_weighted_kappa": "linear_kappa",
    "lwk": "linear_kappa",
    "quadratic_weighted_kappa": "quadratic_kappa",
    "qwk": "quadratic_kappa",
}


@dataclass(frozen=True)
class Objective:
    """A cost matrix to be minimised, or the weights of a kappa to be maximised.

    Attributes
    ----------
    name : str
        The name shown in results.
    cost : ndarray of shape (K, K)
        ``cost[k, l]`` is the cost of predicting class ``k`` when the truth is ``l``.
    is_kappa : bool
        Whether the objective is the kappa ``1 - cost / (cost expected by chance)``.

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", _as_matrix(self.cost, "cost"))
        if self.is_kappa:
            _check_kappa_weights(self.cost)

    @property
    def n_classes(self) -> int:
        """The number of classes, K."""
        return len(self.cost)

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
    def exact_cost(self) -> ExactCost:
        """The cost in whole numbers, for a kappa the one that it is made of."""
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
        cost = np.where(np.tri(self.n_classes, k=-1, dtype=np.bool_), self.cost * factor, self.cost)
        return Objective(f"{self.name}, too high {factor:g}-fold", cost, self.is_kappa)

    def value(self, confusion: Floats) -> float:
        """Return the mean cost, or the kappa, of a (predicted, true) table of weights.

        Examples
        --------
        >>> resolve_objective("absolute", 2).value(np.array([[3.0, 1.0], [0.0, 4.0]]))
        0.125
        """
        weight = confusion.sum()
        paid = (self.cost * confusion).sum()
        if not self.is_kappa:
            return float(paid / weight)
        predicted, true = confusion.sum(axis=1), confusion.sum(axis=0)
        by_chance = predicted @ self.cost @ true
        if by_chance == 0 and self.cost.any():  # perhaps it is only too small for a float
            scaled, share = self.cost / self.cost.max(), confusion / weight
            paid, weight = (scaled * share).sum(), 1.0
            by_chance = share.sum(axis=1) @ scaled @ share.sum(axis=0)
        if by_chance == 0:
            raise undefined_kappa(self.name, int(predicted.argmax()))
        return float(1 - paid * weight / by_chance)


class Kappa:
    """A weighted kappa with disagreement weights of your own, to be passed as ``objective``.

    Parameters
    ----------
    weights : str, array-like of shape (K, K) or callable
        ``weights[k, l]`` says how bad it is to predict class ``k`` when the truth is ``l``:
        not negative, and 0 where they agree. A name of a cost, or a callable ``(k, l) -> weight``
        over the positions 0..K-1, will do as well.

    Examples
    --------
    >>> import ordcut
    >>> forgiving = ordcut.Kappa(lambda k, l: max(0, abs(k - l) - 1) + (k != l))
    >>> found = ordcut.optimal_thresholds([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 2], objective=forgiving)
    >>> found.value
    1.0
    """

    def __init__(self, weights: ArrayLike | CostFunction | str) -> None:
        self.weights = weights

    def __repr__(self) -> str:
        return f"Kappa({self.weights!r})"


ObjectiveLike: TypeAlias = str | ArrayLike | CostFunction | Objective | Kappa


def n_classes_of(objective: ObjectiveLike) -> int | None:
    """Return the number of classes that an objective is made for; None if any number will do.

    Examples
    --------
    >>> n_classes_of("absolute"), n_classes_of([[0, 1], [5, 0]])
    (None, 2)
    """
    if isinstance(objective, Kappa):
        return n_classes_of(objective.weights)
    if isinstance(objective, Objective):
        return objective.n_classes
    if isinstance(objective, str) or callable(objective):
        return None
    return len(_as_matrix(objective, "objective"))


def resolve_objective(objective: ObjectiveLike, classes: int | ArrayLike) -> Objective:
    """Return the objective as data, for ordered classes.

    Parameters
    ----------
    objective : str, array-like of shape (K, K), callable, Kappa or Objective
        As in :func:`ordcut.optimal_thresholds`.
    classes : array-like of shape (K,) or int
        The classes, lowest first. ``"absolute"`` and ``"squared"`` are distances of their values
        if they are ascending numbers, and of their positions otherwise. A number K stands for the
        classes 0..K-1.

    Examples
    --------
    >>> resolve_objective("quadratic_kappa", 5).is_kappa
    True
    >>> resolve_objective(lambda k, l: 3 * max(k - l, 0) + max(l - k, 0), 3).is_convex
    True
    >>> resolve_objective("absolute", [1, 2, 5]).cost[0]
    array([0., 1., 4.])
    >>> resolve_objective("mae", ["low", "mid", "high"]).name
    'absolute'
    """
    if not isinstance(classes, (int, np.integer)):
        values = np.asarray(classes)
        n_classes = len(values)
    else:
        n_classes = int(classes)
        values = np.arange(n_classes)
    if isinstance(objective, Objective):
        resolved = objective
    elif isinstance(objective, Kappa):
        resolved = _resolve_kappa(objective, n_classes)
    elif isinstance(objective, str):
        name = canonical_name(objective)
        if name not in COSTS and name not in KAPPAS:
            raise unknown_name("objective", objective, [*COSTS, *KAPPAS, *ALIASES])
        has_values = name in DISTANCES and _are_ascending_numbers(values)
        at = values if has_values else np.arange(n_classes)
        resolved = _named(name, COSTS[KAPPAS.get(name, name)], tuple(at.tolist()))
    elif callable(objective):
        name = getattr(objective, "__name__", "callable")
        name = "custom cost" if name == "<lambda>" else name
        every = range(n_classes)
        cost = _as_matrix([[objective(k, truth) for truth in every] for k in every], "objective")
        resolved = Objective(name, cost)
    else:
        resolved = Objective("custom cost", _as_matrix(objective, "objective"))
    if resolved.n_classes != n_classes:
        raise ValueError(
            f"objective must be a ({n_classes}, {n_classes}) matrix for {n_classes} classes, "
            f"got shape {resolved.cost.shape}. Give it one row for each predicted class and one "
            "column for each true one, those that do not occur included."
        )
    return resolved


def canonical_name(name: str) -> str:
    """Return the name that an alias stands for; any other name as it is.

    Examples
    --------
    >>> canonical_name("qwk"), canonical_name("squared")
    ('quadratic_kappa', 'squared')
    """
    return ALIASES.get(name, name)


def _are_ascending_numbers(classes: Array) -> bool:
    return classes.dtype.kind in "iuf" and bool((classes[1:] > classes[:-1]).all())


@lru_cache(maxsize=64)
def _named(
    name: str, cost: Callable[[Array, Array], Array], values: tuple[float, ...]
) -> Objective:
    """Return an objective that has a name; the same one each time, with what it has computed."""
    at = np.array(values)
    if at.dtype.kind in "iu" and max(abs(int(at[0])), abs(int(at[-1]))) >= 2**30:
        at = np.array(values, dtype=object)  # squares of distances could leave the range of int64
    return Objective(name, cost(at[:, None], at), is_kappa=name in KAPPAS)


@cache
def halving_order(n_curves: int) -> Ints:
    """Return the order in which to minimise the risk curves of a convex objective.

    Theorem 2 orders their minima, so the minimum of the middle curve of a range bounds those of
    the others. Row ``i`` holds the curve to minimise at step ``i``, and the nearest curves below
    and above it that were minimised before; -1 and ``n_curves`` stand for the ends.

    Examples
    --------
    >>> halving_order(3).tolist()
    [[1, -1, 3], [2, 1, 3], [0, -1, 1]]
    """
    order, pending = [], [(-1, n_curves)]
    while pending:
        low, high = pending.pop()
        if high - low > 1:
            middle = (low + 1 + high) // 2
            order.append((middle, low, high))
            pending += [(low, middle), (middle, high)]
    found: Ints = np.array(order, np.int64).reshape(-1, 3)
    found.flags.writeable = False
    return found


def undefined_kappa(name: str, position: int) -> ValueError:
    """Return the error for data on which the predictions of one class agree with all labels."""
    return ValueError(
        f"objective {name!r} is undefined for these labels: predicting the class at position "
        f"{position} for every row could not disagree with any of them, so that there is no "
        "agreement by chance to compare with. Use data in which other classes occur, weights that "
        'are positive for some of them, or a cost such as objective="absolute".'
    )


def _as_matrix(cost: Any, argument: str) -> Floats:
    try:
        matrix = np.array(cost, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{argument} must be a name, a (K, K) matrix of numbers or a callable "
            f"(k, l) -> cost, got {type(cost).__name__}: {error}"
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise ValueError(
            f"{argument} must be a square (K, K) matrix with K >= 2, got shape {matrix.shape}."
        )
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        k, truth = (int(index) for index in bad[0])
        raise ValueError(f"{argument} must be finite, got {matrix[k, truth]} at [{k}, {truth}].")
    matrix.flags.writeable = False
    return matrix


def _resolve_kappa(kappa: Kappa, n_classes: int) -> Objective:
    base = resolve_objective(kappa.weights, n_classes)
    if base.is_kappa:
        raise ValueError(f"weights of a Kappa must be a cost, got {base.name!r}.")
    return Objective(f"kappa ({base.name})", base.cost, is_kappa=True)


def _check_kappa_weights(weights: Floats) -> None:
    if (weights < 0).any():
        raise ValueError(f"weights of a Kappa must not be negative, got {weights.min()}.")
    if np.diag(weights).any():
        raise ValueError(
            "weights of a Kappa must be 0 on the diagonal, where prediction and truth agree, "
            f"got {np.diag(weights).tolist()}. If yours say how well two classes agree, "
            "pass their largest value minus them."
        )
