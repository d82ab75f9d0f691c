"""Decisions that differ from the classes: review between classes, and costs of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, ClassVar

import numpy as np

from ordcut._core.data import (
    Rows,
    WeightType,
    as_floats,
    as_scores,
    check_aligned,
    check_classes,
    check_finite,
    column_names,
    positions_of,
    read_weights,
)
from ordcut._core.objectives import Additive, Objective
from ordcut._core.typing import Array, ArrayLike, Floats


def with_review(objective: Objective, cost: float, classes: Array) -> ReviewObjective:
    """Return an objective with a review between each pair of neighbouring classes.

    Parameters
    ----------
    objective : Objective
        An additive loss over the classes.
    cost : float
        The cost of reviewing a row, for all classes.
    classes : ndarray of shape (K,)
        The classes, which the decisions are named after.

    Examples
    --------
    >>> from ordcut._core.objectives import resolve_objective
    >>> reviewed = with_review(resolve_objective("absolute", 2), 0.25, np.array([1, 2]))
    >>> reviewed.decisions.tolist(), reviewed.cost.tolist()
    (['1', '1 or 2', '2'], [[0.0, 1.0], [0.25, 0.25], [1.0, 0.0]])
    """
    if not isinstance(objective, Additive) or objective.decisions is not None:
        is_own = objective.decisions is not None
        what = "decisions of your own" if is_own else f"a {objective.noun}"
        raise ValueError(
            f"review needs an additive loss over the classes, got {what}. For other decisions, add "
            "a row to the cost matrix and a name to decisions."
        )
    if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not 0 <= cost < np.inf:
        raise ValueError(f"review must be a finite cost that is not negative, got {cost!r}.")
    matrix = np.full((2 * objective.n_classes - 1, objective.n_classes), float(cost))
    matrix[::2] = objective.cost
    names = [str(name) for name in classes.tolist()]
    between = [f"{low} or {high}" for low, high in pairwise(names)]
    decisions = [*chain.from_iterable(zip(names, between, strict=False)), names[-1]]
    return ReviewObjective(
        f"{objective.name}, review at {cost:g}",
        matrix,
        decisions=check_classes(decisions),
        class_weight=objective.class_weight,
    )


@dataclass(frozen=True, eq=False)
class ReviewObjective(Additive):
    """A loss in which every second decision is a review."""

    has_reviews: ClassVar[bool] = True

    def review_share(self, table: Floats) -> float:
        """Return the share of the rows that are reviewed."""
        return float(table[1::2].sum() / table.sum())


@dataclass(frozen=True, eq=False)
class RowCosts(Additive):
    """An objective in which every row has its own cost of each decision.

    Costs are encoded as soft labels over artificial classes, so that every solver can be used. The
    weight of class ``d`` is the cost of decision ``d``. Since weights must not be negative, costs
    below 0 are the weights of D further classes, whose decision costs -1; no cost is rounded. The
    last class has the weight of the row and costs nothing.
    """

    has_truth: ClassVar[bool] = False

    @classmethod
    def of(cls, costs: Floats, decisions: Array) -> tuple[RowCosts, Floats]:
        """Return the objective of costs (n, D), and the weights of the artificial classes.

        Examples
        --------
        >>> objective, weights = RowCosts.of(np.array([[1.0, -2.0]]), np.array(["no", "yes"]))
        >>> weights
        array([[1., 0., 0., 2., 1.]])
        >>> weights @ objective.cost.T
        array([[ 1., -2.]])
        """
        own, row = np.eye(costs.shape[1]), np.zeros((costs.shape[1], 1))
        paid, counted = np.maximum(costs, 0), np.ones((len(costs), 1))
        matrix, weights = np.hstack([own, row]), np.hstack([paid, counted])
        if (costs < 0).any():
            matrix = np.hstack([own, -own, row])
            weights = np.hstack([paid, np.maximum(-costs, 0), counted])
        return cls("row costs", matrix, decisions=decisions), weights

    def row_weight(self, totals: Floats) -> float:
        """Return the weight of all rows, which the last artificial class counts."""
        return float(totals[-1])

    def sums(self, totals: Floats) -> tuple[Floats, Floats]:
        """Return the cost, and 1 for each row, which the last artificial class counts."""
        del totals
        n_rows = np.zeros_like(self.cost)
        n_rows[:, -1] = 1.0
        return self.cost, n_rows

    def unweighted_value(self, table: Floats) -> float:
        """Return the mean cost of a table of weights by decision and artificial class."""
        return float((self.cost * table).sum() / table[:, -1].sum())


def read_costs(
    scores: ArrayLike,
    costs: ArrayLike,
    decisions: Sequence[Any] | Array | None,
    sample_weight: ArrayLike | None,
    weight_type: WeightType | None = None,
) -> tuple[Rows, RowCosts]:
    """Validate scores and the costs of each row; return them as rows and an objective.

    Examples
    --------
    >>> rows, objective = read_costs([0.1, 0.9], [[0, 2], [3, 1]], ["no", "yes"], None)
    >>> objective.value(rows.confusion(np.array([0.5])))
    0.5
    """
    check_aligned(scores=scores, costs=costs, sample_weight=sample_weight)
    array = as_scores(scores)
    check_finite(array)
    paid = as_floats(costs, "costs")
    if paid.ndim != 2 or paid.shape[1] < 2 or len(paid) != len(array) or len(array) == 0:
        raise ValueError(
            "costs must have one row for each score and one column for each decision, at least 2, "
            f"got shape {paid.shape} for {len(array)} scores."
        )
    bad = np.argwhere(~np.isfinite(paid))
    if len(bad):
        row, column = (int(index) for index in bad[0])
        raise ValueError(
            f"costs must be finite, got {paid[row, column]} at position [{row}, {column}]."
        )
    columns = column_names(costs)
    default = list(range(paid.shape[1])) if columns is None else columns
    names = check_classes(default if decisions is None else decisions, "decisions")
    if columns is not None:
        remedy = "Rename them, or pass the values alone: costs.to_numpy()."
        known = names.tolist()
        paid = paid[:, positions_of(columns, known, "costs", "column", "decision", remedy)]
    elif len(names) != paid.shape[1]:
        raise ValueError(
            f"decisions must name the {paid.shape[1]} columns of costs, got {len(names)} names."
        )
    objective, soft = RowCosts.of(paid, names)
    weights, unit, stated = read_weights(sample_weight, len(array), weight_type)
    kinds = np.arange(objective.n_classes)
    rows = Rows(array, kinds, None, soft, weights, unit=unit, weight_type=stated)
    return rows._without_weightless().with_checksum(), objective


def check_alone(
    labels: object,
    objective: object,
    classes: object,
    review: object,
    class_weight: object,
    class_shares: object,
    smoothing: object,
) -> None:
    """Raise an error if costs are passed together with arguments that they replace."""
    given = {
        "labels": labels is not None,
        "objective": not (isinstance(objective, str) and objective == "absolute"),
        "classes": classes is not None,
        "review": review is not None,
        "class_weight": class_weight is not None,
        "class_shares": class_shares is not None,
        "smoothing": smoothing != 0,
    }
    extra = [name for name, is_given in given.items() if is_given]
    if extra:
        raise ValueError(
            f"costs cannot be combined with {' and '.join(extra)}: they already contain the cost "
            "of each decision for each row. To weight rows, pass sample_weight."
        )
