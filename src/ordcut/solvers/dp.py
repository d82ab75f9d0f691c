"""The dynamic programme, Algorithm 2: any objective, O(n K) time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut import kernels
from ordcut.arrays import Floats, Ints
from ordcut.solvers.plan import Plan

if TYPE_CHECKING:
    from ordcut.table import ScoreTable


def solve_by_dynamic_programme(table: ScoreTable, cost: Floats, plan: Plan) -> Ints:
    """Return the lowest optimal cuts; the only array of N x K entries holds 16-bit classes."""
    del plan  # one score after the other: there is nothing to spread
    n_classes = len(cost)
    choice = np.empty((len(table.scores), n_classes), dtype=np.uint16)
    cuts = np.empty(n_classes - 1, dtype=np.int64)
    kernels.ordered_path(
        table.codes,
        table.offsets,
        table.weights,
        table.stride,
        np.ascontiguousarray(cost.T),
        np.empty(n_classes),
        choice,
        cuts,
    )
    return cuts
