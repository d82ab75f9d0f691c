"""Independent optimisation, Algorithm 3: every threshold at the first minimum of its risk curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut.arrays import Ints, Numbers
from ordcut.kernels.solving import block_minima
from ordcut.solvers.plan import Plan
from ordcut.threads import count_cores, count_threads, run_all, split

if TYPE_CHECKING:
    from ordcut.sorting import KernelRows


def solve_independently(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, by one thread ("io")."""
    del plan
    return _solve(rows, cost, n_threads=1)


def solve_independently_in_threads(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, by threads that share the curves ("pio")."""
    return _solve(rows, cost, n_threads=count_threads(plan.n_jobs, default=count_cores()))


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
