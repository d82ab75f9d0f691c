"""Constraints on the values of thresholds: fixed, in an interval, on a grid, or apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ordcut._core.limits.constraints import Constraint, check_number, number_text, sides_text
from ordcut._core.limits.forms import Distance, Interval
from ordcut._core.limits.grid import Grid
from ordcut._core.limits.names import Names


@dataclass(frozen=True)
class Fixed(Constraint):
    """Fix a threshold at a given value.

    Parameters
    ----------
    threshold_index : int
        The position of the threshold, counted from 0.
    value : float
        The value of the threshold.

    Examples
    --------
    >>> import ordcut
    >>> ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4], [0, 1, 2, 2], constraints=[ordcut.Fixed(1, 3.25)]).thresholds
    array([1.5 , 3.25])
    """

    threshold_index: int
    value: float
    word: ClassVar[str] = "fixed"

    def __post_init__(self) -> None:
        _check_index(self.threshold_index)
        check_number("value", self.value)

    def __str__(self) -> str:
        return f"{self.word} {self.threshold_index} {number_text(self.value)}"

    def lower(self, names: Names) -> Interval:
        """Return the interval that holds the value alone."""
        value = float(self.value)
        return Interval(names.threshold(self.threshold_index), value, value)


@dataclass(frozen=True)
class Between(Constraint):
    """Restrict a threshold to an interval that includes its ends.

    Parameters
    ----------
    threshold_index : int
        The position of the threshold, counted from 0.
    low, high : float
        The lowest and the highest value.

    Examples
    --------
    >>> import ordcut
    >>> ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4], [0, 1, 1, 1], constraints=[ordcut.Between(0, 2.75, 9)]).thresholds
    array([2.75])
    """

    threshold_index: int
    low: float
    high: float
    word: ClassVar[str] = "between"

    def __post_init__(self) -> None:
        _check_index(self.threshold_index)
        check_number("low", self.low)
        check_number("high", self.high)
        if not self.low <= self.high:
            raise ValueError(f"low must not be above high, got {self.low!r} and {self.high!r}.")

    def __str__(self) -> str:
        ends = f"{number_text(self.low)} {number_text(self.high)}"
        return f"{self.word} {self.threshold_index} {ends}"

    def lower(self, names: Names) -> Interval:
        """Return the interval of the threshold."""
        index = names.threshold(self.threshold_index)
        return Interval(index, float(self.low), float(self.high))


@dataclass(frozen=True)
class Allowed(Constraint):
    """Choose all thresholds from given values.

    Parameters
    ----------
    values : sequence of float
        Every threshold is one of these. Include -inf or inf if the first or the last decision may
        be left out.

    Examples
    --------
    >>> import ordcut
    >>> ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4], [0, 1, 2, 2], constraints=[ordcut.Allowed([1.2, 2.9, 3.3])]).thresholds
    array([1.2, 2.9])
    """

    values: Sequence[float]
    word: ClassVar[str] = "allowed"

    def __post_init__(self) -> None:
        array = np.asarray(self.values, dtype=np.float64)
        if array.ndim != 1 or len(array) == 0 or np.isnan(array).any():
            raise ValueError(f"values must be a list of at least one number, got {self.values!r}.")
        object.__setattr__(self, "values", tuple(np.unique(array).tolist()))

    def __str__(self) -> str:
        return f"{self.word} {' '.join(map(number_text, self.values))}"

    def lower(self, names: Names) -> Grid:
        """Return the grid of the values."""
        del names  # all thresholds are chosen from the same values
        return Grid(values=tuple(self.values))


@dataclass(frozen=True)
class Digits(Constraint):
    """Choose thresholds that are round numbers, or infinite where a decision is never taken.

    Parameters
    ----------
    n : int
        The number of digits after the decimal point; -1 means tens, -2 hundreds, and so on.

    Examples
    --------
    >>> import ordcut
    >>> ordcut.optimal_thresholds(
    ...     [1.07, 2.22, 3.61, 4.04], [0, 1, 2, 2], constraints=[ordcut.Digits(0)]).thresholds
    array([2., 3.])
    """

    n: int
    word: ClassVar[str] = "digits"

    def __post_init__(self) -> None:
        is_int = isinstance(self.n, (int, np.integer)) and not isinstance(self.n, bool)
        if not is_int or not -300 <= self.n <= 22:
            raise ValueError(f"n must be a whole number of digits from -300 to 22, got {self.n!r}.")

    def __str__(self) -> str:
        return f"{self.word} {self.n}"

    def lower(self, names: Names) -> Grid:
        """Return the grid of round numbers."""
        del names  # all thresholds are round
        return Grid(n_digits=int(self.n))


@dataclass(frozen=True)
class Gap(Constraint):
    """A minimum distance between neighbouring thresholds.

    Thresholds are the best of all that keep the distance. They are as near to the middle between
    their scores as it allows.

    Parameters
    ----------
    at_least : float
        The distance, on the scale of the scores. Thresholds at -inf or inf are exempt.

    Examples
    --------
    >>> import ordcut
    >>> ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4, 5], [0, 0, 1, 2, 2], constraints=[ordcut.Gap(at_least=2)]).thresholds
    array([1.5, 3.5])
    """

    at_least: float
    word: ClassVar[str] = "gap"

    def __post_init__(self) -> None:
        check_number("at_least", self.at_least)
        if not 0 <= self.at_least < np.inf:
            raise ValueError(f"at_least must be finite and not negative, got {self.at_least!r}.")

    def __str__(self) -> str:
        return f"{self.word} {sides_text(self)}"

    def lower(self, names: Names) -> Distance:
        """Return the distance between neighbouring thresholds."""
        del names  # all neighbours keep the same distance
        return Distance(float(self.at_least))


def _check_index(index: Any) -> None:
    is_int = isinstance(index, (int, np.integer)) and not isinstance(index, bool)
    if not is_int or index < 0:
        raise ValueError(f"threshold_index must be a whole number counted from 0, got {index!r}.")
