"""Which cells can hold an optimal threshold, from the weight of each cell and class alone.

A risk curve is known exactly at the borders of cells. Inside a cell it cannot fall below its value
at the left border plus all the falls that the cell's rows could bring. A cell where even that is
above what some border reaches cannot hold the threshold.
"""

from __future__ import annotations

import numpy as np

from ordcut.arrays import Bools, Floats, Ints, Numbers
from ordcut.objectives import EXACT, is_convex


def cells_that_can_hold(counts: Numbers, cost: Numbers) -> Bools:
    """Return which cells must be looked into for some threshold, the neighbours of cuts included.

    Examples
    --------
    >>> counts = np.array([[9, 0], [9, 0], [1, 1], [0, 9], [0, 9]])
    >>> cells_that_can_hold(counts, np.array([[0, 1], [1, 0]]))
    array([False,  True,  True, False, False])
    """
    weights = counts.astype(np.float64)
    has_rows = np.asarray(weights.any(axis=1))
    gain = (cost[:-1] - cost[1:]).T.astype(np.float64)
    border = np.zeros((len(counts) + 1, gain.shape[1]))
    np.cumsum(weights @ gain, axis=0, out=border[1:])
    floor = border[:-1] + weights @ np.minimum(gain, 0)
    # Sums of whole numbers are exact; elsewhere, what could be rounding counts as a tie.
    scale = float(np.abs(gain).max() * weights.sum())
    is_exact = counts.dtype == cost.dtype == np.int64 and scale < EXACT
    slack = 0.0 if is_exact else 1e-12 * scale
    if is_convex(cost):
        cuts = _cuts_at_independent_minima(border, slack)
        chosen = _near_independent_minima(border, floor, slack) | _around(cuts, has_rows)
    else:
        chosen = _near_ordered_minima(border, floor, slack)
    return chosen & has_rows


def _near_independent_minima(border: Floats, floor: Floats, slack: float) -> Bools:
    """Judge each curve by itself, which is enough where the objective is convex (Theorem 2)."""
    n_cells = len(floor)
    least = border.min(axis=0)
    first = border.argmin(axis=0)
    # Below the first minimum an equal value would win, above it only a lower one.
    is_below = np.arange(n_cells)[:, None] < first
    can_hold = np.where(is_below, floor <= least + slack, floor < least + slack)
    return np.asarray(can_hold.any(axis=1))


def _cuts_at_independent_minima(border: Floats, slack: float) -> Ints:
    """Return the borders where a threshold may stand: the first minimum of each curve."""
    if slack == 0:
        return np.asarray(border.argmin(axis=0))
    return np.flatnonzero((border <= border.min(axis=0) + slack).any(axis=1))


def _around(cuts: Ints, has_rows: Bools) -> Bools:
    """Return the nearest cells with rows on both sides of cuts, to place them between."""
    with_rows = np.flatnonzero(has_rows)
    after = np.searchsorted(with_rows, cuts)
    chosen = np.zeros(len(has_rows), dtype=np.bool_)
    chosen[with_rows[np.minimum(after, len(with_rows) - 1)]] = True
    chosen[with_rows[np.maximum(after, 1) - 1]] = True
    return chosen


def _near_ordered_minima(border: Floats, floor: Floats, slack: float) -> Bools:
    """Judge all curves together, by a dynamic programme over cells from below and from above.

    With the k-th threshold in cell c, the others cost at least what they would at the floors of
    cells in order. A cell is out if for every k even that is above the best cuts at borders.
    """
    n_curves = floor.shape[1]
    best_below = np.zeros(len(border))
    below = np.zeros_like(floor)
    lowest = np.zeros(len(floor))
    for k in range(n_curves):
        below[:, k] = lowest
        lowest = np.minimum.accumulate(lowest + floor[:, k])
        best_below = np.minimum.accumulate(best_below + border[:, k])
    best = best_below[-1]
    chosen = np.zeros(len(floor), dtype=np.bool_)
    above = np.zeros(len(floor))
    for k in range(n_curves - 1, -1, -1):
        total = above + floor[:, k]
        chosen |= below[:, k] + total <= best + slack
        above = np.minimum.accumulate(total[::-1])[::-1]
    return chosen
