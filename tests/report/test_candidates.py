import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import weights_below
from ordcut.data import Rows
from ordcut.pruning import ArraySource
from ordcut.report.candidates import Candidates, lower_borders
from ordinal_rows import ratings
from strategies import problems


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(data=st.data(), n_cells=st.integers(2, 30))
@settings(max_examples=150)
def test_the_lower_border_of_a_cell_is_its_least_float(dtype, data, n_cells):
    width = np.dtype(dtype).itemsize * 8
    finite = st.floats(allow_nan=False, allow_infinity=False, width=width)
    check_lower_borders(
        np.array(data.draw(st.lists(finite, min_size=1, max_size=40)), dtype), n_cells
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("sign", [-1, 1])
def test_no_float_is_above_the_border_of_a_cell_beyond_all_floats(dtype, sign):
    largest = np.finfo(dtype).max
    for score in (largest, np.nextafter(largest, dtype(0)), largest * dtype(0.999999)):
        check_lower_borders(np.array([sign * score], dtype), 2)


def check_lower_borders(sample, n_cells):
    dtype = sample.dtype.type
    rows = Rows.read(sample, np.zeros(len(sample), int), classes=[0, 1])
    counted = ArraySource(rows).count(n_cells)
    borders = lower_borders(counted, sample.dtype)
    # Of the data's own floats, those around a border, and those that led to the cells.
    limits = np.finfo(dtype)
    near = np.clip(borders, limits.min, limits.max).astype(dtype)
    around = np.concatenate([near, sample, [limits.min, limits.max]])
    around = np.concatenate([around, np.nextafter(around, dtype(0))])
    above = around.astype(np.float64)[:, None] >= borders
    in_cell = counted.cells.locate(around)[:, None] >= np.arange(1, counted.cells.n_cells)
    assert (above == in_cell).all()


@given(problem=problems(most_rows=20, most_scores=8), data=st.data())
def test_a_source_gives_the_weights_between_any_number_of_thresholds(problem, data):
    positions = sorted(data.draw(st.lists(st.integers(-3, 6), max_size=12)))
    soft = np.eye(problem.n_classes)[problem.labels]
    for labels, classes in [(problem.labels, problem.classes), (soft, None)]:
        rows = Rows.read(problem.scores, labels, classes=classes, weights=problem.weights)
        between = ArraySource(rows).confusion(np.array(positions, dtype=float))
        assert between.shape == (len(positions) + 1, problem.n_classes)
        below = np.cumsum(between, axis=0)
        for position, found in zip([*positions, np.inf], below, strict=True):
            assert found.tolist() == weights_below(position, problem)


@pytest.mark.parametrize("n", [500, 30_000])
def test_thresholds_join_the_candidates_with_the_weights_below_them(n):
    scores, labels = ratings(n, 3)
    candidates = Candidates.of(ArraySource(Rows.read(scores, labels)), 50)
    extra = np.array([-np.inf, -0.123, candidates.positions[7], 0.5, np.inf])
    joined = candidates.including(extra)
    assert len(joined.positions) == len(candidates.positions) + 2
    assert (np.diff(joined.positions) > 0).all()
    for position, below in zip(joined.positions, joined.below, strict=True):
        assert below.tolist() == np.bincount(labels[scores < position], minlength=3).tolist()


def test_snapped_thresholds_label_known_scores_alike():
    scores, labels = ratings(300, 3)
    candidates = Candidates.of(ArraySource(Rows.read(scores, labels)), 20)
    thresholds = np.array([-0.4, scores[5], 0.7])
    snapped = candidates.snap(thresholds)
    assert ((scores[:, None] >= snapped) == (scores[:, None] >= thresholds)).all()
    assert (snapped != thresholds).any()
