"""Which cells can hold an optimal threshold, from the weight of each cell and class alone.

A risk curve is known exactly at the borders of cells. Inside a cell it cannot fall below its value
at the left border plus all the falls that the cell's rows could bring. A cell whose bound is above
the curve at any border cannot hold the threshold.

That judges each curve of a convex objective by itself. For other objectives the thresholds are
judged together: the bound for a change of decision inside a cell is the least cost of all labelings
with a change there, if rows of cells with changes paid for the best of the decisions in between.
Every threshold is bounded that way, so the bounds of all cells rise when a few cells are resolved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ordcut._core.numerics.exact import EXACT, ExactCost, rounding_bound
from ordcut._core.numerics.jit import kernel
from ordcut._core.objectives import SegmentTerms
from ordcut._core.pruning.segment_bounds import can_hold_cuts
from ordcut._core.typing import Bools, Floats, Ints, Numbers

#: Cells are resolved first if their bound is at most this share of the way from the least bound to
#: the least cost at borders, divided by the number of thresholds. If all thresholds contribute
#: alike to that difference, the other cells are ruled out when their neighbours are resolved.
FIRST_SHARE = 1.5

#: Bounds that take more than this many steps for each row and decision are given up: the dynamic
#: programme over all rows takes a single step for each.
MOST_STEPS = 64

#: How many steps it takes to judge a cell, whatever its classes.
STEPS_OF_CELL = 20

#: The bounds for more decisions than this take too much memory, and simpler bounds replace them.
MOST_DECISIONS = 128


@dataclass(frozen=True)
class CurveLimit:
    """A limit on the weight of the rows below a threshold.

    Attributes
    ----------
    k : int
        The index of the threshold.
    counts : ndarray of shape (K,)
        How much a row of each class counts: whole numbers that are not negative.
    at_least, at_most : float, optional
        The least and the largest weight below the threshold.
    """

    k: int
    counts: Ints
    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True)
class Verdict:
    """Which cells can hold a threshold, or have rows next to a cut at a border.

    Attributes
    ----------
    can_hold : ndarray of shape (n_cells,)
        The cells that cannot be ruled out yet.
    first : ndarray of shape (n_cells,)
        The cells to resolve first, which may rule out the others.
    n_steps : float
        About how many steps it took to judge the cells.
    """

    can_hold: Bools
    first: Bools
    n_steps: float = 0.0


def judge_cells(
    counts: Numbers,
    cost: ExactCost | SegmentTerms,
    n_rows: int,
    limits: Sequence[CurveLimit] = (),
    is_closed: Bools | None = None,
    is_single: Bools | None = None,
    most_steps: float = np.inf,
    *,
    is_rounded_once: bool = False,
) -> Verdict:
    """Return which cells can hold a threshold.

    ``n_rows`` is the number of rows that were counted. ``limits`` need a convex objective.
    ``is_closed`` marks cells that are known to hold no threshold, and ``is_single`` cells with a
    single score, which can be next to a threshold only. After about ``most_steps``, cells need not
    be ruled out. Counts that were added up without rounding are off by no more than the counts of
    single rows, ``is_rounded_once``.

    Examples
    --------
    >>> counts = np.array([[9, 0], [9, 0], [1, 1], [0, 9], [0, 9]])
    >>> judge_cells(counts, ExactCost.of(np.array([[0.0, 1.0], [1.0, 0.0]])), 38).can_hold
    array([False,  True,  True, False, False])
    """
    no_cell = np.zeros(len(counts), np.bool_)
    n_added = 1 if is_rounded_once else n_rows
    singles = no_cell if is_single is None else is_single
    if isinstance(cost, SegmentTerms):
        can_hold, n_steps = can_hold_cuts(
            counts, cost, n_rows, n_added, is_closed, singles, most_steps
        )
        return Verdict(can_hold, can_hold, n_steps)
    if cost.convexity != "no":
        can_hold = _near_own_minima(counts, cost, n_added, limits, singles)
        if is_closed is not None:
            can_hold &= ~is_closed
        return Verdict(can_hold, can_hold, STEPS_OF_CELL * len(counts) + counts.size)
    closed = no_cell if is_closed is None else is_closed
    return _on_near_paths(counts, cost, n_rows, n_added, closed, singles, most_steps)


@cache
def halving_order(n_curves: int) -> Ints:
    """Return the order in which to minimise the risk curves of a convex objective.

    Theorem 2 orders their minima, so the minimum of the middle curve of a range bounds the
    other minima. Row ``i`` holds the curve to minimise at step ``i``, and the nearest curves below
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
    steps: Ints = np.array(order, np.int64).reshape(-1, 3)
    steps.flags.writeable = False
    return steps


def _near_own_minima(
    counts: Numbers,
    cost: ExactCost,
    n_added: int,
    limits: Sequence[CurveLimit],
    is_single: Bools,
) -> Bools:
    """Return the cells that can hold a minimum of a curve, each curve judged by itself."""
    weight_of_cell = totals_of_cells(counts)
    has_rows = weight_of_cell > 0
    n_curves = len(cost.integers) - 1
    gain: Numbers
    slack: Numbers
    unit = 1.0
    if counts.dtype == np.int64 and int(weight_of_cell.sum()) <= cost.most_weight:
        gain = cost.integers[:-1] - cost.integers[1:]
        slack = np.zeros(n_curves, np.int64)
    else:  # what could be rounding counts as a tie
        totals = np.einsum("ij->j", counts)
        unit = float(totals.max())
        counts, totals = counts / unit, totals / unit
        gain = cost.float_gain
        slack = rounding_bound(np.abs(gain) @ totals, n_added + counts.size)
    if limits:
        chosen = _near_minima_within(counts, unit, is_single, gain, slack, limits)
    else:
        chosen = np.zeros(len(counts), dtype=np.bool_)
        order = halving_order(n_curves)
        gain = np.ascontiguousarray(gain)
        mark_near_minima(counts, has_rows, is_single, gain, order, slack, chosen)
    return np.asarray(chosen & has_rows)


def _on_near_paths(
    counts: Numbers,
    cost: ExactCost,
    n_rows: int,
    n_added: int,
    is_closed: Bools,
    is_single: Bools,
    most_steps: float,
) -> Verdict:
    """Return which cells can hold a change of decision, for any objective."""
    has_rows = totals_of_cells(counts) > 0  # before tiny weights are scaled down to nothing
    totals = counts.sum(axis=0)
    largest = int(np.abs(cost.integers).max())
    if counts.dtype == np.int64 and int(totals.sum()) * largest < EXACT:
        float_cost, slack = cost.integers.astype(np.float64), 0.0
    else:  # what could be rounding counts as a tie
        counts, totals = counts / totals.max(), totals / totals.max()
        float_cost = cost.float_cost
        scale = float((np.abs(float_cost).max(axis=0) @ totals).item())
        slack = float(2 * rounding_bound(scale, n_added + counts.size))
    n_decisions = len(float_cost)
    least_cost = np.broadcast_to(float_cost.min(axis=0), (n_decisions, *float_cost.shape))
    if n_decisions <= MOST_DECISIONS:
        least_cost = np.zeros((n_decisions, *float_cost.shape))
        for a in range(n_decisions):
            least_cost[a, a:] = np.minimum.accumulate(float_cost[a:], axis=0)
    lowest, ends = np.empty(len(counts)), np.empty(3)
    weights = np.ascontiguousarray(counts, dtype=np.float64)
    most_changes = int(min(most_steps, MOST_STEPS * n_rows * n_decisions))
    cells = is_closed, is_single
    bound_paths(weights, float_cost, least_cost, *cells, slack, most_changes, lowest, ends)
    least, most, n_changes = ends.tolist()
    can_hold = has_rows & (lowest <= most + slack)
    near = least + FIRST_SHARE / (n_decisions - 1) * (most - least) + slack
    n_steps = STEPS_OF_CELL * len(counts) + 1.5 * (n_decisions * counts.size + n_changes)
    return Verdict(can_hold, can_hold & (lowest <= near), n_steps)


def _near_minima_within(
    counts: Numbers,
    unit: float,
    is_single: Bools,
    gain: Numbers,
    slack: Numbers,
    limits: Sequence[CurveLimit],
) -> Bools:
    """Return the cells that can hold a minimum of a curve where limits allow its threshold.

    Each curve is judged by itself. Limits are made to ascend with the thresholds: a threshold
    cannot be above the next.
    """
    n_curves, n_cells = len(gain), len(counts)
    # A border, or a cell, is kept if the weights below it allow a threshold there.
    borders_from, borders_upto = np.ones((2, n_curves, n_cells + 1), np.bool_)
    cells_from, cells_upto = np.ones((2, n_curves, n_cells), np.bool_)
    for limit in limits:
        k = limit.k
        below = unit * np.append(0, np.cumsum(counts @ limit.counts.astype(counts.dtype)))
        near = 0 if counts.dtype == np.int64 else 1e-9 * float(below[-1])
        if limit.at_least is not None:
            borders_from[k] &= below >= limit.at_least
            cells_from[k] &= below[1:] >= limit.at_least - near
        if limit.at_most is not None:
            borders_upto[k] &= below <= limit.at_most
            cells_upto[k] &= below[:-1] <= limit.at_most + near
    every, downwards = np.logical_and.accumulate, slice(None, None, -1)
    borders = every(borders_from) & every(borders_upto[downwards])[downwards]
    cells = every(cells_from) & every(cells_upto[downwards])[downwards]
    chosen: Bools = np.zeros(n_cells, np.bool_)
    rows, falling = np.flatnonzero(totals_of_cells(counts) > 0), np.minimum(gain, 0)
    for k in range(n_curves):
        changes, falls = (np.einsum("ij,j->i", counts, by) for by in (gain[k], falling[k]))
        falls = np.where(is_single, np.minimum(changes, 0), falls)
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
    if not chosen.any():  # the limits leave no cut, but the result needs rows
        chosen[rows[0]] = True
    return chosen


def totals_of_cells(counts: Numbers) -> Numbers:
    """Return the weight of each cell; quicker than a sum for few columns."""
    return np.asarray(np.einsum("ij->i", counts))


@kernel("counts", "gain", steps=9)
def mark_near_minima(
    counts: Numbers,
    has_rows: Bools,
    is_single: Bools,
    gain: Numbers,
    order: Ints,
    slack: Numbers,
    chosen: Bools,
) -> None:
    """Mark the cells that can hold a threshold of a convex objective.

    A risk curve is known at the borders of cells; inside a cell it cannot fall below its left
    border plus the falls that the cell's rows could bring; in a cell of a single score, not below
    its borders. A cell is marked for a curve if that bound is not above the lowest border, and so
    are the cells with rows next to the lowest border.
    Values of curve ``k`` within ``slack[k]`` count as equal. ``order`` comes from
    ``halving_order``: the middle curve's cells bound the cells of the others. O(C K log K) time
    for C cells.
    """
    n_cells, n_classes = counts.shape
    n_cuts = len(gain)
    border = np.empty(n_cells + 1, gain.dtype)
    floor = np.empty(n_cells, gain.dtype)
    lowest_of = np.empty(n_cuts, dtype=np.int64)
    highest_of = np.empty(n_cuts, dtype=np.int64)
    zero = gain[0, 0] - gain[0, 0]
    for i in range(n_cuts):
        k = order[i, 0]
        first = lowest_of[order[i, 1]] if order[i, 1] >= 0 else 0
        last = highest_of[order[i, 2]] if order[i, 2] < n_cuts else n_cells
        total = zero
        least = total
        where = first
        border[first] = total
        for c in range(first, last):
            rise = zero
            fall = zero
            for truth in range(n_classes):
                change = counts[c, truth] * gain[k, truth]
                rise += change
                fall += change if change < 0 else 0
            if is_single[c]:
                fall = min(rise, zero)
            floor[c] = total + fall
            total += rise
            border[c + 1] = total
            if total < least:
                least = total
                where = c + 1
        # Below the first minimum an equal value would win, above it only a lower value.
        most = least + slack[k]
        lowest = last
        highest = first
        for c in range(first, last):
            if floor[c] < most or (floor[c] == most and (c < where or slack[k] > 0)):
                chosen[c] = True
                lowest = min(lowest, c)
                highest = max(highest, c + 1)
        for b in range(first, last + 1):
            if b == where or (slack[k] > 0 and border[b] <= most):
                # The cell before it was marked, as its bound is not above what it ends with.
                lowest = min(lowest, b)
                c = b
                while c < n_cells - 1 and not has_rows[c]:
                    c += 1
                chosen[min(c, n_cells - 1)] = True
        lowest_of[k] = lowest
        highest_of[k] = highest


@kernel("counts", "cost", steps=40)
def bound_paths(
    counts: Floats,
    cost: Floats,
    least_cost: Floats,
    is_closed: Bools,
    is_single: Bools,
    slack: float,
    most_steps: int,
    lowest: Floats,
    ends: Floats,
) -> None:
    """Bound the cost of all ordered labelings in which the decision changes inside a cell.

    In a cell that a labeling enters with decision ``a`` and leaves with ``b``, a row of class ``l``
    costs at least ``least_cost[a, b, l]``, the least of ``cost[a..b, l]``. The rows of a cell of a
    single score share one of these decisions. Fills ``lowest`` (C,), the least such bound for a
    change inside each cell, inf for a cell that is closed to changes, and ``ends``: bounds on the
    least cost of all, from below, and from above by labelings that change at borders of cells only,
    and the number of steps for changes. Labelings above the second by more than ``slack`` are left
    out.
    O(C D K) time for C cells, D decisions and K classes, and O(K) for every change that cheaper
    bounds do not rule out. After ``most_steps`` of these, no cell is ruled out.
    """
    n_steps = 0
    n_cells, n_classes = counts.shape
    n_decisions = len(cost)
    stays = np.zeros((n_cells, n_decisions))  # the cost of a cell with a single decision
    free = np.zeros(n_cells)  # the least cost of a cell with any decisions
    most = np.inf
    at_border = np.zeros(n_decisions)
    for c in range(n_cells):
        for truth in range(n_classes):
            if counts[c, truth] > 0:
                for d in range(n_decisions):
                    stays[c, d] += counts[c, truth] * cost[d, truth]
                free[c] += counts[c, truth] * least_cost[0, n_decisions - 1, truth]
        if is_single[c]:
            free[c] = np.inf
            for d in range(n_decisions):
                free[c] = min(free[c], stays[c, d])
        best = np.inf
        for d in range(n_decisions):
            best = min(best, at_border[d])
            at_border[d] = best + stays[c, d]
    for d in range(n_decisions):
        most = min(most, at_border[d])
    # Bounds in which a cell with a change costs the least of any decisions.
    above = np.zeros((n_cells + 1, n_decisions))
    for c in range(n_cells - 1, -1, -1):
        best = np.inf
        for d in range(n_decisions - 1, -1, -1):
            stay = stays[c, d] + above[c + 1, d]
            above[c, d] = stay if is_closed[c] else min(stay, best + free[c])
            best = min(best, above[c + 1, d])
    below = np.zeros((n_cells + 1, n_decisions))
    for c in range(n_cells):
        best = np.inf
        for b in range(n_decisions):
            total = below[c, b] + stays[c, b]
            if not is_closed[c] and best + free[c] + above[c + 1, b] <= most + slack:
                for a in range(b):
                    if below[c, a] + free[c] + above[c + 1, b] <= most + slack:
                        n_steps += n_classes
                        change = stays[c, a]
                        if is_single[c]:
                            for d in range(a + 1, b + 1):
                                change = min(change, stays[c, d])
                        else:
                            change = 0.0
                            for truth in range(n_classes):
                                change += counts[c, truth] * least_cost[a, b, truth]
                        total = min(total, below[c, a] + change)
            best = min(best, below[c, b])
            below[c + 1, b] = total if total + above[c + 1, b] <= most + slack else np.inf
        if n_steps > most_steps:
            lowest[:] = -np.inf
            ends[:] = most
            ends[2] = n_steps
            return
    least = np.inf
    for d in range(n_decisions):
        least = min(least, below[n_cells, d])
    for c in range(n_cells - 1, -1, -1):  # from above, with the closer bounds from below
        lowest[c] = np.inf
        for a in range(n_decisions):
            total = stays[c, a] + above[c + 1, a]
            if not is_closed[c] and below[c, a] < np.inf:
                for b in range(a + 1, n_decisions):
                    if below[c, a] + free[c] + above[c + 1, b] <= most + slack:
                        n_steps += n_classes
                        change = stays[c, a]
                        if is_single[c]:
                            for d in range(a + 1, b + 1):
                                change = min(change, stays[c, d])
                        else:
                            change = 0.0
                            for truth in range(n_classes):
                                change += counts[c, truth] * least_cost[a, b, truth]
                        total = min(total, change + above[c + 1, b])
                        lowest[c] = min(lowest[c], below[c, a] + change + above[c + 1, b])
            above[c, a] = total if below[c, a] < np.inf else np.inf
        if n_steps > most_steps:
            lowest[:] = -np.inf
            break
    ends[0] = least
    ends[1] = most
    ends[2] = n_steps
