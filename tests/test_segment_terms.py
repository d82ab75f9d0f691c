"""Bounds of scores that add up over decisions: tables and the compiled kernel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordcut._core.numerics.jit import running_kernels_as
from ordcut._core.objectives.terms import TERMS, Ranges, SegmentTerms


@st.composite
def pairs_of_ranges(draw):
    """Weights below positions with a class that may not occur, and ranges with any limits."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_classes, n_positions = draw(st.integers(2, 4)), draw(st.integers(2, 12))
    weights = rng.integers(0, 4, (n_classes, n_positions)) * rng.integers(0, 2, (n_classes, 1))
    weights[:, 0] = 0
    weights[0, -1] += 1
    below = np.cumsum(weights, axis=1).astype(np.float64)
    sizes = [1, *rng.integers(1, 5, n_classes - 1), 1]
    low = [np.sort(rng.integers(0, n_positions, size)) for size in sizes]
    low[0], low[-1] = np.array([0]), np.array([n_positions - 1])
    low = np.concatenate(low)
    high = np.minimum(low + rng.integers(0, 3, len(low)), n_positions - 1)
    limits = rng.integers(0, 6, (2, 2, len(low)))
    starts, ends = np.vstack([low, limits[0]]), np.vstack([high, limits[1] + 2])
    offsets = np.cumsum([0, *sizes])
    return np.vstack([below, below.sum(axis=0)]), Ranges(low, low, high, starts, ends, offsets)


def bounds_of(name, problem, is_upward, mode, error=0.0):
    below, ranges = problem
    with running_kernels_as(mode):
        return SegmentTerms(len(below) - 1, TERMS[name]).best(below, error, ranges, is_upward)


@pytest.mark.parametrize("is_upward", [True, False])
@pytest.mark.parametrize("name", TERMS)
@settings(max_examples=40, deadline=None)
@given(problem=pairs_of_ranges())
def test_the_kernel_and_tables_return_the_same_bounds(name, is_upward, problem):
    by_tables, by_kernel = (
        bounds_of(name, problem, is_upward, mode) for mode in ("python", "compiled")
    )
    np.testing.assert_allclose(by_kernel, by_tables, rtol=1e-12)


@pytest.mark.parametrize("mode", ["python", "compiled"])
@pytest.mark.parametrize("name", TERMS)
@settings(max_examples=40, deadline=None)
@given(problem=pairs_of_ranges())
def test_bounds_rise_with_the_error_of_weights(name, mode, problem):
    lower, middle, upper = (
        bounds_of(name, problem, True, mode, error) for error in (-0.25, 0.0, 0.25)
    )
    assert (lower <= middle).all()
    assert (middle <= upper).all()
