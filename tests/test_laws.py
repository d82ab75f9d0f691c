"""Laws that hold for every method and objective, whatever the data."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from tests.naive import GOODNESS, confusion_of, every_labeling, value_of
from tests.strategies import cost_matrices, enough_classes, find, problems
from tests.tables import COSTS, EVERY_OBJECTIVE, OBJECTIVES


@pytest.mark.parametrize("objective", EVERY_OBJECTIVE)
@settings(max_examples=80)
@given(problem=problems().filter(enough_classes))
def test_thresholds_are_the_lowest_of_the_best_of_all(objective, problem):
    tables = {
        cuts: confusion_of(cuts, problem.rows, problem.n_classes)
        for cuts in every_labeling(problem.n_scores, problem.n_classes)
    }
    goodness = {cuts: GOODNESS[objective](table) for cuts, table in tables.items()}
    best = max(goodness.values())
    lowest = min((cuts for cuts in tables if goodness[cuts] == best), key=lambda cuts: cuts[::-1])
    result = find(
        problem.scores, problem.labels, problem.n_classes, objective, sample_weight=problem.weights
    )
    counted = slice(None) if problem.weights is None else problem.weights > 0
    cuts = np.searchsorted(np.unique(problem.scores[counted]), result.thresholds)
    assert tuple(cuts.tolist()) == lowest
    assert result.value == pytest.approx(value_of(objective, tables[lowest]), abs=1e-14)


@given(problem=problems().filter(enough_classes), objective=st.sampled_from(OBJECTIVES))
def test_a_whole_weight_equals_that_many_repeats(problem, objective):
    weights = np.ones(len(problem.scores), int) if problem.weights is None else problem.weights
    weighted = find(
        problem.scores, problem.labels, problem.n_classes, objective, sample_weight=weights
    )
    scores, labels = np.repeat(problem.scores, weights), np.repeat(problem.labels, weights)
    repeated = find(scores, labels, problem.n_classes, objective)
    assert weighted == repeated


@given(problem=problems(), data=st.data())
def test_a_whole_weight_equals_repeats_even_where_costs_are_no_fractions(problem, data):
    cost = data.draw(cost_matrices(problem.n_classes)) * np.sqrt(2)
    weights = np.ones(len(problem.scores), int) if problem.weights is None else problem.weights
    weighted = find(problem.scores, problem.labels, problem.n_classes, cost, sample_weight=weights)
    scores, labels = np.repeat(problem.scores, weights), np.repeat(problem.labels, weights)
    assert weighted == find(scores, labels, problem.n_classes, cost)


@given(
    problem=problems().filter(enough_classes),
    objective=st.sampled_from(OBJECTIVES),
    random=st.randoms(use_true_random=False),
)
def test_the_order_of_the_rows_is_irrelevant(problem, objective, random):
    order = list(range(len(problem.scores)))
    random.shuffle(order)
    weights = None if problem.weights is None else problem.weights / 7
    shuffled_weights = None if weights is None else weights[order]
    straight = find(
        problem.scores, problem.labels, problem.n_classes, objective, sample_weight=weights
    )
    shuffled = find(
        problem.scores[order],
        problem.labels[order],
        problem.n_classes,
        objective,
        sample_weight=shuffled_weights,
    )
    assert shuffled.thresholds.tolist() == straight.thresholds.tolist()
    assert shuffled.value == pytest.approx(straight.value, abs=1e-15)


@given(problem=problems().filter(enough_classes), objective=st.sampled_from(OBJECTIVES))
def test_one_hot_soft_labels_equal_labels(problem, objective):
    soft = np.eye(problem.n_classes)[problem.labels]
    hard = find(
        problem.scores, problem.labels, problem.n_classes, objective, sample_weight=problem.weights
    )
    assert hard == find(
        problem.scores, soft, problem.n_classes, objective, sample_weight=problem.weights
    )


@given(problem=problems().filter(enough_classes), objective=st.sampled_from(OBJECTIVES))
def test_class_weights_equal_sample_weights(problem, objective):
    factors = np.arange(1, problem.n_classes + 1)
    weights = np.ones(len(problem.scores), int) if problem.weights is None else problem.weights
    by_class = find(
        problem.scores,
        problem.labels,
        problem.n_classes,
        objective,
        sample_weight=weights,
        class_weight=factors,
    )
    by_row = find(
        problem.scores,
        problem.labels,
        problem.n_classes,
        objective,
        sample_weight=weights * factors[problem.labels],
    )
    assert by_class.thresholds.tolist() == by_row.thresholds.tolist()
    assert by_class.value == pytest.approx(by_row.value, abs=1e-15)


@given(problem=problems().filter(enough_classes), objective=st.sampled_from(OBJECTIVES))
def test_the_value_is_what_predicting_again_reaches(problem, objective):
    weights = None if problem.weights is None else problem.weights / 7
    result = find(
        problem.scores, problem.labels, problem.n_classes, objective, sample_weight=weights
    )
    again = ordcut.evaluate(
        problem.labels,
        result.predict(problem.scores),
        objective,
        classes=problem.classes,
        sample_weight=weights,
    )
    assert result.value == again


@given(problem=problems(), objective=st.sampled_from(COSTS), data=st.data())
def test_a_threshold_may_move_anywhere_in_its_range(problem, objective, data):
    result = find(problem.scores, problem.labels, problem.n_classes, objective)
    expected = result.predict(problem.scores).tolist()
    for k, (low, high) in enumerate(result.ranges):
        inside = [np.nextafter(low, np.inf), high]
        for place in inside:
            moved = result.thresholds.copy()
            moved[k] = place
            codes = [sum(t <= score for t in moved) for score in problem.scores]
            assert codes == expected
        outside = result.thresholds.copy()
        outside[k] = low
        if np.isfinite(low):
            assert [sum(t <= score for t in outside) for score in problem.scores] != expected


@given(problem=problems(), shift=st.integers(-5, 5), scale=st.integers(1, 4))
def test_an_increasing_map_of_the_scores_maps_the_thresholds(problem, shift, scale):
    result = find(problem.scores, problem.labels, problem.n_classes)
    moved = find(problem.scores * scale + shift, problem.labels, problem.n_classes)
    assert moved.thresholds.tolist() == (result.thresholds * scale + shift).tolist()


@given(problem=problems().filter(enough_classes), objective=st.sampled_from(OBJECTIVES))
def test_a_table_solved_many_times_gives_the_same_each_time(problem, objective):
    table = ordcut.ScoreTable(
        problem.scores, problem.labels, classes=problem.classes, sample_weight=problem.weights
    )
    first = table.solve(objective)
    table.solve("squared")
    assert table.solve(objective) == first
    assert first == find(
        problem.scores, problem.labels, problem.n_classes, objective, sample_weight=problem.weights
    )


def test_calls_from_several_threads_at_once_give_the_same_results():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 8, 20_000)
    scores = labels + rng.normal(scale=2, size=20_000)

    def solve(objective):
        return find(scores, labels, 8, objective, n_jobs=2)

    work = OBJECTIVES * 4
    with ThreadPoolExecutor(8) as pool:
        at_once = list(pool.map(solve, work))
    assert at_once == [solve(objective) for objective in work]


def test_inputs_are_never_modified():
    rng = np.random.default_rng(0)
    scores, weights = rng.normal(size=50), rng.integers(0, 3, 50).astype(float)
    labels = rng.integers(0, 4, 50)
    soft = rng.random((50, 4))
    cost = rng.random((4, 4))
    inputs = [scores, weights, labels, soft, cost]
    for array in inputs:
        array.flags.writeable = False
    for truth in (labels, soft):
        for objective in (cost, "quadratic_kappa"):
            ordcut.optimal_thresholds(scores, truth, objective=objective, sample_weight=weights)
    assert cost.flags.writeable is False


@pytest.mark.parametrize("scale", [1e-300, 1e300])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_only_ratios_of_weights_matter_however_far_they_are_from_one(objective, scale):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 3, 60), rng.normal(size=60)
    weights = rng.integers(1, 9, 60)
    expected = ordcut.optimal_thresholds(scores, labels, objective=objective, sample_weight=weights)
    result = ordcut.optimal_thresholds(
        scores, labels, objective=objective, sample_weight=weights * scale
    )
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == pytest.approx(expected.value, rel=1e-12)
    assert ordcut.evaluate(
        labels, result.predict(scores), objective, sample_weight=weights * scale
    ) == pytest.approx(expected.value, rel=1e-12)
