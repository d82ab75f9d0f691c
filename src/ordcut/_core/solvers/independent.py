"""Independent optimisation, Algorithm 3: every threshold at the first minimum of its risk curve.

``"io"`` follows all curves in one thread, and the threads of ``"pio"`` share them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut._core.data import KernelRows
from ordcut._core.numerics.jit import kernel
from ordcut._core.numerics.threads import count_cores, run_all, split
from ordcut._core.typing import Array, Bools, Codes, Ints, Numbers

if TYPE_CHECKING:
    from ordcut._core.solvers.choose import Plan

#: Curves start anew at 0 after this many rows, so that 16 bits hold them.
STRETCH = 256

#: The least and the greatest number of 16 bits; curves stay between them within a stretch.
LOWEST, HIGHEST = np.int16(-(2**15)), np.int16(2**15 - 1)

#: Curves are padded to a multiple of this, which fills the vectors of the processor.
CURVES_AT_ONCE = 16

#: Up to this many curves of 16 bits stay in registers while several rows are read. The number is a
#: constant, so that the compiler can unroll loops over them.
FEW_CURVES = 32


def solve_independently(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, in a single thread ("io")."""
    del plan  # unused: there is nothing to choose
    return _first_minima(rows, cost)


def solve_independently_in_threads(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, by threads that share the curves ("pio").

    This is the paper's parallel Algorithm 3. Every thread reads all rows, so threads gain only
    where there are too many curves for one. With few classes, use ``"blocks"``.
    """
    n_threads, n_curves = plan.n_threads(default=count_cores()), len(cost) - 1
    cuts = np.empty(n_curves, np.int64)

    def search(span: tuple[int, int]) -> None:
        first, last = span
        cuts[first:last] = _first_minima(rows, cost[first : last + 1])

    run_all(search, split(n_curves, n_threads), n_threads)  # IO1
    return cuts


def _first_minima(rows: KernelRows, cost: Numbers) -> Ints:
    """Return the first minimum of the risk curve between each pair of neighbouring decisions."""
    n_curves = len(cost) - 1
    _, least, where = np.empty((3, n_curves), np.int64)
    minima_between(rows, padded_gain(rows, cost), (0, len(rows[0])), _, least, where)
    # Cut 0 comes first, where every curve starts at 0.
    return np.where(least < 0, where, 0)


def padded_gain(rows: KernelRows, cost: Numbers) -> Array:
    """Return what a row of each class saves by the next higher class, in 16 bits if that fits.

    Curve ``k`` rises by ``gain[l, k] = cost[k, l] - cost[k + 1, l]`` for each row of class ``l``.
    Columns are padded with zeros, (K, padded): few curves of 16 bits to ``FEW_CURVES``.
    """
    gain = (cost[:-1] - cost[1:]).T
    n_classes, n_curves = gain.shape
    is_narrow = rows[3] == 0 and int(np.abs(gain).max()) * STRETCH < np.iinfo(np.int16).max
    size = -(-n_curves // CURVES_AT_ONCE) * CURVES_AT_ONCE
    if is_narrow and n_curves <= FEW_CURVES:
        size = FEW_CURVES
    padded = np.zeros((n_classes, size), np.int16 if is_narrow else np.int64)
    padded[:, :n_curves] = gain
    return padded


def minima_between(
    rows: KernelRows, gain: Array, block: tuple[int, int], total: Ints, least: Ints, where: Ints
) -> None:
    """Find the first minimum of every risk curve over a block of rows, as ``block_minima`` does."""
    if gain.dtype == np.int16 and gain.shape[1] == FEW_CURVES:
        minima_of_few_curves(*rows[:2], gain, *block, total, least, where)
    else:
        block_minima(*rows, gain, *block, total, least, where)


@kernel("codes", "gain", steps=3)
def block_minima(
    codes: Codes,
    ends: Bools,
    weights: Numbers,
    stride: int,
    gain: Array,
    first: int,
    last: int,
    total: Ints,
    least: Ints,
    where: Ints,
) -> None:
    """Find the first minimum of every risk curve over a block of rows: Algorithms 3 and 4.

    Each curve ``k`` starts the block at 0 and rises by ``gain[l, k]`` times the weight of each row
    of class ``l``. For the cuts after the rows ``first <= i < last``, fills ``least[k]`` and
    ``where[k]``, the curve's minimum and the first cut that reaches it (``where[k] = -1`` if the
    block has no cut), and ``total[k]``, its value at the end of the block. A block of all rows is
    Algorithm 3. O(n) time for each curve; no curve is stored. ``KernelRows`` describes the first
    four arguments.

    All curves are followed at once, row by row, in vectors. Only their lowest value in a stretch
    of rows is kept; its cut is looked up at the end, only in the stretch that holds the minimum.
    """
    n_curves = len(total)
    rise = np.zeros(gain.shape[1], gain.dtype)
    low = np.zeros(gain.shape[1], gain.dtype)
    highest = 2**15 - 1 if gain.itemsize == 2 else 2**62
    before = np.zeros(n_curves, np.int64)
    for k in range(n_curves):
        total[k] = 0  # IO2, PO3
        where[k] = -1
    for start in range(first, last, STRETCH):
        stop = min(start + STRETCH, last)
        has_cut = False
        rise[:] = 0
        low[:] = highest
        if stride == 0:
            for i in range(start, stop):
                step = gain[codes[i]]
                if ends[i]:
                    has_cut = True
                    for k in range(len(step)):  # no branches, so that it runs in vectors
                        rise[k] += step[k]  # IO3, PO4, PO5
                        low[k] = min(low[k], rise[k])
                else:
                    for k in range(len(step)):
                        rise[k] += step[k]
        else:
            for i in range(start, stop):
                step = gain[codes[i]]
                has_cut |= ends[i]
                for k in range(len(step)):
                    rise[k] += weights[i] * step[k]
                    low[k] = min(low[k], rise[k]) if ends[i] else low[k]
        for k in range(n_curves):
            # IO4, PO10: strictly lower, so that the first minimum stays.
            if has_cut and (where[k] < 0 or total[k] + low[k] < least[k]):
                least[k] = total[k] + low[k]
                before[k] = total[k]
                where[k] = start
            total[k] += rise[k]
    for k in range(n_curves):
        if where[k] >= 0:
            value = before[k]
            i = where[k]
            while True:
                value += weights[i * stride] * np.int64(gain[codes[i], k])
                i += 1
                if value == least[k] and ends[i - 1]:
                    break
            where[k] = i


@kernel("codes", "gain", steps=6)
def minima_of_few_curves(
    codes: Codes,
    ends: Bools,
    gain: Array,
    first: int,
    last: int,
    total: Ints,
    least: Ints,
    where: Ints,
) -> None:
    """Find the first minimum of up to ``FEW_CURVES`` risk curves of 16 bits, without weights.

    Fills ``total``, ``least`` and ``where`` as ``block_minima`` does, and takes half the time. Four
    rows are read at once, so that curves wait less often for their own last value. Instead of a
    branch, the value at a row that has no cut after it is raised to ``HIGHEST``.
    """
    n_curves = len(total)
    rise = np.zeros(FEW_CURVES, np.int16)
    low = np.zeros(FEW_CURVES, np.int16)
    before = np.zeros(n_curves, np.int64)
    for k in range(n_curves):
        total[k] = 0  # IO2, PO3
        where[k] = -1
    for start in range(first, last, STRETCH):
        stop = min(start + STRETCH, last)
        for k in range(FEW_CURVES):
            rise[k] = 0
            low[k] = HIGHEST
        for i in range(start, stop - 3, 4):
            a, b, c, d = codes[i], codes[i + 1], codes[i + 2], codes[i + 3]
            floor_a = LOWEST if ends[i] else HIGHEST
            floor_b = LOWEST if ends[i + 1] else HIGHEST
            floor_c = LOWEST if ends[i + 2] else HIGHEST
            floor_d = LOWEST if ends[i + 3] else HIGHEST
            for k in range(FEW_CURVES):
                value = np.int16(rise[k] + gain[a, k])  # IO3, PO4, PO5
                lowest = min(low[k], max(value, floor_a))
                value = np.int16(value + gain[b, k])
                lowest = min(lowest, max(value, floor_b))
                value = np.int16(value + gain[c, k])
                lowest = min(lowest, max(value, floor_c))
                value = np.int16(value + gain[d, k])
                low[k] = min(lowest, max(value, floor_d))
                rise[k] = value
        for i in range(stop - (stop - start) % 4, stop):
            a = codes[i]
            floor_a = LOWEST if ends[i] else HIGHEST
            for k in range(FEW_CURVES):
                value = np.int16(rise[k] + gain[a, k])
                low[k] = min(low[k], max(value, floor_a))
                rise[k] = value
        for k in range(n_curves):
            # IO4, PO10: strictly lower, so that the first minimum stays.
            if low[k] < HIGHEST and (where[k] < 0 or total[k] + low[k] < least[k]):
                least[k] = total[k] + low[k]
                before[k] = total[k]
                where[k] = start
            total[k] += rise[k]
    for k in range(n_curves):
        if where[k] >= 0:
            reached = before[k]
            i = where[k]
            while True:
                reached += np.int64(gain[codes[i], k])
                i += 1
                if reached == least[k] and ends[i - 1]:
                    break
            where[k] = i
