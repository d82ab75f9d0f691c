"""Turn constraints into candidates for cuts, and windows for the segments of decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, floor

import numpy as np

from ordcut.data import SortedRows
from ordcut.exact import LARGEST_SUM, as_fraction, exact_multiples
from ordcut.jit import kernel
from ordcut.limits.constraints import (
    Constraint,
    Count,
    Gap,
    Over,
    Precision,
    Recall,
    Share,
    Under,
)
from ordcut.limits.positions import all_candidates
from ordcut.limits.scheme import Scheme, are_apart
from ordcut.solvers import Window, Windows, sums_at
from ordcut.typing import Array, Bools, Floats, Ints


@dataclass(frozen=True)
class Region:
    """All cuts that constraints allow, with the value of each threshold at each candidate.

    ``counted`` has the windows with the cuts of the observed rows, where these are others.
    """

    windows: Windows
    values: Floats
    counted: Windows

    def thresholds(self, chosen: Ints) -> Floats:
        """Return the thresholds at the chosen candidates."""
        return self.values[np.arange(len(chosen)), chosen]


def region_of(
    rows: SortedRows,
    constraints: Sequence[Constraint],
    scheme: Scheme,
    observed: SortedRows | None = None,
) -> Region:
    """Return what constraints allow of the cuts of sorted rows.

    Constraints are about the observed rows, where these are others.

    Examples
    --------
    >>> from ordcut.data import Rows
    >>> from ordcut.limits import Digits
    >>> rows = Rows.read([1.2, 1.4, 2.3], [0, 0, 1]).sorted()
    >>> scheme = Scheme([0, 1], [0, 1], is_review=False, has_truth=True)
    >>> region_of(rows, [Digits(0)], scheme).values
    array([[-inf, -inf,   2.,  inf,  inf]])
    """
    candidates = all_candidates(rows.scores, rows.ends, constraints, scheme)
    cuts = candidates.cuts
    if observed is not None and observed is not rows:
        above = np.append(rows.scores, np.inf)[cuts]
        cuts = np.searchsorted(observed.scores, above, "left")
        cuts[0] = 0  # where the first segment starts, below all rows
    sums = _Sums(rows if observed is None else observed, cuts, scheme)
    is_open = list(candidates.is_open)
    for one in constraints:
        if isinstance(one, Under):
            k, is_within = sums.open_to(one)
            is_open[k] = is_open[k] & is_within
    by_decision = _by_decision(constraints, scheme)
    decisions = [by_decision.get(d, []) for d in range(len(scheme.decisions))]
    segments = [sums.segment_limits(some) for some in decisions]
    ranges = _within_reach(segments, is_open, len(cuts))
    starts_and_ends = pairwise([range(1), *ranges, range(len(cuts) - 1, len(cuts))])
    windows = Windows(
        candidates.cuts,
        [one[some.start : some.stop] for one, some in zip(is_open, ranges, strict=True)],
        [
            _window(limits, starts, ends, sums.level(some))
            for limits, (starts, ends), some in zip(
                segments, starts_and_ends, decisions, strict=True
            )
        ],
    )
    for one in constraints:
        if isinstance(one, Gap):
            windows = replace(
                windows, segments=_apart(windows.segments, candidates.values, one.at_least)
            )
    return Region(windows, candidates.values, replace(windows, cuts=cuts))


@dataclass(frozen=True)
class SegmentLimit:
    """A limit on a sum over the segment of a decision: the difference of a prefix sum at its ends.

    Attributes
    ----------
    sums : ndarray of shape (m,)
        The prefix sum at each candidate, whole numbers in ascending order.
    at_least, at_most : int, optional
        What the difference must be.
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


def _within_reach(
    segments: Sequence[Sequence[SegmentLimit]], is_open: Sequence[Bools], m: int
) -> list[range]:
    """Return the candidates that each threshold can take at all, by what is left to the others.

    Seen from both ends, segment by segment. All are empty where limits cannot hold together.
    """
    lows, highs = [0], [0]  # where the first segment starts, and then each threshold
    for limits, one in zip(segments[:-1], is_open, strict=True):
        reaches = [limit.reach_from(lows[-1], highs[-1]) for limit in limits]
        first = max([lows[-1], *(low for low, _ in reaches)])
        last = min([m - 1, *(high for _, high in reaches)])
        at_first, at_last = one[first : last + 1], one[first : last + 1][::-1]
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


def _window(
    limits: Sequence[SegmentLimit], starts: range, ends: range, level: Array | None
) -> Window:
    """Return where the segment of a decision may start, for each of its ends."""
    low: Ints | None = None
    high: Ints | None = None
    for limit in limits if ends else ():
        if limit.at_least is not None:
            last = _n_below(limit.sums, ends, 1 - limit.at_least, -1)
            high = last if high is None else np.minimum(high, last)
        if limit.at_most is not None:
            first = _n_below(limit.sums, ends, -limit.at_most)
            low = first if low is None else np.maximum(low, first)
    return Window(starts, ends, low, high, level)


class _Sums:
    """Weights of rows below each candidate, exactly."""

    def __init__(self, rows: SortedRows, cuts: Ints, scheme: Scheme) -> None:
        self._rows, self._cuts, self._scheme = rows, cuts, scheme
        self._known: dict[bytes, Array] = {}
        self._weights: Array = np.ones(1, np.int64)
        self._unit = scheme.unit
        if rows.weights is not None:
            self._weights = rows.weights
            if not rows.is_whole:
                self._weights, multiple = exact_multiples(rows.weights)
                self._unit *= multiple

    def below(self, step: Array) -> Array:
        """Return the sum of ``step`` of their class times weight, over the rows below each cut."""
        if step.dtype == object or self._weights.dtype == object:
            rises = step[self._rows.codes] * self._weights
            return np.append(np.zeros(1, rises.dtype), np.cumsum(rises))[self._cuts]
        sums = np.empty(len(self._cuts), np.int64)
        stride = int(self._rows.weights is not None)
        sums_at(self._rows.codes, self._weights, stride, step, self._cuts, sums)
        return sums

    def of_classes(self, which: Bools) -> Array:
        """Return the weight of the rows of some classes below each cut."""
        key = which.tobytes()
        if key not in self._known:
            self._known[key] = self.below(which.astype(np.int64))
        return self._known[key]

    def open_to(self, limit: Under) -> tuple[int, Bools]:
        """Return the threshold that a limit is about, and the candidates that it leaves to it."""
        scheme = self._scheme
        k = scheme.true_class(limit)
        every, share = np.arange(len(scheme.classes)), as_fraction(limit.at_most)
        if isinstance(limit, Over):
            last = scheme.last_decision_of(limit)
            if last < len(scheme.decisions) - 1:
                below = self.of_classes(every <= k)
                return last, below[-1] - below <= floor(share * int(below[-1]))
        else:
            first = scheme.first_decision_of(limit)
            if first > 0:
                below = self.of_classes(every >= k)
                return first - 1, below <= floor(share * int(below[-1]))
        return 0, np.ones(len(self._cuts), np.bool_)  # no decision is lower, or higher

    def segment_limits(
        self, constraints: Sequence[Recall | Share | Count | Precision]
    ) -> list[SegmentLimit]:
        """Return limits on the segment of a decision, by the constraints that name it."""
        found = []
        scheme = self._scheme
        for one in constraints:
            if isinstance(one, Precision):
                continue
            which = scheme.counted
            if isinstance(one, Recall):
                which = np.arange(len(which)) == scheme.true_class(one)
            sums = self.of_classes(which)
            whole = 1 / self._unit if isinstance(one, Count) else as_fraction(1.0) * int(sums[-1])
            least, most = one.at_least, getattr(one, "at_most", None)
            found.append(
                SegmentLimit(
                    sums,
                    ceil(as_fraction(least) * whole) if least else None,
                    None if most is None else floor(as_fraction(most) * whole),
                )
            )
        return found

    def level(self, constraints: Sequence[Recall | Share | Count | Precision]) -> Array | None:
        """Return the prefix sum that must not fall over the segment of a decision, if there is one.

        That is a share of one class, the highest of those that are asked for.
        """
        floors = [one for one in constraints if isinstance(one, Precision)]
        if not floors:
            return None
        highest = max(as_fraction(one.at_least) for one in floors)
        return self._level(self._scheme.true_class(floors[0]), highest)

    def _level(self, k: int, share: object) -> Array:
        """Return the prefix sum that must not fall over a segment with a share of one class."""
        top, bottom = share.numerator, share.denominator  # type: ignore[attr-defined]
        is_own = np.arange(len(self._scheme.classes)) == k
        total = len(self._rows.codes) if self._rows.weights is None else int(self._weights.sum())
        dtype = np.int64 if bottom * total < LARGEST_SUM else object
        step = is_own.astype(dtype) * bottom - top
        return self.below(step)


def _by_decision(
    constraints: Sequence[Constraint], scheme: Scheme
) -> dict[int, list[Recall | Share | Count | Precision]]:
    """Return the limits on single decisions by the position of these."""
    found: dict[int, list[Recall | Share | Count | Precision]] = {}
    for one in constraints:
        if isinstance(one, Recall | Share | Count | Precision):
            found.setdefault(scheme.decision(one), []).append(one)
    return found


def _n_below(sums: Array, ends: range, shift: int, more: int = 0) -> Ints:
    """Return how many of ascending whole sums are below that at each end plus a shift, and more."""
    if sums.dtype == np.int64:
        shift = max(-LARGEST_SUM, min(shift, LARGEST_SUM))
    some = slice(ends.start, ends.stop if sums.dtype == object else ends.start + 1)
    found = np.searchsorted(sums, sums[some] + shift, "left") + more
    if len(found) == len(ends):
        return found
    counted = np.empty(len(ends), np.int64)
    count_below(sums, ends.start, int(found[0]) - more, shift, more, counted)
    return counted


@kernel("found", steps=4)
def count_below(
    sums: Ints, first_end: int, n_below: int, shift: int, more: int, found: Ints
) -> None:
    """Count how many of ascending sums are below that at each end plus a shift, and add some more.

    At the first end there are ``n_below`` of them.
    """
    for e in range(len(found)):
        target = sums[first_end + e] + shift
        while n_below < len(sums) and sums[n_below] < target:
            n_below += 1
        found[e] = n_below + more


def _apart(segments: Sequence[Window], values: Floats, gap: float) -> list[Window]:
    """Return the windows of segments with neighbouring thresholds some distance apart."""
    made = list(segments)
    for d in range(1, len(segments) - 1):
        window = segments[d]
        own = np.arange(window.ends.start, window.ends.stop)
        starts, ends = values[d - 1], values[d][own]
        with np.errstate(invalid="ignore"):
            last = np.minimum(np.searchsorted(starts, ends - gap, "right") - 1, own)
            while True:  # the search did without the rounding, so that some more can be allowed
                after = np.minimum(last + 1, own)  # a segment does not start after its end
                step = (after > last) & are_apart(starts[after], ends, gap)
                if not step.any():
                    break
                last = np.where(step, after, last)
        high = last if window.high is None else np.minimum(window.high, last)
        made[d] = replace(window, high=high)
    return made
