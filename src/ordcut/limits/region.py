"""Turn constraints into candidates for cuts, and windows for the segments of decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    sums = _Sums(rows if observed is None else observed, cuts, scheme)
    is_open = list(candidates.is_open)
    for one in constraints:
        if isinstance(one, Under):
            k, is_within = sums.open_to(one)
            is_open[k] = is_open[k] & is_within
    by_decision = _by_decision(constraints, scheme)
    segments = [sums.window(by_decision.get(d, [])) for d in range(len(scheme.decisions))]
    for one in constraints:
        if isinstance(one, Gap):
            segments = _apart(segments, candidates.values, one.at_least)
    windows = Windows(candidates.cuts, is_open, segments)
    return Region(windows, candidates.values, replace(windows, cuts=cuts))


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

    def window(self, constraints: Sequence[Recall | Share | Count | Precision]) -> Window:
        """Return where the segment of a decision may start, by the constraints that name it."""
        low: Ints | None = None
        high: Ints | None = None
        level, floor_of_level = None, as_fraction(0.0)
        scheme = self._scheme
        for one in constraints:
            if isinstance(one, Precision):
                floor_of_level = max(floor_of_level, as_fraction(one.at_least))
                level = self._level(scheme.true_class(one), floor_of_level)
                continue
            which = scheme.counted
            if isinstance(one, Recall):
                which = np.arange(len(which)) == scheme.true_class(one)
            sums = self.of_classes(which)
            whole = 1 / self._unit if isinstance(one, Count) else as_fraction(1.0) * int(sums[-1])
            least, most = one.at_least, getattr(one, "at_most", None)
            if least:
                last = _n_below(sums, 1 - ceil(as_fraction(least) * whole), -1)
                high = last if high is None else np.minimum(high, last)
            if most is not None:
                first = _n_below(sums, -floor(as_fraction(most) * whole))
                low = first if low is None else np.maximum(low, first)
        return Window(low, high, level)

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


def _n_below(sums: Array, shift: int, more: int = 0) -> Ints:
    """Return how many of ascending whole sums are below each plus a shift, and some more."""
    if sums.dtype != np.int64:
        return np.searchsorted(sums, sums + shift, "left") + more
    found = np.empty(len(sums), np.int64)
    count_below(sums, max(-LARGEST_SUM, min(shift, LARGEST_SUM)), more, found)
    return found


@kernel("sums", steps=4)
def count_below(sums: Ints, shift: int, more: int, found: Ints) -> None:
    """Count how many of ascending sums are below each of them plus a shift, and add some more."""
    n_below = 0
    for j in range(len(sums)):
        target = sums[j] + shift
        while n_below < len(sums) and sums[n_below] < target:
            n_below += 1
        found[j] = n_below + more


def _apart(segments: list[Window], values: Floats, gap: float) -> list[Window]:
    """Return the windows of segments with neighbouring thresholds some distance apart."""
    made = list(segments)
    for d in range(1, len(segments) - 1):
        starts, ends = values[d - 1], values[d]
        with np.errstate(invalid="ignore"):
            own = np.arange(len(ends))
            last = np.minimum(np.searchsorted(starts, ends - gap, "right") - 1, own)

            def is_apart(at: Ints, starts: Floats = starts, ends: Floats = ends) -> Bools:
                return are_apart(starts[at], ends, gap)

            while True:  # the search above did without the rounding: move to where it holds
                after = np.minimum(last + 1, own)  # a segment does not start after its end
                step = (after > last) & is_apart(after)
                if not step.any():
                    break
                last = np.where(step, after, last)
            while True:
                step = (last >= 0) & ~is_apart(np.maximum(last, 0))
                if not step.any():
                    break
                last = np.where(step, last - 1, last)
        high = segments[d].high
        made[d] = Window(
            segments[d].low, last if high is None else np.minimum(high, last), segments[d].level
        )
    return made
