"""The cuts that make the smallest recall as large as possible, then the next smallest, and so on.

A cut that comes earlier leaves more rows to the decisions above it. So recalls can be reached
together if they are when each cut is the earliest that reaches the recall of its decision.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ordcut._core.typing import Array, Ints

#: What a decision may need: the index of the level that it stays at, or None for the next level,
#: and the weight of right rows.
Need = tuple[int | None, int]


def raise_levels(at: Sequence[Ints], below: Array) -> Ints:
    """Return the index of each cut, of those given for it, with the largest smallest recall.

    Of all these cuts, they have the largest second smallest recall, and so on. ``below`` holds the
    whole weight (m, K) of each class below each cut, from the first to the last row.

    Examples
    --------
    >>> below = np.array([[0, 0], [2, 0], [2, 1], [3, 1], [3, 4]])
    >>> raise_levels([np.array([1, 2, 3])], below)
    array([3])
    """
    search = _Levels(at, below)
    totals = [int(total) for total in below[-1]]
    fixed = {d: 0 for d, total in enumerate(totals) if total == 0}
    levels: list[tuple[Fraction, int]] = []
    while len(fixed) + sum(count for _, count in levels) < len(totals):
        level = search.highest(fixed, levels)
        above = [level.numerator * total // level.denominator + 1 for total in totals]
        n_left = len(totals) - len(fixed) - sum(count for _, count in levels)
        count = next(
            count
            for count in range(1, n_left + 1)
            if search.path(fixed, [*levels, (level, count)], above) is not None
        )
        stuck = [
            d
            for d in range(len(totals))
            if d not in fixed
            and search.path(fixed, [*levels, (level, count)], above, barred=d) is None
        ]
        if len(stuck) == count:
            fixed.update({d: _least(level, totals[d]) for d in stuck})
        else:
            levels.append((level, count))
    path = search.path(fixed, levels, totals)
    assert path is not None
    return np.array([own[index] for own, index in zip(at, path[0], strict=False)], np.int64)


def _least(level: Fraction, total: int) -> int:
    return -(-level.numerator * total // level.denominator)


class _Levels:
    """The cuts that each decision may end at, and the weight of its class below its ends."""

    def __init__(self, at: Sequence[Ints], below: Array) -> None:
        self.totals = [int(total) for total in below[-1]]
        n_classes, top = len(self.totals), len(below) - 1
        self.ends = [*at, np.array([top])]
        starts = [np.array([0]), *self.ends[:-1]]
        self.at_ends = [[int(below[e, d]) for e in self.ends[d]] for d in range(n_classes)]
        self.at_starts = [[int(below[s, d]) for s in starts[d]] for d in range(n_classes)]
        self.first_end = [np.searchsorted(self.ends[d], starts[d]) for d in range(n_classes)]

    def highest(self, fixed: dict[int, int], levels: list[tuple[Fraction, int]]) -> Fraction:
        """Return the highest level that all decisions reach together that have none yet."""
        low, high = Fraction(0), Fraction(1)
        while True:
            above = [low.numerator * total // low.denominator + 1 for total in self.totals]
            path = self.path(fixed, levels, above)
            if path is None:
                return low
            low = self._reached(path, fixed)
            middle = (low + high) / 2
            path = self.path(fixed, levels, [_least(middle, total) for total in self.totals])
            if path is None:
                high = middle
            else:
                low = max(low, self._reached(path, fixed))

    def _reached(self, path: tuple[list[int], list[int | None]], fixed: dict[int, int]) -> Fraction:
        """Return the smallest recall of the decisions of a path that are at the next level."""
        indices, levels = path
        reached = []
        for d, (index, level) in enumerate(zip(indices, levels, strict=True)):
            if d not in fixed and level is None:
                start = 0 if d == 0 else indices[d - 1]
                right = self.at_ends[d][index] - self.at_starts[d][start]
                reached.append(Fraction(right, self.totals[d]))
        return min(reached)

    def path(
        self,
        fixed: dict[int, int],
        levels: Sequence[tuple[Fraction, int]],
        needed: Sequence[int],
        barred: int | None = None,
    ) -> tuple[list[int], list[int | None]] | None:
        """Return the lowest ends that give every decision its weight, and the level of each.

        The decisions of ``fixed`` need a weight of their own. Of the others, as many as each of the
        ``levels`` says stay at that level, and the rest need ``needed``. The ``barred`` decision
        does not stay at the last level.
        """
        counts = tuple(count for _, count in levels)
        states: dict[tuple[int, ...], int] = {(0,) * len(counts): 0}
        steps = []
        for d, total in enumerate(self.totals):
            needs: list[Need] = [(None, fixed.get(d, needed[d]))]
            if d not in fixed:
                own = levels[:-1] if d == barred else levels
                needs += [(i, _least(level, total)) for i, (level, _) in enumerate(own)]
            after: dict[tuple[int, ...], tuple[int, int, tuple[int, ...], int | None]] = {}
            for state, start in states.items():
                for level, weight in needs:
                    if level is not None and state[level] == counts[level]:
                        continue
                    end = self._end(d, start, weight)
                    if end is None:
                        continue
                    reached = tuple(c + (i == level) for i, c in enumerate(state))
                    if reached not in after or (end, start) < after[reached][:2]:
                        after[reached] = end, start, state, level
            steps.append(after)
            states = {state: step[0] for state, step in after.items()}
        if counts not in states:
            return None
        ends, chosen, state = [], [], counts
        for after in reversed(steps):
            end, _, state, level = after[state]
            ends.append(end)
            chosen.append(level)
        return ends[::-1], chosen[::-1]

    def _end(self, d: int, start: int, weight: int) -> int | None:
        """Return the first end of a decision that starts at an index and needs a weight."""
        at_ends = self.at_ends[d]
        least = int(self.first_end[d][start])
        end = max(least, bisect_left(at_ends, self.at_starts[d][start] + weight))
        return end if end < len(at_ends) else None
