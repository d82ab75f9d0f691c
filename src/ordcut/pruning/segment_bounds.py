"""Where the thresholds of a score can be that adds up over decisions: branch and bound.

Each threshold is in one of several ranges of positions. A bound for every pair of ranges, and a
dynamic programme over them, bound the score of all thresholds in given ranges. Ranges that cannot
reach a score that is known to be reached are dropped, the others are split, until each is a single
position, or a cell of which only the weights are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ordcut.exact import UNIT_ROUNDOFF, rounding_bound
from ordcut.segment_terms import SegmentTerms
from ordcut.threads import cached_property
from ordcut.typing import Bools, Floats, Ints, Numbers

#: The number of ranges for each threshold at first, and of the parts that a range is split into.
N_RANGES, N_PARTS = 96, 4

#: If more ranges than this are left, only the quarter with the highest bounds is split.
MOST_RANGES = 2000

#: The entries of a table of pairs that are computed at once.
MOST_ENTRIES = 1 << 20

#: Without bounds, every pair of at most this many positions is tried.
MOST_WITHOUT_BOUNDS = 2000


#: Returns the bounds of a decision: blocks of ends, and for each a table of starts and ends.
Tables: TypeAlias = Callable[[int], Iterable[tuple[slice, Floats]]]


class Ranges(NamedTuple):
    """Ranges of units, the ``first`` to the ``last``, from position ``low`` to ``high``."""

    first: Ints
    last: Ints
    low: Ints
    high: Ints


@dataclass(frozen=True, eq=False)
class SegmentBounds:
    """The search for the positions that can be optimal for terms of segments.

    Attributes
    ----------
    terms : SegmentTerms
        What is optimised.
    below : ndarray of shape (K, m)
        The weight of each class below each position, times its factor.
    error : ndarray of shape (K,)
        By how much these can be off.
    low, high : sequence of ndarray, of length K - 1
        The units of each threshold: it is between positions ``low[i]`` and ``high[i]``.
    windows : sequence of SegmentWindow, optional
        Where the segment of each decision may be, for units that are single positions.
    """

    terms: SegmentTerms
    below: Floats
    error: Floats
    low: Sequence[Ints]
    high: Sequence[Ints]
    windows: Sequence[Any] | None = None

    def near_best(self) -> list[Ints] | None:
        """Return the units of each threshold that can be optimal; None if no cuts are allowed."""
        ranges = [self._divided(k) for k in range(len(self.low))]
        lower = -np.inf
        while all(len(own.first) for own in ranges):
            tables = self._all_tables(ranges)
            below, above = self._forward(tables), self._backward(tables)
            if below[-1][0] == -np.inf:
                return None
            at_points = partial(self._tables, ranges=ranges, as_points=True)
            lower = max(lower, self._forward(at_points)[-1][0])
            least = lower - self._slack(lower)
            join = self._join
            total = [join(own, other) for own, other in zip(below, above, strict=False)]
            kept = [own >= least for own in total[:-1]]
            ranges = [Ranges(*(a[k] for a in own)) for own, k in zip(ranges, kept, strict=True)]
            if all((own.first == own.last).all() for own in ranges):
                return [own.first for own in ranges]
            bounds = [own[k] for own, k in zip(total, kept, strict=False)]
            ranges = self._split(ranges, bounds)
        return None

    @cached_property
    def _totals(self) -> Floats:
        return self.below[:, -1]

    @cached_property
    def _rows(self) -> list[tuple[Floats, Floats]]:
        """What the largest and the smallest weights of each decision are about, by position."""
        return [self.terms.rows_of(d, self.below) for d in range(len(self.below))]

    @property
    def _join(self) -> Any:
        return np.minimum if self.terms.joined == "smallest" else np.add

    def _slack(self, score: float) -> float:
        """Return a bound on the rounding of a sum of terms."""
        scale = 1000.0 if self.terms.joined == "product" else max(1.0, abs(score))
        return 64 * (len(self.below) + 4) ** 2 * UNIT_ROUNDOFF * scale

    def _divided(self, k: int) -> Ranges:
        """Return the first ranges of a threshold."""
        n_units = len(self.low[k])
        n_ranges = N_RANGES if n_units > 2 * N_RANGES else n_units
        if not self.terms.has_bounds:
            n_ranges = n_units
            if n_units > MOST_WITHOUT_BOUNDS:
                raise ValueError(
                    f"objective {self.terms.term!r} has no bound, so that every pair of thresholds "
                    f"is tried, for at most {MOST_WITHOUT_BOUNDS} different scores; got {n_units}. "
                    "Pass bound=, or round the scores."
                )
        if n_ranges == n_units:
            units = np.arange(n_units)
            return self._ranges(k, units, units)
        return self._parts(k, np.zeros(1, np.int64), np.full(1, n_units - 1), n_ranges)

    def _parts(self, k: int, first: Ints, last: Ints, n_parts: int) -> Ranges:
        """Return ranges split into parts of about the same weight, each of at least one unit."""
        weight = self.below.sum(axis=0)[self.low[k]]
        steps = np.linspace(weight[first], weight[last], n_parts + 1)[1:-1]
        inner = np.searchsorted(weight, steps).clip(np.minimum(first + 1, last), last)
        ends = np.vstack([first, inner, last + 1]).T
        is_part = ends[:, 1:] > ends[:, :-1]
        return self._ranges(k, ends[:, :-1][is_part], ends[:, 1:][is_part] - 1)

    def _ranges(self, k: int, first: Ints, last: Ints) -> Ranges:
        return Ranges(first, last, self.low[k][first], self.high[k][last])

    def _split(self, ranges: list[Ranges], bounds: list[Floats]) -> list[Ranges]:
        """Split the ranges, or those with the highest bounds if there are many."""
        is_long = [own.last > own.first for own in ranges]
        if sum(len(own.first) for own in ranges) > MOST_RANGES:
            splittable = np.concatenate([b[s] for b, s in zip(bounds, is_long, strict=True)])
            least = np.quantile(splittable, 0.75)
            is_long = [s & (b >= least) for b, s in zip(bounds, is_long, strict=True)]
        parts = []
        for k, (own, splits) in enumerate(zip(ranges, is_long, strict=True)):
            split = self._parts(k, own.first[splits], own.last[splits], N_PARTS)
            whole = (values[~splits] for values in own)
            both = Ranges(*(np.concatenate(pair) for pair in zip(split, whole, strict=True)))
            order = np.argsort(both.first)
            parts.append(Ranges(*(values[order] for values in both)))
        return parts

    def _all_tables(self, ranges: list[Ranges]) -> Tables:
        """Return the bounds of each decision, computed once if they are not too many."""
        tables = partial(self._tables, ranges=ranges, as_points=False)
        sizes = [1, *(len(own.first) for own in ranges), 1]
        if sum(n * m for n, m in pairwise(sizes)) > 4 * MOST_ENTRIES:
            return tables
        return [list(tables(d)) for d in range(len(self.below))].__getitem__

    def _forward(self, tables: Tables) -> list[Floats]:
        """Return the best score of the decisions below each range of each threshold, and of all."""
        best = [np.full(1, np.inf if self._join is np.minimum else 0.0)]
        for d in range(len(self.below)):
            before = best[-1][:, None]
            parts = [self._join(before, table).max(axis=0) for _, table in tables(d)]
            best.append(np.concatenate(parts))
        return best[1:]

    def _backward(self, tables: Tables) -> list[Floats]:
        """Return the best score of the decisions above each range of each threshold."""
        best = [np.full(1, np.inf if self._join is np.minimum else 0.0)]
        for d in range(len(self.below) - 1, 0, -1):
            after = best[-1]
            parts = [self._join(after[ends], table).max(axis=1) for ends, table in tables(d)]
            best.append(np.maximum.reduce(parts))
        return best[::-1]

    def _tables(
        self, d: int, ranges: list[Ranges], as_points: bool
    ) -> Iterator[tuple[slice, Floats]]:
        """Yield the bounds of decision ``d`` for each start and a block of ends.

        As points, ranges are their lowest positions, and bounds are what is surely reached.
        """
        zero, top = np.zeros(1, np.int64), np.full(1, self.below.shape[1] - 1)
        starts = Ranges(zero, zero, zero, zero) if d == 0 else ranges[d - 1]
        ends = Ranges(zero, zero, top, top) if d == len(ranges) else ranges[d]
        if as_points:
            starts, ends = (own._replace(last=own.first, high=own.low) for own in (starts, ends))
        upper, lower = self._rows[d]
        from_low, from_high = upper[..., starts.low, None], lower[..., starts.high, None]
        step = max(1, MOST_ENTRIES // len(starts.low))
        for first in range(0, len(ends.low), step):
            block = slice(first, first + step)
            own = Ranges(*(values[block] for values in ends))
            most = upper[..., None, own.high] - from_low
            least = lower[..., None, own.low] - from_high
            if self.error.any():
                off = -2 * self.error.sum() if as_points else 2 * self.error.sum()
                most, least = most + off, least - off
            most, least = np.maximum(most, 0.0, out=most), np.maximum(least, 0.0, out=least)
            bounds = self.terms.bounds(d, most, least, self._totals)
            yield block, np.where(self._are_allowed(d, starts, own), bounds, -np.inf)

    def _are_allowed(self, d: int, starts: Ranges, ends: Ranges) -> Bools:
        """Return which pairs of ranges may hold the start and the end of a segment."""
        if self.windows is None:
            return np.asarray(starts.low[:, None] <= ends.high)
        window = self.windows[d]
        first = window.ends.start
        highest = ends.high if window.high is None else window.high[ends.high - first]
        allowed = starts.low[:, None] <= highest
        if window.low is not None:
            allowed &= starts.high[:, None] >= window.low[ends.low - first]
        if window.level is not None:
            lowest = self._levels(d - 1, starts, window.level, np.minimum)
            allowed &= lowest[:, None] + window.rise <= self._levels(
                d, ends, window.level, np.maximum
            )
        return np.asarray(allowed)

    def _levels(self, k: int, own: Ranges, level: Any, choose: np.ufunc) -> Any:
        """Return the lowest or highest level over the positions of each range."""
        if not 0 <= k < len(self.low):
            return level[own.low]
        at = np.append(level[self.low[k]], level[:1])
        return choose.reduceat(at, np.stack([own.first, own.last + 1], axis=1).ravel())[::2]


def rounding_of(below: Floats, terms: SegmentTerms, is_whole: bool, n_rows: int) -> Floats:
    """Return by how much weights below positions, (K, m), can be off."""
    if (is_whole and terms.factors is None) or not terms.is_exact:
        return np.zeros(len(below))
    return np.asarray(rounding_bound(below[:, -1], n_rows))


def can_hold_cuts(
    counts: Numbers,
    terms: SegmentTerms,
    n_rows: int,
    is_closed: Bools | None = None,
    is_single: Bools | None = None,
) -> Bools:
    """Return which cells can hold a threshold; the arguments are those of ``judge_cells``.

    Examples
    --------
    >>> from ordcut.segment_terms import TERMS
    >>> counts = np.array([[9, 0], [9, 0], [1, 1], [0, 9], [0, 9]])
    >>> can_hold_cuts(counts, SegmentTerms(2, TERMS["macro_f1"]), 38)
    array([False,  True,  True,  True, False])
    """
    if not terms.has_bounds:
        return np.ones(len(counts), np.bool_)
    below = np.zeros((counts.shape[1], len(counts) + 1), counts.dtype)
    np.cumsum(counts.T, axis=1, out=below[:, 1:])
    error = rounding_of(terms.weighed(below), terms, counts.dtype == np.int64, n_rows)
    is_open = counts.sum(axis=1) > 0
    cells = np.flatnonzero(is_open if is_closed is None else is_open & ~is_closed)
    low, high = cells, cells + 1
    if is_single is not None and is_single.any():  # thresholds are at its borders
        single = cells[is_single[cells]]
        cells = np.sort(np.concatenate([cells, single]))
        is_second = np.append(False, cells[1:] == cells[:-1])
        low = cells + is_second
        high = np.where(is_single[cells], low, cells + 1)
    n_cuts = len(below) - 1
    search = SegmentBounds(terms, terms.weighed(below), error, [low] * n_cuts, [high] * n_cuts)
    near = search.near_best()
    can_hold = np.zeros(len(counts), np.bool_)
    if near is not None:
        can_hold[cells[np.concatenate(near)]] = True
    return can_hold
