"""Constraints as text, such as ``recall urgent >= 0.95``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, TypeAlias

from ordcut._core.limits.constraints import (
    F1,
    Constraint,
    Count,
    Lift,
    Over,
    Precision,
    Recall,
    Share,
    Under,
)
from ordcut._core.limits.values import Allowed, Between, Digits, Fixed, Gap

Constraints: TypeAlias = Iterable[Constraint | str] | Constraint | str | None

#: How each constraint is written, by its first word; NAME is the text of a class or decision.
SYNTAX: dict[Any, str] = {
    Recall: "recall NAME >= 0.9",
    Precision: "precision NAME >= 0.8",
    Lift: "lift NAME >= 2",
    F1: "f1 NAME >= 0.7",
    Share: "share NAME >= 0.1 and <= 0.2",
    Count: "count NAME <= 100",
    Under: "under NAME <= 0.05 with 95 %",
    Over: "over NAME <= 0.05",
    Fixed: "fixed 0 1.5",
    Between: "between 0 1.0 2.0",
    Allowed: "allowed 1 2 5",
    Digits: "digits 1",
    Gap: "gap >= 0.5",
}

#: The constraint of each word.
WORDS: dict[str, Any] = {constraint.word: constraint for constraint in SYNTAX}


def read_constraints(constraints: Constraints) -> tuple[Constraint, ...]:
    """Return constraints as objects; each can be text.

    Examples
    --------
    >>> read_constraints(["recall urgent >= 0.95", "digits 1"])
    (Recall(decision='urgent', at_least=0.95), Digits(n=1))
    """
    if constraints is None:
        return ()
    if isinstance(constraints, dict):
        raise TypeError(
            "constraints must be a list of constraints or texts, such as ['recall 2 >= 0.9'], got "
            "a dict."
        )
    if isinstance(constraints, (Constraint, str)):
        constraints = [constraints]
    return tuple(
        constraint if isinstance(constraint, Constraint) else _read(constraint)
        for constraint in constraints
    )


def _read(text: Any) -> Constraint:
    if not isinstance(text, str):
        raise TypeError(
            f"constraints must be constraints such as ordcut.Recall or text, got {text!r}."
        )
    word, _, rest = text.strip().partition(" ")
    word, rest = word.lower(), rest.strip()
    try:
        if word == "gap":
            return Gap(_as_limit(rest.removeprefix(">=").strip()))
        if word in _OF_NUMBERS:
            return _OF_NUMBERS[word](rest.replace("=", " ").replace(",", " ").split())
        if word in WORDS:
            return _read_limits_of_name(word, rest)
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"constraint {text!r} cannot be read: {str(error).removesuffix('.')}. Write it like "
            f"{SYNTAX[WORDS[word]]!r}."
        ) from error
    near = get_close_matches(word, WORDS, n=1, cutoff=0.6)
    hint = f"Did you mean {f'{near[0]} {rest}'!r}?" if near else f"For example: {SYNTAX[Recall]!r}."
    raise ValueError(
        f"constraint {text!r} must start with one of the words {', '.join(WORDS)}, got {word!r}. "
        f"{hint}"
    )


def _read_limits_of_name(word: str, rest: str) -> Constraint:
    limit = r"(>=|<=)\s*([^\s<>=]+(?:\s*%)?)"
    confidence = r"(?:\s+with\s+([^\s<>=]+(?:\s*%)?))?"
    match = re.fullmatch(rf"(.+?)\s*{limit}(?:\s+and\s+{limit})?{confidence}", rest)
    if match is None:
        raise ValueError("it must have a name, then >= or <=, then a number")
    name, *pairs, level = match.groups()
    second = re.search(r"[<>]=[^,;]*[,;]\s*(\w+)", name)
    if second is not None and second[1].lower() in WORDS:
        raise ValueError("it holds several constraints. Pass these as a list")
    constraint_class = WORDS[word]
    sides = {} if level is None else {"confidence": _as_limit(level)}
    for sign, number in zip(pairs[::2], pairs[1::2], strict=True):
        if sign is not None:
            side = "at_least" if sign == ">=" else "at_most"
            if side not in {field.name for field in fields(constraint_class)}:
                raise ValueError(f"{word} has no {sign}")
            if side in sides:
                raise ValueError(f"{sign} comes twice")
            if word == "count" and number.endswith("%"):
                raise ValueError("a count cannot be a percentage; use share")
            sides[side] = _as_limit(number)
    constraint: Constraint = constraint_class(name, **sides)
    return constraint


def _as_limit(text: str) -> float:
    """Return the value of a number or of a percentage.

    Examples
    --------
    >>> _as_limit("0.95"), _as_limit("95 %")
    (0.95, 0.95)
    """
    number = text.removesuffix("%")
    try:
        return float(number) if number == text else float(Fraction(number.strip()) / 100)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None


_OF_NUMBERS: dict[str, Callable[[list[str]], Constraint]] = {
    "fixed": lambda words: Fixed(*_numbers(words, 2)),
    "between": lambda words: Between(*_numbers(words, 3)),
    "allowed": lambda words: Allowed(_numbers(words)),
    "digits": lambda words: Digits(*_numbers(words, 1)),
}


def _numbers(words: list[str], n: int | None = None) -> list[Any]:
    """Return words as numbers: ``n`` with a whole one first, or any number of any if None."""
    if n is None:
        return [_as_limit(word) for word in words]
    if len(words) != n:
        raise ValueError(f"it takes {n} number{'s' * (n > 1)}, got {len(words)}")
    try:
        return [int(words[0]), *(_as_limit(word) for word in words[1:])]
    except ValueError:
        if words[0].lstrip("+-").isdigit():
            raise
        raise ValueError(f"{words[0]!r} is not a whole number") from None
