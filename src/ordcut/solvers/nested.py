"""Nested search: independent optimisation of a convex objective in O(n log K) time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut import kernels
from ordcut.arrays import Floats, Ints
from ordcut.solvers.plan import Plan

if TYPE_CHECKING:
    from ordcut.table import ScoreTable


def solve_nested(table: ScoreTable, cost: Floats, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, the middle one first."""
    del plan
    gain = np.ascontiguousarray(cost[:-1] - cost[1:])
    cuts = np.zeros(len(gain), dtype=np.int64)
    kernels.nested_minima(table.codes, table.offsets, table.weights, table.stride, gain, cuts)
    return cuts
