"""Floating point: a cut labels the scores it was found on exactly as intended."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ordcut
from ordcut._core.data import Rows
from ordcut._core.numerics.jit import running_kernels_as

PRECISIONS = [np.float16, np.float32, np.float64]


@given(data=st.data(), precision=st.sampled_from(PRECISIONS))
def test_any_finite_scores_reach_the_value_claimed(data, precision):
    scores = data.draw(
        hnp.arrays(
            precision,
            st.integers(2, 12),
            elements=st.floats(
                allow_nan=False, allow_infinity=False, width=np.dtype(precision).itemsize * 8
            ),
        )
    )
    labels = data.draw(hnp.arrays(np.int64, len(scores), elements=st.integers(0, 3)))
    result = ordcut.optimal_thresholds(scores, labels, classes=range(4))
    predicted = result.predict(scores)
    assert ordcut.evaluate(labels, predicted, classes=range(4)) == result.value
    # The same holds for somebody who compares in the scores' own precision.
    thresholds = result.thresholds.astype(precision)
    codes = (scores[:, None] >= thresholds).sum(axis=1)
    assert codes.tolist() == predicted.tolist()


@given(data=st.data(), precision=st.sampled_from(PRECISIONS))
def test_candidates_part_neighbouring_floats(data, precision):
    width = np.dtype(precision).itemsize * 8
    low = precision(data.draw(st.floats(allow_nan=False, allow_infinity=False, width=width)))
    assume(low < np.finfo(precision).max)
    high = np.nextafter(low, precision(np.inf))
    cut = ordcut.ScoreTable(np.array([low, high]), [0, 1]).candidates[1]
    assert low < cut <= high


def test_the_midpoint_of_neighbours_does_not_move_the_lower_one_up():
    low, high = 1.0, np.nextafter(1.0, 2.0)
    assert low / 2 + high / 2 == low  # the trap
    result = ordcut.optimal_thresholds([low, high], [0, 1])
    assert result.thresholds[0] == high
    assert result.predict([low, high]).tolist() == [0, 1]


def test_extreme_scores_do_not_overflow():
    result = ordcut.optimal_thresholds([-1.7e308, 1.6e308, 1.7e308], [0, 1, 2])
    assert np.isfinite(result.thresholds).all()
    assert result.value == 0


@pytest.mark.parametrize("precision", PRECISIONS)
def test_distinct_scores_ascend_in_every_precision(precision):
    for seed in range(20):
        random = np.random.default_rng(seed)
        scores = random.choice([-1.5, -1, -0.5, 0.5, 1, 1.5], 6000).astype(precision)
        result = Rows.read(scores, scores > 0).distinct_scores()
        assert result.dtype == precision
        assert result.tolist() == sorted(set(scores.tolist()))


def test_a_threshold_at_zero_has_no_sign():
    (result,) = ordcut.optimal_thresholds([-5e-324, -0.0], [0, 1]).thresholds
    assert result == 0
    assert not np.signbit(result)


def test_minus_zero_and_zero_are_one_score():
    table = ordcut.ScoreTable([-0.0, 0.0, 1.0], [0, 1, 1])
    assert table.scores.tolist() == [0.0, 1.0]
    result = ordcut.optimal_thresholds([-1.0, -0.0], [0, 1])
    assert not np.signbit(ordcut.optimal_thresholds([-5e-324, -0.0], [0, 1]).thresholds[0])
    assert result.predict([0.0]).tolist() == [1]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64, np.uint64, bool])
def test_integer_scores_are_taken_as_floats(kind):
    result = ordcut.optimal_thresholds(np.array([0, 0, 1, 1], dtype=kind), [0, 0, 1, 1])
    assert result.thresholds.tolist() == [0.5]


def test_integers_beyond_the_precision_of_floats_are_refused():
    scores = np.array([2**53, 2**53 + 1, 2**53 + 2])
    with pytest.raises(ValueError, match=r"whole numbers up to 2\*\*53, got 9007199254740993"):
        ordcut.optimal_thresholds(scores, [0, 1, 1])
    even = scores[[0, 2]]
    assert ordcut.optimal_thresholds(even, [0, 1]).predict(even).tolist() == [0, 1]


@pytest.mark.parametrize("highest", [np.uint64(2**64 - 1), np.int64(2**63 - 1)], ids=str)
def test_the_highest_integers_of_a_type_are_refused_without_a_warning(highest):
    with pytest.raises(ValueError, match=f"got {highest} at position 1"):
        ordcut.optimal_thresholds(np.array([0, highest], dtype=highest.dtype), [0, 1])
    lowest = np.array([-(2**63), 0, 2**62])
    assert ordcut.optimal_thresholds(lowest, [0, 1, 1]).predict(lowest).tolist() == [0, 1, 1]


def test_float32_thresholds_are_float32_numbers():
    scores = np.array([0.1, 0.2, 0.7], dtype=np.float32)
    thresholds = ordcut.optimal_thresholds(scores, [0, 1, 2]).thresholds
    assert thresholds.dtype == np.float64
    assert (thresholds == thresholds.astype(np.float32)).all()


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("how", ["python", "compiled"])
def test_every_precision_is_pruned_as_it_is_sorted(precision, how):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 2000)
    scores = (labels + rng.normal(size=2000)).astype(precision)
    with running_kernels_as(how):
        sorted_all = ordcut.optimal_thresholds(scores, labels, method="nested")
        for n_jobs in (1, 2):
            pruned = ordcut.optimal_thresholds(scores, labels, method="pruned", n_jobs=n_jobs)
            assert pruned.thresholds.tolist() == sorted_all.thresholds.tolist()
            assert pruned.value == sorted_all.value
