"""Cuts where the optimal labelings of any objective may change decision, by sums in float64."""

from __future__ import annotations

import numpy as np

from ordcut._core.data import SortedRows
from ordcut._core.numerics.exact import ExactCost, rounding_bound
from ordcut._core.numerics.jit import inlined, kernel
from ordcut._core.typing import Bools, Codes, Floats, Ints, Numbers

#: Rows are labelled once more by blocks of this many, so that only the costs before each block and
#: those within one block are stored.
BLOCK = 4096


def near_optimal_cuts(rows: SortedRows, cost: ExactCost, n_rows: int) -> Ints:
    """Return the cuts at which labelings that may be optimal change decision.

    ``n_rows`` is the number of rows that were added up.

    Examples
    --------
    >>> from ordcut._core.data import Rows
    >>> rows = Rows.read([1.0, 2.0, 3.0, 4.0, 5.0], [0, 1, 0, 0, 1]).sorted()
    >>> near_optimal_cuts(rows, ExactCost.of(1 - np.eye(2)), 5)
    array([4])
    """
    codes, ends, weights, stride = rows.for_kernels(np.dtype(np.float64))
    totals = rows.totals / rows.totals.max()
    scale = float((np.abs(cost.float_cost).max(axis=0) @ totals).item())
    slack = 2 * float(rounding_bound(scale, n_rows))
    n_decisions, n_blocks = len(cost.float_cost), len(codes) // BLOCK + 1
    before = np.zeros((n_blocks, n_decisions))
    upto = np.empty((min(BLOCK, len(codes)), n_decisions))
    is_near = np.zeros(len(codes) + 1, np.bool_)
    by_truth = np.ascontiguousarray(cost.float_cost.T)
    weights = weights / rows.totals.max()
    mark_near_paths(codes, ends, weights, stride, by_truth, slack, BLOCK, before, upto, is_near)
    return np.flatnonzero(is_near)


@inlined
def label_row(paid: Floats, weight: float, is_end: bool, reached: Floats) -> None:
    """Add a row to the least costs by decision; after the last of its score, decisions may rise."""
    for d in range(len(reached)):
        reached[d] += weight * paid[d]
    if is_end:
        for d in range(1, len(reached)):
            reached[d] = min(reached[d], reached[d - 1])


@kernel("codes", "cost", steps=9)
def mark_near_paths(
    codes: Codes,
    ends: Bools,
    weights: Numbers,
    stride: int,
    cost: Floats,
    slack: float,
    size: int,
    before: Floats,
    upto: Floats,
    is_near: Bools,
) -> None:
    """Mark the cuts at which a labeling changes decision that costs at most the least plus slack.

    The least cost of the rows below a cut with decisions up to ``d``, plus that of the rows above
    it from ``d + 1`` on, is the least cost of a labeling that changes there. ``cost`` is
    transposed, (true, predicted). Fills ``before`` (n_blocks, D) with the costs before each block
    of ``size`` rows, and ``upto`` (size, D), one block at a time from the last, with those after
    its rows.
    ``KernelRows`` describes the first four arguments. O(n D) time.
    """
    n, n_decisions = len(codes), cost.shape[1]
    reached = np.zeros(n_decisions)
    for i in range(n):
        if i % size == 0:
            before[i // size] = reached
        label_row(cost[codes[i]], weights[i * stride], ends[i], reached)
    most = reached.min() + slack
    above = np.zeros(n_decisions)
    for block in range((n - 1) // size, -1, -1):
        start = block * size
        stop = min(start + size, n)
        reached[:] = before[block]
        for i in range(start, stop):
            label_row(cost[codes[i]], weights[i * stride], ends[i], reached)
            if ends[i]:
                upto[i - start] = reached
        for i in range(stop - 1, start - 1, -1):
            if ends[i]:
                below = upto[i - start]
                near = np.inf
                for d in range(1, n_decisions):
                    near = min(near, below[d - 1] + above[d])
                is_near[i + 1] = near <= most
                for d in range(n_decisions - 2, -1, -1):
                    above[d] = min(above[d], above[d + 1])
            paid = cost[codes[i]]
            for d in range(n_decisions):
                above[d] += weights[i * stride] * paid[d]
    is_near[0] = n_decisions > 1 and above[1:].min() <= most
