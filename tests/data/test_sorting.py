"""Sorted rows, whichever way they were sorted."""

import numpy as np
import pytest

import ordcut
from ordcut._core.data import Rows, sort_rows
from ordcut._core.numerics.jit import running_kernels_as

N = 25_000
RNG = np.random.default_rng(8)
LABELS = RNG.integers(0, 5, N)
SCORES = np.round(LABELS + RNG.normal(size=N), 2).astype(np.float32)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_many_weighted_rows_equal_repeats(dtype):
    weights = RNG.integers(0, 4, N)
    scores = SCORES.astype(dtype)
    result = ordcut.optimal_thresholds(scores, LABELS, sample_weight=weights, method="nested")
    repeated = ordcut.optimal_thresholds(
        np.repeat(scores, weights), np.repeat(LABELS, weights), method="nested"
    )
    assert result == repeated


def test_a_smaller_sort_after_a_larger_one_ends_at_its_own_last_row():
    Rows.read(SCORES, LABELS).sorted()
    few = N - 3000
    rows = Rows.read(SCORES[:few], LABELS[:few]).sorted()
    order = np.argsort(SCORES[:few], kind="stable")
    assert rows.scores.tolist() == SCORES[:few][order].tolist()
    assert rows.codes.tolist() == LABELS[:few][order].tolist()
    assert rows.ends.tolist() == [*(np.diff(rows.scores) > 0).tolist(), True]


def test_constant_weights_equal_no_weights_whatever_the_constant():
    for smoothing in (0, 0.4, "auto"):
        options = {"objective": "quadratic_kappa", "smoothing": smoothing}
        plain = ordcut.optimal_thresholds(SCORES[:300], LABELS[:300], **options)
        for constant in (0.1, 1 / 3, 7.25, 1e-30):
            weights = np.full(300, constant)
            result = ordcut.optimal_thresholds(
                SCORES[:300], LABELS[:300], sample_weight=weights, **options
            )
            assert result == plain
            weights = np.append(weights, 0.0)
            with_one_left_out = ordcut.optimal_thresholds(
                SCORES[:301], LABELS[:301], sample_weight=weights, **options
            )
            assert with_one_left_out == plain


def test_the_most_classes_there_can_be_are_those_that_16_bits_hold():
    most = 65_535
    rows = Rows.read([2.0, 1.0], [most - 1, 0], classes=range(most)).sorted()
    assert rows.codes.tolist() == [0, most - 1]
    with pytest.raises(ValueError, match="at most 65535"):
        Rows.read([0, 1], [0, 1], classes=range(most + 1))


SCORES_TO_SORT = {
    "normal": lambda random, n: random.normal(size=n),
    "ties": lambda random, n: random.integers(-3, 4, n) / 2 * random.choice([-1.0, 1.0], n),
    "last bits": lambda random, n: 1e9 + random.random(n) * 1e-5,  # differ in these only
    "extremes": lambda random, n: random.choice([0.0, -0.0, 5e-324, -5e-324, 1.5e-300, -1e300], n),
    "reversed": lambda random, n: np.sort(random.normal(size=n))[::-1],
    "an outlier": lambda random, n: np.append(1e300, 1 + random.random(n - 1) * 1e-9),
}
#: So many scores are sorted by their digits.
MANY = 25_000

#: From so many rows on, threads share the counting.
FEWEST_TO_SHARE = 500_000


@pytest.mark.parametrize(("n", "mode"), [(5000, "auto"), (5000, "compiled"), (MANY, "compiled")])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("make", SCORES_TO_SORT.values(), ids=SCORES_TO_SORT)
def test_scores_and_positions_are_sorted_together(make, dtype, n, mode):
    with np.errstate(over="ignore"):
        scores = np.nan_to_num(make(np.random.default_rng(0), n).astype(dtype))
    with running_kernels_as(mode):
        rows = sort_rows(scores, np.zeros(n, int), None, np.arange(1, n + 1), 2)
    order, ordered, ends = rows.weights - 1, rows.scores, rows.ends  # weights tell the rows apart
    assert ordered.tolist() == sorted(scores.tolist())  # NumPy 2.4 may sort float16 incorrectly
    assert scores[order].tolist() == ordered.tolist()
    assert sorted(order.tolist()) == list(range(len(scores)))
    assert ends.tolist() == [*(ordered[1:] != ordered[:-1]).tolist(), True]


@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_a_score_that_is_not_finite_is_found_however_few_rows_are_sorted(bad, dtype, mode):
    scores = np.linspace(-1, 1, 300).astype(dtype)
    scores[137] = bad
    with running_kernels_as(mode), pytest.raises(ValueError, match="at position 137"):
        Rows.read(scores, np.arange(300) % 3).sorted()


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [FEWEST_TO_SHARE - 1, FEWEST_TO_SHARE, FEWEST_TO_SHARE + 1])
def test_threads_count_the_same_between_cuts(n, weighted, n_threads):
    random = np.random.default_rng(n)
    codes = random.integers(0, 4, n)
    weights = random.integers(1, 5, n) if weighted else None
    rows = sort_rows(np.arange(float(n)), codes, None, weights, 4)
    cuts = np.array([0, n // 3, n // 3, n - 1])
    segment = np.searchsorted(cuts, np.arange(n), side="right")
    expected = np.zeros((5, 4))
    np.add.at(expected, (segment, codes), 1 if weights is None else weights)
    assert rows.between(cuts, n_threads).tolist() == expected.tolist()
