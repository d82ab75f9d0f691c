"""Thresholds as JSON: written in full, and checked when read."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.resources import files
from pathlib import Path
from reprlib import repr as short_repr
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from ordcut._core.data import MOST_CLASSES, check_classes, from_fields, to_fields
from ordcut._core.errors import listed, marks_escaped, shortened
from ordcut._core.thresholds.certificate import Certificate
from ordcut._core.thresholds.outcomes import BOUNDS, ConstraintOutcome, Promise
from ordcut._core.thresholds.record import read_record
from ordcut._core.typing import Array, Floats

if TYPE_CHECKING:
    from ordcut._core.thresholds.result import Thresholds

SCHEMA = "ordcut.thresholds"

DAMAGED = "The file is damaged; write it again with Thresholds.to_json."

#: The most characters in an array of classes, in which each takes as many as the longest.
MOST_CHARACTERS = 1 << 24

#: The most characters of a file, which the costs of about 1500 classes have.
LONGEST_TEXT = 1 << 26

#: Lists of numbers, which JSON text has on one line; text in JSON has no line breaks.
NUMBERS = re.compile(r"\[\n([^\[\]{}\"]*)\]")

#: The version of the schema, which ``schema.json`` describes.
VERSION = 3


def to_dict(result: Thresholds, *, with_costs: bool = True) -> dict[str, Any]:
    """Return everything in a result as plain Python values.

    The costs of constraints, which may take time to compute, are left out without ``with_costs``.
    """
    own = result.decisions.tolist() != result.classes.tolist()
    decisions = {"decisions": to_fields(result.decisions)} if own else {}
    share = {} if result.review_share is None else {"review_share": result.review_share}
    outcomes = [outcome.to_dict(with_cost=with_costs) for outcome in result.constraints]
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "objective": result.objective,
        "value": None if np.isnan(result.value) else result.value,
        "method": result.method,
        "certificate": str(result.proof),
        "proof": result.proof.as_dict(),
        "classes": to_fields(result.classes),
        **decisions,
        **share,
        "thresholds": _written(result.thresholds.tolist()),
        "ranges": [_written(row) for row in result.ranges.tolist()],
        **({"constraints": outcomes} if outcomes else {}),
    }


def with_record(
    result: Thresholds, *, time: bool = True, intervals: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return everything in a result, and its record, as plain Python values.

    The record gets the current time unless it has one, and bootstrap intervals if they are given.
    """
    record = result.record
    if record is None:
        return to_dict(result)
    stamp = record.time or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    record = replace(record, time=stamp if time else None)
    if intervals is not None:
        record = replace(record, intervals=intervals)
    return {**to_dict(result), "record": record.as_dict()}


def schema_text() -> str:
    """Return the JSON Schema of files of thresholds.

    Examples
    --------
    >>> json.loads(schema_text())["properties"]["version"]
    {'const': 3}
    """
    schema = files(__package__).joinpath("schema.json")
    return schema.read_text(encoding="utf-8").rstrip()


def json_text(data: Any) -> str:
    r"""Return JSON in which the marks that turn the direction of text are escaped.

    A list of numbers is on one line.

    Examples
    --------
    >>> json_text(["é", "\u202e"])
    '[\n  "é",\n  "\\u202e"\n]'
    >>> json_text([[1, 2], []])
    '[\n  [1, 2],\n  []\n]'
    """
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    text = NUMBERS.sub(lambda numbers: f"[{' '.join(numbers[1].split())}]", text)
    return marks_escaped(text)


def from_json(text: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of a result, read from JSON text or a file of a path, and checked."""
    if isinstance(text, os.PathLike):
        text = _text_of(Path(text))
    try:
        return _checked(_parsed(text))
    except (TypeError, ValueError) as error:
        raise ValueError(shortened(str(error))) from None


def _text_of(path: Path) -> str:
    """Return the text of a file; an error for pipes and devices, which can be endless."""
    if path.exists() and not path.is_file():
        raise ValueError(
            f"text must be JSON or the path of a file, and {str(path)!r} is none. Read it "
            "yourself, and pass its text."
        )
    with path.open(encoding="utf-8") as file:
        return read_limited(file)


def read_limited(file: TextIO) -> str:
    """Return the text of an open file; a ValueError if it is longer than any that was written.

    Examples
    --------
    >>> import io
    >>> read_limited(io.StringIO("{}"))
    '{}'
    """
    text = file.read(LONGEST_TEXT + 1)
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"it has more than {LONGEST_TEXT >> 20} MiB of text. {DAMAGED}")
    return text


def _parsed(text: str) -> dict[str, Any]:
    if isinstance(text, dict):
        raise TypeError("text must be JSON or a path, got a dict. Pass json.dumps(data).")
    try:
        data = json.loads(str(text))
    except (TypeError, ValueError, RecursionError) as error:
        is_name = "{" not in str(text)
        hint = " To read a file, pass its name as a pathlib.Path." if is_name else ""
        raise ValueError(
            f"text must be the JSON that Thresholds.to_json wrote, got other text: {error}.{hint}"
        ) from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ValueError(
            f'text must be the JSON that Thresholds.to_json wrote, with "schema": "{SCHEMA}"; '
            f"got JSON without it."
        )
    version = data.get("version")
    if isinstance(version, bool) or version != VERSION:
        raise ValueError(
            f"version must be {VERSION}, got {short_repr(version)}. Read it with the release of "
            "ordcut that wrote it, or find the thresholds again with this release."
        )
    return data


def _checked(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a result, after a check of each."""
    thresholds = _array_in(data, "thresholds")
    ranges = _array_in(data, "ranges")
    classes = _names(data, "classes")
    decisions, what = classes, "classes"
    if "decisions" in data:
        decisions, what = _names(data, "decisions"), "decisions"
    check_thresholds(thresholds, "thresholds", len(decisions), what)
    if ranges.shape != (len(thresholds), 2):
        raise ValueError(
            f"ranges must be a pair for each threshold, got {short_repr(ranges.tolist())}."
        )
    if not ((ranges[:, 0] <= thresholds) & (thresholds <= ranges[:, 1])).all():
        raise ValueError("ranges must contain the thresholds, and these do not.")
    names = {name: _field(data, name, str) for name in ("objective", "method")}
    proof = Certificate.from_dict(_field(data, "proof", dict))
    value = np.array(np.nan)  # of given thresholds that were not judged on data
    if "value" not in data or data["value"] is not None:
        value = _array_in(data, "value")
        if value.shape != () or not np.isfinite(value):
            raise ValueError(f"value must be a finite number, got {short_repr(data['value'])}.")
    share = _array_in(data, "review_share") if "review_share" in data else None
    if share is not None and (share.shape != () or not 0 <= share <= 1):
        raise ValueError(
            f"review_share must be between 0 and 1, got {short_repr(data['review_share'])}."
        )
    evidence = None
    if data.get("record") is not None:
        evidence = read_record(data["record"], len(classes), len(decisions)).itself
    return {
        "evidence": evidence,
        "thresholds": thresholds,
        "classes": classes,
        "decisions": decisions,
        "ranges": ranges,
        "value": float(value),
        "review_share": None if share is None else float(share),
        "constraints": _outcomes(data),
        "proof": proof,
        **names,
    }


def check_thresholds(values: Floats, argument: str, n: int, what: str = "classes") -> None:
    """Raise an error unless there is an ascending value between any two of n classes.

    Examples
    --------
    >>> check_thresholds(np.array([2.0, 1.0]), "values", 3)
    Traceback (most recent call last):
    ...
    ValueError: values must be in ascending order, got [2.0, 1.0].
    """
    if values.shape != (n - 1,) or np.isnan(values).any():
        raise ValueError(
            f"{argument} must be {n - 1} numbers for {n} {what}, got [{listed(values.ravel())}]."
        )
    if (values[1:] < values[:-1]).any():
        raise ValueError(f"{argument} must be in ascending order, got [{listed(values.ravel())}].")


def _written(values: list[float]) -> list[float | str]:
    """Return numbers as JSON can hold them: infinite ones as text."""
    return [value if np.isfinite(value) else str(value) for value in values]


def _outcomes(data: dict[str, Any]) -> tuple[ConstraintOutcome, ...]:
    """Return the outcome of each constraint, which is known by its text only."""
    outcomes = []
    for entry in _field(data, "constraints", list) if "constraints" in data else ():
        fields = entry if isinstance(entry, dict) else {}
        text, cost = _field(fields, "constraint", str), _reached(fields, "cost")
        if isinstance(cost, tuple):
            raise ValueError(
                f"cost of a constraint must be a number, got {short_repr(fields['cost'])}."
            )
        reached, promise = _reached(fields, "reached"), _promise(fields)
        outcomes.append(ConstraintOutcome(text, reached, partial(float, cost), promise))
    return tuple(outcomes)


def _promise(fields: dict[str, Any]) -> Promise | None:
    if "promised" not in fields:
        return None
    confidence, bound = _array_in(fields, "confidence"), _field(fields, "bound", str)
    if not (confidence.shape == () and 0 < confidence < 1 and bound in BOUNDS):
        raise ValueError(
            "confidence of a constraint must be a number between 0 and 1, and bound one of "
            f"{', '.join(BOUNDS)}, got {fields['confidence']!r} and {bound!r}."
        )
    return Promise(_reached(fields, "promised"), float(confidence), bound)


def _reached(data: dict[str, Any], name: str) -> Any:
    """Return a number, NaN if it is null, or a tuple of numbers."""
    if name in data and data[name] is None:
        return np.nan
    numbers = _array_in(data, name).tolist()
    return tuple(numbers) if isinstance(numbers, list) else numbers


def _field(data: dict[str, Any], name: str, kind: type) -> Any:
    if not isinstance(data.get(name), kind):
        raise ValueError(
            f"{name} must be a {kind.__name__} in the JSON of thresholds, got "
            f"{short_repr(data.get(name))}. {DAMAGED}"
        )
    return data[name]


def _names(data: dict[str, Any], name: str) -> Array:
    """Return classes or decisions: numbers, booleans, text or intervals."""
    fields = _field(data, name, list)
    try:
        values = [*map(from_fields, fields[: MOST_CLASSES + 1])]
    except (TypeError, ValueError):
        values = fields[:0]
    if len(values) != len(fields) or len(values) > MOST_CLASSES:
        raise ValueError(
            f"{name} must be at most {MOST_CLASSES} numbers, booleans, texts or intervals in the "
            f"JSON of thresholds, got {len(fields)}: {short_repr(fields)}. {DAMAGED}"
        )
    longest = max((len(value) for value in values if isinstance(value, str)), default=0)
    if len(values) * longest > MOST_CHARACTERS:
        raise ValueError(
            f"{name} must be short names: {len(values)} of them may have at most "
            f"{MOST_CHARACTERS // len(values)} characters each, and one has {longest}. {DAMAGED}"
        )
    return check_classes(values, name)


def _array_in(data: dict[str, Any], name: str) -> Any:
    """Return a number, a list of numbers or a matrix in JSON as an array; else raise an error."""
    try:
        numbers = np.array(_as_floats(data.get(name), 2))
    except (OverflowError, TypeError, ValueError):
        numbers = np.array(np.nan)
    if np.isnan(numbers).any():
        raise ValueError(
            f"{name} must be numbers in the JSON of thresholds, got {short_repr(data.get(name))}. "
            f"{DAMAGED}"
        )
    return numbers


def _as_floats(value: Any, depth: int) -> Any:
    if isinstance(value, list) and depth and len(value) < MOST_CLASSES:
        return [_as_floats(entry, depth - 1) for entry in value]
    if type(value) in (int, float) or value in ("inf", "-inf"):  # no boolean, no other text
        return float(value)
    raise TypeError
