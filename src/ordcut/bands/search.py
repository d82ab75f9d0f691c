"""Search for the best cuts: at the ends of isotonic blocks, or within limits over all cuts.

Both searches work on candidates: the cuts that are open, from below all scores to above all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ordcut._core.limits import Distance
from ordcut._core.numerics.threads import cached_property
from ordcut._core.typing import Bools, Floats, Ints
from ordcut.bands.objectives import BandObjective
from ordcut.bands.rows import Sums

#: With at most this many candidates, all of them are tried at once; otherwise they are divided into
#: this many cells at first, and each cell into this many parts later.
FEW_CANDIDATES, FIRST_CELLS, N_PARTS = 200, 128, 4

#: The largest number of cells, and of candidates that are tried at once.
MOST_CELLS = 1500

#: The positions of cells in the order of their bounds of which a candidate is tried.
N_TRIED = 30

#: Cells are divided first if their bound is at least this far from the best gain to the highest.
LOWEST_DIVIDED = 0.75

#: How many candidates are tried at last if there are too many cells.
N_LAST_TRIED = 400

#: Totals that are less than this share below the best do not differ from it.
ROUNDINGS = 1e-13

#: How often candidates between blocks are thinned out before the isotonic regression.
N_SIEVES = 2

#: A finite number above all gains.
LARGE = 1e300

#: The edges of a box, as pairs of its corners.
EDGES = [(i, i | bit) for bit in (1, 2, 4) for i in range(8) if not i & bit]


@dataclass(frozen=True)
class SumLimit:
    """Limits on a sum over each band, or over the band at an index.

    ``word`` is "rows", "events" or "others", which are the rows without an event.
    """

    word: str
    at_least: float
    at_most: float
    band: int | None = None

    def keeps(self, first: Cells, last: Cells) -> Bools:
        """Return whether bands from cells to cells can keep the limit."""
        (low, high), (least, most) = first.extent(self.word), last.extent(self.word)
        return np.asarray((most - low >= self.at_least) & (least - high <= self.at_most))


@dataclass(frozen=True, eq=False)
class Space:
    """Candidates for the cuts, and what must hold.

    Attributes
    ----------
    objective : BandObjective
        What is optimised.
    sums : Sums
        The sums over all rows below each of the C candidates; the first is below all rows, and the
        last above.
    sign : {-1, 0, 1}
        1 if rates must rise from band to band, -1 if they must fall, 0 if neither.
    cuts : ndarray of shape (C,)
        The number of distinct scores below each candidate.
    values : ndarray of shape (C,)
        The thresholds, where a distance is limited.
    is_open : ndarray of shape (T, C)
        Whether each of the lowest thresholds may be at a candidate; all others may be anywhere.
    limits : sequence of SumLimit
        Limits on sums over bands.
    rate_gap : float
        The least difference of the rates of neighbouring bands.
    distance : Distance, optional
        The least distance of neighbouring thresholds.
    fewest : int
        The smallest number of bands.
    """

    objective: BandObjective
    sums: Sums
    sign: int
    cuts: Ints
    values: Floats
    is_open: Bools
    limits: Sequence[SumLimit] = ()
    rate_gap: float = 0.0
    distance: Distance | None = None
    fewest: int = 1

    @property
    def n_candidates(self) -> int:
        """The number of candidates, C."""
        return len(self.cuts)

    @property
    def is_free(self) -> bool:
        """Whether nothing but the candidates and the order of the rates limits the cuts."""
        is_same = len(self.is_open) == 1 or bool((self.is_open == self.is_open[0]).all())
        has_limits = bool(self.limits) or self.rate_gap > 0 or self.distance is not None
        return is_same and not has_limits and self.sign != 0 and self.fewest == 1

    @cached_property
    def floors(self) -> tuple[float, float]:
        """The least events and the least rest that a band can have."""
        steps = np.diff(self.sums.exposure)
        least = float(steps[steps > 0].min())
        if self.objective.needs_both:  # which is then a limit, too
            least = next(limit.at_least for limit in self.limits if limit.word == "others")
            return least, least
        if self.objective.needs_yes_no:
            return 0.0, 0.0
        return 0.0 if self.objective.needs_counts else -np.inf, least

    def open_to(self, threshold: int, candidates: Ints) -> Bools:
        """Return whether a threshold, counted from 0, may be at candidates."""
        if threshold >= len(self.is_open):
            return np.ones(len(candidates), np.bool_)
        return np.asarray(self.is_open[threshold, candidates])

    def keeps(self, first: Cells, last: Cells, band: int) -> Bools:
        """Return whether bands can keep the limits that start and end in cells."""
        allowed = last.end.rows > first.start.rows
        allowed &= last.end.exposure > first.start.exposure
        for limit in self.limits:
            if limit.band in (None, band):
                allowed &= limit.keeps(first, last)
        if self.distance is not None:
            allowed &= self.distance.keeps(self.values[first.first], self.values[last.last])
        return np.asarray(allowed)

    def bands(self, starts: Ints, ends: Ints, band: int) -> tuple[Floats, Floats]:
        """Return the gain and the rate of each band from a start to an end, both (S, E).

        The gain of a band that limits forbid is -inf. Rates have the sign in which they rise.
        """
        first, last = Cells.single(self, starts).at(np.s_[:, None]), Cells.single(self, ends)
        gains = self.objective.gains(first.start, last.start, self.sums.at(-1), self.sign)
        rates = self.sign * last.start.minus(first.start).rates
        return np.where(self.keeps(first, last, band), gains, -np.inf), rates

    def allows(self, path: Ints) -> bool:
        """Return whether thresholds at the given candidates keep all limits."""
        return best_among(self, [np.array([each]) for each in path.tolist()]) is not None


@dataclass(frozen=True, eq=False)
class Solution:
    """The best cuts for a number of bands: candidates, and the gain that they reach.

    ``bound`` is the largest gain that any candidates can reach.
    """

    path: Ints
    gain: float
    bound: float


def best_of_blocks(space: Space, most: int) -> dict[int, Solution]:
    """Return the best cuts for each number of bands up to ``most``, where nothing limits them.

    Rates in order need cuts only at the ends of the blocks of the isotonic regression. There, the
    best start of a band rises with its end.
    """
    ends = isotonic_ends(space.sums, space.sign)
    sums = space.sums.at(ends)
    parts = space.objective.gains(sums.at(slice(-1)), sums.at(slice(1, None)), sums.at(-1), 1)
    if np.isinf(parts).any():
        return {}  # a block cannot be a band of its own
    gain = np.full(len(ends), -np.inf)
    gain[0] = 0.0
    starts: list[Ints] = []
    solutions: dict[int, Solution] = {}
    for k in range(min(most, len(ends) - 1)):
        gain, start = _best_starts(gain, space, sums, k)
        starts.append(start)
        path, end = [], len(ends) - 1
        for each in starts[:0:-1]:
            end = int(each[end])
            path.append(end)
        total = float(gain[-1])
        solutions[k + 1] = Solution(ends[np.array(path[::-1], np.int64)], total, total)
    return solutions


def isotonic_ends(sums: Sums, sign: int) -> Ints:
    """Return the candidates at the ends of the blocks of equal isotonic rates.

    Examples
    --------
    >>> from ordcut.bands.rows import BandRows
    >>> isotonic_ends(BandRows.read([1, 2, 3, 4], [0, 1, 0, 1]).sums, 1)
    array([0, 1, 3, 4])
    """
    from scipy.optimize import isotonic_regression

    exposure, events, at = sums.exposure, sums.events, np.arange(len(sums.exposure))
    parts = np.diff(exposure)
    if not parts.all():
        at = np.append(np.flatnonzero(parts), len(parts))
        at[0] = 0
        exposure, events, parts = exposure[at], events[at], np.diff(exposure[at])
    for _ in range(N_SIEVES):  # a block ends only where the rate rises
        rates = np.diff(events) / parts
        rises = rates[:-1] < rates[1:] if sign > 0 else rates[:-1] > rates[1:]
        kept = np.concatenate([[0], np.flatnonzero(rises) + 1, [len(parts)]])
        exposure, events, at = exposure[kept], events[kept], at[kept]
        parts = np.diff(exposure)
    fitted = isotonic_regression(sign * np.diff(events) / parts, weights=parts)
    return np.asarray(at[fitted.blocks], np.int64)


def _best_starts(before: Floats, space: Space, sums: Sums, first: int) -> tuple[Floats, Ints]:
    """Return the best gain up to each end of one more band, and where this band starts.

    ``before`` is the best gain up to each start. The best start rises with the end: ends are solved
    in the order of a binary search, and each searches between the starts of its neighbours.
    O(n log n) time.
    """
    n, total = len(before), sums.at(-1)
    best, start = np.full(n, -np.inf), np.zeros(n, np.int64)
    step = 1 << (n - first - 1).bit_length()
    while step:
        ends = np.arange(first + step, n, 2 * step)
        low = np.where(ends - step > first, start[ends - step], first)
        above = ends + step
        high = np.where(above < n, start[np.minimum(above, n - 1)], n)
        counts = np.minimum(high, ends - 1) - low + 1
        starts, offsets = _ranges(low, counts)
        each = np.repeat(ends, counts)
        gains = before[starts] + space.objective.gains(
            sums.at(starts), sums.at(each), total, space.sign
        )
        if len(ends):
            best[ends] = np.maximum.reduceat(gains, offsets)
            hits = np.flatnonzero(gains == best[each])
            start[ends] = starts[hits[np.searchsorted(hits, offsets)]]
        step //= 2
    return best, start


def _ranges(first: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Return ranges of whole numbers one after the other, and where each starts."""
    offsets = np.cumsum(counts) - counts
    return np.arange(counts.sum()) - np.repeat(offsets - first, counts), offsets


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of neighbouring candidates, from their first to their last.

    The events below a candidate of a cell are at most ``under`` below and ``over`` above the line
    from its first to its last candidate. ``chosen`` is the candidate that is farthest below the
    line, or above it if rates fall.
    """

    first: Ints
    last: Ints
    start: Sums
    end: Sums
    under: Floats
    over: Floats
    chosen: Ints

    @classmethod
    def single(cls, space: Space, candidates: Ints) -> Cells:
        """Return a cell for each candidate."""
        sums, none = space.sums.at(candidates), np.zeros(len(candidates))
        return cls(candidates, candidates, sums, sums, none, none, candidates)

    @classmethod
    def between(cls, space: Space, first: Ints, last: Ints) -> Cells:
        """Return the cells between the given candidates."""
        counts, start, end = last - first + 1, space.sums.at(first), space.sums.at(last)
        slope = np.nan_to_num(end.minus(start).rates, posinf=0.0, neginf=0.0)
        at, offsets = _ranges(first, counts)
        away = space.sums.events[at] - np.repeat(slope, counts) * space.sums.exposure[at]
        away -= np.repeat(start.events - slope * start.exposure, counts)
        away[np.concatenate([offsets, offsets + counts - 1])] = 0.0
        under, over = (each.reduceat(away, offsets) for each in (np.minimum, np.maximum))
        hits = np.flatnonzero(away == np.repeat(over if space.sign < 0 else under, counts))
        chosen = at[hits[np.searchsorted(hits, offsets)]]
        return cls(first, last, start, end, under, over, chosen)

    def at(self, index: Any) -> Cells:
        """Return the cells at the given positions."""
        parts: dict[str, Any] = {
            name: each.at(index) if isinstance(each, Sums) else each[index]
            for name, each in vars(self).items()
        }
        return Cells(**parts)

    def and_then(self, other: Cells) -> Cells:
        """Return these cells and others."""
        joined: dict[str, Any] = {}
        for name, own in vars(self).items():
            each = getattr(other, name)
            is_sums = isinstance(own, Sums)
            joined[name] = Sums(*map(np.append, own, each)) if is_sums else np.append(own, each)
        return Cells(**joined)

    @property
    def is_single(self) -> Bools:
        """Whether a cell is a single candidate."""
        return np.asarray(self.first == self.last)

    def extent(self, word: str) -> tuple[Floats, Floats]:
        """Return the least and the largest rows, events or others below a candidate."""
        if word == "rows":
            return self.start.rows, self.end.rows
        if word == "others":
            return self.start.exposure - self.start.events, self.end.exposure - self.end.events
        events = self.start.events, self.end.events
        return np.minimum(*events) + self.under, np.maximum(*events) + self.over


def best_among(space: Space, inner: Sequence[Ints]) -> Solution | None:
    """Return the best cuts if each threshold must be one of given candidates; None if none can.

    ``total[i, j]`` is the best gain of bands of which the last is from start i to end j. The next
    band from j can follow all of these with a rate that is not above its own.
    """
    levels = [np.zeros(1, np.int64), *inner, np.array([space.n_candidates - 1])]
    if len(inner) + 1 < space.fewest or not all(map(len, inner)):
        return None
    before, total, ways = np.full((1, 1), -np.inf), np.zeros((1, 1)), []
    for k, (starts, ends) in enumerate(pairwise(levels)):
        gains, rates = space.bands(starts, ends, k)
        if k < len(inner):
            gains[:, ~space.open_to(k, ends)] = -np.inf
        if space.sign == 0 or k == 0:
            order = total.argmax(axis=0)[None]
            rank = np.zeros(gains.shape, np.int64)
        else:
            before = np.where(total > -np.inf, before + space.rate_gap, np.inf)
            order = np.argsort(before, axis=0, kind="stable")
            before = np.take_along_axis(before, order, axis=0)
            rank = np.array(
                [np.searchsorted(*each, "right") - 1 for each in zip(before.T, rates, strict=True)]
            )
        ranked = np.take_along_axis(total, order, axis=0)
        peak = np.maximum.accumulate(ranked, axis=0)
        steps = np.arange(len(order))[:, None]
        at = np.maximum.accumulate(np.where(ranked == peak, steps, 0), axis=0)
        j = np.arange(len(starts))[:, None]
        ways.append(order[at[rank, j], j])
        total = np.where(rank >= 0, peak[rank, j], -np.inf) + gains
        before = rates
    start, end = np.unravel_index(np.argmax(total), total.shape)
    gain, path = float(total[start, end]), []
    if not gain > -np.inf:
        return None
    for k in range(len(inner), 0, -1):
        path.append(levels[k][start])
        start, end = ways[k][start, end], start
    return Solution(np.array(path[::-1], np.int64), gain, gain)


def best_within(space: Space, n_bands: int, most_cells: int = MOST_CELLS) -> Solution | None:
    """Return the best cuts within limits for a number of bands, or None if none keep them.

    Candidates are divided into cells. A dynamic programme over cells, without the order of rates,
    bounds the gain of all cuts with a threshold in a cell. Cells whose bound is not above the best
    gain so far are left out, and the others are divided, until each is a single candidate. Then
    the best of these are the best of all. If that takes too many cells, the best cuts so far are
    returned, with the bound.
    """
    n, n_cuts = space.n_candidates, n_bands - 1
    if n <= max(FEW_CANDIDATES, n_bands) or n_cuts == 0:
        return best_among(space, [np.arange(1, n - 1)] * n_cuts)
    edges = np.linspace(1, n - 1, FIRST_CELLS + 1).astype(np.int64)
    cells = Cells.between(space, edges[:-1], edges[1:] - 1)
    can_be = np.ones((n_cuts, len(cells.first)), np.bool_)
    best = _zoomed(space, best_among(space, [cells.chosen[::2]] * n_cuts), n // FIRST_CELLS)
    while True:
        bounds = _bounds(space, cells, can_be, best)
        highest = float(bounds[0].max())
        if highest == -np.inf:
            return best
        likely = np.argsort(-bounds, axis=1)[:, :N_TRIED]
        tried = [np.unique(cells.chosen[own[can_be[k, own]]]) for k, own in enumerate(likely)]
        best = _better(space, best, tried)
        least = -np.inf if best is None else best.gain + ROUNDINGS * abs(best.gain)
        can_be &= bounds > least
        if not can_be.any(axis=1).all():
            return best
        if cells.is_single[can_be.any(axis=0)].all():
            return _better(space, best, [cells.first[own] for own in can_be])
        middle = least if best is None else least + LOWEST_DIVIDED * (highest - least)
        is_wide = (can_be & (bounds > middle)).any(axis=0) & ~cells.is_single
        if not is_wide.any():
            is_wide = ~cells.is_single
        kept = can_be.any(axis=0)
        cells, origin = _divided(space, cells, kept & is_wide, kept & ~is_wide)
        can_be = can_be[:, origin]
        if can_be.sum(axis=1).max() > most_cells:
            edges = np.linspace(1, n - 1, min(N_LAST_TRIED, n - 1) + 1).astype(np.int64)
            best = _better(
                space, best, [Cells.between(space, edges[:-1], edges[1:] - 1).chosen] * n_cuts
            )
            return None if best is None else replace(best, bound=max(highest, best.gain))


def _better(space: Space, best: Solution | None, tried: list[Ints]) -> Solution | None:
    """Return the best cuts among candidates and the best so far, and near them."""
    if best is not None:
        tried = [np.union1d(*each) for each in zip(tried, best.path, strict=True)]
    now = best_among(space, tried)
    if now is None or (best is not None and now.gain <= best.gain):
        return best
    return _zoomed(space, now, space.n_candidates // FIRST_CELLS)


def _zoomed(space: Space, best: Solution | None, width: int) -> Solution | None:
    """Return the best cuts near cuts, among the chosen candidates of ever smaller cells."""
    steps = np.arange(-N_TRIED // 2, N_TRIED // 2)
    while best is not None and width > 1:
        width = max(width // N_PARTS, 1)
        near = [at + width * steps for at in best.path]
        near = [each[(each > 0) & (each + width < space.n_candidates)] for each in near]
        tried = [Cells.between(space, first, first + width - 1).chosen for first in near]
        best = best_among(space, [np.union1d(*each) for each in zip(tried, best.path, strict=True)])
    return best


def _divided(space: Space, cells: Cells, is_wide: Bools, is_kept: Bools) -> tuple[Cells, Ints]:
    """Return wide cells divided into parts, and those that are kept; and where each comes from."""
    wide, kept = np.flatnonzero(is_wide), np.flatnonzero(is_kept)
    width = (cells.last - cells.first + 1)[wide]
    n_parts = np.minimum(width, N_PARTS)
    part, _ = _ranges(np.zeros(len(wide), np.int64), n_parts)
    own, width, n_parts = (np.repeat(each, n_parts) for each in (wide, width, n_parts))
    first = cells.first[own] + width * part // n_parts
    parts = Cells.between(space, first, cells.first[own] + width * (part + 1) // n_parts - 1)
    origin = np.concatenate([kept, own])
    return cells.at(kept).and_then(parts), origin


def _bounds(space: Space, cells: Cells, can_be: Bools, best: Solution | None) -> Floats:
    """Return bounds on the gain with each threshold in each cell, (K - 1, C)."""
    n_bands = len(can_be) + 1
    ends = Cells.single(space, np.array([0, space.n_candidates - 1]))
    index = [np.flatnonzero(own) for own in can_be]
    levels = [ends.at(np.s_[:1]), *(cells.at(own) for own in index), ends.at(np.s_[1:])]
    tilts = [np.zeros(len(level.first)) for level in levels]
    if best is not None:
        sums = space.sums.at(np.concatenate([[0], best.path, [space.n_candidates - 1]]))
        rates = sums.at(np.s_[1:]).minus(sums.at(np.s_[:-1])).rates
        for k in range(1, n_bands):
            tilts[k] = space.objective.tilt(levels[k].start, levels[k].end, rates[k - 1 : k + 1],
                                            space.sums.at(-1), space.sign)  # fmt: skip
    below, gains = [np.zeros(1)], []
    for k in range(n_bands):
        first, last = levels[k].at(np.s_[:, None]), levels[k + 1]
        gain = _most_gain(space, first, last, tilts[k][:, None], tilts[k + 1])
        gain = np.where(space.keeps(first, last, k), np.minimum(gain, LARGE), -np.inf)
        if k + 1 < n_bands:
            gain[:, last.is_single & ~space.open_to(k, last.first)] = -np.inf
        gains.append(gain)
        below.append((below[-1][:, None] + gain).max(axis=0, initial=-np.inf))
    above, bounds = np.zeros(1), np.full(can_be.shape, -np.inf)
    for k in range(n_bands - 1, 0, -1):
        above = (gains[k] + above).max(axis=1, initial=-np.inf)
        bounds[k - 1, index[k - 1]] = below[k] + above
    return bounds


def _most_gain(space: Space, first: Cells, last: Cells, tilt: Floats, tilts: Floats) -> Floats:
    """Return the highest gain of bands from cells to cells, (S, E), tilted.

    The gain is convex in three numbers: the exposures at both ends, and how far events are from the
    line. It is highest at a corner of their box, or where the box is cut at the least events or
    other rows of a band. A tilt times the exposure at an end is added at the start of the next
    band, and subtracted here, so that gains hardly change within a cell.
    """
    objective, total = space.objective, space.sums.at(-1)
    is_single = bool(first.is_single.all() and last.is_single.all())
    highest = np.full(np.broadcast_shapes(tilt.shape, tilts.shape), -np.inf)
    is_cut, corners = np.zeros(highest.shape, np.bool_), []
    for end in range(1 if is_single else 8):
        low, high = (first.start, first.end)[end & 1], (last.start, last.end)[end >> 1 & 1]
        tilted = tilt * (low.exposure - first.start.exposure)
        tilted = tilted - tilts * (high.exposure - last.start.exposure)
        low = low.with_events(low.events + (first.under if end & 4 else first.over))
        high = high.with_events(high.events + (last.over if end & 4 else last.under))
        gains = objective.gains(low, high, total, space.sign) + tilted
        if objective.gain is not None:
            events = high.events - low.events
            rest = objective.rest(high.exposure - low.exposure, events)
            corner = np.stack([events, rest, tilted])
            is_outside = (corner[0] < space.floors[0]) | (corner[1] < space.floors[1])
            gains[is_outside] = -np.inf
            is_cut |= is_outside
            corners.append(corner)
        np.fmax(highest, gains, out=highest)
    if not is_single and is_cut.any():
        cut = _gain_at_cut(space, np.stack([corner[:, is_cut] for corner in corners]))
        highest[is_cut] = np.maximum(highest[is_cut], cut)
    return highest


def _gain_at_cut(space: Space, corners: Floats) -> Floats:
    """Return the highest gain where boxes are cut at the least events, and at the least rest.

    ``corners`` (8, 3, n) are the events, the rest and the tilt at the corners of n boxes.
    """
    gain, total, floors = space.objective.gain, space.sums.at(-1), space.floors
    assert gain is not None
    highest = np.full(corners.shape[2], -np.inf)
    with np.errstate(all="ignore"):
        if np.isfinite(floors[0]):
            events, rest = (np.full(len(highest), least) for least in floors)
            highest = gain(events, rest, total) + corners[:, 2].max(axis=0)
        for i, j in EDGES:
            for axis in np.flatnonzero(np.isfinite(floors)):
                share = (floors[axis] - corners[i, axis]) / (corners[j, axis] - corners[i, axis])
                point = corners[i] + share * (corners[j] - corners[i])
                point[axis] = floors[axis]
                is_inside = (share >= 0) & (share <= 1) & (point[1 - axis] >= floors[1 - axis])
                gains = gain(point[0], point[1], total) + point[2]
                highest = np.fmax(highest, np.where(is_inside, gains, -np.inf))
    return highest
