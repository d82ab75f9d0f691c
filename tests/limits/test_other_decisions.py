"""Constraints on decisions that are not the classes, against all thresholds there are."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from tests.naive import every_labeling, label_by, meaning
from tests.strategies import enough_classes, problems
from tests.tables import COSTS

LIMITS = [0, 0.25, 1 / 3, 0.5, 0.75, 1]


def table_of(problem, cuts, n_decisions):
    table = np.zeros((n_decisions, problem.n_classes), int)
    for j, truth, weight in problem.rows:
        table[label_by(cuts, j), truth] += weight
    return table


def ratio(part, whole):
    return None if whole == 0 else Fraction(int(part), int(whole))


def reached_with_review(table, word, k):
    """What a limit is about, where decision ``2 k`` is class ``k`` and odd ones are reviews."""
    if word == "recall":
        return ratio(table[2 * k, k], table[:, k].sum())
    if word == "precision":
        return ratio(table[2 * k, k], table[2 * k].sum())
    if word == "share":
        return ratio(table[2 * k].sum(), table.sum())
    if word == "review":
        return ratio(table[1].sum(), table.sum())
    if word == "under":  # a review of class k or the one below is not lower
        return ratio(table[: max(0, 2 * k - 1), k:].sum(), table[:, k:].sum())
    return ratio(table[2 * k + 2 :, : k + 1].sum(), table[:, : k + 1].sum())


TEXTS = {
    "recall": "recall {} >= {}",
    "precision": "precision {} >= {}",
    "share": "share {} <= {}",
    "review": "share 0 or 1 <= {1}",
    "under": "under {} <= {}",
    "over": "over {} <= {}",
}


@settings(max_examples=150)
@given(
    problem=problems(most_rows=7, most_scores=4, most_classes=3).filter(enough_classes),
    objective=st.sampled_from(COSTS),
    review=st.sampled_from([0.25, 0.5]),
    chosen=st.lists(
        st.tuples(st.sampled_from(list(TEXTS)), st.integers(0, 1), st.sampled_from(LIMITS)),
        min_size=1,
        max_size=2,
    ),
)
def test_limits_hold_with_review_at_the_least_cost(problem, objective, review, chosen):
    n_decisions = 2 * problem.n_classes - 1
    cost = np.full((n_decisions, problem.n_classes), review)
    cost[::2] = ordcut.resolve_objective(objective, problem.n_classes).cost

    def is_kept(table):
        for word, k, limit in chosen:
            reached = reached_with_review(table, word, k)
            is_least = ">=" in TEXTS[word]
            if reached is not None and (
                reached < meaning(limit) if is_least else reached > meaning(limit)
            ):
                return False
        return True

    every = [
        ((cost * table).sum(), cuts[::-1])
        for cuts in every_labeling(problem.n_scores, n_decisions)
        if is_kept(table := table_of(problem, cuts, n_decisions))
    ]

    def find():
        return ordcut.optimal_thresholds(
            problem.scores,
            problem.labels,
            objective=objective,
            review=review,
            classes=problem.classes,
            sample_weight=problem.weights,
            constraints=[TEXTS[word].format(k, limit) for word, k, limit in chosen],
        )

    if not every:
        with pytest.raises(ordcut.InfeasibleConstraintsError):
            find()
        return
    result = find()
    weights = np.ones(len(problem.scores)) if problem.weights is None else problem.weights
    cuts = np.searchsorted(np.unique(problem.scores[weights > 0]), result.thresholds)
    least, lowest = min(every)
    assert tuple(cuts[::-1].tolist()) == lowest
    assert result.value == pytest.approx(least / weights.sum(), abs=1e-12)


@settings(max_examples=100)
@given(
    problem=problems(most_rows=8, most_scores=5).filter(enough_classes),
    costs=st.lists(st.tuples(*[st.integers(-2, 4)] * 3), min_size=8, max_size=8),
    least=st.sampled_from(LIMITS),
    most=st.sampled_from(LIMITS),
)
def test_shares_are_limited_where_rows_have_costs_of_their_own(problem, costs, least, most):
    weights = np.ones(len(problem.scores), int) if problem.weights is None else problem.weights
    costs = np.array(costs[: len(problem.scores)], dtype=float)
    number = np.searchsorted(np.unique(problem.scores[weights > 0]), problem.scores)
    total, every = int(weights.sum()), []
    for cuts in every_labeling(problem.n_scores, 3):
        decided = np.array([label_by(cuts, j) for j in number])
        yes, no = (Fraction(int(weights[decided == d].sum()), total) for d in (2, 0))
        if yes <= meaning(most) and no >= meaning(least):
            paid = (weights * costs[np.arange(len(costs)), decided]).sum()
            every.append((paid, cuts[::-1]))
    constraints = [ordcut.Share("yes", at_most=most), ordcut.Share("no", at_least=least)]

    def find():
        return ordcut.optimal_thresholds(
            problem.scores,
            costs=costs,
            decisions=["no", "ask", "yes"],
            sample_weight=problem.weights,
            constraints=constraints,
        )

    if not every:
        with pytest.raises(ordcut.InfeasibleConstraintsError):
            find()
        return
    result = find()
    paid, lowest = min(every)
    cuts = np.searchsorted(np.unique(problem.scores[weights > 0]), result.thresholds)
    assert tuple(cuts[::-1].tolist()) == lowest
    assert result.value == pytest.approx(paid / total, abs=1e-12)
    assert all(outcome.cost >= 0 for outcome in result.constraints)


@pytest.mark.parametrize("text", ["recall yes >= 0.5", "precision yes >= 0.5", "under yes <= 0.1"])
def test_limits_on_true_classes_need_rows_that_have_one(text):
    with pytest.raises(ValueError, match="needs rows with a true class"):
        ordcut.optimal_thresholds(
            [1, 2], costs=[[0, 1], [1, 0]], decisions=["no", "yes"], constraints=[text]
        )


def test_a_count_of_rows_with_costs_of_their_own_counts_rows():
    result = ordcut.optimal_thresholds(
        [1, 2, 3, 4], costs=[[3, 0.5]] * 4, constraints=[ordcut.Count(1, at_most=3)]
    )
    assert result.thresholds.tolist() == [1.5]
    assert result.constraints[0].reached == 3
    assert result.constraints[0].cost == pytest.approx(2.5 / 4)


@pytest.mark.parametrize("weights", [[1.5] * 4, [0.5, 1.5, 1.5, 1.5]])
def test_a_count_of_weighted_rows_with_costs_of_their_own_counts_their_weight(weights):
    result = ordcut.optimal_thresholds(
        [1, 2, 3, 4],
        costs=[[3, 0.5]] * 4,
        sample_weight=weights,
        constraints=[ordcut.Count(1, at_most=3)],
    )
    assert result.thresholds.tolist() == [2.5]
    assert result.constraints[0].reached == 3
