"""Independent optimisation over blocks of cuts, Algorithm 4: parallel in thresholds and blocks."""

from __future__ import annotations

from itertools import product
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from ordcut.data import KernelRows
from ordcut.solvers.independent import block_minima
from ordcut.threads import count_cores, run_all, split
from ordcut.typing import Ints, Numbers

if TYPE_CHECKING:
    from ordcut.solvers.choose import Plan


def solve_in_blocks(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, from its minima in blocks of cuts.

    Each block's piece of a curve starts at 0 (the paper's Q); adding up the pieces' ends says by
    how much to lift each (the paper's S). Only minima and ends are kept, never a curve.
    """
    n_threads = plan.n_threads(default=count_cores())
    n_candidates = len(rows[0]) + 1
    size = plan.block_size or max(1, isqrt(n_candidates))
    blocks = [(first, min(first + size, n_candidates)) for first in range(0, n_candidates, size)]
    gain = (cost[:-1] - cost[1:]).T
    n_cuts = gain.shape[1]
    ends, least = np.zeros((2, len(blocks), n_cuts), dtype=cost.dtype)
    where = np.empty((len(blocks), n_cuts), dtype=np.int64)

    def find_minima(piece: tuple[tuple[int, int], tuple[int, int]]) -> None:
        some_blocks, curves = piece[0], slice(*piece[1])
        some_gain = np.ascontiguousarray(gain[:, curves])
        # Arrays of its own: two threads that write to one cache line slow each other down.
        end, low = np.zeros((2, some_gain.shape[1]), dtype=cost.dtype)
        position = np.empty(some_gain.shape[1], dtype=np.int64)
        for b in range(*some_blocks):  # PO2-PO5
            block_minima(*rows, some_gain, *blocks[b], end, low, position)
            ends[b, curves], least[b, curves], where[b, curves] = end, low, position

    # Few threads share many blocks, so blocks are handed out in runs.
    pieces = list(product(split(len(blocks), n_threads), split(n_cuts, n_threads)))  # PO1, PO2
    run_all(find_minima, pieces, n_threads)
    lifted = least + np.cumsum(ends, axis=0) - ends  # PO7-PO9
    lifted[where < 0] = lifted.max()  # a block inside one score has no cut
    # PO10: of equal minima the first that is a cut; a block without one comes after all that have.
    best = np.lexsort((where < 0, lifted), axis=0)[0]
    cuts: Ints = where[best, np.arange(n_cuts)]
    return cuts
