"""Independent optimisation over blocks of rows, Algorithm 4: blocks are searched in parallel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut._core.data import KernelRows
from ordcut._core.numerics.threads import count_cores, run_all, split
from ordcut._core.solvers.independent import minima_between, padded_gain
from ordcut._core.typing import Ints, Numbers

if TYPE_CHECKING:
    from ordcut._core.solvers.choose import Plan


def solve_in_blocks(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, from its minima in blocks ("blocks").

    There is a block for each thread, unless the plan says how many rows a block has. Each block's
    piece of a curve starts at 0 (the paper's Q); adding up the pieces' ends says by how much to
    lift each (the paper's S). Only minima and ends are kept, never a curve.
    """
    n_threads, n_rows = plan.n_threads(default=count_cores()), len(rows[0])
    n_blocks = n_threads if plan.block_size is None else -(-n_rows // plan.block_size)
    blocks = split(n_rows, n_blocks)
    gain, n_curves = padded_gain(rows, cost), len(cost) - 1
    # A row in front of the blocks stands for cut 0, where every curve starts at 0.
    ends, least, where = np.zeros((3, len(blocks) + 1, n_curves), np.int64)

    def search(span: tuple[int, int]) -> None:
        # Arrays of its own: threads that write to the same cache line slow each other down.
        end, low, position = np.zeros((3, n_curves), np.int64)
        for b in range(*span):  # PO2-PO5
            minima_between(rows, gain, blocks[b], end, low, position)
            ends[b + 1], least[b + 1], where[b + 1] = end, low, position

    run_all(search, split(len(blocks), n_threads), n_threads)  # PO1
    lifted = least + np.cumsum(ends, axis=0) - ends  # PO7-PO9
    lifted[where < 0] = np.iinfo(np.int64).max  # a block of equal scores may have no cut
    best = np.argmin(lifted, axis=0)  # PO10: of equal minima the first
    cuts: Ints = where[best, np.arange(n_curves)]
    return cuts
