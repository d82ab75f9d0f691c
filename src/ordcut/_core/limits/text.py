"""Constraints as text, such as ``recall urgent >= 0.95``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache
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
    Specificity,
    Under,
)
from ordcut._core.limits.values import Allowed, Between, Digits, Fixed, Gap
from ordcut._core.numerics.exact import as_fraction

Constraints: TypeAlias = Iterable[Constraint | str] | Constraint | str | None

#: How each constraint is written, by its first word; NAME is the text of a class or decision.
SYNTAX: dict[Any, str] = {
    Recall: "recall NAME >= 0.9",
    Precision: "precision NAME >= 0.8",
    Specificity: "specificity NAME >= 0.9",
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


#: Other words for these constraints.
SYNONYMS = {"sensitivity": "recall", "tpr": "recall", "ppv": "precision", "tnr": "specificity"}

#: Rates of errors: each limit is one minus a limit on the other side.
COMPLEMENTS = {"fnr": "recall", "fpr": "specificity"}

#: Words that are known and refused, with the reason and what to do.
REFUSED = {
    "npv": "must be about rows that get a decision. The npv of a class is the precision of the "
    "other classes together: if mid is the highest of these, write 'precision mid or lower >= "
    "0.9'.",
    "accuracy": "must be about one decision: an accuracy ties all thresholds together, for which "
    "there is no exact search. Limit the precision of each decision: where rows between two "
    "classes are reviewed, 'precision low >= 0.9' and 'precision high >= 0.9' together keep the "
    "accuracy of all rows that are not reviewed.",
}

#: Rates in full, as people write them.
IN_FULL = {
    "true positive rate": "tpr",
    "true negative rate": "tnr",
    "false positive rate": "fpr",
    "false alarm rate": "fpr",
    "false negative rate": "fnr",
    "miss rate": "fnr",
    "positive predictive value": "ppv",
    "negative predictive value": "npv",
}

#: Signs that are read, by what they stand for.
SIGNS = {">=": "at_least", "=>": "at_least", "≥": "at_least", "<=": "at_most", "=<": "at_most"}
SIGNS["≤"] = "at_most"

_SIGN = "|".join(SIGNS)
_EVERY_WORD = "|".join([*WORDS, *SYNONYMS, *COMPLEMENTS, *IN_FULL, *REFUSED])

#: A confidence after the name of a group.
_CONFIDENCE_LAST = re.compile(
    r"(\s+where\s.+?)(\s+with\s+(?:[\d.]+\s*%|0?\.\d+)(?:\s+confidence)?)$", re.S
)

#: What joins two constraints: only before the word of another constraint.
_JOINT = re.compile(rf"\s*(?:\band\b|[,;&\n])\s*(?=(?:{_EVERY_WORD})\b)", re.I)


def read_constraints(constraints: Constraints) -> tuple[Constraint, ...]:
    """Return constraints as objects; each can be text.

    Examples
    --------
    >>> read_constraints(["recall urgent >= 0.95", "digits 1"])
    (Recall(decision='urgent', at_least=0.95), Digits(n=1))
    >>> read_constraints("sensitivity(urgent) >= 0.95 and fpr(urgent) <= 0.1")
    (Recall(decision='urgent', at_least=0.95), Specificity(decision='urgent', at_least=0.9))
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
    parsed: list[Constraint] = []
    for constraint in constraints:
        if isinstance(constraint, str):
            parsed += _read_all(constraint)
        elif isinstance(constraint, Constraint):
            parsed.append(constraint)
        else:
            raise TypeError(
                "constraints must be constraints such as ordcut.Recall or text, got "
                f"{constraint!r}."
            )
    return tuple(parsed)


@lru_cache(maxsize=256)
def _read_all(text: str) -> tuple[Constraint, ...]:
    """Return the constraints that a text joins."""
    return tuple(map(_read, _separate(text)))


def _separate(text: str) -> list[str]:
    """Return the texts of constraints that "and" or a comma joins.

    Examples
    --------
    >>> _separate("share low and share >= 0.1 and <= 0.2 and digits 1")
    ['share low and share >= 0.1 and <= 0.2', 'digits 1']
    """
    texts, start = [], 0
    for joint in _JOINT.finditer(text):
        before = text[start : joint.start()].strip()
        word = re.split(r"\W", before, maxsplit=1)[0].lower()
        if word in _OF_NUMBERS or re.search(rf"(?:{_SIGN})[^<>=]*\d", before):
            texts.append(before)
            start = joint.end()
    return [*texts, text[start:]]


def _read(text: str) -> Constraint:
    for rate, short in IN_FULL.items():
        text = re.sub(rf"^\s*{rate}\b", short, text, flags=re.I)
    plain = re.sub(r"^(\w+)(?:\((.+)\)|\[(.+)\])(?=[^()\[\]]*$)", r"\1 \2\3", text.strip())
    word, _, rest = re.sub(r"^(\w+)(?=[(\[])", r"\1 ", plain).partition(" ")
    word, rest = word.lower(), rest.strip()
    word = SYNONYMS.get(word, word)
    if word in REFUSED:
        raise ValueError(f"constraint {text!r} {REFUSED[word]}")
    try:
        if word == "gap":
            return Gap(as_limit(rest.removeprefix(">=").strip()))
        if word in _OF_NUMBERS:
            return _OF_NUMBERS[word](rest.replace("=", " ").replace(",", " ").split())
        if word in WORDS or word in COMPLEMENTS:
            return _read_limits_of_name(word, rest)
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"constraint {text!r} cannot be read: {str(error).removesuffix('.')}. Write it like "
            f"{SYNTAX[WORDS[COMPLEMENTS.get(word, word)]]!r}."
        ) from error
    near = get_close_matches(word, [*WORDS, *SYNONYMS, *COMPLEMENTS], n=1, cutoff=0.6)
    second, _, end = rest.partition(" ")
    if second.lower() in (*WORDS, *SYNONYMS, *COMPLEMENTS):  # as in "severe recall >= 0.9"
        near, rest = [second], f"{word} {end}"
    hint = f"Did you mean {f'{near[0]} {rest}'!r}?" if near else f"For example: {SYNTAX[Recall]!r}."
    raise ValueError(
        f"constraint {text!r} must start with one of the words {', '.join(WORDS)}, got {word!r}. "
        f"{hint}"
    )


def _read_limits_of_name(word: str, rest: str) -> Constraint:
    rest = _CONFIDENCE_LAST.sub(r"\2\1", rest)
    limit = rf"({_SIGN})\s*([^\s<>=]+(?:\s*%)?)"
    confidence = r"(?:\s+with\s+([^\s<>=]+(?:\s*%)?)(?:\s+confidence)?)?"
    group = r"(?:\s+where\s+(.+))?"
    match = re.fullmatch(rf"(.+?)\s*{limit}(?:\s+and\s+{limit})?{confidence}{group}", rest, re.S)
    if match is None:
        raise ValueError("it must have the name of a class, then >= or <=, then a number")
    name, *pairs, level, where = match.groups()
    is_complement, word = word in COMPLEMENTS, COMPLEMENTS.get(word, word)
    constraint_class = WORDS[word]
    sides: dict[str, Any] = {} if level is None else {"confidence": as_limit(level)}
    for sign, number in zip(pairs[::2], pairs[1::2], strict=True):
        if sign is not None:
            side, value = SIGNS[sign], as_limit(number)
            if is_complement:
                side = "at_most" if side == "at_least" else "at_least"
                value = float(1 - as_fraction(value))
            if side not in {field.name for field in fields(constraint_class)}:
                raise ValueError(f"{word} has no {sign}")
            if side in sides:
                raise ValueError(f"{sign} comes twice")
            if word == "count" and number.endswith("%"):
                raise ValueError("a count cannot be a percentage; use share")
            sides[side] = value
    constraint: Constraint = constraint_class(name, **sides, where=where)
    return constraint


def as_limit(text: str) -> float:
    """Return the value of a number or of a percentage.

    Examples
    --------
    >>> as_limit("0.95"), as_limit("95 %")
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
        return [as_limit(word) for word in words]
    if len(words) != n:
        raise ValueError(f"it takes {n} number{'s' * (n > 1)}, got {len(words)}")
    try:
        return [int(words[0]), *(as_limit(word) for word in words[1:])]
    except ValueError:
        if words[0].lstrip("+-").isdigit():
            raise
        raise ValueError(f"{words[0]!r} is not a whole number") from None
