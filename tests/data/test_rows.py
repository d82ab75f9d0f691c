"""Rows: what is read, counted, taken, joined and refused."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from ordcut._core.data import Rows, as_scores, check_finite, confusions_of, warn_if_reversed
from tests.naive import meaning

N_CLASSES = 3


@st.composite
def some_rows(draw):
    """Few rows with many ties, in every precision, with labels and weights of every kind."""
    n = draw(st.integers(1, 12))
    dtype = draw(st.sampled_from([np.float16, np.float32, np.float64]))
    scores = np.array(draw(st.lists(st.integers(-2, 2), min_size=n, max_size=n)), dtype)
    labels = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    of = st.sampled_from(draw(st.sampled_from([[1, 2, 3], [0.1, 0.3, 0.5, 1 / 3], [0.3, 2**-40]])))
    weights = draw(st.none() | st.lists(of, min_size=n, max_size=n))
    soft = np.eye(N_CLASSES)[labels]
    if draw(st.booleans()):
        soft[0] = [0.5, 0.1, 0]
        return Rows.read(scores, soft, weights=weights), soft, weights
    return Rows.read(scores, labels, classes=range(N_CLASSES), weights=weights), soft, weights


thresholds = st.lists(st.sampled_from([-2.5, -1.0, 0.0, 0.5, 1.0]), min_size=2, max_size=3)


@settings(max_examples=150)
@given(given=some_rows(), thresholds=thresholds)
def test_the_weight_between_thresholds_is_that_of_fractions(given, thresholds):
    rows, soft, weights = given
    cuts = np.sort(thresholds)
    are_equal = weights is None or len(set(weights)) == 1
    weights = [1.0] * len(soft) if are_equal else weights
    expected = np.full((len(cuts) + 1, N_CLASSES), Fraction(0))
    for score, row, weight in zip(rows.scores.tolist(), soft.tolist(), weights, strict=True):
        for truth, share in enumerate(row):
            expected[sum(score >= cut for cut in cuts), truth] += meaning(share * weight, 10_000)
    exact = rows.exact_between(cuts)
    scale = Fraction(exact.sum()) / expected.sum() if are_equal else 1
    assert (exact == expected * scale).all()
    assert rows.confusion(cuts) == pytest.approx(exact.astype(float), rel=1e-14)
    assert rows.totals == pytest.approx(exact.sum(axis=0).astype(float), rel=1e-14)
    inside = rows.exact_between(cuts, inside=True)
    assert (inside[1:-1] == exact[1:-1]).all()
    assert rows.is_whole or not (inside[0].any() or inside[-1].any())


@settings(max_examples=150)
@given(given=some_rows(), numbers=st.lists(st.integers(0, 5), min_size=2, max_size=3))
def test_the_weight_between_cuts_is_that_of_fractions(given, numbers):
    rows = given[0]
    result = rows.sorted()
    ends = [0, *(np.flatnonzero(result.ends) + 1).tolist()]
    cuts = np.array([ends[min(number, len(ends) - 1)] for number in sorted(numbers)])
    above = np.append(result.scores, np.inf)[cuts].astype(float)
    exact = rows.exact_between(above)
    assert (result.exact_between(cuts) == exact).all()
    assert result.between(cuts) == pytest.approx(exact.astype(float), rel=1e-14)
    assert result.totals == pytest.approx(rows.totals, rel=1e-14)
    assert result.weight == pytest.approx(float(exact.sum()), rel=1e-14)
    inside = result.exact_between(cuts, inside=True)
    assert (inside[1:-1] == exact[1:-1]).all()
    assert result.is_whole or not (inside[0].any() or inside[-1].any())


@pytest.mark.parametrize("n_thresholds", [1, 2, 14, 15, 16, 40])
@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_rows_are_counted_the_same_between_few_and_many_thresholds(n_thresholds, weights, dtype):
    random = np.random.default_rng(n_thresholds)
    scores = np.round(random.normal(size=200), 1).astype(dtype)
    labels = random.integers(0, 3, 200)
    each = {None: np.ones(200), "whole": labels + 1, "fractions": random.random(200)}[weights]
    cuts = np.sort(np.round(random.normal(size=n_thresholds), 1).astype(dtype)).astype(float)
    expected = np.zeros((n_thresholds + 1, 3))
    for score, label, weight in zip(scores.tolist(), labels, each, strict=True):
        expected[np.count_nonzero(cuts <= score), label] += weight
    rows = Rows.read(scores, labels, weights=None if weights is None else each)
    assert rows.confusion(cuts) == pytest.approx(expected, rel=1e-13)


def test_many_sets_of_thresholds_are_counted_as_each_is():
    random = np.random.default_rng(0)
    rows = Rows.read(np.round(random.normal(size=50), 1), random.integers(0, 3, 50))
    sets = np.sort(np.round(random.normal(size=(20, 2)), 1), axis=1)
    sets[0], sets[1], sets[2] = (-np.inf, np.inf), (-np.inf, -np.inf), (np.inf, np.inf)
    sets[3], sets[4] = (-np.inf, 0.1), (0.1, np.inf)
    expected = [rows.confusion(one).tolist() for one in sets]
    assert confusions_of(sets, rows.confusion).tolist() == expected


def test_rows_taken_and_joined_again_are_the_rows():
    random = np.random.default_rng(1)
    scores, labels = random.normal(size=9), np.arange(9) % 3
    soft = random.random((9, 3))
    for some in (labels, soft):
        for weights in (None, np.arange(9) + 1, np.arange(9) / 7 + 1):
            rows = Rows.read(scores, some, weights=weights)
            parts = [rows.take(np.array([0, 1])), rows.take(slice(2, 9))]
            again = Rows.joined(parts)
            assert again.scores.tolist() == scores.tolist()
            assert again.totals.tolist() == rows.totals.tolist()
            assert again.is_whole == rows.is_whole
    assert Rows.joined([rows]) is rows
    assert len({rows, again, rows}) == 2  # compared by identity
    plain, weighted = Rows.read([1.0, 2.0], [0, 1]), Rows.read([3.0, 4.0], [0, 1], weights=[2, 5])
    assert Rows.joined([plain, weighted]).totals.tolist() == [3, 6]
    assert Rows.joined([weighted, plain]).weights.tolist() == [2, 5, 1, 1]


def test_rows_without_weight_are_left_out_and_counted_in_positions():
    rows = Rows.read([1.0, 2.0, 3.0], [0, 1, 1], weights=[0, 1, 2])
    assert (rows.scores.tolist(), rows.codes.tolist(), rows.n_rows) == ([2, 3], [1, 1], 2)
    rows = Rows.read([1.0, 2.0, 3.0], [[0, 0], [1, 0], [0, 2]], weights=[5, 0, 1])
    assert rows.scores.tolist() == [3]
    with pytest.raises(
        ValueError, match="must have a weight above 0 in at least one row, got none"
    ):
        Rows.read([1.0, 2.0], [[0, 0], [1, 0]], weights=[1, 0])
    with pytest.raises(ValueError, match="got nan at position 2"):
        Rows.read([1.0, 2.0, np.nan], [0, 1, 1], weights=[0, 1, 2])
    with pytest.raises(ValueError, match="got nan at position 0"):
        Rows.read([np.nan, 2.0, 1.0], [0, 1, 1], weights=[0, 1, 2])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_every_way_to_use_rows_finds_a_score_that_is_not_finite(bad):
    for scores in ([0.5, bad, 1.0], [bad, 0.5, 1.0], [0.5, 1.0, bad]):
        position = scores.index(bad)
        rows = Rows.read(scores, [0, 1, 1])
        for use in (
            rows.extent,
            rows.sorted,
            rows.require_finite,
            lambda rows=rows: rows.confusion(np.array([0.5])),
            lambda rows=rows: rows.class_weighted(np.array([1.0, 2.0])),
            lambda scores=scores: Rows.read(scores, np.eye(3)),
        ):
            with pytest.raises(ValueError, match=f"finite, got {bad} at position {position} .1 of"):
                use()
    assert Rows.read([0.5, 2.0, -1.0], [0, 1, 1]).extent() == (-1, 2)


STRETCH = 1 << 18


@pytest.mark.parametrize("n_rows", [1, 3, STRETCH, STRETCH + 1, 2 * STRETCH + 5])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_are_found_and_counted_wherever_they_are(n_rows, bad):
    scores = np.zeros(n_rows)
    check_finite(scores)
    for position, other in {(0, 0), (n_rows // 2, n_rows - 1), (n_rows - 1, n_rows - 1)}:
        scores[[position, other]] = bad
        count = len({position, other})
        with pytest.raises(ValueError, match=f"position {position} .{count} of {n_rows} in total"):
            check_finite(scores)
        if np.isnan(bad):
            with pytest.raises(ValueError, match=f"not be NaN, got nan at position {position} "):
                check_finite(scores, infinite=True)
        else:
            check_finite(scores, infinite=True)
        scores[:] = 0
    check_finite(scores[:0])


def test_infinite_scores_hide_no_nan():
    for scores in ([np.inf, np.nan], [-np.inf, np.nan, np.inf]):
        with pytest.raises(ValueError, match=r"must not be NaN, got nan at position 1 \(1 of"):
            check_finite(np.array(scores), infinite=True)


# What scores are


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_scores_keep_their_precision_and_are_not_copied(dtype):
    scores = np.array([1, 2], dtype)
    assert as_scores(scores) is scores


@pytest.mark.parametrize(
    "given", [[1, 2], [True, False], ["1", "2"], np.array([1, 2], "longdouble")]
)
def test_other_numbers_become_float64(given):
    result = as_scores(given)
    assert (result.dtype, result.tolist()) == (np.float64, [float(value) for value in given])


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        (np.array(["2026-01-01", "2026-01-02"], "M8[D]"), TypeError, "dates and durations"),
        (np.array([1, 2], "m8[s]"), TypeError, "dates and durations have a unit"),
        ([1j, 2], TypeError, "complex numbers have no order"),
        ([[1], [1, 2]], TypeError, "scores must be numbers"),
        (0.5, ValueError, r"got shape \(\). Pass a list, \[score\]"),
        (np.zeros((2, 2, 2)), ValueError, r"got shape \(2, 2, 2\)\.$"),
        (np.zeros((1, 1, 1)), ValueError, r"got shape \(1, 1, 1\)\.$"),
        (np.zeros((1, 2)), ValueError, r"Pass scores.squeeze\(\)"),
        ([[1, 2]], ValueError, r"got shape \(1, 2\). Pass a flat list"),
        (pd.DataFrame({"s": [1, 2], "t": [1, 2]}), ValueError, "ordcut.frames.optimal_thresh"),
        (pl.DataFrame({"s": [1, 2], "t": [1, 2]}), ValueError, "ordcut.frames.optimal_thresh"),
        ([[0.3, 0.7], [1, 0]], ValueError, r"look like class probabilities.*arange\(2\)"),
        ([[0.3, 0.6], [1, 0]], ValueError, "Pass one score per row"),
        ([[1.3, -0.3], [1, 0]], ValueError, "Pass one score per row"),
    ],
    ids=str,
)
def test_what_cannot_be_scores_is_refused_with_what_to_do(scores, error, message):
    with pytest.raises(error, match=message):
        as_scores(scores)


def test_integers_are_scores_where_floats_hold_them():
    assert as_scores(np.array([2**53, -(2**53)])).tolist() == [2.0**53, -(2.0**53)]
    assert as_scores(np.array([], int)).tolist() == []
    for bad in (2**53 + 1, -(2**53) - 1, 2**60 + 1):
        with pytest.raises(ValueError, match=f"got {bad} at position 1. Subtract a common offset"):
            as_scores(np.array([0, bad, bad]))


@pytest.mark.parametrize("as_given", [list, tuple, lambda values: np.array(values, object)])
def test_integers_of_any_size_are_scores_where_floats_hold_them(as_given):
    assert as_scores(as_given([2**70, -(2**80), 0.5])).tolist() == [2.0**70, -(2.0**80), 0.5]
    for bad in (2**53 + 1, 2**70 + 1, -(2**70) - 1, np.int64(2**60 + 1)):
        with pytest.raises(ValueError, match=f"got {bad} at position 1. Subtract a common offset"):
            as_scores(as_given([0.5, bad, bad]))
    with pytest.raises(TypeError, match="too large"):
        as_scores(as_given([10**400, 1]))


# Whether scores run the wrong way


def is_said(scores, labels, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_if_reversed(Rows.read(scores, labels, **options))
    return bool(caught)


def test_thirty_rows_that_fall_are_enough_to_say_so_and_29_are_not():
    for n_rows in (29, 30):
        scores = np.arange(n_rows)
        labels = (np.arange(n_rows) < 15).astype(int)
        assert is_said(scores, labels) == (n_rows == 30)


@pytest.mark.parametrize("n_rows", [40, 64, 200, 400])
def test_scores_fall_where_the_rank_correlation_is_four_times_what_chance_gives(n_rows):
    said = []
    for seed in range(60):
        random = np.random.default_rng(seed)
        labels = random.integers(0, 4, n_rows)
        scores = random.normal(size=n_rows) - labels * random.uniform(0, 10 / np.sqrt(n_rows))
        ranks = np.argsort(np.argsort(scores))
        expected = np.corrcoef(ranks, labels)[0, 1] * np.sqrt(n_rows) < -4
        assert is_said(scores, labels) == expected
        assert is_said(scores, np.eye(4)[labels] * random.uniform(1, 2, (n_rows, 1))) == expected
        said.append(expected)
    assert 5 < sum(said) < 55


def test_many_rows_are_judged_by_some_from_all_over():
    n_rows = 256 * 40
    labels = np.arange(n_rows) * 4 // n_rows
    assert is_said(-np.arange(n_rows), labels)
    assert not is_said(np.arange(n_rows), labels)
    outliers = np.arange(n_rows, dtype=float)
    outliers[1::40] = -1e9  # between those that are looked at
    assert not is_said(outliers, labels)


def test_text_labels_and_fractions_among_few_rows_are_read_with_the_rows():
    with pytest.raises(ValueError, match="got 2 scores and 3 labels"):
        Rows.read([1.0, 2.0], [0, 1, 2])
    with pytest.raises(ValueError, match="got 3 scores and 2 labels"):
        Rows.read([1.0, 2.0, 3.0], np.eye(2))
    with pytest.raises(ValueError, match="seem to be swapped"):
        Rows.read([1, 1, 2], [0.1, 0.2, 0.3])
    for stated in ({"classes": [0.1, 0.2, 0.3]}, {"n_classes": 3}):
        assert Rows.read([1, 1, 2], [0.1, 0.2, 0.3], **stated).codes.tolist() == [0, 1, 2]
    assert ordcut.optimal_thresholds([1, 2], [[0.1, 0.2], [0.2, 0.3]]).classes.tolist() == [0, 1]
