"""The intervals of a bootstrap, what is kept with a result for it, progress and errors."""

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from tests.strategies import problems
from tests.tables import OBJECTIVES
from tests.uncertainty.uncertainty_rows import hand_made, noisy, same


def test_infinite_replicates_widen_their_own_side_only():
    result = ordcut.optimal_thresholds([1, 2], [0, 1])
    boot = hand_made(result, [[1.0]] * 8 + [[np.inf]] * 2, np.arange(20) / 10)
    low, high = boot.intervals(0.9)[0]
    assert 1 < low < 1.5
    assert high == np.inf
    assert hand_made(result, [[-np.inf]] * 5).intervals().tolist() == [[-np.inf, np.inf]]


def test_an_infinite_threshold_has_the_interval_of_its_replicates():
    result = ordcut.optimal_thresholds([1, 2, 3], [0, 0, 0], classes=[0, 1])
    assert result.thresholds.tolist() == [np.inf]
    boot = hand_made(result, [[np.inf]] * 6 + [[3.5]] * 3 + [[2.5]], [1, 2, 3, 4])
    assert boot.intervals(0.5).tolist() == [[3, np.inf]]
    assert result.bootstrap(n=10).intervals().tolist() == [[3, np.inf]]
    result = ordcut.optimal_thresholds([1, 2, 3], [1, 1, 1], classes=[0, 1])
    assert result.bootstrap(n=10).intervals().tolist() == [[-np.inf, 1]]


@given(
    problem=problems(most_rows=20).filter(lambda p: len({y for _, y, _ in p.rows}) > 1),
    objective=st.sampled_from(OBJECTIVES),
    smoothing=st.sampled_from([0, 0.5, 1]),
)
@settings(max_examples=60)
def test_intervals_end_at_scores_and_contain_the_ranges(problem, objective, smoothing):
    result = ordcut.optimal_thresholds(
        problem.scores,
        problem.labels,
        objective=objective,
        classes=problem.classes,
        sample_weight=problem.weights,
        smoothing=smoothing,
    )
    boot = result.bootstrap(n=5)
    low, high = boot.intervals(0.5).T
    assert (low <= result.ranges[:, 0]).all()
    assert (result.ranges[:, 1] <= high).all()
    assert {*low, *high} <= {*problem.scores, -np.inf, np.inf}


def test_smoothed_thresholds_have_the_intervals_of_the_plain_optimum_and_are_inside():
    scores, labels = noisy()
    plain = ordcut.optimal_thresholds(scores, labels)
    smoothed = ordcut.optimal_thresholds(scores, labels, smoothing=1)
    expected, boot = plain.bootstrap(n=50), smoothed.bootstrap(n=50)
    assert (smoothed.thresholds != plain.thresholds).any()
    assert boot.centres.tolist() == plain.thresholds.tolist()
    assert boot.plain_thresholds.tolist() == expected.thresholds.tolist()
    assert boot.thresholds.tolist() != expected.thresholds.tolist()
    for level in (0.01, 0.9):
        low, high = expected.intervals(level).T
        assert (boot.intervals(level)[:, 0] == np.minimum(low, smoothed.ranges[:, 0])).all()
        assert (boot.intervals(level)[:, 1] == np.maximum(high, smoothed.ranges[:, 1])).all()


# Rows of unequal weight


def test_a_threshold_is_as_sure_as_the_weights_of_the_rows_near_it_make_it():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=2000)
    labels = np.digitize(scores + rng.normal(scale=0.3, size=2000), [-1, 1])
    weights = np.where(scores < 0, 0.5, 5.5)
    boot = ordcut.optimal_thresholds(scores, labels, sample_weight=weights).bootstrap(n=100)
    # If all rows had the weight of those nearby, so many would have the sum of all weights.
    np.testing.assert_allclose(boot.n_rows_near, weights.sum() / [0.5, 5.5])
    other = dataclasses.replace(boot, n_rows_near=np.full(2, boot.n_rows))
    narrower, wider = np.diff(boot.intervals())[:, 0] - np.diff(other.intervals())[:, 0]
    assert narrower < 0 < wider


@pytest.mark.parametrize("weights", [None, "whole", "constant"])
def test_rows_that_count_alike_are_worth_the_same_near_every_threshold(weights):
    scores, labels = noisy(200)
    whole = np.random.default_rng(0).integers(1, 5, 200)
    weights = {None: None, "whole": whole, "constant": np.full(200, 0.3)}[weights]
    boot = ordcut.optimal_thresholds(scores, labels, sample_weight=weights).bootstrap(n=10)
    np.testing.assert_allclose(boot.n_rows_near, boot.n_rows)


# Special cases


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_classes_that_are_never_predicted_leave_no_nan(objective):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=60)
    labels = np.where(rng.random(60) < 0.1, rng.integers(0, 5, 60), 2)
    result = ordcut.optimal_thresholds(scores, labels, objective=objective, classes=range(5))
    boot = result.bootstrap(n=50)
    assert not np.isnan(boot.intervals()).any()
    assert np.isfinite(boot.value_interval()).all()
    assert "nan" not in repr(boot)


@pytest.mark.parametrize("weight", [1e-300, 1e300])
def test_weights_of_any_scale_give_the_same_intervals(weight):
    scores, labels = noisy(30)
    plain = ordcut.optimal_thresholds(scores, labels, sample_weight=np.full(30, 0.3))
    scaled = ordcut.optimal_thresholds(scores, labels, sample_weight=np.full(30, weight))
    assert scaled.near_optimal().tolist() == plain.near_optimal().tolist()
    np.testing.assert_allclose(
        scaled.bootstrap(n=20).intervals(), plain.bootstrap(n=20).intervals()
    )


def test_intervals_hold_the_threshold_and_grow_with_the_level():
    result = ordcut.optimal_thresholds(*noisy())
    boot = result.bootstrap(n=100)
    low, high = boot.intervals(0.5).T
    lower, higher = boot.intervals(0.99).T
    assert ((lower <= low) & (low <= result.thresholds)).all()
    assert ((result.thresholds <= high) & (high <= higher)).all()
    narrow, wide = boot.value_interval(0.5), boot.value_interval(0.99)
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
    assert boot.optimism < 0 < boot.label_change


def test_a_bootstrap_is_frozen():
    boot = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1]).bootstrap(n=5)
    for array in (boot.thresholds, boot.values, boot.value_bounds.good):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


# What is kept with a result, and what is not


def test_results_that_were_stored_say_how_to_get_a_bootstrap():
    result = ordcut.optimal_thresholds(*noisy(50))
    for read in (
        ordcut.Thresholds.from_json(result.to_json()),
        pickle.loads(pickle.dumps(result)),
    ):
        assert read == result
        with pytest.raises(ValueError, match=r"bootstrap needs the rows .*optimal_thresholds"):
            read.bootstrap()


def test_a_result_whose_classes_get_other_names_keeps_its_rows():
    result = ordcut.optimal_thresholds(*noisy(100))
    renamed = dataclasses.replace(result, classes=np.array(["a", "b", "c", "d"]))
    assert same(renamed.bootstrap(n=20), result.bootstrap(n=20))


def test_a_pickle_of_a_result_is_small_and_a_result_copies_no_rows():
    scores, labels = noisy(10_000)
    result = ordcut.optimal_thresholds(scores, labels)
    assert len(pickle.dumps(result)) < 2000
    assert result.origin.solved.data.scores is scores


def test_data_that_have_changed_since_are_noticed():
    scores, labels = noisy(100)
    result = ordcut.optimal_thresholds(scores, labels)
    scores[:50] += 10
    for ask in (result.bootstrap, result.near_optimal):
        with pytest.raises(ValueError, match="needs scores, labels and weights as they were"):
            ask()


# Progress and errors


def test_a_progress_bar_is_shown_to_those_who_ask(capsys):
    result = ordcut.optimal_thresholds(*noisy(50))
    quiet = result.bootstrap(n=40)
    assert capsys.readouterr().out == ""
    assert same(quiet, result.bootstrap(n=40, progress=True))
    assert "40/40" in capsys.readouterr().out


def test_a_progress_bar_without_rich_says_what_to_install(without):
    without("rich")
    with pytest.raises(ImportError, match=r"progress=True needs rich"):
        ordcut.optimal_thresholds([1, 2], [0, 1]).bootstrap(n=5, progress=True)


def test_a_sample_without_a_kappa_is_drawn_anew():
    scores, labels = noisy(60)
    labels = np.where(np.arange(60) < 3, 1, 0)
    result = ordcut.optimal_thresholds(scores, labels, objective="kappa")
    boot = result.bootstrap(n=50, size=10)  # three in five samples have one class
    assert np.isfinite(boot.values).all()
    with pytest.raises(ValueError, match="size must be large enough for 'kappa' to have a value"):
        result.bootstrap(n=50, size=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 1}, "n must be a whole number of replicates of at least 2, got 1"),
        ({"n": 10.5}, "n must be a whole number of replicates of at least 2, got 10.5"),
        ({"size": 0}, "size must be a whole number of rows from 1 to 4"),
        ({"size": 5}, "size must be a whole number of rows from 1 to 4"),
        ({"size": "many"}, "size must be a whole number of rows from 1 to 4"),
        ({"random_state": -1}, "random_state must be a whole number"),
        ({"random_state": "seed"}, "random_state must be a whole number"),
        ({"n_jobs": 0}, "n_jobs must be a number of threads"),
    ],
)
def test_a_bootstrap_that_cannot_be_says_why(options, message):
    with pytest.raises(ValueError, match=message):
        ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1]).bootstrap(**options)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_that_is_no_share_is_an_error(level):
    boot = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1]).bootstrap(n=5)
    for interval in (boot.intervals, boot.value_interval):
        with pytest.raises(ValueError, match="level must be a number between 0 and 1"):
            interval(level)
