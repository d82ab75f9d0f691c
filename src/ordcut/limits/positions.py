"""Where thresholds may stand between scores: anywhere, in an interval, or at given values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ordcut.exact import EXACT
from ordcut.limits.constraints import Allowed, Between, Constraint, Digits, Fixed, Gap
from ordcut.limits.scheme import Scheme, is_round
from ordcut.thresholds import place_between, scores_around
from ordcut.typing import Array, Bools, Floats, Ints

#: At most so many round numbers between the scores are listed one by one.
MOST_ROUND_NUMBERS = 1_000_000


@dataclass(frozen=True)
class Candidates:
    """Cuts in ascending order, with the value that each threshold would have there.

    Attributes
    ----------
    cuts : ndarray of shape (m,)
        First 0, and last the number of rows, which need not be open to any threshold.
    values : ndarray of shape (D - 1, m)
        In ascending order for each threshold.
    is_open : ndarray of shape (D - 1, m)
        Whether the threshold may take that value.
    """

    cuts: Ints
    values: Floats
    is_open: Bools


@dataclass(frozen=True)
class Choices:
    """The values that are allowed: an interval for each threshold, and a list or digits for all."""

    low: Floats
    high: Floats
    listed: Floats | None
    n_digits: int | None

    @classmethod
    def of(cls, constraints: Sequence[Constraint], scheme: Scheme) -> Choices:
        """Return what constraints on values allow together."""
        n_thresholds = len(scheme.decisions) - 1
        low, high = np.full(n_thresholds, -np.inf), np.full(n_thresholds, np.inf)
        listed: Floats | None = None
        n_digits: int | None = None
        for one in constraints:
            if isinstance(one, Fixed | Between):
                k = scheme.threshold(one)
                ends = (one.value, one.value) if isinstance(one, Fixed) else (one.low, one.high)
                low[k], high[k] = max(low[k], ends[0]), min(high[k], ends[1])
            elif isinstance(one, Allowed):
                values = np.array(one.values)
                listed = values if listed is None else np.intersect1d(listed, values)
            elif isinstance(one, Digits):
                n_digits = one.n if n_digits is None else min(one.n, n_digits)
        if listed is not None and n_digits is not None:
            is_kept = [is_round(value, n_digits) for value in listed.tolist()]
            listed, n_digits = listed[is_kept], None
        # Thresholds ascend: what is below one of them is below all that follow.
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
        return cls(low, high, listed, n_digits)

    def place_each(self, lower: Array, upper: Array) -> tuple[Floats, Bools]:
        """Return where each threshold would stand between its scores, and whether it may."""
        if self.listed is None and self.n_digits is None:
            return self.place_within(lower, upper, self.low, self.high)
        placed = [self.place(k, lower[k : k + 1], upper[k : k + 1]) for k in range(len(self.low))]
        return np.concatenate([at for at, _ in placed]), np.concatenate([is_ for _, is_ in placed])

    def place(self, k: int, lower: Array, upper: Array) -> tuple[Floats, Bools]:
        """Return where threshold ``k`` would stand between scores, and whether it may stand there.

        It must be above the lower score and not above the upper one. Of several allowed values it
        takes the one nearest to the middle.
        """
        return self.place_within(lower, upper, self.low[k], self.high[k])

    def place_within(
        self, lower: Array, upper: Array, low: Floats | float, high: Floats | float
    ) -> tuple[Floats, Bools]:
        """Return the same for thresholds from ``low`` to ``high``."""
        middle = place_between(lower, upper)
        below, above = lower.astype(np.float64), upper.astype(np.float64)
        # At the ends there is no middle: the value next to the scores is the nearest.
        aim = np.where(np.isinf(below), above, np.where(np.isinf(above), below, middle))
        if self.listed is None and self.n_digits is None:
            value = np.clip(middle, low, high)
        elif self.listed is not None:
            value = _nearest_listed(self.listed, below, above, float(low), float(high), aim)
        else:
            assert self.n_digits is not None
            value = _nearest_round(self.n_digits, below, above, float(low), float(high), aim)
        if self._has(-np.inf):  # beyond all scores, thresholds are infinite where they may
            value = np.where(np.isneginf(below) & (low == -np.inf), -np.inf, value)
        if self._has(np.inf):
            value = np.where(np.isposinf(above) & (high == np.inf), np.inf, value)
        with np.errstate(invalid="ignore"):
            is_above = (value > below) | np.isneginf(below)
            is_open = is_above & (value <= above) & (low <= value) & (value <= high)
        return np.where(is_open, value, middle), np.asarray(is_open)

    def round_numbers_apart(self, scores: Array, constraints: Sequence[Constraint]) -> Floats:
        """Return all round numbers that thresholds some distance apart may need."""
        assert self.n_digits is not None
        gap = max(one.at_least for one in constraints if isinstance(one, Gap))
        ends = np.concatenate([scores[[0, -1]].astype(np.float64), self.low, self.high])
        ends = ends[np.isfinite(ends)]
        beyond = gap * (len(self.low) - 1)  # several thresholds can be beyond all scores
        return round_numbers(self.n_digits, ends.min() - beyond, ends.max() + beyond)

    def _has(self, end: float) -> bool:
        """Return whether the list, or the digits, allow an infinite value."""
        return self.listed is None or end in self.listed


def all_candidates(
    scores: Array, ends: Bools, constraints: Sequence[Constraint], scheme: Scheme
) -> Candidates:
    """Return the cuts of sorted rows that are open to some threshold."""
    choices = Choices.of(constraints, scheme)
    n_thresholds = len(choices.low)
    is_apart = any(isinstance(one, Gap) for one in constraints)
    if is_apart and (choices.listed is not None or choices.n_digits is not None):
        # Which of several allowed values at one cut is taken matters to the distance.
        listed = choices.listed
        if listed is None:
            listed = choices.round_numbers_apart(scores, constraints)
        cuts: Ints = np.searchsorted(scores.astype(np.float64), listed, "left")
        values = np.tile(listed, (n_thresholds, 1))
        is_open = (choices.low[:, None] <= values) & (values <= choices.high[:, None])
    else:
        cuts = np.append(0, np.flatnonzero(ends) + 1)
        around = scores_around(scores, cuts)
        # Thresholds with the same interval have the same values.
        alike = list(dict.fromkeys(zip(choices.low.tolist(), choices.high.tolist(), strict=True)))
        place = {pair: choices.place_within(*around, *pair) for pair in alike}
        placed = [place[pair] for pair in zip(choices.low, choices.high, strict=True)]
        if len(alike) == 1:
            value, is_in = place[alike[0]]
            values = np.broadcast_to(value, (n_thresholds, len(value)))
            is_open = np.broadcast_to(is_in, values.shape)
        else:
            values = np.stack([value for value, _ in placed])
            is_open = np.stack([some for _, some in placed])
    used = np.flatnonzero(is_open[0] if is_open.strides[0] == 0 else is_open.any(axis=0))
    return Candidates(
        np.concatenate([[0], cuts[used], [len(scores)]]),
        _with_ends(values, used, -np.inf, np.inf),
        _with_ends(is_open, used, False, False),
    )


def _with_ends(entries: Array, used: Ints, first: float, last: float) -> Array:
    """Return the used columns of a table between two others; rows that are one stay one."""
    if entries.strides[0] == 0:
        row = np.concatenate([[first], entries[0, used], [last]]).astype(entries.dtype)
        return np.broadcast_to(row, (len(entries), len(row)))
    ends = np.ones((len(entries), 1), entries.dtype)
    return np.hstack([ends * first, entries[:, used], ends * last]).astype(entries.dtype)


def _nearest_listed(
    listed: Floats, below: Floats, above: Floats, low: float, high: float, aim: Floats
) -> Floats:
    """Return the listed value nearest to an aim between scores; NaN where there is none."""
    if len(listed) == 0:
        return np.full(len(below), np.nan)
    first = np.where(np.isneginf(below), 0, np.searchsorted(listed, below, "right"))
    first = np.maximum(first, np.searchsorted(listed, low, "left"))
    last = np.minimum(
        np.searchsorted(listed, above, "right"), np.searchsorted(listed, high, "right")
    )
    index = np.clip(np.searchsorted(listed, aim, "left"), first, np.maximum(last - 1, first))
    index = np.minimum(index, len(listed) - 1)
    before = np.maximum(index - 1, first)
    before = np.minimum(before, len(listed) - 1)
    with np.errstate(invalid="ignore"):
        is_nearer = np.abs(listed[before] - aim) <= np.abs(listed[index] - aim)
    found = np.where(is_nearer, listed[before], listed[index])
    return np.where(first < last, found, np.nan)


def _nearest_round(
    n_digits: int, below: Floats, above: Floats, low: float, high: float, aim: Floats
) -> Floats:
    """Return the round number nearest to an aim between scores; NaN where there is none."""
    with np.errstate(all="ignore"):
        guesses = [np.rint(_scaled(aim, n_digits)) + step for step in (-1, 0, 1)]
        guesses += [np.floor(_scaled(below, n_digits)) + step for step in (0, 1, 2)]
        guesses += [np.floor(_scaled(above, n_digits)) + step for step in (-1, 0, 1)]
        for end in (low, high):
            if np.isfinite(end):
                near = np.floor(_scaled(np.full(len(aim), end), n_digits))
                guesses += [near + step for step in (-1, 0, 1, 2)]
        best = np.full(len(aim), np.nan)
        for guess in guesses:
            value = _unscaled(guess, n_digits)
            is_allowed = (value > below) & (value <= above) & (low <= value) & (value <= high)
            is_nearer = ~(np.abs(best - aim) <= np.abs(value - aim))
            best = np.where(is_allowed & is_nearer, value, best)
    return best


def _scaled(values: Floats, n_digits: int) -> Floats:
    scaled = values * 10.0**n_digits if n_digits >= 0 else values / 10.0**-n_digits
    finite = scaled[np.isfinite(scaled)]
    if len(finite) and np.abs(finite).max() >= EXACT:
        raise ValueError(
            f"digits {n_digits} must leave numbers that floats can hold, got scores up to "
            f"{np.abs(values[np.isfinite(values)]).max():g}. Use fewer digits."
        )
    return np.asarray(scaled)


def _unscaled(whole: Floats, n_digits: int) -> Floats:
    # A quotient of whole numbers is rounded once, so that it is the float nearest to the decimal.
    return np.asarray(whole / 10.0**n_digits if n_digits >= 0 else whole * 10.0**-n_digits)


def round_numbers(n_digits: int, low: float, high: float) -> Floats:
    """Return the round numbers from below the lowest score to above the highest, and both ends."""
    first, last = np.floor(_scaled(np.array([low, high]), n_digits)) + np.array([-1.0, 2.0])
    if last - first > MOST_ROUND_NUMBERS:
        raise ValueError(
            f"digits {n_digits} together with a gap must leave at most {MOST_ROUND_NUMBERS} round "
            f"numbers between the scores, got {last - first:.0f}. Use fewer digits."
        )
    return np.concatenate([[-np.inf], _unscaled(np.arange(first, last + 1), n_digits), [np.inf]])
