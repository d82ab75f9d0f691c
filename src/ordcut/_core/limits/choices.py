"""Where thresholds may stand between scores: anywhere, in an interval, or on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ordcut._core.cuts import Placed
from ordcut._core.data import place_known
from ordcut._core.limits.forms import Limits
from ordcut._core.limits.grid import Grid, round_numbers
from ordcut._core.limits.spacing import place_apart, values_apart
from ordcut._core.typing import Array, Bools, Floats, Ints

#: The number of cuts at which thresholds are placed at a time, which keeps memory low.
PIECE = 1 << 18

#: The scores below and above each cut, and the threshold in the middle between them.
Around: TypeAlias = tuple[Array, Array, Floats]


@dataclass(frozen=True)
class CandidateCuts:
    """Cuts in ascending order, with the value that each threshold would have there.

    The first of the m cuts is 0 and the last the number of rows, which need not be open to any
    threshold. ``values`` (D - 1, m) ascend for each threshold, and ``is_open`` (D - 1, m) says
    whether the threshold may take them. ``gaps`` (D - 2,) are the exact distances that neighbouring
    thresholds must keep, unless they are on a grid.
    """

    cuts: Ints
    values: Floats
    is_open: Bools
    gaps: Floats | None


@dataclass(frozen=True)
class Choices:
    """The values that are allowed: an interval for each threshold, a grid and a distance for all.

    ``gaps`` (D - 2,) are the distances between neighbours that are not on a grid. Neighbours that
    are both fixed keep the distance if the decimals do: 0.1 and 0.3 are 0.2 apart.
    ``has_every_value`` says whether no value is ruled out.
    """

    low: Floats
    high: Floats
    grid: Grid | None
    gaps: Floats | None = None
    has_every_value: bool = False

    @classmethod
    def within(cls, limits: Limits) -> Choices:
        """Return the values that limits allow together."""
        n_thresholds = limits.n_thresholds
        low, high = np.full(n_thresholds, -np.inf), np.full(n_thresholds, np.inf)
        if not limits.intervals and limits.grid is None and limits.distance is None:
            return cls(low, high, None, has_every_value=True)
        for interval in limits.intervals:
            k = interval.k
            low[k], high[k] = max(low[k], interval.low), min(high[k], interval.high)
        # Thresholds ascend: a value below a threshold is below all that follow.
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
        if limits.distance is None or limits.grid is not None:
            return cls(low, high, limits.grid)
        is_fixed = (low == high)[1:] & (low == high)[:-1]
        is_kept = is_fixed & limits.distance.keeps(low[:-1], low[1:])
        return cls(low, high, None, np.where(is_kept, 0.0, limits.distance.at_least))

    def place_each(self, around: Around) -> tuple[Floats, Bools]:
        """Return where each threshold would stand between its scores, and whether it may."""
        lower, upper, _ = around
        if self.grid is None:
            at, may_stand = self.place_within(around, self.low, self.high)
            if self.gaps is None or not may_stand.all():
                return at, may_stand
            lowest = np.maximum(np.nextafter(lower.astype(np.float64), np.inf), self.low)
            lowest = np.where(np.isneginf(lower), self.low, lowest)
            placed = place_apart(at, lowest, np.minimum(upper, self.high), self.gaps)
            return (at, ~may_stand) if placed is None else (placed, may_stand)
        each = zip(*(at[:, None] for at in around), self.low, self.high, strict=True)
        values, is_open = zip(
            *(self.place_within(ends[:3], *ends[3:]) for ends in each), strict=True
        )
        return np.concatenate(values), np.concatenate(is_open)

    def place_within(
        self, around: Around, low: Floats | float, high: Floats | float
    ) -> tuple[Floats, Bools]:
        """Return where thresholds from ``low`` to ``high`` would stand, and whether they may.

        They must be above the lower score and at or below the upper. Of several allowed values,
        they take the nearest to the middle.
        """
        lower, upper, middle = around
        if self.has_every_value:
            return middle, np.asarray(lower < upper)
        below, above = lower.astype(np.float64), upper.astype(np.float64)
        if self.grid is None:
            value = np.clip(middle, low, high)
        else:
            value = self.grid.nearest((below, above), middle, (float(low), float(high)))
        # Beyond all scores, thresholds are infinite where they may.
        if self.grid is None or self.grid.has(-np.inf):
            value = np.where(np.isneginf(below) & (low == -np.inf), -np.inf, value)
        if self.grid is None or self.grid.has(np.inf):
            value = np.where(np.isposinf(above) & (high == np.inf), np.inf, value)
        with np.errstate(invalid="ignore"):
            is_above = (value > below) | np.isneginf(below)
            is_open = is_above & (value <= above) & (low <= value) & (value <= high)
        return np.where(is_open, value, middle), np.asarray(is_open)


def place_each(limits: Limits, placed: Placed) -> tuple[Floats, Bools]:
    """Return where each threshold would stand between its scores, and whether it may.

    ``placed`` holds the scores around each cut, and the threshold in the middle between them.
    """
    (lower, upper), middle = placed
    return Choices.within(limits).place_each((lower, upper, middle))


def all_candidates(scores: Array, ends: Bools, limits: Limits) -> CandidateCuts:
    """Return the cuts of sorted rows that are open to any threshold."""
    choices = Choices.within(limits)
    n_thresholds = len(choices.low)
    if limits.distance is not None:
        # Which of several values at a cut is taken matters to the distance.
        listed = _values_apart(choices, scores[ends].astype(np.float64), limits.distance.at_least)
        cuts: Ints = np.searchsorted(scores.astype(np.float64), listed, "left")
        values = listed[None]
        is_open = (choices.low[:, None] <= values) & (values <= choices.high[:, None])
        used = np.flatnonzero(is_open.any(axis=0))
        pieces = [(cuts[used], np.broadcast_to(values[:, used], (1, len(used))), is_open[:, used])]
    else:
        every = np.append(0, np.flatnonzero(ends) + 1)
        pieces = [
            _open_among(choices, scores, every[i : i + PIECE]) for i in range(0, len(every), PIECE)
        ]
    open_cuts, values_at, open_at = zip(*pieces, strict=True)
    return CandidateCuts(
        np.concatenate([[0], *open_cuts, [len(scores)]]),
        _between_ends(values_at, (-np.inf, np.inf), n_thresholds),
        _between_ends(open_at, (False, False), n_thresholds),
        choices.gaps,
    )


def _open_among(choices: Choices, scores: Array, cuts: Ints) -> tuple[Ints, Floats, Bools]:
    """Return which of the cuts are open to any threshold, and the values and thresholds there."""
    (lower, upper), middle = place_known(scores, cuts, has_lumps=False)
    values, is_open = _placed_at(choices, (lower, upper, middle))
    used = np.flatnonzero(is_open.any(axis=0))
    return cuts[used], values[:, used], is_open[:, used]


def _placed_at(choices: Choices, around: Around) -> tuple[Floats, Bools]:
    """Return the value of each threshold at each cut, and whether it may stand there.

    One row stands for all thresholds if they have the same interval.
    """
    intervals = list(zip(choices.low.tolist(), choices.high.tolist(), strict=True))
    place = {ends: choices.place_within(around, *ends) for ends in dict.fromkeys(intervals)}
    rows = place.values() if len(place) == 1 else [place[ends] for ends in intervals]
    values, is_open = zip(*rows, strict=True)
    return np.stack(values), np.stack(is_open)


def _values_apart(choices: Choices, scores: Floats, gap: float) -> Floats:
    """Return all values that thresholds at least a gap apart may need, given distinct scores."""
    if choices.grid is None:
        return values_apart(scores, choices.low, choices.high, gap)
    if choices.grid.n_digits is None:
        assert choices.grid.listed is not None
        return choices.grid.listed
    ends = np.concatenate([scores[[0, -1]], choices.low, choices.high])
    ends = ends[np.isfinite(ends)]
    beyond = gap * (len(choices.low) - 1)  # several thresholds can be beyond all scores
    return round_numbers(choices.grid.n_digits, ends.min() - beyond, ends.max() + beyond)


def _between_ends(pieces: Sequence[Array], ends: tuple[Any, Any], n_thresholds: int) -> Array:
    """Return pieces of a table side by side between two columns, with a row for each threshold."""
    first, last = (np.full((len(pieces[0]), 1), end, pieces[0].dtype) for end in ends)
    table = np.concatenate([first, *pieces, last], axis=1)
    return np.broadcast_to(table, (n_thresholds, table.shape[1]))
