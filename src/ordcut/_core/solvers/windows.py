"""The dynamic programme under constraints: any objective, cuts only where limits allow them.

A limit on a threshold says which cuts are open to it. A limit on a decision says where its segment
may start, given where it ends: from ``low[e]`` to ``high[e]``, which both rise with ``e``; and, for
a limit on a share of the segment, only where a prefix sum, its level, is not above that at the end.
Windows whose ends never move back need a queue, O(m) for each decision and m candidates; levels
need a tree, O(m log m). Candidates that are closed to all thresholds are not visited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ordcut._core.data import SortedRows
from ordcut._core.numerics.exact import ExactCost, exact_curves, rounding_bound
from ordcut._core.numerics.jit import kernel
from ordcut._core.solvers.best_starts import (
    add_curve,
    best_by_level,
    best_in_window,
    best_of_lowest_levels,
    rank_levels,
)
from ordcut._core.solvers.near_paths import near_optimal_cuts
from ordcut._core.solvers.near_ties import ExactWeights
from ordcut._core.typing import Array, Bools, Codes, Floats, Ints, Numbers

#: All starts up to the end are allowed.
ANY_START = np.empty(0, np.int64)


@dataclass(frozen=True)
class SegmentWindow:
    """Where the segment of a decision may start, given the candidate at which it ends.

    Attributes
    ----------
    starts, ends : range
        The candidates at which it can start and end at all.
    low, high : ndarray of shape (len(ends),), optional
        The first and the last candidate at which it may start, for each end. None: any, the end.
    level : ndarray of shape (m,), optional
        A prefix sum, at all candidates, that must rise from the start to the end by at least
        ``rise``.
    rise : int or float
        By how much; 0 if it must not fall.
    """

    starts: range
    ends: range
    low: Ints | None = None
    high: Ints | None = None
    level: Array | None = None
    rise: Any = 0

    def orders(self) -> list[tuple[Array, Array]]:
        """Return pairs of arrays, over all starts and over all ends, that say what is allowed.

        The segment may reach from a start to an end if in no pair the entry of the start is above
        the entry of the end.
        """
        starts, ends = (np.arange(own.start, own.stop) for own in (self.starts, self.ends))
        orders = [(starts, ends if self.high is None else np.minimum(self.high, ends))]
        if self.low is not None:
            orders.append((-starts, -self.low))
        if self.level is not None:
            orders.append((self.level[starts] + self.rise, self.level[ends]))
        return orders

    def allows(self, starts: Array, ends: Array) -> Bools:
        """Return whether the segment may reach from each start to each end, element by element."""
        start, end = starts - self.starts.start, ends - self.ends.start
        is_allowed = [before[start] <= after[end] for before, after in self.orders()]
        return np.asarray(np.logical_and.reduce(is_allowed), np.bool_)

    def at(self, kept: Ints) -> SegmentWindow:
        """Return the window over the kept candidates only."""
        starts, ends = _among(kept, self.starts), _among(kept, self.ends)
        own = kept[ends.start : ends.stop] - self.ends.start
        low = None if self.low is None else np.searchsorted(kept, self.low[own], "left")
        high = None if self.high is None else np.searchsorted(kept, self.high[own], "right") - 1
        level = None if self.level is None else self.level[kept]
        return SegmentWindow(starts, ends, low, high, level, self.rise)

    def mirrored(self, n_candidates: int) -> SegmentWindow:
        """Return the window that says where a segment may end, with candidates in reverse order."""
        starts, ends = (
            range(n_candidates - candidates.stop, n_candidates - candidates.start)
            for candidates in (self.ends, self.starts)
        )
        last, first_end = n_candidates - 1, self.ends.start
        low = high = None
        if self.low is not None:
            furthest = first_end + np.searchsorted(self.low, self.starts, "right") - 1
            low = (last - furthest)[::-1]
        if self.high is not None:
            nearest = first_end + np.searchsorted(self.high, self.starts, "left")
            high = (last - nearest)[::-1]
        level = None if self.level is None else -self.level[::-1]
        return SegmentWindow(starts, ends, low, high, level, self.rise)


def _among(kept: Ints, candidates: range) -> range:
    """Return the positions of the kept candidates, which ascend, that are in a range."""
    first, stop = np.searchsorted(kept, [candidates.start, candidates.stop], "left").tolist()
    return range(first, stop)


@dataclass(frozen=True)
class Windows:
    """The candidates for cuts, and where thresholds and segments may be among them.

    Attributes
    ----------
    cuts : ndarray of shape (m,)
        Candidates in ascending order: first 0, and last the number of rows.
    is_open : sequence of ndarray, of length D - 1
        Which candidates each threshold may take, of those in its range: the ends of the segment
        below it and the starts of the segment above it.
    segments : sequence of SegmentWindow, of length D
        Where the segment of each decision may be. The first segment starts at the first candidate,
        and the last segment ends at the last.
    """

    cuts: Ints
    is_open: Sequence[Bools]
    segments: Sequence[SegmentWindow]

    @classmethod
    def without_limits(cls, positions: Ints, n_rows: int, n_decisions: int) -> Windows:
        """Return windows in which every threshold can take every position."""
        m = len(positions)
        cuts = np.concatenate([[0], positions, [n_rows]])
        inner, first, last = range(1, m + 1), range(1), range(m + 1, m + 2)
        ranges = [first, *[inner] * (n_decisions - 1), last]
        is_open = np.ones(m, np.bool_)
        segments = [SegmentWindow(starts, ends) for starts, ends in pairwise(ranges)]
        return cls(cuts, [is_open] * (n_decisions - 1), segments)

    @property
    def ranges(self) -> list[range]:
        """The candidates that each threshold can take at all."""
        return [segment.ends for segment in self.segments[:-1]]

    def allow(self, *candidates: Array) -> Bools:
        """Return whether the thresholds may be at these candidates, element by element.

        Each threshold has an array of candidates; all of them broadcast together.
        """
        is_allowed = np.ones(np.broadcast_shapes(*map(np.shape, candidates)), np.bool_)
        borders: list[Array] = [np.zeros(1, np.int64)]
        for own, is_open, at in zip(self.ranges, self.is_open, candidates, strict=True):
            if not own:
                return np.zeros_like(is_allowed)
            known = np.clip(at, own.start, own.stop - 1)
            is_allowed &= (known == at) & is_open[known - own.start]
            borders.append(known)
        borders.append(np.full(1, len(self.cuts) - 1))
        for segment, (starts, ends) in zip(self.segments, pairwise(borders), strict=True):
            is_allowed &= segment.allows(starts, ends)
        return is_allowed

    def at(self, kept: Ints) -> Windows:
        """Return the windows over the kept candidates, the first and the last included."""
        is_open = []
        for openness, candidates in zip(self.is_open, self.ranges, strict=True):
            positions = _among(kept, candidates)
            own = kept[positions.start : positions.stop]
            is_open.append(openness[own - candidates.start])
        return Windows(self.cuts[kept], is_open, [segment.at(kept) for segment in self.segments])

    def mirrored(self) -> Windows:
        """Return the windows of rows in reverse order."""
        m = len(self.cuts)
        return Windows(
            self.cuts[-1] - self.cuts[::-1],
            [openness[::-1] for openness in reversed(self.is_open)],
            [segment.mirrored(m) for segment in reversed(self.segments)],
        )


def best_candidates(
    rows: SortedRows, cost: ExactCost, windows: Windows, n_rows: int, between: ExactWeights
) -> Ints | None:
    """Return the candidate of each threshold at the least cost; None if no cuts are allowed.

    Of several optima, it is that with the lowest highest threshold, then the lowest next threshold,
    and so on. Sums are in int64 where they fit. Elsewhere, candidates that float64 cannot rule out
    are compared in exact numbers; ``n_rows`` is the number of rows that were added up, and
    ``between`` adds up exactly.
    """
    if not all(windows.ranges):
        return None
    if rows.is_whole and rows.weight <= cost.most_weight:
        return _lowest_path(_curves(rows, cost.integers[:-1] - cost.integers[1:], windows), windows)
    gain = cost.float_gain
    totals = rows.totals / rows.totals.max()
    slack = rounding_bound(float((np.abs(gain) @ totals).sum()), n_rows + 8 * len(gain))
    curves = [curve / rows.totals.max() for curve in _curves(rows, gain, windows)]
    near = _near_optimal(curves, windows, float(slack))
    if near is None:
        return None
    indices = [
        candidates.start + np.flatnonzero(is_near)
        for candidates, is_near in zip(windows.ranges, near, strict=True)
    ]
    # Both ends belong to the windows, but no threshold is there: what lies between them and the
    # nearest candidates need not be added up.
    inner = np.unique(np.concatenate(indices))
    kept = np.unique(np.concatenate([[0], inner, [len(windows.cuts) - 1]]))
    is_open = [openness & is_near for openness, is_near in zip(windows.is_open, near, strict=True)]
    restricted = Windows(windows.cuts, is_open, windows.segments).at(kept)
    exact = np.zeros((len(gain), len(kept)), dtype=object)
    exact[:, np.searchsorted(kept, inner)] = exact_curves(cost.gain, between(windows.cuts[inner]))
    path = _lowest_path(
        [
            curve[candidates.start : candidates.stop]
            for curve, candidates in zip(exact, restricted.ranges, strict=True)
        ],
        restricted,
    )
    return None if path is None else kept[path]


def ordered_cuts(rows: SortedRows, cost: ExactCost, n_rows: int, between: ExactWeights) -> Ints:
    """Return the lowest optimal cuts of any objective: Algorithm 2 in exact arithmetic."""
    positions = near_optimal_cuts(rows, cost, n_rows)
    windows = Windows.without_limits(positions, len(rows.codes), len(cost.integers))
    path = _lowest_path(exact_curves(cost.gain, between(positions)), windows)
    assert path is not None
    return windows.cuts[path]


def is_feasible(windows: Windows) -> bool:
    """Return whether any cuts are allowed."""
    if not all(windows.ranges):
        return False
    free = [np.zeros(len(candidates), np.int64) for candidates in windows.ranges]
    return _lowest_path(free, windows) is not None


def _curves(rows: SortedRows, gain: Numbers, windows: Windows) -> Iterator[Numbers]:
    """Yield each risk curve over the range of its threshold, from 0 at the first candidate."""
    whole = rows.whole_kernel_rows if gain.dtype == np.int64 else None
    codes, _, weights, stride = whole or rows.for_kernels(gain.dtype)
    for step, candidates in zip(gain, windows.ranges, strict=True):
        cuts = windows.cuts[candidates.start : candidates.stop]
        curve = np.empty(len(cuts), gain.dtype)
        sums_at(codes, weights, stride, np.ascontiguousarray(step), cuts, curve)
        yield curve


def _lowest_path(curves: Iterable[Array], windows: Windows) -> Ints | None:
    """Return the candidates of least total, by a pass over the candidates for each decision."""
    # Of all that a pass returns, only this is kept: it makes up most of the memory.
    dtype = np.int32 if len(windows.cuts) < 2**31 else np.int64
    starts = [start.astype(dtype) for start, *_ in _forward(curves, windows)]
    path = np.empty(len(starts) - 1, np.int64)
    end = 0  # the only end of the last segment
    for k in range(len(path), 0, -1):
        end = int(starts[k][end])
        if end < 0:
            return None
        path[k - 1] = windows.segments[k].starts.start + end
    return path if starts[0][end] >= 0 else None


def _forward(curves: Iterable[Array], windows: Windows) -> Iterator[tuple[Ints, Array, Bools]]:
    """Yield for each decision the best start of each end, the least cost H, and where it is known.

    With the risk curves R, ``H[k][e] = R[k][e] + min H[k - 1][s]`` over the starts ``s`` that the
    segment of decision ``k`` allows, is the least cost of the thresholds up to ``k`` if threshold
    ``k`` is at ``e``.
    """
    before: Array | None = None
    is_reached = np.ones(1, np.bool_)
    *segments, last = windows.segments
    for segment, curve, is_open in zip(segments, curves, windows.is_open, strict=True):
        before = np.zeros(1, curve.dtype) if before is None else before
        start, before, is_reached = _best_starts(before, is_reached, segment, curve, is_open)
        yield start, before, is_reached
    assert before is not None
    closed, free = np.zeros(1, np.bool_), np.zeros(1, before.dtype)
    yield _best_starts(before, is_reached, last, free, closed)


def _near_optimal(curves: Sequence[Floats], windows: Windows, slack: float) -> list[Bools] | None:
    """Return which candidates of each threshold lie on a path whose total is near the least."""
    _, below, from_below = zip(*_forward(curves, windows), strict=True)
    upside_down = [curve[::-1] for curve in reversed(curves)]
    _, above, from_above = zip(*_forward(upside_down, windows.mirrored()), strict=True)
    near, least = [], np.inf
    for k, curve in enumerate(curves):
        both = from_below[k] & from_above[-2 - k][::-1]
        total = np.where(both, below[k] + above[-2 - k][::-1] - curve, np.inf)
        near.append(total)
        least = min(least, float(total.min()))
    return None if least == np.inf else [total <= least + slack for total in near]


def _best_starts(
    values: Array, is_reached: Bools, window: SegmentWindow, curve: Array, is_open: Bools
) -> tuple[Ints, Array, Bools]:
    """Return the first start of least value that each end allows, -1 where there is none.

    Starts are counted from the first of the window. Also returns the least value plus the curve at
    each end, and which ends are open and have a start.
    """
    n_ends, first = len(window.ends), window.starts.start
    high = ANY_START if window.high is None else window.high - first
    low = None if window.low is None else window.low - first
    offset = window.ends.start - first
    start = np.empty(n_ends, np.int64)
    total, is_next = np.zeros(n_ends, values.dtype), np.zeros(n_ends, np.bool_)
    is_open = np.ascontiguousarray(is_open)
    search: Any
    more: tuple[Any, ...]
    if window.level is not None:
        rank, top = _ranks(window)
        m = len(values)
        if low is None:
            tree = np.empty(m + 1, values.dtype), np.full(m + 1, -1, np.int64)
            search, more = best_of_lowest_levels, (high, offset, rank, top, *tree)
        else:
            nodes = np.full(2 << (m - 1).bit_length(), -1, np.int64)
            search, more = best_by_level, (low, high, offset, rank, top, nodes)
    elif low is not None:
        search, more = best_in_window, (low, high, offset, np.empty(len(values), np.int64))
    else:
        search = best_so_far.python if values.dtype == object else best_so_far
        search(values, is_reached, high, offset, curve, is_open, start, total, is_next)
        return start, total, is_next
    if values.dtype == object:
        search.python(values, is_reached, *more, start)
        is_next = (start >= 0) & is_open
        total = np.where(is_next, curve + values[np.maximum(start, 0)], 0)
    else:
        search(values, is_reached, *more, start)
        add_curve(values, start, curve, is_open, total, is_next)
    return start, total, is_next


def _ranks(window: SegmentWindow) -> tuple[Ints, Ints]:
    """Return the rank of each start by level, and how many of the ranks each end allows."""
    assert window.level is not None
    starts, ends = window.starts, window.ends
    first = min(starts.start, ends.start)
    first_start, first_end = starts.start - first, ends.start - first
    level = window.level[first : max(starts.stop, ends.stop)]
    if window.rise != 0:
        at_starts = window.level[starts.start : starts.stop] + window.rise
        level = np.concatenate([at_starts, window.level[ends.start : ends.stop]])
        first_start, first_end = 0, len(starts)
    order = np.argsort(level, kind="stable")
    rank, top = np.empty(len(starts), np.int64), np.empty(len(ends), np.int64)
    level = level[order]
    if level.dtype == object:  # kernels take only numbers: equal levels get the same one
        level = np.append(0, np.cumsum(level[1:] != level[:-1]))
    rank_levels(level, order, first_start, first_end, rank, top)
    return rank, top


@kernel("codes", steps=3)
def sums_at(
    codes: Codes, weights: Numbers, stride: int, step: Numbers, cuts: Ints, sums: Numbers
) -> None:
    """Add up ``step`` of the class times the weight of the rows from the first of ascending cuts.

    Fills ``sums`` with the sum up to each cut. ``codes``, ``weights`` and ``stride`` come from
    ``KernelRows``. O(n) time.
    """
    total = step[0] - step[0]
    done = cuts[0]
    for c in range(len(cuts)):
        if stride == 0:
            for i in range(done, cuts[c]):
                total += step[codes[i]]
        else:
            for i in range(done, cuts[c]):
                total += weights[i] * step[codes[i]]
        done = cuts[c]
        sums[c] = total


@kernel("start", steps=4)
def best_so_far(
    values: Array,
    is_reached: Bools,
    high: Ints,
    offset: int,
    curve: Array,
    is_open: Bools,
    start: Ints,
    total: Array,
    is_next: Bools,
) -> None:
    """Find the first start of least value that is reached up to ``high[e]``.

    Also fills ``total`` and ``is_next`` as ``add_curve`` does.
    """
    best = -1
    arriving = 0
    for e in range(len(start)):
        last = min(e + offset, len(values) - 1)
        last = min(last, high[e]) if len(high) > 0 else last
        while arriving <= last:
            if is_reached[arriving] and (best < 0 or values[arriving] < values[best]):
                best = arriving
            arriving += 1
        start[e] = best
        if best >= 0 and is_open[e]:
            total[e] = curve[e] + values[best]
            is_next[e] = True
