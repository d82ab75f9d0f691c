"""How far a threshold can move alone, against trying every place one after the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from tests.naive import confusion_of
from tests.strategies import problems
from tests.tables import OBJECTIVES


def naive_ranges(problem, objective, cuts, tolerance, factors):
    """Move each cut by one score at a time until the value is too bad or a neighbour is met."""
    distinct = np.unique(problem.scores[weights_of(problem) > 0])
    n, goal = len(distinct), ordcut.resolve_objective(objective, problem.n_classes)

    def loss(some_cuts):
        value = goal.value(np.array(confusion_of(some_cuts, problem.rows, len(factors))) * factors)
        return 1 - value if goal.is_maximised else value

    allowed = loss(cuts) + tolerance * abs(loss(cuts)) + 1e-11
    edges = [0, *cuts, n]
    ranges = []
    for k, cut in enumerate(cuts):
        ends = []
        for step, border in ((-1, edges[k]), (1, edges[k + 2])):
            last = cut
            while last != border and loss([*cuts[:k], last + step, *cuts[k + 1 :]]) <= allowed:
                last += step
            ends.append(last)
        low, high = ends
        ranges.append(
            [distinct[low - 1] if low > 0 else -np.inf, distinct[high] if high < n else np.inf]
        )
    return np.array(ranges)


def weights_of(problem):
    return np.ones(len(problem.scores)) if problem.weights is None else problem.weights


@given(
    problem=problems(most_rows=14, most_scores=8).filter(
        lambda p: len({y for _, y, _ in p.rows}) > 1
    ),
    objective=st.sampled_from(OBJECTIVES),
    tolerance=st.sampled_from([0, 0.01, 0.1, 0.5, 3]),
    weighs_classes=st.booleans(),
)
def test_the_ranges_are_those_of_moving_each_threshold_step_by_step(
    problem, objective, tolerance, weighs_classes
):
    factors = np.arange(1.0, problem.n_classes + 1) if weighs_classes else None
    result = ordcut.optimal_thresholds(
        problem.scores,
        problem.labels,
        objective=objective,
        classes=problem.classes,
        sample_weight=problem.weights,
        class_weight=factors,
    )
    distinct = np.unique(problem.scores[weights_of(problem) > 0])
    cuts = np.searchsorted(distinct, result.thresholds).tolist()
    factors = np.ones(problem.n_classes) if factors is None else factors
    expected = naive_ranges(problem, objective, cuts, tolerance, factors)
    ranges = result.near_optimal(tolerance)
    assert ranges.tolist() == expected.tolist()
    assert (ranges[:, 0] <= result.ranges[:, 0]).all()
    assert (result.ranges[:, 1] <= ranges[:, 1]).all()


def test_a_threshold_moved_within_its_range_is_as_good_as_was_said_and_no_further():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=3000).astype(np.float32)
    labels = np.digitize(scores + rng.normal(size=3000), [-1, 0, 1])
    weights = rng.random(3000)
    for objective in ("absolute", "quadratic_kappa"):
        result = ordcut.optimal_thresholds(
            scores, labels, objective=objective, sample_weight=weights
        )

        def loss_of(value, objective=objective):
            return 1 - value if objective == "quadratic_kappa" else value

        def loss(k, place, result=result, objective=objective, loss_of=loss_of):
            moved = result.thresholds.copy()
            moved[k] = place
            predicted = np.searchsorted(moved, scores, side="right")
            return loss_of(ordcut.evaluate(labels, predicted, objective, sample_weight=weights))

        for k, (low, high) in enumerate(result.near_optimal(0.02)):
            limit = 1.02 * loss_of(result.value)
            assert loss(k, np.nextafter(low, np.inf)) <= limit
            assert loss(k, high) <= limit
            assert loss(k, low) > limit
            assert loss(k, np.nextafter(high, np.inf)) > limit


def test_soft_labels_and_results_of_the_pruned_search_have_ranges_too():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 4, 2000)
    scores = labels + rng.normal(size=2000)
    plain = ordcut.optimal_thresholds(scores, labels, method="dp").near_optimal()
    soft = ordcut.optimal_thresholds(scores, np.eye(4)[labels]).near_optimal()
    pruned = ordcut.optimal_thresholds(scores, labels, method="pruned").near_optimal()
    assert soft.tolist() == plain.tolist() == pruned.tolist()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_balanced_classes_have_the_ranges_of_the_factors_that_balance_them(objective):
    rng = np.random.default_rng(3)
    labels = np.digitize(rng.normal(size=400), [-1.5, 0.2])
    scores = labels + rng.normal(size=400)
    factors = 400 / 3 / np.bincount(labels)
    balanced, by_factor = (
        ordcut.optimal_thresholds(scores, labels, objective=objective, class_weight=weight)
        for weight in ("balanced", factors)
    )
    for tolerance in (0.001, 0.02, 0.1):
        expected = by_factor.near_optimal(tolerance)
        assert balanced.near_optimal(tolerance).tolist() == expected.tolist()


@pytest.mark.parametrize("smoothing", [0, 0.5])
def test_ranges_keep_shares_of_the_rows_whatever_their_classes_count(smoothing):
    rng = np.random.default_rng(4)
    labels = np.digitize(rng.normal(size=200), [-0.5, 0.5])
    scores = labels + rng.normal(size=200)
    result = ordcut.optimal_thresholds(
        scores,
        labels,
        class_weight=[1, 6, 1],
        smoothing=smoothing,
        constraints=["share 1 <= 0.3"],
    )
    (low, _), (_, high) = result.near_optimal(tolerance=9)
    first, last = result.thresholds
    assert np.mean((scores > low) & (scores < last)) <= 0.3
    assert np.mean((scores >= low) & (scores < last)) > 0.3
    assert np.mean((scores >= first) & (scores < high)) <= 0.3
    assert np.mean((scores >= first) & (scores <= high)) > 0.3


def test_ranges_keep_a_minimum_f1():
    scores, labels = np.arange(1, 6), [0, 2, 0, 1, 0]
    result = ordcut.optimal_thresholds(scores, labels, constraints=["f1 1 >= 0.5"])

    def f1(thresholds):
        is_true = np.array(labels) == 1
        is_decided = np.searchsorted(thresholds, scores, side="right") == 1
        return 2 * (is_decided & is_true).sum() / (is_decided.sum() + is_true.sum())

    for k, (low, high) in enumerate(result.near_optimal(0.5)):
        for cut in scores[(scores > low) & (scores <= high)]:
            moved = result.thresholds.copy()
            moved[k] = cut
            assert f1(moved) >= 0.5


def test_costs_of_rows_have_the_ranges_of_the_cost_matrix_that_they_come_from():
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 3, 500)
    scores = labels + rng.normal(size=500)
    for cost in ([[2, 5, 9], [4, 3, 6], [7, 6, 2]], [[-1, 1, 3], [0, -2, 1], [4, 0, -1]]):
        by_labels = ordcut.optimal_thresholds(scores, labels, objective=cost)
        by_rows = ordcut.optimal_thresholds(scores, costs=np.array(cost).T[labels])
        assert by_rows.value == pytest.approx(by_labels.value)
        for tolerance in (0.001, 0.01, 0.1):
            expected = by_labels.near_optimal(tolerance)
            assert by_rows.near_optimal(tolerance).tolist() == expected.tolist()


@pytest.mark.parametrize("tolerance", [-0.1, np.inf, np.nan])
def test_a_tolerance_that_is_no_share_is_an_error(tolerance):
    result = ordcut.optimal_thresholds([1, 2], [0, 1])
    with pytest.raises(ValueError, match="tolerance must be a share of the loss"):
        result.near_optimal(tolerance)


def test_thresholds_without_their_data_say_how_to_find_them_again():
    result = ordcut.optimal_thresholds([1, 2], [0, 1])
    with pytest.raises(ValueError, match=r"near_optimal needs the rows .*optimal_thresholds"):
        ordcut.Thresholds.from_json(result.to_json()).near_optimal()
