"""The cheapest review that hands over no more than a given share of the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from ordcut.decisions import with_review
from ordcut.exact import as_exact, as_fraction
from ordcut.objectives import BALANCED, Objective
from ordcut.problem import Problem, optimum, prepare
from ordcut.thresholds import Thresholds


@dataclass(frozen=True)
class ReviewedRows:
    """Optimal thresholds at a cost of review: what other decisions cost, and the weight reviewed.

    The total at another cost of review is a line: ``paid + cost * reviewed``.
    """

    thresholds: Thresholds
    paid: Fraction
    reviewed: Fraction
    weight: Fraction

    def total(self, cost: Fraction) -> Fraction:
        """Return the total cost of the thresholds at a cost of review."""
        return self.paid + cost * self.reviewed


def within_share(problem: Problem, base: Objective, share: float) -> Thresholds:
    """Return optimal thresholds at the least cost of review that reviews at most a share of rows.

    As reviews become dearer, fewer rows are reviewed: the least total is concave in the cost. So
    two optima, of which one reviews too much, leave a single cost at which they are equal. If no
    others are better there, it is the least cost; if others are, they replace one of the two.

    Parameters
    ----------
    problem : Problem
        The problem with reviews among the decisions, at any cost.
    base : Objective
        The loss without reviews.
    share : float
        The largest share of the rows to be reviewed, by weight.
    """
    _check(problem, base, share)
    store, data = prepare(problem, n_problems=8), problem.solved.data
    cost_of_decisions = as_exact(base.cost)

    def reviewed_at(cost: Fraction) -> ReviewedRows:
        objective = with_review(base, float(cost), data.classes)
        sample = replace(problem.solved, store=store)
        thresholds = optimum(replace(problem, solved=sample, objective=objective))
        table = as_exact(data.confusion(thresholds.thresholds))
        paid = (cost_of_decisions * table[::2]).sum()
        return ReviewedRows(thresholds, paid, table[1::2].sum(), table.sum())

    more = reviewed_at(Fraction(0))
    most = as_fraction(share) * more.weight
    if more.reviewed <= most:
        return more.thresholds
    less = reviewed_at(Fraction(1 + 2 * base.largest_cost))
    if less.reviewed > most:
        raise ValueError(
            f"review_share must be at least {float(less.reviewed / less.weight):.6g} with these "
            f"constraints, got {share!r}. Relax one of them."
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
    result, objective = less.thresholds, with_review(base, float(cost), data.classes)
    assert result.origin is not None
    return replace(
        result,
        value=objective.value(data.confusion(result.thresholds)),
        objective=objective.name,
        origin=replace(result.origin, objective=objective),
    )


def _check(problem: Problem, base: Objective, share: float) -> None:
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise ValueError(f"review_share must be a number from 0 to 1, got {share!r}.")
    if problem.solved.class_weight is not None or base.name in BALANCED:
        raise ValueError(
            "review_share needs rows of equal weight for every class, got class_weight, or an "
            "objective that balances the classes. Pass the cost of a review instead: review=."
        )
