"""Independent optimisation, Algorithm 3: every threshold at the first minimum of its risk curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut.data import KernelRows
from ordcut.jit import kernel
from ordcut.threads import count_cores, run_all, split
from ordcut.typing import Bools, Codes, Ints, Numbers

if TYPE_CHECKING:
    from ordcut.solvers.choose import Plan


def solve_independently(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, by one thread ("io")."""
    del plan
    return _solve(rows, cost, n_threads=1)


def solve_independently_in_threads(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, by threads that share the curves ("pio")."""
    return _solve(rows, cost, n_threads=plan.n_threads(default=count_cores()))


def _solve(rows: KernelRows, cost: Numbers, n_threads: int) -> Ints:
    gain = (cost[:-1] - cost[1:]).T
    n_cuts = gain.shape[1]
    cuts = np.empty(n_cuts, dtype=np.int64)

    def find_minima(piece: tuple[int, int]) -> None:
        curves = slice(*piece)
        some_gain = np.ascontiguousarray(gain[:, curves])
        all_cuts = (0, len(rows[0]) + 1)
        # Arrays of its own: two threads that write to one cache line slow each other down.
        total, least = np.zeros((2, some_gain.shape[1]), dtype=cost.dtype)
        where = np.empty(some_gain.shape[1], dtype=np.int64)
        block_minima(*rows, some_gain, *all_cuts, total, least, where)
        cuts[curves] = where

    run_all(find_minima, split(n_cuts, n_threads), n_threads)  # IO1
    return cuts


@kernel("codes", "gain", steps=3)
def block_minima(
    codes: Codes,
    ends: Bools,
    weights: Numbers,
    stride: int,
    gain: Numbers,
    first: int,
    last: int,
    total: Numbers,
    least: Numbers,
    where: Ints,
) -> None:
    """Find the first minimum of some risk curves over a block of cuts: Algorithms 3 and 4.

    Each curve ``k`` starts the block at 0 and rises by ``gain[k, l]`` times the weight of each row
    passed. Over the cuts ``first <= p < last``, fills ``least[k]`` and ``where[k]``, the curve's
    minimum and the first cut that reaches it (``where[k] = -1`` if the block has no cut), and
    ``total[k]``, its value where the next block starts. One block of all cuts is Algorithm 3.
    ``gain`` comes transposed, (true, curve), where ``gain[k, l] = cost[k, l] - cost[k + 1, l]`` is
    what a row of class ``l`` saves when it moves from class ``k`` up to ``k + 1``. O(n) time for
    each curve; no curve is stored. ``dp.py`` describes the other arguments.
    """
    n_rows = len(codes)
    n_curves = len(total)
    for k in range(n_curves):
        total[k] = 0  # IO2, PO3
        where[k] = -1
    for p in range(first, last):
        if p == 0 or ends[p - 1]:
            for k in range(n_curves):
                # Stored whether lower or not, because loops without branches run in vectors.
                # IO4, PO10: strictly lower, so the first minimum stays.
                is_lower = (where[k] < 0) | (total[k] < least[k])
                least[k] = total[k] if is_lower else least[k]
                where[k] = p if is_lower else where[k]
        if p < n_rows:
            weight = weights[p * stride]
            rise = gain[codes[p]]
            for k in range(n_curves):
                total[k] += weight * rise[k]  # IO3, PO4, PO5
