"""Search for the best cuts: at the ends of isotonic blocks, or within limits over all cuts.

Both searches work on candidates: the cuts that are open, from below all scores to above all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ordcut._core.limits import Distance
from ordcut._core.numerics.jit import kernel
from ordcut._core.numerics.threads import cached_property
from ordcut._core.typing import Array, Bools, Floats, Ints
from ordcut.bands.objectives import BandObjective, gini_unit
from ordcut.bands.rows import Sums

#: The number of cells that candidates are divided into at first, and the largest number of cells.
#: With at most the largest number of candidates, each is a cell.
FIRST_CELLS, MOST_CELLS = 300, 1000

#: Into how many parts a cell is divided.
N_PARTS = 6


@dataclass(frozen=True, eq=False)
class SumLimit:
    """Limits on a sum over each band, or over the band at an index.

    ``below`` is the sum over all rows below each candidate.
    """

    below: Floats
    at_least: float
    at_most: float
    band: int | None = None


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
    floor : float
        The smallest sum of events, and of other rows, that a band can have.
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
    floor: float = -np.inf

    @cached_property
    def gains_below(self) -> Floats:
        """The gain of all rows below each candidate if a band were between any two candidates."""
        ends = self.sums
        gains = self.objective.gains(
            ends.at(slice(-1)), ends.at(slice(1, None)), ends.at(-1), self.sign
        )
        return np.append(0.0, np.cumsum(np.nan_to_num(gains, nan=0.0, posinf=np.inf)))

    @property
    def n_candidates(self) -> int:
        """The number of candidates, C."""
        return len(self.sums.rows)

    def at(self, candidates: Ints) -> Space:
        """Return the space with some of the candidates only, which include the first and last."""
        limits = [replace(limit, below=limit.below[candidates]) for limit in self.limits]
        return replace(
            self,
            sums=self.sums.at(candidates),
            cuts=self.cuts[candidates],
            values=self.values[candidates],
            is_open=self.is_open[:, candidates],
            limits=limits,
        )

    @property
    def is_free(self) -> bool:
        """Whether nothing but the candidates and the order of the rates limits the cuts."""
        is_same = bool((self.is_open == self.is_open[0]).all())
        has_limits = bool(self.limits) or self.rate_gap > 0 or self.distance is not None
        return is_same and not has_limits and self.sign != 0

    def allows(self, path: Ints) -> bool:
        """Return whether thresholds at the given candidates keep all limits."""
        n_bands = len(path) + 1
        if n_bands < self.fewest:
            return False
        chosen = self.at(np.concatenate([[0], path, [self.n_candidates - 1]]))
        pairs = _Pairs.of(chosen, *[np.arange(n_bands + 1)] * 2)
        k = np.arange(n_bands)
        is_allowed = all(pairs.gain_of(i)[i, i + 1] > -np.inf for i in range(n_bands))
        rises = (pairs.low[k[:-1], k[1:]] <= pairs.high[k[1:], k[1:] + 1]).all()
        is_open = chosen.is_open[: n_bands - 1, 1:-1]
        return bool(is_allowed and rises and is_open[np.diag_indices(len(is_open))].all())


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
    if np.isinf(
        space.objective.gains(sums.at(slice(-1)), sums.at(slice(1, None)), sums.at(-1), 1)
    ).any():
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
        # The next start is read from the last start, so the order of the loop above matters.
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

    exposure = np.diff(sums.exposure)
    has_rows = exposure > 0
    rates = sign * np.diff(sums.events)[has_rows] / exposure[has_rows]
    fitted = isotonic_regression(rates, weights=exposure[has_rows])
    own = np.append(np.flatnonzero(has_rows), len(exposure))  # the candidate before each rate
    ends = own[fitted.blocks]
    ends[0] = 0
    return np.asarray(ends, np.int64)


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
        offsets = np.cumsum(counts) - counts
        starts = np.arange(counts.sum()) - np.repeat(offsets - low, counts)
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


def best_within(space: Space, n_bands: int, most_cells: int = MOST_CELLS) -> Solution | None:
    """Return the best cuts within limits for a number of bands, or None if none keep them.

    Candidates are divided into cells. A dynamic programme over pairs of cells finds the highest
    bound on the gain. Cells on its way are divided until each is a single candidate: then the bound
    is reached, and the cuts are optimal. If that takes too many cells, the best cuts among the ends
    of the cells are returned, with the bound.
    """
    n = space.n_candidates
    first = np.arange(n)
    if n > most_cells:
        inner = np.linspace(1, n - 1, min(FIRST_CELLS, most_cells // 3)).astype(np.int64)
        first = np.unique(np.append(0, inner))
    while True:
        last = np.append(first[1:] - 1, n - 1)
        solution = _best_path(_Pairs.of(space, first, last), space, first, n_bands)
        if solution is None:
            return None
        wide = [cell for cell in solution.path.tolist() if last[cell] > first[cell]]
        if not wide:
            return replace(solution, path=first[solution.path])
        near = {c + d for c in wide for d in (-1, 0, 1) if 0 < c + d < len(first)}
        if len(first) + N_PARTS * len(near) > most_cells:
            break
        parts = [np.linspace(first[c], last[c] + 1, N_PARTS + 1)[:-1] for c in near]
        first = np.union1d(first, np.concatenate(parts).astype(np.int64))
    single, ends = np.arange(len(first)), space.at(first)
    reached = _best_path(_Pairs.of(ends, single, single), ends, single, n_bands)
    if reached is None:
        return None
    return Solution(first[reached.path], reached.gain, solution.bound)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Bounds for bands that start in a cell of candidates and end in another, (C, C).

    ``gain`` is at least the gain of any such band, -inf if none is allowed. ``low`` is at most its
    rate plus the rate gap, and ``high`` is at least its rate. For single candidates, all are exact.
    ``only`` says for bands at an index which pairs they allow.
    """

    gain: Floats
    low: Floats
    high: Floats
    only: dict[int, Bools]

    @classmethod
    def of(cls, space: Space, first: Ints, last: Ints) -> _Pairs:
        """Return the bounds for cells from their first to their last candidates."""
        low, high = _ends(space.sums, first, last)
        starts = low.at(np.s_[:, None]), high.at(np.s_[:, None])
        least, most = low.minus(starts[1]), high.minus(starts[0])
        is_allowed = (most.rows > 0) & (most.exposure > 0)
        is_allowed &= np.tri(len(first), dtype=np.bool_).T  # a band ends at or after its start
        only: dict[int, Bools] = {}
        for limit in space.limits:
            below, above = limit.below[first], limit.below[last]
            keeps = above - below[:, None] >= limit.at_least
            keeps &= below - above[:, None] <= limit.at_most
            if limit.band is None:
                is_allowed &= keeps
            else:
                only[limit.band] = only.get(limit.band, np.True_) & keeps
        if space.distance is not None:
            is_allowed &= space.distance.keeps(space.values[first][:, None], space.values[last])
        is_exact = bool((first == last).all())
        is_yes_no = space.objective.needs_yes_no
        events = least.events, most.events
        others = least.exposure - is_yes_no * events[0], most.exposure - is_yes_no * events[1]
        others = np.maximum(others[0], 0), np.maximum(others[1], 0)
        if space.objective.needs_counts or is_yes_no:
            events = np.maximum(events[0], 0), np.maximum(events[1], 0)
        if space.objective.gain is None:
            gain = _most_area(space, starts, least, most)
        else:
            gain = _most_gain(space, events, others, is_exact=is_exact)
            if not is_exact:
                parts = space.gains_below
                with np.errstate(invalid="ignore"):
                    gain = np.fmin(gain, parts[last] - parts[first][:, None])
        slow, fast = _rates(space, events, others)
        gain[~is_allowed], slow[~is_allowed] = -np.inf, np.inf
        return cls(gain, slow + space.rate_gap, fast, only)

    def gain_of(self, band: int) -> Floats:
        """Return the gains for the band at an index."""
        if band not in self.only:
            return self.gain
        return np.where(self.only[band], self.gain, -np.inf)


def _ends(sums: Sums, first: Ints, last: Ints) -> tuple[Sums, Sums]:
    """Return the least and the largest sums within each cell."""
    low, high = sums.at(first), sums.at(last)
    least, most = (each.reduceat(sums.events, first) for each in (np.minimum, np.maximum))
    return replace(low, events=least), replace(high, events=most)


def _most_gain(
    space: Space, events: tuple[Floats, Floats], others: tuple[Floats, Floats], *, is_exact: bool
) -> Floats:
    """Return the largest gain of bands with sums between bounds: at a corner, by convexity."""
    gain, total, floor = space.objective.gain, space.sums.at(-1), space.floor
    assert gain is not None
    best = np.full(events[0].shape, -np.inf)
    for k, j in [(0, 0)] if is_exact else [(0, 0), (0, 1), (1, 0), (1, 1)]:
        own, rest = np.maximum(events[k], floor), np.maximum(others[j], floor)
        exposure = rest + own if space.objective.needs_yes_no else rest
        best = np.fmax(best, gain(exposure, own, total))
    return best


def _most_area(space: Space, ends: Sequence[Sums], least: Sums, most: Sums) -> Floats:
    """Return the largest share of Gini's coefficient of bands with sums between bounds."""
    low, high = ends
    if space.sign > 0:
        area = high.exposure * most.events - least.exposure * low.events
    else:
        area = most.exposure * high.events - low.exposure * least.events
    unit = gini_unit(space.sums.at(-1), is_yes_no=space.objective.needs_yes_no)
    return np.asarray(area / unit)


def _rates(
    space: Space, events: tuple[Floats, Floats], others: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Return the lowest and the highest rates, in the order that they must have."""
    if space.sign == 0:
        return np.full(events[0].shape, -np.inf), np.full(events[0].shape, np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        if space.objective.needs_yes_no:
            slow, fast = (e / (o + e) for e, o in zip(events, others[::-1], strict=True))
        else:
            slow = events[0] / np.where(events[0] >= 0, *others[::-1])
            fast = events[1] / np.where(events[1] >= 0, *others)
    slow, fast = np.fmax(slow, -np.inf), np.fmin(fast, np.inf)
    slow[np.isnan(slow)], fast[np.isnan(fast)] = -np.inf, np.inf
    return (slow, fast) if space.sign > 0 else (-fast, -slow)


def _best_path(pairs: _Pairs, space: Space, first: Ints, n_bands: int) -> Solution | None:
    """Return the way through cells with the highest bound, or None if there is none.

    ``total[i, j]``, the highest bound for bands of which the last is between cells i and j, is
    extended band by band; see ``extend_bands``.
    """
    if n_bands < space.fewest:
        return None
    n = len(pairs.gain)
    ways_by_low = np.argsort(pairs.low, axis=0, kind="stable").T.astype(np.int16)
    ends_by_high = np.argsort(pairs.high, axis=1, kind="stable").astype(np.int16)
    is_open = np.logical_or.reduceat(space.is_open, first, axis=1)
    total = np.full((n, n), -np.inf)
    total[0] = pairs.gain_of(0)[0]
    previous: list[Array] = []
    for k in range(1, n_bands):
        if k <= len(is_open):
            total[:, ~is_open[k - 1]] = -np.inf
        extended = np.full((n, n), -np.inf)
        previous.append(np.zeros((n, n), np.int16))
        extend_bands(
            total, pairs.low, ways_by_low, pairs.gain_of(k), pairs.high, ends_by_high,
            extended, previous[-1],
        )  # fmt: skip
        total = extended
    start, end = int(np.argmax(total[:, -1])), n - 1
    gain, path = float(total[start, -1]), []
    if gain == -np.inf:
        return None
    for each in previous[::-1]:
        path.append(start)
        start, end = int(each[start, end]), start
    return Solution(np.array(path[::-1], np.int64), gain, gain)


@kernel("low", "low", steps=6)
def extend_bands(
    total: Floats,
    low: Floats,
    ways_by_low: Ints,
    gain: Floats,
    high: Floats,
    ends_by_high: Ints,
    extended: Floats,
    previous: Ints,
) -> None:
    """Add a band to the best bands so far.

    ``extended[j, l] = gain[j, l] + max(total[i, j] for i with low[i, j] <= high[j, l])``, all
    (C, C), and ``previous[j, l]`` is the first such i. Row j of ``ways_by_low`` has the cells i in
    ascending order of ``low[i, j]``, and that of ``ends_by_high`` the cells l in ascending order of
    ``high[j, l]``. O(C^2) time.
    """
    n = len(low)
    for j in range(n):
        best, way, at = -np.inf, -1, 0
        for position in range(n):
            end = ends_by_high[j, position]
            if gain[j, end] == -np.inf:
                continue
            while at < n and low[ways_by_low[j, at], j] <= high[j, end]:
                i = ways_by_low[j, at]
                if total[i, j] > best:
                    best, way = total[i, j], i
                at += 1
            if way >= 0:
                extended[j, end] = gain[j, end] + best
                previous[j, end] = way
