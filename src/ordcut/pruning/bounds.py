"""Which cells can hold an optimal threshold, from the weight of each cell and class alone.

A risk curve is known exactly at the borders of cells. Inside a cell it cannot fall below its value
at the left border plus all the falls that the cell's rows could bring. A cell where even that is
above what some border reaches cannot hold the threshold.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ordcut.exact import ExactCost, rounding_bound
from ordcut.objectives import halving_order
from ordcut.pruning.kernels import mark_near_minima
from ordcut.typing import Bools, Numbers


def cells_that_can_hold(counts: Numbers, cost: ExactCost, n_rows: int) -> Bools:
    """Return which cells must be looked into for some threshold, the neighbours of cuts included.

    ``n_rows`` is the number of rows that were counted.

    Examples
    --------
    >>> counts = np.array([[9, 0], [9, 0], [1, 1], [0, 9], [0, 9]])
    >>> cells_that_can_hold(counts, ExactCost.of(np.array([[0.0, 1.0], [1.0, 0.0]])), 38)
    array([False,  True,  True, False, False])
    """
    has_rows = np.asarray(np.einsum("ij->i", counts) > 0)  # quicker than sum for few columns
    totals = np.einsum("ij->j", counts)
    n_curves, convex = len(cost.integers) - 1, cost.convexity != "no"
    times = 1 if convex else 2 * n_curves  # a path adds up all curves
    gain: Numbers
    slack: Numbers
    if counts.dtype == np.int64 and int(totals.sum()) * times <= cost.most_weight:
        gain = cost.integers[:-1] - cost.integers[1:]
        slack = np.zeros(n_curves, np.int64)
    else:  # what could be rounding counts as a tie
        counts, totals = counts / totals.max(), totals / totals.max()
        gain = cost.float_gain
        slack = rounding_bound(np.abs(gain) @ totals, n_rows + counts.size)
    if convex:
        chosen = np.zeros(len(counts), dtype=np.bool_)
        order = halving_order(n_curves)
        mark_near_minima(counts, has_rows, np.ascontiguousarray(gain), order, slack, chosen)
    else:
        chosen = _near_ordered_minima(counts, gain, slack.sum())
    return np.asarray(chosen & has_rows)


def _near_ordered_minima(counts: Numbers, gain: Numbers, slack: np.number[Any]) -> Bools:
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
