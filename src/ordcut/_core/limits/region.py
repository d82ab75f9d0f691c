"""Turn limits into candidates for cuts, and windows for the segments of decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from ordcut._core.data import SortedRows
from ordcut._core.limits.choices import CandidateCuts, all_candidates
from ordcut._core.limits.forms import Demand, Distance, Limits, Ratio
from ordcut._core.limits.sequence import PromisedPrecision
from ordcut._core.limits.spacing import lowered
from ordcut._core.numerics.exact import LARGEST_SUM, UNIT_ROUNDOFF, exact_multiples
from ordcut._core.numerics.jit import kernel
from ordcut._core.numerics.threads import cached_property
from ordcut._core.solvers import SegmentWindow, Windows, sums_at
from ordcut._core.typing import Array, Bools, Floats, Ints

#: For fewer ends than this, sums beyond int64 are compared without floats.
FEWEST_IN_FLOATS = 16

#: Whole numbers of more bits than this are not compared as floats, which could overflow.
MOST_BITS_OF_FLOATS = 1000


@dataclass(frozen=True)
class Region:
    """All cuts that limits allow, with the value of each threshold at each candidate.

    ``counted`` has the windows with the cuts of the observed rows, where these are others.
    """

    windows: Windows
    values: Floats
    counted: Windows


@dataclass(frozen=True)
class SegmentLimit:
    """A limit on a sum over the segment of a decision: the difference of a prefix sum at its ends.

    Attributes
    ----------
    sums : ndarray of shape (m,)
        The prefix sum at each candidate, whole numbers in ascending order.
    at_least, at_most : int, optional
        The least and the largest difference.
    """

    sums: Array
    at_least: int | None = None
    at_most: int | None = None

    def reach_from(self, lowest: int, highest: int) -> tuple[int, int]:
        """Return the first and the last end of segments that start between two candidates."""
        first, last = lowest, len(self.sums) - 1
        if self.at_least is not None:
            first = self._n_below(lowest, self.at_least)
        if self.at_most is not None:
            last = self._n_below(highest, self.at_most + 1) - 1
        return first, last

    def reach_back_from(self, lowest: int, highest: int) -> tuple[int, int]:
        """Return the first and the last start of segments that end between two candidates."""
        first, last = 0, highest
        if self.at_most is not None:
            first = self._n_below(lowest, -self.at_most)
        if self.at_least is not None:
            last = self._n_below(highest, 1 - self.at_least) - 1
        return first, last

    def _n_below(self, candidate: int, shift: int) -> int:
        return int(_n_below(self.sums, range(candidate, candidate + 1), shift)[0])


@dataclass
class SegmentLimits:
    """All limits on the segment of a decision.

    Attributes
    ----------
    sums : list of SegmentLimit
        Limits on sums that only grow with the segment.
    level : Demand, optional
        A limit on a sum that can grow and shrink with the segment.
    """

    sums: list[SegmentLimit] = field(default_factory=list)
    level: Demand | None = None

    def add(self, demand: Demand, below: Callable[[Array], Array]) -> None:
        """Demand a sum over the rows of the segment.

        ``below`` returns the sum over the rows below each candidate, for the steps of the classes.
        """
        step = demand.step
        if (step >= 0).all():
            if demand.at_least > 0:
                self.sums.append(SegmentLimit(below(step), at_least=demand.at_least))
        elif (step <= 0).all():
            self.sums.append(SegmentLimit(below(-step), at_most=-demand.at_least))
        elif self.level is None or demand.implies(self.level):
            self.level = demand
        elif not self.level.implies(demand):
            raise ValueError(
                "constraints can limit only one share of the rows of a decision: its precision, "
                "its lift, its F1 or a ceiling of one of them, unless one limit implies the "
                "others. Leave out one of them."
            )

    def window(self, starts: range, ends: range, below: Callable[[Array], Array]) -> SegmentWindow:
        """Return where the segment may start, for each of its ends."""
        low: Ints | None = None
        high: Ints | None = None
        for limit in self.sums if ends else ():
            if limit.at_least is not None:
                last = _n_below(limit.sums, ends, 1 - limit.at_least, -1)
                high = last if high is None else np.minimum(high, last)
            if limit.at_most is not None:
                first = _n_below(limit.sums, ends, -limit.at_most)
                low = first if low is None else np.maximum(low, first)
        if self.level is None:
            return SegmentWindow(starts, ends, low, high)
        return SegmentWindow(starts, ends, low, high, below(self.level.step), self.level.at_least)


def region_of(
    rows: SortedRows,
    limits: Limits,
    observed: SortedRows | None = None,
    unit: Fraction = Fraction(1),
) -> Region:
    """Return the cuts of sorted rows that limits allow.

    Limits are about the observed rows, where these are others; ``unit`` is what a weight of 1
    stands for there.

    Examples
    --------
    >>> from ordcut._core.data import Rows
    >>> from ordcut._core.limits import Digits, Names, lower_all
    >>> rows = Rows.read([1.2, 1.4, 2.3], [0, 0, 1]).sorted()
    >>> region_of(rows, lower_all([Digits(0)], Names([0, 1], [0, 1]))).values
    array([[-inf, -inf,   2.,  inf,  inf]])
    """
    candidates = all_candidates(rows.scores, rows.ends, limits)
    return region_among(candidates, rows, limits, observed, unit)


def region_among(
    candidates: CandidateCuts,
    rows: SortedRows,
    limits: Limits,
    observed: SortedRows | None,
    unit: Fraction,
) -> Region:
    """Return the candidates that limits on weights and distances allow; see ``region_of``."""
    cuts = candidates.cuts
    if observed is not None and observed is not rows:
        above = np.append(rows.scores, np.inf)[cuts]
        cuts = np.searchsorted(observed.scores, above, "left")
        cuts[0] = 0  # where the first segment starts, below all rows
    is_open = list(candidates.is_open)
    decisions = [SegmentLimits() for _ in range(limits.n_thresholds + 1)]
    sums = PrefixSums(rows if observed is None else observed, cuts, unit)
    # Before any other limit: which candidates are tested must not depend on labels.
    passed = [_passed(form, sums, is_open[form.index]) for form in limits.promised]
    for form, is_passed in zip(limits.promised, passed, strict=True):
        is_open[form.index] = is_open[form.index] & is_passed
    for ratio in limits.ratios:
        _apply(ratio, sums, is_open, decisions)
    segments = _segment_windows(decisions, is_open, sums)
    if limits.distance is not None:
        segments = _apart(segments, candidates, limits.distance)
    open_in_range = [
        openness[segment.ends.start : segment.ends.stop]
        for openness, segment in zip(is_open, segments[:-1], strict=True)
    ]
    windows = Windows(candidates.cuts, open_in_range, segments)
    return Region(windows, candidates.values, replace(windows, cuts=cuts))


def _apply(
    ratio: Ratio, sums: PrefixSums, is_open: list[Bools], decisions: list[SegmentLimits]
) -> None:
    """Close the candidates that a ratio forbids, or limit the segment that it is about."""
    kind, index = ratio.reach.kind, ratio.reach.index
    for demand in ratio.demands(sums.totals, sums.unit):
        if kind == "segment":
            decisions[index].add(demand, sums.below)
        elif kind == "threshold":
            is_open[index] = is_open[index] & (sums.below(demand.step) >= demand.at_least)
        elif demand.at_least > 0:  # no threshold changes the sum, and it is too small
            is_open[0] = np.zeros_like(is_open[0])


def _passed(form: PromisedPrecision, sums: PrefixSums, candidates: Bools) -> Bools:
    """Return at which of the candidates rows promise a precision."""
    n_rows, n_right = sums.beyond(form)
    passed = np.zeros_like(candidates)
    passed[candidates] = form.passed(n_rows[candidates], n_right[candidates], sums.unit)
    return passed


class PrefixSums:
    """Weights of rows below each candidate, exactly; by default each cut is a candidate."""

    def __init__(self, rows: SortedRows, cuts: Ints | None, unit: Fraction) -> None:
        self.cuts = np.append(0, np.flatnonzero(rows.ends) + 1) if cuts is None else cuts
        self._rows, self._unit = rows, unit
        self._known: dict[tuple[int, ...], Array] = {}

    @cached_property
    def _multiples(self) -> tuple[Array, Fraction]:
        """The weights as whole numbers, and what a weight of 1 stands for."""
        weights = self._rows.weights
        if weights is None:
            return np.ones(1, np.int64), self._unit
        if self._rows.is_whole:
            return weights, self._unit
        multiples, multiple = exact_multiples(weights, self._rows.limbs)
        return multiples, self._unit * multiple

    @property
    def unit(self) -> Fraction:
        """What a weight of 1 stands for in the weights that the user gave."""
        return self._multiples[1]

    @cached_property
    def totals(self) -> Array:
        """The weight of each class, in multiples of ``unit``."""
        if self._rows.is_whole:
            return self._rows.exact_totals
        totals = np.zeros(self._rows.n_classes, dtype=object)
        np.add.at(totals, self._rows.codes, self._multiples[0])
        return totals

    def below(self, step: Array) -> Array:
        """Return the sum of ``step`` of their class times weight, over the rows below each cut."""
        key = tuple(step.tolist())
        if key not in self._known:
            largest = max(map(abs, key)) * int(self.totals.sum())
            self._known[key] = self._sum(step.astype(np.int64 if largest < LARGEST_SUM else object))
        return self._known[key]

    def beyond(self, form: PromisedPrecision) -> tuple[Ints, Ints]:
        """Return how many rows get a decision at the end at each cut, and how many are right."""
        sums = [(self.below(step), (step * self.totals).sum()) for step in form.steps]
        every, right = (below if form.end == 0 else total - below for below, total in sums)
        return every, right

    def _sum(self, step: Array) -> Array:
        weights, _ = self._multiples
        if step.dtype == object or weights.dtype == object:
            rises = step[self._rows.codes] * weights
            return np.append(np.zeros(1, rises.dtype), np.cumsum(rises))[self.cuts]
        sums = np.empty(len(self.cuts), np.int64)
        stride = int(self._rows.weights is not None)
        sums_at(self._rows.codes, weights, stride, step, self.cuts, sums)
        return sums


def _apart(
    segments: Sequence[SegmentWindow], candidates: CandidateCuts, distance: Distance
) -> list[SegmentWindow]:
    """Return the windows of segments with neighbouring thresholds far enough apart."""
    apart, values, gaps = list(segments), candidates.values, candidates.gaps
    for d in range(1, len(segments) - 1):
        window = segments[d]
        own = np.arange(window.ends.start, window.ends.stop)
        starts, ends = values[d - 1], values[d][own]
        furthest = lowered(ends, distance.at_least if gaps is None else gaps[d - 1])
        last = np.minimum(np.searchsorted(starts, furthest, "right") - 1, own)
        while gaps is None:  # values of a grid may be closer by a rounding
            after = np.minimum(last + 1, own)  # a segment does not start after its end
            step = (after > last) & distance.keeps(starts[after], ends)
            if not step.any():
                break
            last = np.where(step, after, last)
        high = last if window.high is None else np.minimum(window.high, last)
        apart[d] = replace(window, high=high)
    return apart


def _segment_windows(
    decisions: Sequence[SegmentLimits], is_open: Sequence[Bools], sums: PrefixSums
) -> list[SegmentWindow]:
    """Return where the segment of each decision may start, for each of its ends.

    ``is_open`` says which of the candidates each threshold may take.
    """
    m = len(sums.cuts)
    ranges = _within_reach([decision.sums for decision in decisions], is_open, m)
    starts_and_ends = pairwise([range(1), *ranges, range(m - 1, m)])
    return [
        decision.window(starts, ends, sums.below)
        for decision, (starts, ends) in zip(decisions, starts_and_ends, strict=True)
    ]


def _within_reach(
    segments: Sequence[Sequence[SegmentLimit]], is_open: Sequence[Bools], m: int
) -> list[range]:
    """Return the range of candidates that each threshold can take if all segments keep limits.

    Ranges shrink segment by segment, first from below and then from above. All are empty if the
    limits cannot hold together.
    """
    lows, highs = [0], [0]  # where the first segment starts, and then each threshold
    for limits, openness in zip(segments[:-1], is_open, strict=True):
        reaches = [limit.reach_from(lows[-1], highs[-1]) for limit in limits]
        first = max([lows[-1], *(low for low, _ in reaches)])
        last = min([m - 1, *(high for _, high in reaches)])
        at_first, at_last = openness[first : last + 1], openness[first : last + 1][::-1]
        if not at_first.any():
            return [range(0)] * len(is_open)
        lows.append(first + int(np.argmax(at_first)))
        highs.append(last - int(np.argmax(at_last)))
    low, high = m - 1, m - 1
    for k in range(len(is_open), 0, -1):
        reaches = [limit.reach_back_from(low, high) for limit in segments[k]]
        low = max([lows[k], *(first for first, _ in reaches)])
        high = min([highs[k], high, *(last for _, last in reaches)])
        if low > high:
            return [range(0)] * len(is_open)
        lows[k], highs[k] = low, high
    return [range(low, high + 1) for low, high in zip(lows[1:], highs[1:], strict=True)]


def _n_below(sums: Array, ends: range, shift: int, more: int = 0) -> Ints:
    """Return ``more`` plus the number of ascending sums below that at each end plus a shift."""
    if sums.dtype == object:
        return _n_large_below(sums, slice(ends.start, ends.stop), shift) + more
    shift = max(-LARGEST_SUM, min(shift, LARGEST_SUM))
    first = int(np.searchsorted(sums, sums[ends.start] + shift, "left"))
    counted = np.empty(len(ends), np.int64)
    count_below(sums, ends.start, first, shift, more, counted)
    return counted


def _n_large_below(sums: Array, ends: slice, shift: int) -> Ints:
    """Return the number of ascending sums, whole numbers of any size, as ``_n_below`` does.

    Where float64 cannot tell, the numbers themselves are compared.
    """
    largest = int(sums[-1]) + int(abs(shift)) + 1
    if ends.stop - ends.start < FEWEST_IN_FLOATS or largest.bit_length() > MOST_BITS_OF_FLOATS:
        return np.searchsorted(sums, sums[ends] + shift, "left")
    floats: Floats = sums.astype(np.float64)
    aims, error = floats[ends] + float(shift), 8 * UNIT_ROUNDOFF * float(largest)
    n_below = np.searchsorted(floats, aims - error, "left")
    is_close = np.searchsorted(floats, aims + error, "right") > n_below
    n_below[is_close] = np.searchsorted(sums, sums[ends][is_close] + shift, "left")
    return n_below


@kernel("counted", steps=4)
def count_below(
    sums: Ints, first_end: int, n_below: int, shift: int, more: int, counted: Ints
) -> None:
    """Count the ascending sums that are below the sum at each end plus a shift, and add ``more``.

    At least ``n_below`` of them are below that at the first end. Fills ``counted``. O(m) time.
    """
    for e in range(len(counted)):
        target = sums[first_end + e] + shift
        while n_below < len(sums) and sums[n_below] < target:
            n_below += 1
        counted[e] = n_below + more
