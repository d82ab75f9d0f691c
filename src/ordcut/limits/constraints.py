"""Constraints on thresholds and on decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ordcut.typing import ArrayLike


@dataclass(frozen=True)
class Constraint:
    """A limit on thresholds or on decisions; see its subclasses."""

    #: The word that the constraint starts with in text.
    word: ClassVar[str]


@dataclass(frozen=True)
class _OfDecision(Constraint):
    """A limit on one decision."""

    decision: Any

    def __str__(self) -> str:
        return f"{self.word} {self.decision} {_sides(self)}"


@dataclass(frozen=True)
class Recall(_OfDecision):
    """A minimum recall: of the rows of a class, the share that get the decision of that name.

    Parameters
    ----------
    decision : object
        The decision, or class, or its text.
    at_least : float from 0 to 1
        The minimum. A class without rows satisfies it.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6], ["no", "no", "yes", "no", "no", "yes"]
    >>> found = ordcut.optimal_thresholds(
    ...     scores, labels, classes=["no", "yes"], constraints=[ordcut.Recall("yes", at_least=1)])
    >>> found.thresholds
    array([2.5])
    """

    at_least: float
    word: ClassVar[str] = "recall"

    def __post_init__(self) -> None:
        _check_share(self)


@dataclass(frozen=True)
class Precision(_OfDecision):
    """A minimum precision: of the rows that get a decision, the share of the class of that name.

    Parameters
    ----------
    decision : object
        The decision, or class, or its text.
    at_least : float from 0 to 1
        The minimum. A decision that no row gets satisfies it.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1]
    >>> found = ordcut.optimal_thresholds(
    ...     scores, labels, constraints=[ordcut.Precision(1, at_least=0.75)])
    >>> found.thresholds
    array([5.5])
    """

    at_least: float
    word: ClassVar[str] = "precision"

    def __post_init__(self) -> None:
        _check_share(self)


@dataclass(frozen=True)
class Share(_OfDecision):
    """Limits on the share of all rows that get a decision.

    Parameters
    ----------
    decision : object
        The decision, or class, or its text.
    at_least, at_most : float from 0 to 1, optional
        One of the two, or both.

    Examples
    --------
    >>> import ordcut
    >>> found = ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4], [0, 1, 1, 1], constraints=[ordcut.Share(1, at_most=0.5)])
    >>> found.thresholds
    array([2.5])
    """

    at_least: float | None = None
    at_most: float | None = None
    word: ClassVar[str] = "share"

    def __post_init__(self) -> None:
        _check_share(self)


@dataclass(frozen=True)
class Count(_OfDecision):
    """Limits on the number of rows that get a decision, or on their total weight.

    Parameters
    ----------
    decision : object
        The decision, or class, or its text.
    at_least, at_most : float, optional
        One of the two, or both.

    Examples
    --------
    >>> import ordcut
    >>> found = ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4], [0, 1, 1, 1], constraints=[ordcut.Count(1, at_most=1)])
    >>> found.thresholds
    array([3.5])
    """

    at_least: float | None = None
    at_most: float | None = None
    word: ClassVar[str] = "count"

    def __post_init__(self) -> None:
        _check_share(self, most=np.inf)


@dataclass(frozen=True)
class Under(Constraint):
    """A limit on decisions that are too low: of the rows of a class or higher, the share below it.

    Parameters
    ----------
    cls : object
        The class or its text. A review between it and the class below is not lower.
    at_most : float from 0 to 1
        The largest share.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 0, 1]
    >>> found = ordcut.optimal_thresholds(scores, labels, constraints=["under 1 <= 0"])
    >>> found.thresholds
    array([2.5])
    """

    cls: Any
    at_most: float
    word: ClassVar[str] = "under"

    def __post_init__(self) -> None:
        _check_share(self)

    def __str__(self) -> str:
        return f"{self.word} {self.cls} {_sides(self)}"


@dataclass(frozen=True)
class Over(Under):
    """A limit on decisions that are too high: of the rows of a class or lower, the share above it.

    Parameters
    ----------
    cls : object
        The class or its text. A review between it and the class above is not higher.
    at_most : float from 0 to 1
        The largest share.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6], [0, 1, 1, 0, 1, 1]
    >>> found = ordcut.optimal_thresholds(scores, labels, constraints=["over 0 <= 0"])
    >>> found.thresholds
    array([4.5])
    """

    word: ClassVar[str] = "over"


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
    >>> found = ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4], [0, 1, 2, 2], constraints=[ordcut.Fixed(1, 3.25)])
    >>> found.thresholds
    array([1.5 , 3.25])
    """

    threshold_index: int
    value: float
    word: ClassVar[str] = "fixed"

    def __post_init__(self) -> None:
        _check_index(self.threshold_index)
        _check_number("value", self.value)

    def __str__(self) -> str:
        return f"{self.word} {self.threshold_index} {number_text(self.value)}"


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
    >>> found = ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4], [0, 1, 1, 1], constraints=[ordcut.Between(0, 2.75, 9)])
    >>> found.thresholds
    array([2.75])
    """

    threshold_index: int
    low: float
    high: float
    word: ClassVar[str] = "between"

    def __post_init__(self) -> None:
        _check_index(self.threshold_index)
        _check_number("low", self.low)
        _check_number("high", self.high)
        if not self.low <= self.high:
            raise ValueError(f"low must not be above high, got {self.low!r} and {self.high!r}.")

    def __str__(self) -> str:
        ends = f"{number_text(self.low)} {number_text(self.high)}"
        return f"{self.word} {self.threshold_index} {ends}"


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
    >>> found = ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4], [0, 1, 2, 2], constraints=[ordcut.Allowed([1.2, 2.9, 3.3])])
    >>> found.thresholds
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
    >>> found = ordcut.optimal_thresholds(
    ...     [1.07, 2.22, 3.61, 4.04], [0, 1, 2, 2], constraints=[ordcut.Digits(0)])
    >>> found.thresholds
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


@dataclass(frozen=True)
class Gap(Constraint):
    """A minimum distance between neighbouring thresholds, as they are placed.

    Parameters
    ----------
    at_least : float
        The distance, on the scale of the scores. Thresholds at -inf or inf are exempt.

    Examples
    --------
    >>> import ordcut
    >>> found = ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4, 5], [0, 0, 1, 2, 2], constraints=[ordcut.Gap(at_least=2)])
    >>> found.thresholds
    array([1.5, 3.5])
    """

    at_least: float
    word: ClassVar[str] = "gap"

    def __post_init__(self) -> None:
        _check_number("at_least", self.at_least)
        if not 0 <= self.at_least < np.inf:
            raise ValueError(f"at_least must be finite and not negative, got {self.at_least!r}.")

    def __str__(self) -> str:
        return f"{self.word} {_sides(self)}"


def number_text(value: float) -> str:
    """Return the shortest text that is read back as the same number.

    Examples
    --------
    >>> number_text(0.9), number_text(2.0)
    ('0.9', '2')
    """
    return repr(float(value)).removesuffix(".0")


def _sides(constraint: Any) -> str:
    """Return the limits of a constraint as text."""
    least = getattr(constraint, "at_least", None)
    most = getattr(constraint, "at_most", None)
    texts = [] if least is None else [f">= {number_text(least)}"]
    return " and ".join(texts if most is None else [*texts, f"<= {number_text(most)}"])


def _check_share(constraint: Any, most: float = 1.0) -> None:
    """Raise an error unless the limits of a constraint are valid numbers."""
    limits = {
        side: getattr(constraint, side)
        for side in ("at_least", "at_most")
        if getattr(constraint, side, None) is not None
    }
    name = type(constraint).__name__
    if not limits:
        raise ValueError(f"{name} must have at_least or at_most, got neither.")
    for side, limit in limits.items():
        _check_number(side, limit)
        if isinstance(limit, np.number):
            object.__setattr__(constraint, side, limit.item())
        if not 0 <= limit <= most or np.isinf(limit):
            upto = "from 0 to 1" if most == 1 else "that is not negative"
            raise ValueError(f"{side} of {name} must be a number {upto}, got {limit!r}.")
    if len(limits) == 2 and limits["at_least"] > limits["at_most"]:
        raise ValueError(
            f"at_least of {name} must not be above at_most, got {limits['at_least']!r} and "
            f"{limits['at_most']!r}."
        )


def _check_index(index: Any) -> None:
    is_int = isinstance(index, (int, np.integer)) and not isinstance(index, bool)
    if not is_int or index < 0:
        raise ValueError(f"threshold_index must be a whole number counted from 0, got {index!r}.")


def _check_number(argument: str, value: ArrayLike) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or value != value:
        raise ValueError(f"{argument} must be a number, got {value!r}.")
