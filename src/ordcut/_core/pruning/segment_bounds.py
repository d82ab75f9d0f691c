"""Bounds on where the thresholds of a segment score can lie: branch and bound.

Each threshold is in one of several ranges of positions. A bound for every pair of ranges, and a
dynamic programme over them, bound the score of all thresholds in given ranges. Ranges that cannot
reach a score that is known to be reached are dropped, the others are split, until each is a single
position, or a cell of which only the weights are known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from ordcut._core.numerics.exact import EXACT, UNIT_ROUNDOFF, rounding_bound
from ordcut._core.numerics.threads import cached_property
from ordcut._core.objectives import Ranges, SegmentTerms
from ordcut._core.typing import Bools, Floats, Ints, Numbers

#: The number of ranges for each threshold at first, and of the parts that a range is split into.
N_RANGES, N_PARTS = 32, 4

#: If more ranges than this are left, only the quarter with the highest bounds is split.
MOST_RANGES = 2000

#: From this many pairs of ranges on, closer bounds pay, which take up to four times as long.
MANY_PAIRS = 20_000_000

#: A score that is known to be reached is searched for in about this many ranges, by their bounds.
MOST_POINTS = 4000

#: To rule out cells, about this many pairs of ranges are compared for each row, and some more: that
#: takes less time than to sort the rows.
PAIRS_PER_ROW, FEW_PAIRS = 4, 2_000_000

#: A round takes as long as to compare this many more pairs.
PAIRS_OF_ROUND = 50_000

#: Without bounds, every pair of at most this many positions is tried.
MOST_WITHOUT_BOUNDS = 2000


class SegmentBounds(ABC):
    """The search for the positions that can be optimal for terms of segments.

    Each threshold is at one of its units, in ascending order: positions, or cells of which only the
    weights at both ends are known. A subclass says where they are: ``low``, ``high``, ``inner`` and
    ``weights_at``.

    Parameters
    ----------
    terms : SegmentTerms
        What is optimised.
    n_units : sequence of int
        The number of units of each threshold.
    totals : ndarray of shape (1, K)
        The weight of each class, without factors.
    n_rows : int
        The number of rows that were added up.
    windows : sequence of SegmentWindow, optional
        Where the segment of each decision may be, for units that are single positions.
    """

    def __init__(
        self,
        terms: SegmentTerms,
        n_units: Sequence[int],
        totals: Numbers,
        n_rows: int,
        windows: Sequence[Any] | None = None,
    ) -> None:
        self.terms, self.windows = terms, windows
        #: About how many pairs of ranges have been compared.
        self.n_pairs = 0
        is_whole = totals.dtype == np.int64 and terms.factors is None
        weighed = terms.weighed(totals)
        #: By how much the weight in a segment can be off.
        self.error = 0.0
        if terms.sums == "exact" and not (is_whole and weighed.sum() <= EXACT):
            self.error = 4 * float(rounding_bound(weighed, n_rows).sum())
        #: Where the units of each border begin.
        self.offsets: Ints = np.cumsum([0, 1, *n_units, 1])

    @abstractmethod
    def low(self, units: Ints) -> Ints:
        """Return the first position of each unit."""

    @abstractmethod
    def high(self, units: Ints) -> Ints:
        """Return the last position of each unit."""

    @abstractmethod
    def inner(self, first: Ints, last: Ints, shares: Floats) -> Ints:
        """Return the units from which on given shares of the weight of ranges are exceeded."""

    @abstractmethod
    def weights_at(self, ranges: Ranges) -> tuple[Floats, Ranges]:
        """Return the weights below positions (K + 1, m), as ``weighed``, and ranges among these."""

    def weighed(self, below: Numbers) -> Floats:
        """Return weights (m, K) times the factors, and their sum over classes, as (K + 1, m)."""
        weights = self.terms.weighed(below)
        return np.concatenate([weights, weights.sum(axis=1, keepdims=True)], axis=1).T.copy()

    def near_best(self, most: float = np.inf) -> Ranges | None:
        """Return the units of each border that can be optimal; None if no cuts are allowed.

        Once about ``most`` pairs of ranges have been compared, no more units are ruled out.
        """
        terms, lower = self.terms, -np.inf
        first, last = self._first_ranges()
        while True:
            below, ranges = self.weights_at(self._ranges(first, last))
            starts = None
            if ranges.n_pairs > MANY_PAIRS:
                ranges, starts = terms.alternatives(below, ranges)
            self.n_pairs += ranges.n_pairs + PAIRS_OF_ROUND
            up, down = (terms.best(below, self.error, ranges, way) for way in (True, False))
            if up[-1] == -np.inf:
                return None
            bounds = np.minimum(up, down) if terms.rule.joined == "smallest" else up + down
            if starts is not None:
                bounds = np.maximum.reduceat(bounds, starts)
            points = first[bounds >= max(self._least(lower), self._promising(first, bounds))]
            below, ranges = self.weights_at(self._ranges(points, points, is_point=True))
            lower = max(lower, terms.best(below, -self.error, ranges, True)[-1])
            kept = bounds >= self._least(lower)
            first, last, bounds = first[kept], last[kept], bounds[kept]
            is_long = last > first
            if not is_long.any() or self.n_pairs > most:
                units = run_indices(first, last + 1)
                return self._ranges(units, units)
            if len(first) > MOST_RANGES:
                is_long &= bounds >= np.quantile(bounds[is_long], 0.75)
            split = self._split(first[is_long], last[is_long], N_PARTS)
            whole = first[~is_long], last[~is_long]
            first, last = (np.sort(np.concatenate(both)) for both in zip(split, whole, strict=True))

    def _promising(self, first: Ints, bounds: Floats) -> float:
        """Return a bound that about ``MOST_POINTS`` ranges reach, at least one of each border."""
        if len(bounds) <= MOST_POINTS:
            return -np.inf
        of_borders = np.maximum.reduceat(bounds, np.searchsorted(first, self.offsets[:-1]))
        return float(min(of_borders.min(), np.partition(bounds, -MOST_POINTS)[-MOST_POINTS]))

    def _least(self, lower: float) -> float:
        """Return a score minus a bound on its rounding; all terms have the same sign."""
        return lower - 64 * (self.terms.n_classes + 4) ** 2 * UNIT_ROUNDOFF * max(1.0, abs(lower))

    def _first_ranges(self) -> tuple[Ints, Ints]:
        """Return the first and the last unit of ranges to begin with."""
        if self.terms.has_bounds:
            return self._split(self.offsets[:-1], self.offsets[1:] - 1, N_RANGES)
        n_units = int(np.diff(self.offsets).max())
        if n_units > MOST_WITHOUT_BOUNDS:
            raise ValueError(
                "objective has no bound, so that every pair of thresholds is tried, for at most "
                f"{MOST_WITHOUT_BOUNDS} different scores; got {n_units}. Pass bound= to "
                "SegmentObjective, or round the scores."
            )
        units = np.arange(self.offsets[-1])
        return units, units

    def _split(self, first: Ints, last: Ints, n_parts: int) -> tuple[Ints, Ints]:
        """Return ranges split into parts of about the same weight, each of at least one unit."""
        inner = self.inner(first, last, np.arange(1, n_parts)[:, None] / n_parts)
        ends = np.vstack([first, inner.clip(np.minimum(first + 1, last), last), last + 1]).T
        is_part = ends[:, 1:] > ends[:, :-1]
        return ends[:, :-1][is_part], ends[:, 1:][is_part] - 1

    def _ranges(self, first: Ints, last: Ints, is_point: bool = False) -> Ranges:
        """Return ranges of units, or the first position of each."""
        low = self.low(first)
        high = low if is_point else self.high(last)
        starts, ends = low[None], high[None]
        if self.windows is not None:
            parts = np.stack([first, last + 1], axis=1).ravel()
            starts, ends = (
                choose.reduceat(limits, parts, axis=1)[:, ::2]
                for choose, limits in zip((np.minimum, np.maximum), self._limits, strict=True)
            )
        others = np.zeros((2, len(first)))
        offsets = np.searchsorted(first, self.offsets)
        return Ranges(first, low, high, starts, ends, others, offsets)

    @cached_property
    def _limits(self) -> tuple[Ints, Ints]:
        """The orders of all windows, by unit, as whole numbers; and one 0 more of each."""
        at = np.append(self.low(np.arange(self.offsets[-1])), 0)
        starts, ends = np.zeros((2, 3, len(at)), np.int64)
        starts[0] = ends[0] = at
        for d, window in enumerate(self.windows or ()):
            before, after = (slice(*self.offsets[border : border + 2]) for border in (d, d + 1))
            start, end = at[before] - window.starts.start, at[after] - window.ends.start
            for i, (at_starts, at_ends) in enumerate(window.orders()):
                if at_ends.dtype == object:  # sums too large for int64 have ranks that are not
                    known = np.unique(at_ends)
                    at_starts, at_ends = (np.searchsorted(known, at) for at in (at_starts, at_ends))
                starts[i, before], ends[i, after] = at_starts[start], at_ends[end]
        return starts, ends


class UnitBounds(SegmentBounds):
    """The search among given units, with all weights added up before.

    Parameters
    ----------
    terms : SegmentTerms
        What is optimised.
    below : ndarray of shape (m, K)
        The weight of each class below each position, without factors.
    n_rows : int
        The number of rows that were added up.
    low, high : sequence of ndarray, of length K - 1
        The units of each threshold: it is between positions ``low[i]`` and ``high[i]``.
    windows : sequence of SegmentWindow, optional
        Where the segment of each decision may be, for units that are single positions.
    """

    def __init__(
        self,
        terms: SegmentTerms,
        below: Numbers,
        n_rows: int,
        low: Sequence[Ints],
        high: Sequence[Ints],
        windows: Sequence[Any] | None = None,
    ) -> None:
        super().__init__(terms, [len(units) for units in low], below[-1:], n_rows, windows)
        self._below = self.weighed(below)
        start, end = np.zeros(1, np.int64), np.full(1, len(below) - 1)
        self._low: Ints = np.concatenate([start, *low, end])
        self._high: Ints = self._low if high is low else np.concatenate([start, *high, end])
        # The weight below each unit, plus the total for each border before its border.
        at, border = self._below[-1][self._low], np.arange(len(low) + 2)
        self._weight: Floats = at + at[-1] * np.repeat(border, np.diff(self.offsets))

    def low(self, units: Ints) -> Ints:
        """Return the first position of each unit."""
        return self._low[units]

    def high(self, units: Ints) -> Ints:
        """Return the last position of each unit."""
        return self._high[units]

    def inner(self, first: Ints, last: Ints, shares: Floats) -> Ints:
        """Return the units from which on given shares of the weight of ranges are exceeded."""
        low, high = self._weight[first], self._weight[last]
        return np.searchsorted(self._weight, low + shares * (high - low))

    def weights_at(self, ranges: Ranges) -> tuple[Floats, Ranges]:
        """Return all weights, and the ranges as they are."""
        return self._below, ranges


def run_indices(starts: Ints, ends: Ints) -> Ints:
    """Return the indices from each start to before its end.

    Examples
    --------
    >>> run_indices(np.array([2, 9]), np.array([5, 10]))
    array([2, 3, 4, 9])
    """
    sizes = ends - starts
    indices: Ints = np.repeat(ends - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
    return indices


def can_hold_cuts(
    counts: Numbers,
    terms: SegmentTerms,
    n_rows: int,
    n_added: int,
    is_closed: Bools | None = None,
    is_single: Bools | None = None,
    most_steps: float = np.inf,
) -> tuple[Bools, float]:
    """Return which cells can hold a threshold, and about how many steps it took to know that.

    Of ``n_rows`` rows, ``n_added`` were added up with rounding. ``judge_cells`` describes the other
    arguments.

    Examples
    --------
    >>> from ordcut._core.objectives import TERMS
    >>> counts = np.array([[9, 0], [9, 0], [1, 1], [0, 9], [0, 9]])
    >>> can_hold_cuts(counts, SegmentTerms(2, TERMS["macro_f1"]), 38, 38)[0]
    array([False,  True,  True,  True, False])
    """
    if not terms.has_bounds:
        return np.ones(len(counts), np.bool_), 0
    below = np.zeros((len(counts) + 1, counts.shape[1]), counts.dtype)
    np.cumsum(counts, axis=0, out=below[1:])
    is_open = counts.sum(axis=1) > 0
    cells = np.flatnonzero(is_open if is_closed is None else is_open & ~is_closed)
    low, high = cells, cells + 1
    if is_single is not None and is_single.any():  # thresholds are at its borders
        single = cells[is_single[cells]]
        cells = np.sort(np.concatenate([cells, single]))
        is_second = np.append(False, cells[1:] == cells[:-1])
        low = cells + is_second
        high = np.where(is_single[cells], low, cells + 1)
    n_cuts = terms.n_classes - 1
    bounds = UnitBounds(terms, below, n_added + len(counts), [low] * n_cuts, [high] * n_cuts)
    near = bounds.near_best(min(most_steps, PAIRS_PER_ROW * n_rows + FEW_PAIRS))
    can_hold = np.zeros(len(counts), np.bool_)
    if near is not None:
        can_hold[cells[(near.first[1:-1] - 1) % len(cells)]] = True
    return can_hold, counts.size + bounds.n_pairs
