"""Grids: the values that thresholds must be chosen from, as a list or as round numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ordcut._core.limits.form import Form
from ordcut._core.numerics.exact import EXACT
from ordcut._core.numerics.threads import cached_property
from ordcut._core.typing import Floats

if TYPE_CHECKING:
    from ordcut._core.limits.forms import Outcome

#: The largest number of round numbers between the scores that are listed.
MOST_ROUND_NUMBERS = 1_000_000


@dataclass(frozen=True)
class Grid(Form):
    """Values that all thresholds must be chosen from.

    Attributes
    ----------
    values : tuple of float, optional
        The allowed values, in ascending order. Infinite ones are allowed only if they are listed.
    n_digits : int, optional
        The number of digits after the decimal point of the allowed values, -1 for tens. Infinite
        values are always allowed.

    Examples
    --------
    >>> grid = Grid(n_digits=1).intersection(Grid(values=(0.25, 0.5, 2.0)))
    >>> grid.values, grid.has(0.5), grid.has(0.25)
    ((0.5, 2.0), True, False)
    """

    values: tuple[float, ...] | None = None
    n_digits: int | None = None

    kind: ClassVar[str] = "grid"

    def intersection(self, other: Grid) -> Grid:
        """Return the grid of the values that both grids have."""
        digits = [n for n in (self.n_digits, other.n_digits) if n is not None]
        n_digits = min(digits, default=None)
        lists = [set(values) for values in (self.values, other.values) if values is not None]
        if not lists:
            return Grid(n_digits=n_digits)
        values = sorted(set.intersection(*lists))
        if n_digits is not None:
            values = [value for value in values if is_round(value, n_digits)]
        return Grid(values=tuple(values))

    @cached_property
    def listed(self) -> Floats | None:
        """The allowed values as an array; None for digits."""
        return None if self.values is None else np.array(self.values, np.float64)

    def has(self, value: float) -> bool:
        """Return whether a value is allowed."""
        if self.n_digits is not None:
            return is_round(value, self.n_digits)
        return self.values is not None and value in self.values

    def holds(self, outcome: Outcome) -> bool:
        """Return whether all thresholds are allowed values."""
        return all(self.has(value) for value in outcome.thresholds.tolist())

    def reached(self, outcome: Outcome) -> tuple[float, ...]:
        """Return the thresholds."""
        return tuple(outcome.thresholds.tolist())

    def values_between(self, low: float, high: float, most: int) -> Floats | None:
        """Return the allowed values around an interval; None if there are more than ``most``.

        Round numbers reach a little beyond the interval.
        """
        if self.n_digits is None:
            return self.listed
        if (high - low) * 10.0**self.n_digits > most:
            return None
        return round_numbers(self.n_digits, low, high)

    def nearest(
        self, between: tuple[Floats, Floats], middle: Floats, limits: tuple[float, float]
    ) -> Floats:
        """Return the allowed value nearest to the middle between two scores, within limits.

        The value is above the lower score and at or below the upper. Beyond all scores, where there
        is no middle, it is the value next to them. NaN where no value is allowed.
        """
        below, above = between
        aim = np.where(np.isinf(below), above, np.where(np.isinf(above), below, middle))
        if self.n_digits is not None:
            return _nearest_round(self.n_digits, between, limits, aim)
        assert self.listed is not None
        return _nearest_listed(self.listed, between, limits, aim)


def is_round(value: float, n_digits: int) -> bool:
    """Return whether a number has at most ``n_digits`` decimal digits; infinite ones always do.

    Examples
    --------
    >>> is_round(0.3, 1), is_round(0.25, 1), is_round(1200.0, -2)
    (True, False, True)
    """
    return bool(np.isinf(value)) or round(value, n_digits) == value


def round_numbers(n_digits: int, low: float, high: float) -> Floats:
    """Return the round numbers from below ``low`` to above ``high``, and -inf and inf.

    Examples
    --------
    >>> round_numbers(0, 0.4, 1.2)
    array([-inf,  -1.,   0.,   1.,   2.,   3.,  inf])
    """
    first, last = np.floor(_scaled(np.array([low, high]), n_digits)) + np.array([-1.0, 2.0])
    if last - first > MOST_ROUND_NUMBERS:
        raise ValueError(
            f"digits {n_digits} together with a gap must leave at most {MOST_ROUND_NUMBERS} round "
            f"numbers between the scores, got {last - first:.0f}. Use fewer digits."
        )
    return np.concatenate([[-np.inf], _unscaled(np.arange(first, last + 1), n_digits), [np.inf]])


def _nearest_listed(
    listed: Floats, between: tuple[Floats, Floats], limits: tuple[float, float], aim: Floats
) -> Floats:
    """Return the listed value nearest to an aim between scores; NaN where there is none."""
    (below, above), (low, high) = between, limits
    if len(listed) == 0:
        return np.full(len(below), np.nan)
    first = np.where(np.isneginf(below), 0, np.searchsorted(listed, below, "right"))
    first = np.maximum(first, np.searchsorted(listed, low, "left"))
    last = np.minimum(
        np.searchsorted(listed, above, "right"), np.searchsorted(listed, high, "right")
    )
    index = np.clip(np.searchsorted(listed, aim, "left"), first, np.maximum(last - 1, first))
    index = np.minimum(index, len(listed) - 1)
    before = np.minimum(np.maximum(index - 1, first), len(listed) - 1)
    with np.errstate(invalid="ignore"):
        is_nearer = np.abs(listed[before] - aim) <= np.abs(listed[index] - aim)
    nearest = np.where(is_nearer, listed[before], listed[index])
    return np.where(first < last, nearest, np.nan)


def _nearest_round(
    n_digits: int, between: tuple[Floats, Floats], limits: tuple[float, float], aim: Floats
) -> Floats:
    """Return the round number nearest to an aim between scores; NaN where there is none."""
    (below, above), (low, high) = between, limits
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
