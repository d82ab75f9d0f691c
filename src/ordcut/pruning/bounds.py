"""Which cells can hold an optimal threshold, from the weight of each cell and class alone.

A risk curve is known exactly at the borders of cells. Inside a cell it cannot fall below its value
at the left border plus all the falls that the cell's rows could bring. A cell where even that is
above what some border reaches cannot hold the threshold.

That judges the curves of a convex objective one by one. For other objectives the thresholds are
judged together: the bound for a change of decision inside a cell is the least cost of all labelings
with such a change, if rows of cells with changes paid for the best of the decisions in between. As
every threshold is bounded that way, the bounds of all cells rise once a few cells are resolved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ordcut.exact import EXACT, ExactCost, rounding_bound
from ordcut.pruning.kernels import bound_paths, mark_near_minima
from ordcut.typing import Bools, Ints, Numbers

#: Cells are resolved first where their bound is not more than this share of the way from the least
#: bound to what borders reach, over the number of thresholds. If all thresholds contribute alike
#: to that way, the other cells are out once their neighbours are resolved.
FIRST_SHARE = 1.5

#: The bounds for more decisions than this take too much memory, and are replaced by simpler ones.
MOST_DECISIONS = 128


@dataclass(frozen=True)
class CurveLimit:
    """A limit on the weight of the rows of some classes below one threshold.

    Attributes
    ----------
    k : int
        The position of the threshold.
    which : ndarray of shape (K,)
        The classes whose rows count.
    at_least, at_most : float, optional
        What their weight below the threshold must be.
    """

    k: int
    which: Bools
    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True)
class Verdict:
    """Which cells must be looked into for some threshold, the neighbours of cuts included.

    Attributes
    ----------
    can_hold : ndarray of shape (n_cells,)
        The cells that cannot be ruled out yet.
    first : ndarray of shape (n_cells,)
        Those of them to look into first, which may rule out the others.
    """

    can_hold: Bools
    first: Bools


def judge_cells(
    counts: Numbers,
    cost: ExactCost,
    n_rows: int,
    limits: Sequence[CurveLimit] = (),
    is_closed: Bools | None = None,
) -> Verdict:
    """Return which cells can hold a threshold.

    ``n_rows`` is the number of rows that were counted. ``limits`` need a convex objective.
    ``is_closed`` marks cells that are known to hold none.

    Examples
    --------
    >>> counts = np.array([[9, 0], [9, 0], [1, 1], [0, 9], [0, 9]])
    >>> judge_cells(counts, ExactCost.of(np.array([[0.0, 1.0], [1.0, 0.0]])), 38).can_hold
    array([False,  True,  True, False, False])
    """
    if cost.convexity != "no":
        can_hold = _near_own_minima(counts, cost, n_rows, limits)
        if is_closed is not None:
            can_hold &= ~is_closed
        return Verdict(can_hold, can_hold)
    if is_closed is None:
        is_closed = np.zeros(len(counts), np.bool_)
    return _on_near_paths(counts, cost, n_rows, is_closed)


@cache
def halving_order(n_curves: int) -> Ints:
    """Return the order in which to minimise the risk curves of a convex objective.

    Theorem 2 orders their minima, so the minimum of the middle curve of a range bounds those of
    the others. Row ``i`` holds the curve to minimise at step ``i``, and the nearest curves below
    and above it that were minimised before; -1 and ``n_curves`` stand for the ends.

    Examples
    --------
    >>> halving_order(3).tolist()
    [[1, -1, 3], [2, 1, 3], [0, -1, 1]]
    """
    order, pending = [], [(-1, n_curves)]
    while pending:
        low, high = pending.pop()
        if high - low > 1:
            middle = (low + 1 + high) // 2
            order.append((middle, low, high))
            pending += [(low, middle), (middle, high)]
    found: Ints = np.array(order, np.int64).reshape(-1, 3)
    found.flags.writeable = False
    return found


def _near_own_minima(
    counts: Numbers, cost: ExactCost, n_rows: int, limits: Sequence[CurveLimit]
) -> Bools:
    """Judge the curves of a convex objective one by one."""
    has_rows = totals_of_cells(counts) > 0
    totals = np.einsum("ij->j", counts)
    n_curves = len(cost.integers) - 1
    gain: Numbers
    slack: Numbers
    unit = 1.0
    if counts.dtype == np.int64 and int(totals.sum()) <= cost.most_weight:
        gain = cost.integers[:-1] - cost.integers[1:]
        slack = np.zeros(n_curves, np.int64)
    else:  # what could be rounding counts as a tie
        unit = float(totals.max())
        counts, totals = counts / unit, totals / unit
        gain = cost.float_gain
        slack = rounding_bound(np.abs(gain) @ totals, n_rows + counts.size)
    if limits:
        chosen = _near_minima_within(counts, unit, has_rows, gain, slack, limits)
    else:
        chosen = np.zeros(len(counts), dtype=np.bool_)
        order = halving_order(n_curves)
        mark_near_minima(counts, has_rows, np.ascontiguousarray(gain), order, slack, chosen)
    return np.asarray(chosen & has_rows)


def _on_near_paths(counts: Numbers, cost: ExactCost, n_rows: int, is_closed: Bools) -> Verdict:
    """Judge the thresholds of any objective together."""
    has_rows = totals_of_cells(counts) > 0  # before tiny weights are scaled down to nothing
    totals = counts.sum(axis=0)
    largest = int(np.abs(cost.integers).max())
    if counts.dtype == np.int64 and int(totals.sum()) * largest < EXACT:
        float_cost, slack = cost.integers.astype(np.float64), 0.0
    else:  # what could be rounding counts as a tie
        counts, totals = counts / totals.max(), totals / totals.max()
        float_cost = cost.float_cost
        scale = float((np.abs(float_cost).max(axis=0) @ totals).item())
        slack = float(2 * rounding_bound(scale, n_rows + counts.size))
    n_decisions = len(float_cost)
    least_cost = np.broadcast_to(float_cost.min(axis=0), (n_decisions, *float_cost.shape))
    if n_decisions <= MOST_DECISIONS:
        least_cost = np.zeros((n_decisions, *float_cost.shape))
        for a in range(n_decisions):
            least_cost[a, a:] = np.minimum.accumulate(float_cost[a:], axis=0)
    lowest, ends = np.empty(len(counts)), np.empty(2)
    weights = np.ascontiguousarray(counts, dtype=np.float64)
    bound_paths(weights, float_cost, least_cost, is_closed, slack, lowest, ends)
    least, most = ends.tolist()
    can_hold = has_rows & (lowest <= most + slack)
    near = least + FIRST_SHARE / (n_decisions - 1) * (most - least) + slack
    return Verdict(can_hold, can_hold & (lowest <= near))


def _near_minima_within(
    counts: Numbers,
    unit: float,
    has_rows: Bools,
    gain: Numbers,
    slack: Numbers,
    limits: Sequence[CurveLimit],
) -> Bools:
    """Judge the curves of a convex objective one by one, each where limits let its threshold be.

    Limits that do not ascend with the thresholds are made to: a threshold cannot be above one that
    must be low.
    """
    n_curves, n_cells = len(gain), len(counts)
    # A border, or a cell, is in if a threshold can be there as far as the weights below tell.
    borders_from, borders_upto = np.ones((2, n_curves, n_cells + 1), np.bool_)
    cells_from, cells_upto = np.ones((2, n_curves, n_cells), np.bool_)
    for one in limits:
        below = unit * np.append(0, np.cumsum(counts @ one.which.astype(counts.dtype)))
        near = 0 if counts.dtype == np.int64 else 1e-9 * float(below[-1])
        if one.at_least is not None:
            borders_from[one.k] &= below >= one.at_least
            cells_from[one.k] &= below[1:] >= one.at_least - near
        if one.at_most is not None:
            borders_upto[one.k] &= below <= one.at_most
            cells_upto[one.k] &= below[:-1] <= one.at_most + near
    every, downwards = np.logical_and.accumulate, slice(None, None, -1)
    borders = every(borders_from) & every(borders_upto[downwards])[downwards]
    cells = every(cells_from) & every(cells_upto[downwards])[downwards]
    chosen: Bools = np.zeros(n_cells, np.bool_)
    rows, falling = np.flatnonzero(has_rows), np.minimum(gain, 0)
    for k in range(n_curves):
        changes, falls = (np.einsum("ij,j->i", counts, by) for by in (gain[k], falling[k]))
        border = np.append(np.zeros(1, changes.dtype), np.cumsum(changes))
        floor = border[:-1] + falls
        is_cut = cells[k] & ~(borders[k, :-1] & borders[k, 1:])  # a limit lies inside
        chosen |= is_cut
        allowed = np.flatnonzero(borders[k])
        edges = [np.flatnonzero(is_cut), np.flatnonzero(is_cut) + 1]
        if len(allowed):
            most = border[allowed].min() + slack[k]
            chosen |= cells[k] & (floor <= most)
            near = allowed[border[allowed] <= most]
            edges.append(near if slack[k] > 0 else near[:1])
        after = np.searchsorted(rows, np.concatenate(edges), "left")
        chosen[rows[np.minimum(after, len(rows) - 1)]] = True
        chosen[rows[np.maximum(after - 1, 0)]] = True
    if not chosen.any():  # the limits leave no cut, but some rows there must be
        chosen[rows[0]] = True
    return chosen


def totals_of_cells(counts: Numbers) -> Numbers:
    """Return the weight of each cell; quicker than a sum for few columns."""
    return np.asarray(np.einsum("ij->i", counts))
