"""Errors and warnings of the library, and messages that several modules share."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from math import inf
from numbers import Real
from typing import Any, NamedTuple, TypeVar

#: The marks that turn the direction of text.
DIRECTIONS = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

#: The number of names that messages and tables show of a long list.
MOST_SHOWN = 20

Public = TypeVar("Public", bound=type)


def public(cls: Public) -> Public:
    """Let tracebacks, pickles and filters of warnings name a class as ``ordcut.Name``."""
    cls.__module__ = "ordcut"
    return cls


@public
class CrossedThresholdsError(ValueError):
    """The independent minima came out in the wrong order, so Theorem 1 does not apply.

    Attributes
    ----------
    pair : tuple of int
        The numbers, counted from 1, of the first two neighbouring thresholds that crossed.
    """

    def __init__(self, method: str, lower: int) -> None:
        self.method = method
        self.pair = (lower, lower + 1)
        super().__init__(
            f'method="{method}" needs a convex objective or minima that come out ordered; '
            f'thresholds {lower} and {lower + 1} crossed. Use method="dp" or "auto".'
        )

    def __reduce__(self) -> tuple[type[CrossedThresholdsError], tuple[str, int]]:
        return type(self), (self.method, self.pair[0])


def shortened(message: str, most: int = 1000) -> str:
    """Return a message, without its middle if it is longer than ``most`` characters.

    Examples
    --------
    >>> shortened("classes must be text, got [1, 2, 3, 4, 5, 6].", 31)
    'classes must be ... 3, 4, 5, 6].'
    """
    half = (most + 1) // 2
    return message if len(message) <= most else f"{message[:half]}...{message[-half:]}"


def printable(text: str) -> str:
    r"""Return text, which may come from the data, with control characters escaped.

    These include the marks that turn the direction of text, so that it reads as something else.

    Examples
    --------
    >>> print(printable("red \x1b[31malert"))
    red \x1b[31malert
    """
    return "".join(
        character if character.isprintable() or character == "\n" else ascii(character)[1:-1]
        for character in text
    )


def marks_escaped(text: str) -> str:
    r"""Return text in which the marks that turn its direction are escaped, and nothing else is.

    Examples
    --------
    >>> print(marks_escaped("é \u202e"))
    é \u202e
    """
    return DIRECTIONS.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text)


class TooManyRowsError(ValueError):
    """More rows would have to leave their engine than ``max_rows`` allows."""


class Shortage(NamedTuple):
    """How many rows it would take to promise a limit, how many there are, and of what kind."""

    needed: float
    available: int
    kind: str

    def __str__(self) -> str:
        if self.needed == inf:
            return f"no number of {self.kind} can promise it"
        return f"it takes {self.needed} {self.kind} to promise it, and there are {self.available}"


@public
class InfeasibleConstraintsError(ValueError):
    """No thresholds satisfy all constraints.

    Attributes
    ----------
    constraints : list of str
        A smallest set of constraints that cannot hold together.
    nearest : dict of str to float
        For each of them with a numeric limit, the nearest limit that is possible with the others.
    shortages : dict of str to Shortage
        For each of them that there are too few rows to promise, how many rows it would take even if
        all of them kept it.
    """

    def __init__(
        self,
        constraints: list[str],
        nearest: dict[str, float],
        shortages: dict[str, Shortage] | None = None,
    ) -> None:
        self.constraints, self.nearest, self.shortages = constraints, nearest, shortages or {}
        names = " and ".join(map(repr, constraints))
        cannot = "cannot hold together" if len(constraints) > 1 else "cannot hold"
        hints = " or ".join(
            f"{_rounded(limit, down=_is_floor(constraint, limit))} in {constraint!r}"
            for constraint, limit in nearest.items()
        )
        others = ", with the others as they are" if len(constraints) > 1 else ""
        advice = f" The nearest limit that could{others}: {hints}." if hints else ""
        needs = "; ".join(map(str, self.shortages.values()))
        rows = f"these rows: {needs}." if needs else "these rows."
        can_do = any(shortage.needed < inf for shortage in self.shortages.values())
        relax = "Relax the limit." if needs else "Relax one of them."
        relax = "Add rows, or relax the limit." if can_do else relax
        super().__init__(f"constraints {names} {cannot} on {rows}{advice} {relax}")

    def __reduce__(self) -> tuple[type[InfeasibleConstraintsError], tuple[Any, ...]]:
        return type(self), (self.constraints, self.nearest, self.shortages)


def _is_floor(constraint: str, limit: float) -> bool:
    """Return whether a limit is a lower limit of a constraint, which may have both."""
    _, has_ceiling, ceiling = constraint.rpartition("<= ")
    return ">=" in constraint and not (has_ceiling and limit > float(ceiling.split()[0]))


def _rounded(limit: float, *, down: bool) -> str:
    """Return a limit rounded to 6 digits, in the direction that is not stricter."""
    text = f"{limit:.6g}"
    if (float(text) > limit) if down else (float(text) < limit):
        exponent = f"{limit:.5e}".partition("e")[2]
        step = 10.0 ** (int(exponent) - 5)
        text = f"{float(text) - step if down else float(text) + step:.6g}"
    return text


@public
class UnorderedLabelsWarning(UserWarning):
    """Labels are text without a stated order, so an order was assumed."""


@public
class ReversedScoresWarning(UserWarning):
    """Scores fall as classes rise, so that no thresholds can do well."""


@public
class WeightTypeWarning(UserWarning):
    """Large whole weights count as repeated rows, which may not be what they are."""


@public
class ColumnVectorWarning(UserWarning):
    """A column, of shape (n, 1), was passed instead of a flat array."""


@public
class DifferentIndexWarning(UserWarning):
    """pandas Series that were passed together have different indexes."""


@public
class DifferentScaleWarning(UserWarning):
    """Scores cannot come from the distribution that thresholds were found on."""


def listed(names: Any, most: int = MOST_SHOWN) -> str:
    """Return names separated by commas; of a long list, the first and how many there are.

    Examples
    --------
    >>> listed(["low", "high"]), listed(range(30), most=3)
    ('low, high', '0, 1, 2, ... (30 in all)')
    """
    names = list(names)
    shown = ", ".join(map(str, names[:most]))
    return shown if len(names) <= most else f"{shown}, ... ({len(names)} in all)"


def both_ends(items: Any, gap: Any) -> list[Any]:
    """Return the items of a list; of a long list, its two ends with ``gap`` between them.

    Examples
    --------
    >>> both_ends(range(3), "..."), len(both_ends(range(100), "..."))
    ([0, 1, 2], 21)
    """
    items, half = list(items), MOST_SHOWN // 2
    return items if len(items) <= MOST_SHOWN else [*items[:half], gap, *items[-half:]]


def depth_of_caller() -> int:
    """Return the stacklevel at which a warning points at the user's line, outside this package."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("ordcut"):
        depth, frame = depth + 1, frame.f_back
    return depth


def check_number(
    name: str, value: object, must: str, holds: Callable[[Any], bool], kind: type = Real
) -> None:
    """Raise an error unless an argument is a number that satisfies a condition.

    Examples
    --------
    >>> check_number("alpha", -1.0, "a number >= 0", lambda v: v >= 0)
    Traceback (most recent call last):
    ...
    ValueError: alpha must be a number >= 0, got -1.0.
    """
    if isinstance(value, bool) or not isinstance(value, kind) or not holds(value):
        raise ValueError(f"{name} must be {must}, got {value!r}.")


def unknown_name(
    argument: str, got: object, known: Iterable[str], aliases: Iterable[str] = ()
) -> ValueError:
    """Return the error for an unknown name, with the most similar name or alias as a suggestion.

    Examples
    --------
    >>> print(unknown_name("method", "nestd", ["dp", "nested"]))
    method must be one of "dp", "nested", got 'nestd'. Did you mean "nested"?
    """
    known = list(known)
    every = listed(f'"{name}"' for name in known)
    near = get_close_matches(str(got).lower(), [*known, *aliases], n=1, cutoff=0.5)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    return ValueError(f"{argument} must be one of {every}, got {got!r}.{hint}")


def undefined_kappa(name: str, position: int) -> ValueError:
    """Return the error for data on which predicting a single class agrees with all labels."""
    return ValueError(
        f"objective {name!r} is undefined for these labels: if the class at position {position} is "
        "predicted for every row, no label disagrees, so there is no disagreement by chance to "
        "compare with. Constraints that exclude this do not help. Use data in which other classes "
        "occur, weights that are positive for other classes, or a cost such as "
        'objective="absolute".'
    )
