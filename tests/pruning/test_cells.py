"""Cells that follow the scores, and the rows that are fetched from them."""

import numpy as np
import pytest

from ordcut._core.data import Rows
from ordcut._core.numerics.jit import running_kernels_as
from ordcut._core.pruning import SAMPLE_SIZE, ArraySource, count_equal_steps, spread_indices
from tests.small_sizes import set_sizes

pytestmark = pytest.mark.usefixtures("as_python")


def cells_like(scores, n_cells):
    """The cells that a source lays out for few rows, all of which it looks at."""
    rows = Rows.read(scores, np.zeros(len(scores), int), classes=[0, 1])
    return ArraySource(rows).count(n_cells).cells


@pytest.mark.parametrize(
    ("n_rows", "n_classes", "n_cells"),
    [(20, 2, 4), (79, 2, 4), (80, 2, 5), (1600, 2, 100), (11_200, 100, 655), (9600, 200, 512)],
)
def test_there_is_a_cell_for_16_rows_up_to_what_a_cache_holds(n_rows, n_classes, n_cells):
    labels = np.arange(n_rows) % n_classes
    counted = ArraySource(Rows.read(np.arange(n_rows), labels, classes=range(n_classes))).count()
    assert counted.counts.shape == (counted.cells.n_cells, n_classes)
    assert 0.6 * n_cells < counted.cells.n_cells <= n_cells


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_half_of_the_cells_follow_the_scores_and_half_the_line(dtype):
    dense, sparse = np.arange(0, 0.25, 0.25 / 2048), np.arange(0.25, 1, 0.75 / 2048)
    cells = cells_like(np.concatenate([dense, sparse]).astype(dtype), 200)
    assert cells.low.dtype == cells.scale.dtype == dtype
    share = len(np.unique(cells.locate(dense.astype(dtype)))) / cells.n_cells
    assert share == pytest.approx(0.5 * 0.5 + 0.5 * 0.25, abs=0.02)
    assert 190 <= cells.n_cells <= 200


@pytest.mark.parametrize("n_outliers", [1, 4, 5, 400])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_outliers_leave_most_cells_to_the_other_scores(n_outliers, dtype):
    sample = np.linspace(0, 1, 4096).astype(dtype)
    for outliers in (slice(None, n_outliers), slice(-n_outliers, None)):
        scores = sample.copy()
        scores[outliers] = -1e6 if outliers.start is None else 1e6
        inside = np.unique(cells_like(scores, 100).locate(sample))
        assert len(inside) > 50


#: Scores that equal steps of the line would put into few cells.
UNEVEN = {
    "sharp probabilities": lambda z: 1 / (1 + np.exp(-15 * z)),
    "log-normal": lambda z: np.exp(5 * z),
    "negative log-normal": lambda z: -np.exp(5 * z),
    "outliers": lambda z: np.where(z > 2.3, z + 1e6, z),
    "spikes": lambda z: np.round(2 * z) / 2 + 1e-6 * np.sin(1e6 * z),
}


@pytest.mark.parametrize("name", list(UNEVEN))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_cell_holds_many_distinct_scores_of_any_distribution(name, dtype):
    scores = UNEVEN[name](np.random.default_rng(0).normal(size=100_000)).astype(dtype)
    rows = Rows.read(scores, np.arange(len(scores)) % 2)
    with running_kernels_as("compiled"):
        counted = ArraySource(rows).count()
    located = counted.cells.locate(scores)
    assert np.bincount(located, minlength=len(counted.counts)).tolist() == (
        counted.counts.sum(axis=1).tolist()
    )
    is_in_order = np.diff(counted.cells.locate(np.sort(scores))) >= 0
    assert is_in_order.all()
    n_distinct = np.bincount(counted.cells.locate(np.unique(scores)))
    assert n_distinct.max() < 0.05 * len(scores)
    assert np.median(n_distinct[n_distinct > 0]) < 0.005 * len(scores)
    for single in np.flatnonzero(counted.is_single):
        assert len(np.unique(scores[located == single])) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_negative_and_positive_zero_are_in_the_same_cell(dtype):
    tiny = np.finfo(dtype).smallest_subnormal
    scores = np.concatenate([np.geomspace(tiny, 1, 50, dtype=dtype), np.zeros(9, dtype)])
    cells = cells_like(np.concatenate([scores, -scores, [1e30]]).astype(dtype), 40)
    assert cells.has_prefixes
    assert len(np.unique(cells.locate(np.array([0.0, -0.0], dtype)))) == 1


def test_a_thousandth_that_leaves_one_score_is_not_left_out():
    sample = np.sort(np.append(np.zeros(4092), [1.0, 2.0, 3.0, 4.0]))
    cells = cells_like(sample, 100)
    assert len(np.unique(cells.locate(np.array([0.0, 1, 2, 3, 4])))) == 5


@pytest.mark.parametrize("value", [0.0, 3.25, -3.25, -1e10, 1e30, 1e300, 5e-324])
def test_one_score_has_a_cell_between_those_below_and_above(value):
    for dtype in (np.float32, np.float64):
        with np.errstate(over="ignore"):
            one = dtype(value)
        if np.isfinite(one):
            cells = cells_like(np.full(9, one), 50)
            apart = max(abs(one), dtype(1))
            some = np.array([one - apart, one, one + apart])
            assert cells.locate(some).tolist() == [0, 2, 4]
            assert cells.is_single.tolist() == [False, False, True, False, False]


def test_a_range_beyond_single_precision_is_divided_in_double_precision():
    sample = np.linspace(-3e38, 3e38, 100).astype(np.float32)
    cells = cells_like(sample, 40)
    assert cells.low.dtype == np.float64
    assert len(np.unique(cells.locate(sample))) > 20
    assert cells_like(sample / np.float32(4), 40).low.dtype == np.float32


def test_the_lowest_score_is_above_the_first_slot_and_the_highest_in_the_last_but_one():
    cells = cells_like(np.linspace(0, 1, 999), 50)
    slots = (np.array([0.0, 1.0]) - cells.low) * cells.scale
    assert slots == pytest.approx([1, 99])


def totals_of(scores, codes, weights):
    """The weight of each score and class."""
    weights_of = {}
    for score, code, weight in zip(scores, codes, weights, strict=True):
        if weight:
            weights_of[float(score), int(code)] = (
                weights_of.get((float(score), int(code)), 0) + weight
            )
    return weights_of


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("kind", ["plain", "whole weights", "fractional weights"])
@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("piece", [300, 1 << 24])
def test_fetched_rows_weigh_what_the_rows_of_their_cells_weigh(
    dtype, kind, n_threads, piece, monkeypatch
):
    set_sizes(monkeypatch, rows_at_once=piece)
    for seed in range(3):
        random = np.random.default_rng(seed)
        n = [50, 700, 1200][seed]
        scores = np.round(random.normal(size=n), 1 + seed).astype(dtype)
        scores[random.random(n) < 0.4] = dtype(0.25)
        scores[random.random(n) < 0.2] = dtype(0.5)
        codes = random.integers(0, 3, n)
        weights = {
            "plain": None,
            "whole weights": random.integers(1, 4, n),
            "fractional weights": random.random(n),
        }[kind]
        rows = Rows.read(scores, codes, classes=range(3), weights=weights)
        counted = ArraySource(rows, n_threads).count(12)
        located = counted.cells.locate(counted.source.rows.scores)
        weight = np.ones(n, int) if weights is None else weights
        expected = np.zeros((counted.cells.n_cells, 3))
        np.add.at(expected, (located, codes), weight)
        np.testing.assert_allclose(counted.counts, expected)
        assert (counted.counts.dtype == np.int64) == (kind != "fractional weights")
        for chosen in (random.random(counted.cells.n_cells) < 0.5, np.full(len(expected), True)):
            for single in np.flatnonzero(counted.is_single):
                chosen[single - 1 : single + 2] = chosen[single]
            result = counted.fetch(chosen)
            own = np.ones(result.n_rows, int) if result.weights is None else result.weights
            is_in = chosen[located]
            assert result.scores.dtype == dtype
            assert totals_of(result.scores, result.codes, own) == (
                totals_of(scores[is_in], codes[is_in], weight[is_in])
            )


@pytest.mark.parametrize("n_threads", [1, 3])
def test_soft_rows_are_fetched_with_their_labels_and_weights(n_threads):
    random = np.random.default_rng(0)
    scores, soft, weights = random.normal(size=700), random.random((700, 3)), random.random(700)
    for own in (None, weights):
        rows = Rows.read(scores, soft, weights=own)
        counted = ArraySource(rows, n_threads).count(12)
        chosen = random.random(counted.cells.n_cells) < 0.5
        is_in = chosen[counted.cells.locate(scores)]
        result = counted.fetch(chosen)
        assert result.scores.tolist() == scores[is_in].tolist()
        assert result.soft.tolist() == rows.soft[is_in].tolist()
        assert result.weights is None if own is None else (result.weights == own[is_in]).all()


@pytest.mark.parametrize(("times", "n_rows"), [(4, 4), (5, 1)])
def test_a_score_that_is_heavier_than_two_cells_is_counted_instead_of_fetched(times, n_rows):
    scores = np.concatenate([np.arange(100.0), np.full(times - 1, 50.0)])
    rows = Rows.read(scores, np.zeros(len(scores), int), classes=[0, 1])
    counted = ArraySource(rows).count(50)
    result = counted.fetch(np.full(counted.cells.n_cells, True))
    assert (result.scores == 50).sum() == n_rows
    assert result.n_rows == 99 + n_rows


def test_the_commonest_scores_are_counted_with_half_of_the_cells_at_most():
    scores = np.repeat([1.0, 60.0, 60.001, 60.002, 99.0], [1, 30, 40, 20, 1])
    counted = ArraySource(Rows.read(scores, np.zeros(92, int), classes=[0, 1])).count(12)
    result = counted.fetch(np.full(counted.cells.n_cells, True))
    assert np.unique(result.scores, return_counts=True)[1].tolist() == [1, 1, 1, 20, 1]
    assert result.weights.sum() == 92


def test_fractional_weights_are_not_merged():
    scores = np.repeat([1.0, 50.0], [5, 60])
    rows = Rows.read(scores, np.arange(65) % 2, weights=np.linspace(0.1, 0.7, 65))
    counted = ArraySource(rows).count(4)
    assert counted.fetch(np.full(counted.cells.n_cells, True)).n_rows == 65


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_equal_steps_hold_their_weights_and_their_lowest_score(dtype):
    random = np.random.default_rng(0)
    scores = random.normal(size=900).astype(dtype)
    codes, weights = random.integers(0, 3, 900), random.integers(1, 5, 900)
    result = count_equal_steps(Rows.read(scores, codes, weights=weights))
    wide = scores.astype(float)
    n_steps = len(result.counts)
    steps = (wide - wide.min()) * (np.float64(n_steps - 1) / (wide.max() - wide.min()))
    steps = steps.astype(int)
    expected, lowest = np.zeros((n_steps, 3), int), np.full(n_steps, np.inf)
    np.add.at(expected, (steps, codes), weights)
    np.minimum.at(lowest, steps, wide)
    assert (result.counts == expected).all()
    assert result.lowest.tolist() == lowest.tolist()
    assert result.counts[-1].sum() > 0


@pytest.mark.parametrize("scores", [[2.5, 2.5], [-1.7e308, 1.7e308]])
def test_there_are_no_equal_steps_of_one_score_or_of_a_range_beyond_floats(scores):
    assert count_equal_steps(Rows.read(scores, [0, 1])) is None


@pytest.mark.parametrize("at", [0, 1, 9999])
@pytest.mark.parametrize("bad", [np.nan, -np.inf])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_scores_that_are_not_finite_are_refused_wherever_they_are(at, bad, n_threads):
    scores = np.arange(10_000.0)
    scores[at] = bad
    rows = Rows.read(scores, np.arange(10_000) % 2)
    with pytest.raises(ValueError, match="finite"):
        ArraySource(rows, n_threads).count(4)


def test_a_sample_is_spread_over_all_rows():
    indices = spread_indices(10**6)
    assert len(indices) == SAMPLE_SIZE
    assert np.histogram(indices, 16, (0, 10**6))[0].tolist() == pytest.approx([256] * 16, abs=3)
    for period in (2, 7, 64, 1000):
        most = np.bincount(indices % period).max()
        assert most <= 1.5 * len(indices) / period + 8


@pytest.mark.parametrize(("n_rows", "size"), [(4095, 4095), (4096, 4096), (4097, 4096)])
def test_more_rows_than_the_sample_holds_are_sampled(n_rows, size):
    scores = np.random.default_rng(0).normal(size=n_rows)
    sample = ArraySource(Rows.read(scores, np.arange(n_rows) % 2)).sample
    assert len(sample) == size
    assert (np.diff(sample) >= 0).all()
    assert np.isin(sample, scores).all()


def test_large_weights_are_counted_without_overflow():
    rows = Rows.read(np.arange(40) // 10, np.arange(40) % 2, weights=np.full(40, 3 * 10**9))
    counted = ArraySource(rows).count(4)
    assert counted.counts.sum(axis=0).tolist() == [60 * 10**9] * 2


@pytest.mark.parametrize("extent", [1e-200, 1e-3, 1e3, 1e5, 1e100])
def test_scores_of_any_extent_have_equal_steps(extent):
    rows = Rows.read(np.linspace(-extent, extent, 100), np.arange(100) % 2)
    result = count_equal_steps(rows)
    assert result.counts.sum() == 100
    assert np.isfinite(result.lowest).sum() == 100
