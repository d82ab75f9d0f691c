"""Sorted rows: merged, with lumps inserted, cut by shares, and sorted by their bits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ordcut._core.data import Rows, insert_lumps, sort_rows
from ordcut._core.numerics.jit import running_kernels_as

N_CLASSES = 4


def lists(elements, n):
    return st.lists(elements, min_size=n, max_size=n)


@st.composite
def rows_with_ties(draw):
    n = draw(st.integers(1, 15))
    scores = np.array(draw(lists(st.integers(0, 4), n)), float)
    codes = np.array(draw(lists(st.integers(0, N_CLASSES - 1), n)))
    weight = st.sampled_from(draw(st.sampled_from([[1, 2, 3], [0.1, 0.2, 0.3, 0.7]])))
    weights = draw(st.none() | lists(weight, n).map(np.array))
    return scores, codes, weights


def weight_by_pair(scores, codes, weights):
    weight_of = {}
    each = [1] * len(scores) if weights is None else weights.tolist()
    for score, code, weight in zip(scores.tolist(), codes.tolist(), each, strict=True):
        weight_of.setdefault((score, code), []).append(weight)
    return {pair: sum(sorted(weight_of[pair])) for pair in sorted(weight_of)}


@settings(max_examples=150)
@given(rows=rows_with_ties(), random=st.randoms(use_true_random=False))
def test_merged_rows_have_each_pair_of_score_and_class_once_in_order(rows, random):
    scores, codes, weights = rows
    merged = sort_rows(scores, codes, None, weights, N_CLASSES).merged
    pairs = weight_by_pair(scores, codes, weights)
    result = list(zip(merged.scores.tolist(), merged.codes.tolist(), strict=True))
    each = np.ones(len(result)) if merged.weights is None else merged.weights
    assert dict(zip(result, each.tolist(), strict=True)) == pytest.approx(pairs, rel=1e-15)
    if len({score for score, _ in pairs}) < len(scores):  # others are as they came
        assert result == list(pairs)
    assert merged.ends.tolist() == [*(np.diff(merged.scores) > 0).tolist(), True]
    order = list(range(len(scores)))
    random.shuffle(order)
    some = None if weights is None else weights[order]
    again = sort_rows(scores[order], codes[order], None, some, N_CLASSES).merged
    if weights is not None:
        assert again.weights.tolist() == merged.weights.tolist()


@settings(max_examples=150)
@given(rows=rows_with_ties())
def test_cuts_by_shares_are_at_ends_of_scores_as_if_rows_were_repeated(rows):
    scores, codes, weights = rows
    if weights is not None and weights.dtype != np.int64:
        weights = np.rint(10 * weights).astype(np.int64)
    repeats = np.ones(len(scores), int) if weights is None else weights
    ordered = np.sort(np.repeat(scores, repeats))
    sorted_rows = sort_rows(scores, codes, None, weights, N_CLASSES)
    cuts = sorted_rows.cuts_by_shares().tolist()
    below = np.cumsum(np.bincount(codes, repeats, N_CLASSES)).astype(int)[:-1].tolist()
    for cut, n_below in zip(cuts, below, strict=True):
        expected = 0 if n_below == 0 else np.count_nonzero(scores <= ordered[n_below - 1])
        assert cut == expected


@settings(max_examples=80)
@given(rows=rows_with_ties(), data=st.data())
def test_lumps_are_scores_with_weights_of_the_classes_between_rows(rows, data):
    scores, codes, weights = rows
    kept = sort_rows(scores, codes, None, weights, N_CLASSES)
    gaps = sorted(data.draw(st.lists(st.integers(0, 4), max_size=4)))
    positions = np.array([np.count_nonzero(kept.scores <= gap) for gap in gaps], int)
    lumps = np.array(gaps) + 0.25 + 0.1 * np.arange(len(gaps))
    is_whole = data.draw(st.booleans())
    amount = st.integers(0, 3) if is_whole else st.sampled_from([0.0, 0.5, 1.5])
    totals = np.array(data.draw(lists(lists(amount, N_CLASSES), len(gaps)))).reshape(-1, N_CLASSES)
    result = insert_lumps(kept, positions, totals, lumps)
    expected = [
        *zip(kept.scores.tolist(), kept.codes.tolist(), strict=True),
        *((lump, k) for lump, row in zip(lumps, totals, strict=True) for k in np.flatnonzero(row)),
    ]
    assert sorted(zip(result.scores.tolist(), result.codes.tolist(), strict=True)) == sorted(
        expected
    )
    assert (np.diff(result.scores) >= 0).all()
    assert result.ends.tolist() == [*(np.diff(result.scores) > 0).tolist(), True]
    assert result.totals == pytest.approx(kept.totals + totals.sum(axis=0), rel=1e-15)
    by_lump = {lump: row.tolist() for lump, row in zip(lumps.tolist(), totals, strict=True)}
    for score, code, weight in zip(result.scores, result.codes, result.weights, strict=True):
        assert score not in by_lump or by_lump[score][code] == weight
    unknown = insert_lumps(kept, positions, totals)
    assert np.isnan(unknown.scores).sum() == np.count_nonzero(totals)
    assert result.is_whole == (kept.is_whole and totals.dtype == np.int64)


def check_sorted(scores, codes, mode="auto"):
    """Compare sorted rows, plain and with weights that tell them apart, with Python's sort."""
    n_classes, times = int(codes.max()) + 2, np.arange(1, len(scores) + 1)
    with running_kernels_as(mode):
        plain = sort_rows(scores, codes, None, None, n_classes)
        weighted = sort_rows(scores, codes, None, times, n_classes)
    for rows in (plain, weighted):
        assert rows.scores.tolist() == sorted(scores.tolist())
        assert sorted(zip(rows.scores, rows.codes, strict=True)) == (
            sorted(zip(scores, codes, strict=True))
        )
        assert rows.ends.tolist() == [*(rows.scores[1:] != rows.scores[:-1]).tolist(), True]
    order = weighted.weights - 1
    assert sorted(order.tolist()) == list(range(len(scores)))
    assert weighted.scores.tolist() == scores[order].tolist()
    assert weighted.codes.tolist() == codes[order].tolist()


@given(
    scores=hnp.arrays(
        np.float32,
        st.integers(1, 40),
        elements=st.floats(width=32, allow_nan=False, allow_infinity=False)
        | st.sampled_from([0.0, -0.0, 1.5, -1.5]),
    ),
    data=st.data(),
)
def test_few_rows_are_sorted_with_their_codes(scores, data):
    codes = np.array(data.draw(lists(st.sampled_from([0, 1, 65_533]), len(scores))))
    check_sorted(scores, codes, "python")


SCORES_TO_SORT = {
    "normal": lambda random, n: random.normal(size=n),
    "two neighbours": lambda random, n: random.choice([1.0, np.nextafter(1.0, 2)], n),
    "magnitudes": lambda random, n: 10.0 ** random.uniform(-30, 30, n) * random.choice([-1, 1], n),
    "integers": lambda random, n: random.integers(-(2**40), 2**40, n).astype(float),
}


@pytest.mark.parametrize("n", [1, 2, 256, 8192, 8193, 20_001])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", SCORES_TO_SORT.values(), ids=SCORES_TO_SORT)
def test_many_kinds_of_scores_are_sorted_with_their_codes_and_weights(make, dtype, n):
    random = np.random.default_rng(n)
    check_sorted(make(random, n).astype(dtype) + dtype(0), random.integers(0, 3, n), "compiled")


def test_more_scores_than_a_thread_keeps_room_for_are_sorted_too():
    scores = np.random.default_rng(0).normal(size=(1 << 18) + 3)
    rows = sort_rows(scores, np.zeros(len(scores), int), None, np.arange(1, len(scores) + 1), 2)
    assert (rows.scores == np.sort(scores)).all()
    assert (scores[rows.weights - 1] == rows.scores).all()


@pytest.mark.parametrize("n_swaps", [0, *range(18, 24)])
def test_scores_are_in_order_just_before_and_after_a_sort_by_digits_gives_up(n_swaps):
    # Scores with the same leading bits move one by one: 4 past all others, the rest past one.
    n = 25_000
    scores = np.append(1e300, 1 + np.arange(n) * 1e-12)
    scores = np.concatenate([scores[:1], scores[5:], scores[1:5]])
    for i in range(n_swaps):
        scores[[2 * i + 1, 2 * i + 2]] = scores[[2 * i + 2, 2 * i + 1]]
    check_sorted(scores, np.arange(n + 1) % 3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_many_rows_are_sorted_with_their_codes_and_weights(dtype):
    random = np.random.default_rng(4)
    scores = np.round(random.normal(size=21_000), 2).astype(dtype)
    codes = random.integers(0, 5, len(scores))
    order = np.argsort(scores.astype(float), kind="stable")
    plain = sort_rows(scores, codes, None, None, 5)
    weighted = sort_rows(scores, codes, None, codes + 1, 5)
    for rows in (plain, weighted):
        assert rows.scores.dtype == dtype
        assert rows.scores.tolist() == scores[order].tolist()
        assert rows.ends.tolist() == [*(np.diff(rows.scores) > 0).tolist(), True]
        assert rows.totals.sum() == rows.weight
    assert (weighted.weights == weighted.codes + 1).all()
    assert plain.totals.tolist() == np.bincount(codes).tolist()


def test_soft_labels_are_whole_where_their_sum_is_exact():
    for total, kind in ((2.0**53 - 1, np.int64), (2.0**53, np.float64)):
        rows = Rows.read([1.0, 2.0], [[total - 1, 0], [0, 1]]).sorted()
        assert rows.weights.dtype == kind
        assert rows.codes.tolist() == [0, 1]
    rows = Rows.read([2.0, 1.0], [[2, 0], [1, 1]], weights=[2, 5]).sorted()
    assert rows.weights.tolist() == [5, 5, 4]
    assert Rows.read([2.0, 1.0], [[0.5, 0], [1, 1]]).sorted().weights.tolist() == [1, 1, 0.5]


@pytest.mark.parametrize("n", range(1, 14))
def test_totals_between_cuts_are_counts_whatever_the_number_of_rows(n, either_way):
    codes = np.random.default_rng(n).integers(0, 3, n)
    rows = sort_rows(np.arange(float(n)), codes, None, None, 3)
    for first in range(n + 1):
        result = rows.between(np.array([first, n])).tolist()
        expected = [
            np.bincount(part, minlength=3) for part in (codes[:first], codes[first:], codes[n:])
        ]
        assert result == [counts.tolist() for counts in expected]
