"""Which cells can hold an optimal threshold, from the weight of each cell and class alone.

A risk curve is known exactly at the borders of cells. Inside a cell it cannot fall below its value
at the left border plus all the falls that the cell's rows could bring. A cell where even that is
above what some border reaches cannot hold the threshold.
"""

from __future__ import annotations

import numpy as np

from ordcut.exact import LARGEST_SUM, ExactCost
from ordcut.objectives import halving_order
from ordcut.pruning.kernels import mark_near_minima
from ordcut.typing import Bools, Numbers


def cells_that_can_hold(counts: Numbers, cost: ExactCost) -> Bools:
    """Return which cells must be looked into for some threshold, the neighbours of cuts included.

    Examples
    --------
    >>> counts = np.array([[9, 0], [9, 0], [1, 1], [0, 9], [0, 9]])
    >>> cells_that_can_hold(counts, ExactCost(np.array([[0, 1], [1, 0]]), is_convex=True))
    array([False,  True,  True, False, False])
    """
    has_rows = np.asarray(np.einsum("ij->i", counts) > 0)
    gain = cost.values[:-1] - cost.values[1:]
    # Sums of whole numbers are exact; elsewhere, what could be rounding counts as a tie.
    scale = float(np.abs(gain).max()) * float(counts.sum())
    is_exact = counts.dtype == gain.dtype == np.int64 and scale < LARGEST_SUM
    slack = 0.0 if is_exact else 1e-12 * scale
    if not is_exact:
        counts, gain = counts.astype(np.float64), gain.astype(np.float64)
    if cost.is_convex:
        chosen = np.zeros(len(counts), dtype=np.bool_)
        order = halving_order(len(gain))
        mark_near_minima(counts, has_rows, np.ascontiguousarray(gain), order, slack, chosen)
    else:
        chosen = _near_ordered_minima(counts, gain, slack)
    return np.asarray(chosen & has_rows)


def _near_ordered_minima(counts: Numbers, gain: Numbers, slack: float) -> Bools:
    """Judge all curves together, by a dynamic programme over cells from below and from above.

    With the k-th threshold in cell c, the others cost at least what they would at the floors of
    cells in order. A cell is out if for every k even that is above the best cuts at borders.
    """
    weights = np.ascontiguousarray(counts.T)
    n_curves, n_cells = len(gain), len(counts)
    border = np.zeros((n_curves, n_cells + 1), counts.dtype)
    np.cumsum(gain @ weights, axis=1, out=border[:, 1:])
    floor = border[:, :-1] + np.minimum(gain, 0) @ weights
    best = np.zeros(n_cells + 1, counts.dtype)
    below = np.zeros_like(floor)
    lowest = np.zeros(n_cells, counts.dtype)
    for k in range(n_curves):
        below[k] = lowest
        lowest = np.minimum.accumulate(lowest + floor[k])
        best = np.minimum.accumulate(best + border[k])
    chosen = np.zeros(n_cells, dtype=np.bool_)
    above = np.zeros(n_cells, counts.dtype)
    for k in range(n_curves - 1, -1, -1):
        total = above + floor[k]
        chosen |= below[k] + total <= best[-1] + slack
        above = np.minimum.accumulate(total[::-1])[::-1]
    return chosen
