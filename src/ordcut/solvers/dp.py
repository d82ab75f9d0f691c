"""The dynamic programme, Algorithm 2: any objective, O(n K) time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut.arrays import Ints, Numbers
from ordcut.kernels.solving import ordered_path
from ordcut.solvers.plan import Plan

if TYPE_CHECKING:
    from ordcut.sorting import KernelRows


def solve_by_dynamic_programme(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the lowest optimal cuts; the only array of n x K entries holds single bytes."""
    del plan  # one score after the other: there is nothing to spread
    n_classes = len(cost)
    takes = np.empty((len(rows[0]), n_classes), dtype=np.bool_)
    cuts = np.empty(n_classes - 1, dtype=np.int64)
    reached = np.empty(n_classes, dtype=cost.dtype)
    ordered_path(*rows, np.ascontiguousarray(cost.T), reached, takes, cuts)
    return cuts
