"""Nested search: independent optimisation of a convex objective in O(n log K) time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut.arrays import Ints, Numbers
from ordcut.kernels.solving import nested_minima
from ordcut.solvers.plan import Plan

if TYPE_CHECKING:
    from ordcut.sorting import KernelRows


def solve_nested(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the first minimum of every risk curve, the middle one first."""
    del plan
    gain = np.ascontiguousarray(cost[:-1] - cost[1:])
    cuts = np.empty(len(gain), dtype=np.int64)
    nested_minima(*rows, gain, cuts)
    return cuts
