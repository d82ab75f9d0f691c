"""Reviews among the decisions: at a given cost, or at the least cost for a share of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ordcut._core.cuts import Cuts
from ordcut._core.decisions import ReviewObjective, with_review
from ordcut._core.limits import Between
from ordcut._core.numerics.exact import as_exact, as_fraction
from ordcut._core.objectives import Additive, Objective, ObjectiveLike, resolve_objective
from ordcut._core.problem import Problem
from ordcut._core.solve import prepared, result_of, solve
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, ArrayLike


def resolve_decisions(
    objective: ObjectiveLike,
    classes: ArrayLike,
    decisions: Sequence[Any] | Array | None,
    review: float | None,
    review_share: float | None = None,
) -> Objective:
    """Return the objective for ordered classes, decisions, and a cost or a share of reviews.

    Examples
    --------
    >>> resolve_decisions("absolute", [1, 2], None, 0.25).decisions.tolist()
    ['1', '1 or 2', '2']
    """
    resolved = resolve_objective(objective, classes, decisions)
    return with_reviews(resolved, review, review_share, np.asarray(classes))


def with_reviews(
    objective: Objective, cost: float | None, share: float | None, classes: Array
) -> Objective:
    """Return an objective with reviews at a cost, or for a share of the rows, or without any.

    Examples
    --------
    >>> absolute = resolve_objective("absolute", 2)
    >>> with_reviews(absolute, None, 0.1, np.array([0, 1])).share
    0.1
    """
    if cost is None and share is None:
        return objective
    if share is None:
        assert cost is not None
        return with_review(objective, cost, classes)
    if cost is not None:
        raise ValueError(
            f"review_share cannot be combined with review, got {share!r} and {cost!r}: a share "
            "determines the cost of a review. Leave one of them out."
        )
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise ValueError(f"review_share must be a number from 0 to 1, got {share!r}.")
    free = with_review(objective, 0.0, classes)
    assert isinstance(objective, Additive)
    return ReviewShare(
        f"{objective.name}, review of {share:g}",
        free.cost,
        decisions=free.decisions,
        class_weight=free.class_weight,
        base=objective,
        share=share,
    )


@dataclass(frozen=True, eq=False)
class ReviewShare(ReviewObjective):
    """A loss with reviews at the least cost at which no more than a share of rows is reviewed.

    Attributes
    ----------
    base : Additive
        The loss without reviews.
    share : float
        The largest share of the rows to be reviewed, by weight.
    """

    base: Additive = field(kw_only=True)
    share: float = field(kw_only=True)

    def outer_search(self, problem: Problem) -> Thresholds:
        """Return optimal thresholds at the least cost of review.

        The more a review costs, the fewer rows are reviewed: the least total is concave in the
        cost. So two optima, of which one reviews too much, leave a cost at which they are equal.
        If no others are better there, it is the least cost; if others are, they replace one of
        the two.
        """
        _check(problem)
        base, data = self.base, problem.solved.data
        ready = prepared(problem, n_problems=8)
        cost_of_decisions = as_exact(base.cost)

        def reviewed_at(cost: Fraction) -> ReviewedRows:
            objective = with_review(base, float(cost), data.classes)
            at_cost = replace(ready, objective=objective)
            cuts = solve(at_cost)
            thresholds = result_of(at_cost, cuts)
            table = as_exact(data.confusion(thresholds.thresholds))
            paid = (cost_of_decisions * table[::2]).sum()
            return ReviewedRows(cuts, thresholds, paid, table[1::2].sum(), table.sum())

        more = reviewed_at(Fraction(0))
        most = as_fraction(self.share) * more.weight
        if more.reviewed <= most:
            return more.thresholds
        less = reviewed_at(Fraction(1 + 2 * base.largest_cost))
        if less.reviewed > most:
            raise ValueError(
                f"review_share must be at least {float(less.reviewed / less.weight):.6g} with "
                f"these constraints, got {self.share!r}. Relax a constraint, or raise the share."
            )
        while True:
            cost = (less.paid - more.paid) / (more.reviewed - less.reviewed)
            between = reviewed_at(cost)
            if between.total(cost) >= more.total(cost):
                break
            if between.reviewed > most:
                more = between
            else:
                less = between
        objective = with_review(base, float(cost), data.classes)
        # At this cost, constraints may matter that did not at the cost of the solution.
        cuts = replace(less.cuts, is_free=False)
        return result_of(replace(ready, objective=objective), cuts)


def ranges_of_classes(thresholds: Thresholds) -> tuple[Between, ...]:
    """Return the range of each threshold between classes in which rows without review keep theirs.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1]
    >>> reviewed = ordcut.optimal_thresholds(scores, labels, review=0.1)
    >>> ranges_of_classes(reviewed)
    (Between(threshold_index=0, low=2.5, high=4.5),)
    """
    at = np.concatenate([[-np.inf], thresholds.thresholds, [np.inf]])
    starts, ends = at[:-1:2], at[1::2]
    is_taken = starts < ends
    low = np.maximum.accumulate(np.where(is_taken, ends, -np.inf))[:-1]
    high = np.minimum.accumulate(np.where(is_taken, starts, np.inf)[::-1])[::-1][1:]
    ranges = zip(low.tolist(), high.tolist(), strict=True)
    return tuple(Between(k, *ends) for k, ends in enumerate(ranges))


@dataclass(frozen=True)
class ReviewedRows:
    """Optimal thresholds at a cost of review: what other decisions cost, and the weight reviewed.

    The total at another cost of review is a line: ``paid + cost * reviewed``.
    """

    cuts: Cuts
    thresholds: Thresholds
    paid: Fraction
    reviewed: Fraction
    weight: Fraction

    def total(self, cost: Fraction) -> Fraction:
        """Return the total cost of the thresholds at a cost of review."""
        return self.paid + cost * self.reviewed


def _check(problem: Problem) -> None:
    if problem.smoothing is not None:
        raise ValueError(
            "review_share cannot be combined with smoothing: the share counts rows as "
            "observed. Leave one of them out, or pass the cost of a review instead: review=."
        )
    if problem.objective.class_weight is not None:
        raise ValueError(
            "review_share needs rows of equal weight for every class, got class_weight, or an "
            "objective that balances the classes. Pass the cost of a review instead: review=."
        )
