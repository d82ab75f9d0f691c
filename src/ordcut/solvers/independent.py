"""Independent optimisation, Algorithm 3: every threshold at the first minimum of its risk curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut import kernels
from ordcut.arrays import Floats, Ints
from ordcut.solvers.plan import Plan
from ordcut.threads import count_cores, count_threads, run_all, split

if TYPE_CHECKING:
    from ordcut.table import ScoreTable


def solve_independently(table: ScoreTable, cost: Floats, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, by one thread ("io")."""
    del plan
    return _solve(table, cost, n_threads=1)


def solve_independently_in_threads(table: ScoreTable, cost: Floats, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, by threads that share the curves ("pio")."""
    return _solve(table, cost, n_threads=count_threads(plan.n_jobs, default=count_cores()))


def _solve(table: ScoreTable, cost: Floats, n_threads: int) -> Ints:
    gain = (cost[:-1] - cost[1:]).T
    n_cuts = gain.shape[1]
    total, least = np.empty(n_cuts), np.empty(n_cuts)
    cuts = np.zeros(n_cuts, dtype=np.int64)

    def find_minima(piece: tuple[int, int]) -> None:
        curves = slice(*piece)
        kernels.block_minima(
            table.codes, table.offsets, table.weights, table.stride,
            np.ascontiguousarray(gain[:, curves]),
            0, len(table.offsets), total[curves], least[curves], cuts[curves],
        )  # fmt: skip

    run_all(find_minima, split(n_cuts, n_threads), n_threads)  # IO1
    return cuts
