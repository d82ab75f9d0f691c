"""Nested search: independent optimisation of a convex objective in O(n log K) time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ordcut._core.data import KernelRows, SortedRows
from ordcut._core.numerics.jit import inlined, kernel
from ordcut._core.pruning import CurveLimit, halving_order
from ordcut._core.typing import Bools, Codes, Ints, Numbers

if TYPE_CHECKING:
    from ordcut._core.solvers.choose import Plan

#: How many rows are added up before they are compared with the minimum so far.
BLOCK = 256


def solve_nested(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, starting with the middle curve."""
    del plan  # unused: there is nothing to choose
    n_curves = len(cost) - 1
    bounds = np.zeros((2, n_curves), np.int64)
    bounds[1] = len(rows[0])
    return solve_nested_between(rows, cost, *bounds)


def solve_nested_between(rows: KernelRows, cost: Numbers, lowest: Ints, highest: Ints) -> Ints:
    """Return the first minimum of every risk curve between two cuts of its own.

    Both ``lowest`` and ``highest`` must ascend, so that the minima ascend, too.
    """
    gain = np.ascontiguousarray(cost[:-1] - cost[1:])
    cuts = np.empty(len(gain), dtype=np.int64)
    nested_minima(*rows, gain, halving_order(len(gain)), lowest, highest, cuts)
    return cuts


def cut_ranges(
    rows: SortedRows, limits: Sequence[CurveLimit], n_thresholds: int
) -> tuple[Ints, Ints] | None:
    """Return the lowest and highest cut of each threshold; None if a threshold has no cut.

    Both ascend: a threshold is bounded by the limits of those above and below it.

    Examples
    --------
    >>> from ordcut._core.data import Rows
    >>> rows = Rows.read([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1]).sorted()
    >>> cut_ranges(rows, [CurveLimit(0, np.array([0, 1]), at_most=1)], 1)
    (array([0]), array([3]))
    """
    n_rows = len(rows.codes)
    lowest, highest = np.zeros(n_thresholds, np.int64), np.full(n_thresholds, n_rows)
    for limit in limits:
        k = limit.k
        counted = np.flatnonzero((limit.counts > 0)[rows.codes])
        # The weight of the rows that count, up to and with each of them.
        upto = np.arange(1, len(counted) + 1)
        if rows.weights is not None or limit.counts.max() > 1:
            weights = 1 if rows.weights is None else rows.weights[counted]
            upto = np.cumsum(limit.counts[rows.codes[counted]] * weights)
        if limit.at_least is not None and limit.at_least > 0:
            index = int(np.searchsorted(upto, limit.at_least, "left"))
            if index == len(counted):
                return None
            last_below = int(counted[index])  # up to the end of its score
            first = last_below + 1 + int(np.argmax(rows.ends[last_below:]))
            lowest[k] = max(lowest[k], first)
        if limit.at_most is not None:
            if limit.at_most < 0:
                return None
            index = int(np.searchsorted(upto, limit.at_most, "right"))
            last = n_rows
            if index < len(counted):  # down to the start of the score that would be too much
                last = int(counted[index])
                last -= int(np.argmax(rows.ends[:last][::-1])) if rows.ends[:last].any() else last
            highest[k] = min(highest[k], last)
    lowest, highest = np.maximum.accumulate(lowest), np.minimum.accumulate(highest[::-1])[::-1]
    return (lowest, highest) if (lowest <= highest).all() else None


@inlined
def minimise_each(
    codes: Codes,
    ends: Bools,
    weights: Numbers,
    stride: int,
    gain: Numbers,
    order: Ints,
    lowest_cut: Ints,
    highest_cut: Ints,
    cuts: Ints,
) -> None:
    """Do the work of ``nested_minima``, also for other kernels."""
    n_cuts, n_classes = gain.shape
    step = np.empty(n_classes, gain.dtype)
    curve = np.empty(BLOCK, gain.dtype)
    for i in range(n_cuts):
        k = order[i, 0]
        first = max(lowest_cut[k], cuts[order[i, 1]] if order[i, 1] >= 0 else 0)
        last = min(highest_cut[k], cuts[order[i, 2]] if order[i, 2] < n_cuts else len(codes))
        for truth in range(n_classes):
            step[truth] = gain[k, truth]
        total = step[0] - step[0]
        least = total
        best = -1  # the block that holds the minimum so far, if it lies above the first cut
        before_best = total
        for start in range(first, last, BLOCK):
            # Slices count from 0, which saves the compiled loops a check for negative indices.
            block_codes = codes[start : min(start + BLOCK, last)]
            block_ends = ends[start : min(start + BLOCK, last)]
            before = total
            if stride == 0:
                for j in range(len(block_codes)):
                    total += step[block_codes[j]]
                    curve[j] = total
            else:
                block_weights = weights[start : min(start + BLOCK, last)]
                for j in range(len(block_codes)):
                    total += block_weights[j] * step[block_codes[j]]
                    curve[j] = total
            # The lowest value is computed in a separate loop, which the compiler vectorises.
            lowest = least
            for j in range(len(block_codes)):
                value = curve[j] if block_ends[j] else least
                lowest = value if value < lowest else lowest
            if lowest < least:
                least = lowest
                best = start
                before_best = before
        where = first
        if best >= 0:
            total = before_best
            where = best
            while True:
                total += weights[where * stride] * step[codes[where]]
                where += 1
                if total == least and ends[where - 1]:
                    break
        cuts[k] = where


@kernel("codes", "gain", steps=1)
def nested_minima(
    codes: Codes,
    ends: Bools,
    weights: Numbers,
    stride: int,
    gain: Numbers,
    order: Ints,
    lowest_cut: Ints,
    highest_cut: Ints,
    cuts: Ints,
) -> None:
    """Find the first minimum of every risk curve of a convex objective.

    Theorem 2 orders the minima, so once the middle threshold of a range is known, the thresholds
    below it need only the rows below it and those above it only the rows above it. ``order``
    comes from ``halving_order``: every level of the halving reads each row once, O(n log K) time in
    all, O(K) memory. Curve ``k`` is searched from ``lowest_cut[k]`` to ``highest_cut[k]``. Fills
    ``cuts`` (K - 1,). ``KernelRows`` describes the first four arguments.
    """
    minimise_each(codes, ends, weights, stride, gain, order, lowest_cut, highest_cut, cuts)
