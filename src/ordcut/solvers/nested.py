"""Nested search: independent optimisation of a convex objective in O(n log K) time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut.data import KernelRows
from ordcut.jit import kernel
from ordcut.pruning import halving_order
from ordcut.typing import Bools, Codes, Ints, Numbers

if TYPE_CHECKING:
    from ordcut.solvers.choose import Plan

#: How many rows are added up before they are compared with the minimum so far.
BLOCK = 256


def solve_nested(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, the middle one first."""
    del plan
    n_curves = len(cost) - 1
    bounds = np.zeros((2, n_curves), np.int64)
    bounds[1] = len(rows[0])
    return solve_nested_between(rows, cost, *bounds)


def solve_nested_between(rows: KernelRows, cost: Numbers, lowest: Ints, highest: Ints) -> Ints:
    """Return the first minimum of every risk curve between two cuts of its own.

    These must be in ascending order each, so that the minima are, too.
    """
    gain = np.ascontiguousarray(cost[:-1] - cost[1:])
    cuts = np.empty(len(gain), dtype=np.int64)
    nested_minima(*rows, gain, halving_order(len(gain)), lowest, highest, cuts)
    return cuts


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
    below it need only the rows below it and those above it only the rows above it. ``order`` is
    that of ``halving_order``: every level of the halving reads each row once, O(n log K) time in
    all, O(K) memory. Curve ``k`` is searched from ``lowest_cut[k]`` to ``highest_cut[k]``. Fills
    ``cuts`` (K - 1,). ``dp.py`` describes the other arguments.
    """
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
            some_codes = codes[start : min(start + BLOCK, last)]
            some_ends = ends[start : min(start + BLOCK, last)]
            before = total
            if stride == 0:
                for j in range(len(some_codes)):
                    total += step[some_codes[j]]
                    curve[j] = total
            else:
                some_weights = weights[start : min(start + BLOCK, last)]
                for j in range(len(some_codes)):
                    total += some_weights[j] * step[some_codes[j]]
                    curve[j] = total
            # The lowest value in a loop of its own, which runs in vectors; where it is, not yet.
            lowest = least
            for j in range(len(some_codes)):
                value = curve[j] if some_ends[j] else least
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
