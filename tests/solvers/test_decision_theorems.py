"""What docs/theory.md states about decisions that are not classes, by brute force."""

from fractions import Fraction

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ordcut
from ordcut._core.decisions import with_review
from tests import naive
from tests.solvers.ordered_cuts import (
    decision_costs,
    first_minima,
    is_ordered,
    loss_of,
    lowest,
    optima_among,
    risk_curves,
    whole,
)
from tests.strategies import cost_matrices, problems
from tests.tables import ANY_COST, CONVEX

fewer = settings(max_examples=100)


def cuts_found(problem, **options):
    """The cuts that ordcut finds, among the distinct scores of rows that have a weight."""
    result = ordcut.optimal_thresholds(problem.scores, sample_weight=problem.weights, **options)
    kept = problem.scores if problem.weights is None else problem.scores[problem.weights > 0]
    return tuple(np.searchsorted(np.unique(kept), result.thresholds).tolist())


def decide(problem, cost, method="auto"):
    return cuts_found(
        problem,
        labels=problem.labels,
        classes=problem.classes,
        objective=cost,
        decisions=[f"decision {d}" for d in range(len(cost))],
        method=method,
    )


@fewer
@given(problem=problems(), data=st.data())
def test_proposition_9_decisions_need_not_be_classes(problem, data):
    cost = data.draw(decision_costs(problem.n_classes))
    optima = optima_among(
        naive.every_labeling(problem.n_scores, len(cost)),
        lambda cuts: loss_of(cuts, problem, whole(cost)),
    )
    for method in ANY_COST:
        assert decide(problem, cost, method) == lowest(optima)


@fewer
@given(problem=problems(), data=st.data())
def test_proposition_9_first_minima_of_costs_convex_over_decisions_are_in_order(problem, data):
    cost = data.draw(decision_costs(problem.n_classes, convex=True))
    minima = first_minima(risk_curves(problem.rows, problem.n_scores, whole(cost)))
    assert is_ordered(minima)
    for method in CONVEX:
        assert decide(problem, cost, method) == minima


@fewer
@given(problem=problems(), data=st.data())
def test_proposition_9_corollary_each_row_may_have_costs_of_its_own(problem, data):
    n_rows, n_decisions = len(problem.scores), data.draw(st.integers(2, 4))
    entries = st.lists(st.integers(-3, 5), min_size=n_decisions, max_size=n_decisions)
    costs = data.draw(st.lists(entries, min_size=n_rows, max_size=n_rows))
    weights = [1] * n_rows if problem.weights is None else problem.weights.tolist()
    distinct = sorted({s for s, w in zip(problem.scores, weights, strict=True) if w > 0})

    def paid(cuts):
        return sum(
            weight * costs[i][naive.label_by(cuts, distinct.index(score))]
            for i, (score, weight) in enumerate(zip(problem.scores, weights, strict=True))
            if weight > 0
        )

    optima = optima_among(naive.every_labeling(len(distinct), n_decisions), paid)
    assert cuts_found(problem, costs=costs) == lowest(optima)


def reviewed(cost, review):
    plain = ordcut.Objective("given", cost)
    return with_review(plain, review, np.arange(len(cost)))


@given(a=st.integers(1, 9), b=st.integers(1, 9), review=st.fractions(0, 9, max_denominator=20))
def test_proposition_10_review_of_two_classes_is_convex_if_it_pays_for_some_row(a, b, review):
    assume(review > 0)
    convexity = reviewed([[0, a], [b, 0]], float(review)).exact_cost.convexity
    assert (convexity != "no") == (review * (a + b) <= a * b)
    # Of all probabilities of the higher class, this one leaves the most to pay without review.
    doubtful = Fraction(b, a + b)
    assert (convexity != "no") == (review <= min(doubtful * a, (1 - doubtful) * b))


@given(n_classes=st.integers(3, 6), review=st.integers(1, 30), data=st.data())
def test_proposition_10_review_of_more_classes_is_not_convex(n_classes, review, data):
    cost = data.draw(cost_matrices(n_classes))
    np.fill_diagonal(cost, 0)
    assert reviewed(cost, review / 5).exact_cost.convexity == "no"


@fewer
@given(problem=problems(most_classes=3), review=st.integers(0, 8))
def test_proposition_10_review_is_a_decision_between_neighbouring_classes(problem, review):
    every = problem.classes
    absolute = [[4 * abs(k - truth) for truth in every] for k in every]
    by_hand = [absolute[d // 2] if d % 2 == 0 else [review] * len(every)
               for d in range(2 * len(every) - 1)]  # fmt: skip
    optima = optima_among(
        naive.every_labeling(problem.n_scores, len(by_hand)),
        lambda cuts: loss_of(cuts, problem, by_hand),
    )
    result = cuts_found(problem, labels=problem.labels, classes=every, review=review / 4)
    assert result == lowest(optima)
