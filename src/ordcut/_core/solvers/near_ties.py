"""Cuts where sums do not fit into int64: candidates by float64, decided in exact fractions.

A sum in float64 has a known error bound. Only cuts whose sums are within twice that bound of the
least can be optimal. If there are several, their sums are compared as fractions, so that the result
is the lowest optimum in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ordcut._core.data import SortedRows
from ordcut._core.numerics.exact import ExactCost, rounding_bound
from ordcut._core.numerics.jit import kernel
from ordcut._core.pruning import halving_order
from ordcut._core.typing import Array, Bools, Codes, Floats, Ints, Numbers

#: Returns the exact weight of each class between ascending cuts, (n_cuts + 1, K). The weights below
#: the first and above the last cut do not matter, and may be left out.
ExactWeights = Callable[[Ints], Array]


def independent_cuts(rows: SortedRows, cost: ExactCost, n_rows: int, between: ExactWeights) -> Ints:
    """Return the first minimum of every risk curve: Algorithm 3 in exact arithmetic.

    ``n_rows`` is the number of rows that were added up, including those in lumps.
    """
    gain, totals = cost.float_gain, rows.totals
    totals = totals / totals.max()
    slack = rounding_bound(np.abs(gain) @ totals, n_rows)
    codes, ends, weights, stride = _scaled(rows)
    n_curves = len(gain)
    order = halving_order(n_curves)
    if not cost.is_convex:  # minima need not be in order: every curve is searched as a whole
        order = np.array([(k, -1, n_curves) for k in range(n_curves)], np.int64)
    first, last, n_near = np.zeros((3, n_curves), np.int64)
    near_minima(codes, ends, weights, stride, gain, order, slack, first, last, n_near)
    cuts = first.copy()
    for k in np.flatnonzero(n_near > 1).tolist():
        is_cut = np.append(True, rows.ends)
        is_cut[: first[k]] = is_cut[last[k] + 1 :] = False
        curve = _curve(rows, gain[k])
        near = np.flatnonzero(is_cut & (curve <= curve[is_cut].min() + slack[k]))
        cuts[k] = near[_first_least(between(near), cost.gain[k])]
    return cuts


def _scaled(rows: SortedRows) -> tuple[Codes, Bools, Floats, int]:
    """Return rows for kernels, with weights in float64 that add up to about 1 per class."""
    codes, ends, weights, stride = rows.for_kernels(np.dtype(np.float64))
    return codes, ends, weights / rows.totals.max(), stride


def _curve(rows: SortedRows, step: Floats) -> Floats:
    """Return a risk curve at all cuts, in float64."""
    codes, _, weights, stride = _scaled(rows)
    return np.append(0.0, np.cumsum(step[codes] * (weights if stride else weights[0])))


def _first_least(weights: Array, step: Array) -> int:
    """Return the first cut at which a curve is the lowest, by exact weights between the cuts."""
    rises = weights[1:-1] @ step
    return int(np.argmin(np.cumsum(np.append(np.zeros(1, dtype=object), rises))))


@kernel("codes", "gain", steps=4)
def near_minima(
    codes: Codes,
    ends: Bools,
    weights: Numbers,
    stride: int,
    gain: Numbers,
    order: Ints,
    slack: Floats,
    first: Ints,
    last: Ints,
    n_near: Ints,
) -> None:
    """Find the cuts at which each risk curve is within ``slack`` of its least value.

    Fills the ``first`` and the ``last`` of them, and how many there are, ``n_near``, which holds
    zeros. ``order`` comes from ``halving_order`` where minima are known to come in order, so
    that the curves before it bound the range of a curve. ``KernelRows`` describes the
    first four arguments.
    """
    n_curves = len(gain)
    for i in range(n_curves):
        k = order[i, 0]
        start = first[order[i, 1]] if order[i, 1] >= 0 else 0
        stop = last[order[i, 2]] if order[i, 2] < n_curves else len(codes)
        total = 0.0
        least = 0.0
        for p in range(start, stop):
            total += weights[p * stride] * gain[k, codes[p]]
            if ends[p] and total < least:
                least = total
        most = least + slack[k]
        first[k] = -1
        total = 0.0
        if total <= most:
            n_near[k] = 1
            first[k] = start
            last[k] = start
        for p in range(start, stop):
            total += weights[p * stride] * gain[k, codes[p]]
            if ends[p] and total <= most:
                n_near[k] += 1
                first[k] = p + 1 if first[k] < 0 else first[k]
                last[k] = p + 1
