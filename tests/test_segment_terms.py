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
    others = rng.integers(0, 3, (2, len(low))).astype(float)
    ranges = Ranges(low, low, high, starts, ends, others, np.cumsum([0, *sizes]))
    return np.vstack([below, below.sum(axis=0)]), ranges


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
def test_alternatives_bound_every_choice_of_positions(name, mode, problem):
    below, ranges = problem
    ranges = ranges._replace(
        others=np.zeros((2, len(ranges.low))), starts=ranges.low[None], ends=ranges.high[None]
    )
    terms = SegmentTerms(len(below) - 1, TERMS[name])
    twice, starts = terms.alternatives(below, ranges)
    bounds = np.maximum.reduceat(bounds_of(name, (below, twice), True, mode), starts)
    plain = bounds_of(name, (below, ranges), True, mode)
    assert (bounds <= plain + 1e-12).all()
    every = [range(*each) for each in zip(ranges.low, ranges.high + 1, strict=True)]
    at = ranges.offsets
    borders = [{p for own in every[at[b] : at[b + 1]] for p in own} for b in range(len(at) - 1)]
    positions = [np.array(sorted(own)) for own in borders]
    low = np.concatenate(positions)
    points = Ranges(
        low, low, low, low[None], low[None], np.zeros((2, len(low))),
        np.cumsum([0, *map(len, positions)]),
    )  # fmt: skip
    best = bounds_of(name, (below, points), True, mode)
    for i, own in enumerate(every):
        border = int(np.searchsorted(at, i, "right")) - 1
        of_border = slice(*points.offsets[border : border + 2])
        reached = best[of_border][np.isin(low[of_border], list(own))]
        assert (reached <= bounds[i] + 1e-12).all()


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
