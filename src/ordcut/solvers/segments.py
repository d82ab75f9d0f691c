"""Limits on sums over the segments of decisions, as windows for where segments may start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from ordcut.exact import LARGEST_SUM
from ordcut.jit import kernel
from ordcut.solvers.windows import SegmentWindow
from ordcut.typing import Array, Bools, Ints


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
    level : ndarray of shape (m,), optional
        A prefix sum that must be higher at the end of the segment than at its start, by at least
        ``rise``.
    rise : int or float
        By how much; at most 0 if it may fall.
    """

    sums: list[SegmentLimit] = field(default_factory=list)
    level: Array | None = None
    rise: Any = 0

    def window(self, starts: range, ends: range) -> SegmentWindow:
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
        return SegmentWindow(starts, ends, low, high, self.level, self.rise)


def segment_windows(
    decisions: Sequence[SegmentLimits], is_open: Sequence[Bools], m: int
) -> list[SegmentWindow]:
    """Return where the segment of each decision may start, for each of its ends.

    ``is_open`` says which of the ``m`` candidates each threshold may take.
    """
    ranges = _within_reach([decision.sums for decision in decisions], is_open, m)
    starts_and_ends = pairwise([range(1), *ranges, range(m - 1, m)])
    return [
        decision.window(starts, ends)
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
    if sums.dtype == np.int64:
        shift = max(-LARGEST_SUM, min(shift, LARGEST_SUM))
    probed = slice(ends.start, ends.stop if sums.dtype == object else ends.start + 1)
    n_below = np.searchsorted(sums, sums[probed] + shift, "left") + more
    if len(n_below) == len(ends):
        return n_below
    counted = np.empty(len(ends), np.int64)
    count_below(sums, ends.start, int(n_below[0]) - more, shift, more, counted)
    return counted


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
