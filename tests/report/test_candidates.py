import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ordcut._core.data import Rows
from ordcut._core.pruning import ArraySource
from ordcut.report import Candidates
from tests.naive import weights_below
from tests.ordinal_rows import ratings
from tests.small_sizes import set_sizes
from tests.strategies import problems


@pytest.fixture
def counted_by_cells(monkeypatch):
    """Find the candidates of few rows in the way of many."""
    set_sizes(monkeypatch, page_rows_to_sort=0)


def check_weights_below(scores, most):
    codes = np.arange(len(scores)) % 2
    rows = Rows.read(scores, codes, classes=[0, 1])
    candidates = Candidates.of(ArraySource(rows), most)
    assert (np.diff(candidates.positions) > 0).all()
    wide = scores.astype(np.float64)
    for position, below in zip(candidates.positions, candidates.below, strict=True):
        assert below.tolist() == np.bincount(codes[wide < position], minlength=2).tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(data=st.data(), most=st.integers(2, 30))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_weights_below_candidates_between_cells_are_exact(counted_by_cells, dtype, data, most):
    width = np.dtype(dtype).itemsize * 8
    finite = st.floats(allow_nan=False, allow_infinity=False, width=width)
    few = st.lists(finite, min_size=1, max_size=40)
    near = few.map(lambda some: [*some, *np.nextafter(np.array(some, dtype), dtype(0)).tolist()])
    check_weights_below(np.array(data.draw(few | near), dtype), most)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_weights_below_candidates_are_exact_next_to_the_largest_floats(
    counted_by_cells, dtype, sign
):
    largest = np.finfo(dtype).max
    scores = [largest, np.nextafter(largest, dtype(0)), largest * dtype(0.999999), dtype(0)]
    check_weights_below(sign * np.array(scores, dtype), 3)


@given(problem=problems(most_rows=20, most_scores=8), data=st.data())
def test_a_source_gives_the_weights_between_any_number_of_thresholds(problem, data):
    positions = sorted(data.draw(st.lists(st.integers(-3, 6), max_size=12)))
    soft = np.eye(problem.n_classes)[problem.labels]
    for labels, classes in [(problem.labels, problem.classes), (soft, None)]:
        rows = Rows.read(problem.scores, labels, classes=classes, weights=problem.weights)
        between = ArraySource(rows).confusion(np.array(positions, dtype=float))
        assert between.shape == (len(positions) + 1, problem.n_classes)
        below = np.cumsum(between, axis=0)
        for position, weights_there in zip([*positions, np.inf], below, strict=True):
            assert weights_there.tolist() == weights_below(position, problem)


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
