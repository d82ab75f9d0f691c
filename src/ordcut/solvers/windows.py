"""The dynamic programme under constraints: any objective, cuts only where limits allow them.

A limit on one threshold says which cuts are open to it. A limit on one decision says where its
segment may start, given where it ends: from ``low[e]`` to ``high[e]``, which both rise with ``e``;
and, for a limit on a share of the segment, only where a prefix sum, its level, is not above that at
the end. Windows that move one way need a queue, O(m) for each decision and m candidates; levels
need a tree, O(m log m).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordcut.data import SortedRows
from ordcut.exact import ExactCost, exact_curves, rounding_bound
from ordcut.jit import kernel
from ordcut.solvers.near_ties import ExactWeights
from ordcut.typing import Array, Bools, Codes, Floats, Ints, Numbers


@dataclass(frozen=True)
class Window:
    """Where the segment of a decision may start, given the candidate at which it ends.

    Attributes
    ----------
    low, high : ndarray of shape (m,), optional
        The first and the last candidate at which it may start. None: the lowest one, the end.
    level : ndarray of shape (m,), optional
        A prefix sum that must not be higher at the start than at the end.
    """

    low: Ints | None = None
    high: Ints | None = None
    level: Array | None = None

    def at(self, some: Ints) -> Window:
        """Return the window for some of the candidates only."""
        low = None if self.low is None else np.searchsorted(some, self.low[some], "left")
        high = None if self.high is None else np.searchsorted(some, self.high[some], "right") - 1
        return Window(low, high, None if self.level is None else self.level[some])

    def mirrored(self, n_candidates: int) -> Window:
        """Return the window that says where a segment may end, with candidates in reverse order."""
        every, last = np.arange(n_candidates), n_candidates - 1
        low = high = None
        if self.low is not None:
            ends = np.searchsorted(self.low, every, "right") - 1
            low = (last - ends)[::-1]
        if self.high is not None:
            ends = np.searchsorted(self.high, every, "left")
            high = (last - ends)[::-1]
        return Window(low, high, None if self.level is None else -self.level[::-1])


@dataclass(frozen=True)
class Windows:
    """The candidates for cuts, and what is allowed of them.

    Attributes
    ----------
    cuts : ndarray of shape (m,)
        Candidates in ascending order: first 0, and last the number of rows.
    is_open : sequence of ndarray of shape (m,), of length D - 1
        Which candidates each threshold may take.
    segments : sequence of Window, of length D
        What is allowed of the segment of each decision.
    """

    cuts: Ints
    is_open: Sequence[Bools]
    segments: Sequence[Window]

    def at(self, some: Ints) -> Windows:
        """Return the windows for some of the candidates only, the first and the last included."""
        return Windows(
            self.cuts[some],
            [one[some] for one in self.is_open],
            [one.at(some) for one in self.segments],
        )

    def mirrored(self) -> Windows:
        """Return the windows of rows in reverse order."""
        m = len(self.cuts)
        return Windows(
            self.cuts[-1] - self.cuts[::-1],
            [one[::-1] for one in reversed(self.is_open)],
            [one.mirrored(m) for one in reversed(self.segments)],
        )


def best_candidates(
    rows: SortedRows, cost: ExactCost, windows: Windows, n_rows: int, between: ExactWeights
) -> Ints | None:
    """Return the candidate of each threshold at the least cost; None if no cuts are allowed.

    Of several optima, it is the one whose highest threshold is the lowest, then the next one, and
    so on. Sums are in int64 where they fit. Elsewhere, candidates that float64 cannot rule out are
    compared in exact numbers; ``n_rows`` is the number of rows that were ever added up, and
    ``between`` adds up exactly.
    """
    if rows.is_whole and rows.weight <= cost.most_weight:
        gain = cost.integers[:-1] - cost.integers[1:]
        curves = [_curve(rows, step, windows.cuts) for step in gain]
        return _lowest_path(curves, windows)
    gain = cost.float_gain
    totals = rows.totals / rows.totals.max()
    slack = rounding_bound(float((np.abs(gain) @ totals).sum()), n_rows + 8 * len(gain))
    curves = [_curve(rows, step, windows.cuts) / rows.totals.max() for step in gain]
    near = _near_optimal(curves, windows, float(slack))
    if near is None:
        return None
    few = np.flatnonzero(near.any(axis=0))
    some = np.unique(np.concatenate([[0], few, [len(windows.cuts) - 1]]))
    exact = list(exact_curves(cost.gain, between(windows.cuts[some])))
    is_open = [one & is_near for one, is_near in zip(windows.is_open, near, strict=True)]
    restricted = Windows(windows.cuts, is_open, windows.segments).at(some)
    found = _lowest_path(exact, restricted)
    return None if found is None else some[found]


def is_feasible(windows: Windows) -> bool:
    """Return whether any cuts are allowed."""
    free = np.zeros(len(windows.cuts), np.int64)
    return _lowest_path([free] * len(windows.is_open), windows) is not None


def _curve(rows: SortedRows, step: Numbers, cuts: Ints) -> Numbers:
    """Return a risk curve at some cuts."""
    codes, _, weights, stride = rows.for_kernels(step.dtype)
    curve = np.empty(len(cuts), step.dtype)
    sums_at(codes, weights, stride, np.ascontiguousarray(step), cuts, curve)
    return curve


def _lowest_path(curves: Sequence[Array], windows: Windows) -> Ints | None:
    """Return the candidates of least total, by one pass over the candidates for each decision."""
    starts, reached, is_reached = _forward(curves, windows)
    last = len(windows.cuts) - 1
    path = np.empty(len(curves), np.int64)
    end = last
    for k in range(len(curves), 0, -1):
        end = int(starts[k][end])
        if end < 0:
            return None
        path[k - 1] = end
    del reached, is_reached
    return path if starts[0][end] >= 0 else None


def _forward(
    curves: Sequence[Array], windows: Windows
) -> tuple[list[Ints], list[Array], list[Bools]]:
    """Return, for each decision and end, the best start; and what each threshold's cut costs.

    With the risk curves R, ``H[k][e] = R[k][e] + min H[k - 1][s]`` over the starts ``s`` that the
    segment of decision ``k`` allows, is the least cost of the thresholds up to ``k`` if that one is
    at ``e``.
    """
    m = len(windows.cuts)
    is_reached = np.zeros(m, np.bool_)
    is_reached[0] = True
    before: Array = np.zeros(m, curves[0].dtype)
    closed, free = np.zeros(m, np.bool_), np.zeros(m, before.dtype)
    starts, totals, reached = [], [], []
    for k, segment in enumerate(windows.segments):
        is_last = k == len(curves)
        is_open, curve = (closed, free) if is_last else (windows.is_open[k], curves[k])
        start, before, is_reached = _best_starts(before, is_reached, segment, curve, is_open)
        starts.append(start)
        if not is_last:
            totals.append(before)
            reached.append(is_reached)
    return starts, totals, reached


def _near_optimal(curves: Sequence[Floats], windows: Windows, slack: float) -> Bools | None:
    """Return which candidates of each threshold lie on a path whose total is near the least."""
    _, below, from_below = _forward(curves, windows)
    _, above, from_above = _forward([curve[::-1] for curve in reversed(curves)], windows.mirrored())
    near, least = [], np.inf
    for k, curve in enumerate(curves):
        both = from_below[k] & from_above[-1 - k][::-1]
        total = np.where(both, below[k] + above[-1 - k][::-1] - curve, np.inf)
        near.append(total)
        least = min(least, float(total.min()))
    return None if least == np.inf else np.stack(near) <= least + slack


def _best_starts(
    values: Array, is_reached: Bools, window: Window, curve: Array, is_open: Bools
) -> tuple[Ints, Array, Bools]:
    """Return the first start of least value that each end allows, -1 where there is none.

    Also returns the least value plus the curve at each end, and which ends are open and have one.
    """
    m = len(values)
    high = np.arange(m) if window.high is None else window.high
    start = np.empty(m, np.int64)
    total, is_next = np.zeros(m, values.dtype), np.zeros(m, np.bool_)
    search: Any
    more: tuple[Array, ...]
    if window.level is not None:
        rank, top = _ranks(window.level)
        if window.low is None:
            tree = np.empty(m + 1, values.dtype), np.full(m + 1, -1, np.int64)
            search, more = best_of_lowest_levels, (high, rank, top, *tree)
        else:
            nodes = np.full(2 << (m - 1).bit_length(), -1, np.int64)
            search, more = best_by_level, (window.low, high, rank, top, nodes)
    elif window.low is not None:
        search, more = best_in_window, (window.low, high, np.empty(m, np.int64))
    else:
        search = best_so_far.python if values.dtype == object else best_so_far
        is_open = np.ascontiguousarray(is_open)
        search(values, is_reached, high, curve, is_open, start, total, is_next)
        return start, total, is_next
    if values.dtype == object:
        search.python(values, is_reached, *more, start)
        is_next = (start >= 0) & is_open
        total = np.where(is_next, curve + values[np.maximum(start, 0)], 0)
    else:
        search(values, is_reached, *more, start)
        add_curve(values, start, curve, np.ascontiguousarray(is_open), total, is_next)
    return start, total, is_next


def _ranks(level: Array) -> tuple[Ints, Ints]:
    """Return the position of each level in ascending order, and how many are not above it."""
    order = np.argsort(level, kind="stable")
    ordered = level[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) + 1
    rank, top = np.empty((2, len(level)), np.int64)
    rank[order] = np.arange(len(level))
    top[order] = np.repeat(ends, np.diff(ends, prepend=0))
    return rank, top


@kernel("codes", steps=3)
def sums_at(
    codes: Codes, weights: Numbers, stride: int, step: Numbers, cuts: Ints, sums: Numbers
) -> None:
    """Add up ``step`` of the class times the weight of the rows below each of ascending cuts."""
    total = step[0] - step[0]
    done = 0
    for c in range(len(cuts)):
        if stride == 0:
            for i in range(done, cuts[c]):
                total += step[codes[i]]
        else:
            for i in range(done, cuts[c]):
                total += weights[i] * step[codes[i]]
        done = cuts[c]
        sums[c] = total


@kernel("values", steps=3)
def add_curve(
    values: Numbers, start: Ints, curve: Numbers, is_open: Bools, total: Numbers, is_next: Bools
) -> None:
    """Fill ``total`` with the value at the start plus the curve, for ends that are open."""
    for e in range(len(values)):
        if start[e] >= 0 and is_open[e]:
            total[e] = curve[e] + values[start[e]]
            is_next[e] = True


@kernel("values", steps=4)
def best_so_far(
    values: Array,
    is_reached: Bools,
    high: Ints,
    curve: Array,
    is_open: Bools,
    start: Ints,
    total: Array,
    is_next: Bools,
) -> None:
    """Find the first start of least value that is reached up to ``high[e]``, -1 if there is none.

    Also fills ``total`` and ``is_next`` as ``add_curve`` does.
    """
    best = -1
    arriving = 0
    for e in range(len(values)):
        last = min(high[e], e)
        while arriving <= last:
            if is_reached[arriving] and (best < 0 or values[arriving] < values[best]):
                best = arriving
            arriving += 1
        start[e] = best
        if best >= 0 and is_open[e]:
            total[e] = curve[e] + values[best]
            is_next[e] = True


@kernel("values", steps=6)
def best_in_window(
    values: Array, is_open: Bools, low: Ints, high: Ints, queue: Ints, start: Ints
) -> None:
    """Find the first open start of least value in a window that moves one way.

    ``queue`` holds the starts that can still be the best of a window, with rising values. Fills
    ``start``, -1 where a window has none. O(m) time.
    """
    first = 0
    last = 0
    arriving = 0
    for e in range(len(values)):
        upto = min(high[e], e)
        while arriving <= upto:
            if is_open[arriving]:
                while last > first and values[queue[last - 1]] > values[arriving]:
                    last -= 1
                queue[last] = arriving
                last += 1
            arriving += 1
        while first < last and queue[first] < low[e]:
            first += 1
        start[e] = queue[first] if first < last else -1


@kernel("values", steps=40)
def best_of_lowest_levels(
    values: Array,
    is_open: Bools,
    high: Ints,
    rank: Ints,
    top: Ints,
    least: Array,
    best: Ints,
    start: Ints,
) -> None:
    """Find the first open start of least value up to ``high[e]``, among those of the lowest levels.

    ``rank[s]`` is the position of start ``s`` in the order of levels, of which an end ``e`` allows
    the first ``top[e]``. ``best`` is a Fenwick tree over the ranks: entry ``i`` is the best start
    of the ranks from ``i - (i & -i)`` to ``i - 1``, -1 if there is none, and ``least`` its value.
    Fills ``start``. O(m log m) time.
    """
    arriving = 0
    for e in range(len(values)):
        upto = min(high[e], e)
        while arriving <= upto:
            if is_open[arriving]:
                value = values[arriving]
                node = rank[arriving] + 1
                # Starts arrive in ascending order, so that of equal values the first stays; entries
                # further up cover this one, and are no worse.
                while node < len(best) and (best[node] < 0 or value < least[node]):
                    best[node] = arriving
                    least[node] = value
                    node += node & -node
            arriving += 1
        found = -1
        node = top[e]
        while node > 0:
            one = best[node]
            if one >= 0 and (
                found < 0
                or least[node] < values[found]
                or (least[node] == values[found] and one < found)
            ):
                found = one
            node -= node & -node
        start[e] = found


@kernel("values", steps=60)
def best_by_level(
    values: Array,
    is_open: Bools,
    low: Ints,
    high: Ints,
    rank: Ints,
    top: Ints,
    tree: Ints,
    start: Ints,
) -> None:
    """Find the first open start of least value in a window, among those of the lowest levels.

    ``rank[s]`` is the position of start ``s`` in the order of levels, of which an end ``e`` allows
    the first ``top[e]``. ``tree`` holds the best start of ranges of ranks, those of a window that
    moves one way. Fills ``start``. O(m log m) time.
    """
    size = len(tree) // 2
    arriving = 0
    leaving = 0
    for e in range(len(values)):
        upto = min(high[e], e)
        while arriving <= upto:
            if is_open[arriving] and arriving >= low[e]:
                node = size + rank[arriving]
                tree[node] = arriving
                node //= 2
                while node > 0:
                    best = tree[node]
                    # Starts arrive in ascending order, so that of equal values the first stays.
                    if best >= 0 and values[best] <= values[arriving]:
                        break
                    tree[node] = arriving
                    node //= 2
            arriving += 1
        while leaving < low[e]:
            node = size + rank[leaving]
            if tree[node] == leaving:
                tree[node] = -1
                node //= 2
                while node > 0 and tree[node] == leaving:
                    one = tree[2 * node]
                    other = tree[2 * node + 1]
                    if one < 0:
                        tree[node] = other
                    elif other < 0 or values[one] < values[other]:
                        tree[node] = one
                    elif values[other] < values[one]:
                        tree[node] = other
                    else:
                        tree[node] = min(one, other)
                    node //= 2
            leaving += 1
        best = -1
        right = size + top[e]
        while right > 1:
            if right % 2 == 1:
                one = tree[right - 1]
                if one >= 0 and (
                    best < 0
                    or values[one] < values[best]
                    or (values[one] == values[best] and one < best)
                ):
                    best = one
            right //= 2
        if top[e] == size and tree[1] >= 0:
            best = tree[1]
        start[e] = best
