"""Thresholds as JSON: written in full, and checked when read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut.data import check_classes

if TYPE_CHECKING:
    from ordcut.thresholds.result import Thresholds

SCHEMA = "ordcut.thresholds"
VERSION = 1


def to_dict(found: Thresholds) -> dict[str, Any]:
    """Return everything in a result as plain Python values."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "objective": found.objective,
        "value": None if np.isnan(found.value) else found.value,
        "method": found.method,
        "certificate": found.certificate,
        "classes": found.classes.tolist(),
        "thresholds": [as_written(value) for value in found.thresholds.tolist()],
        "ranges": [[as_written(value) for value in row] for row in found.ranges.tolist()],
    }


def to_json(found: Thresholds) -> str:
    """Return a result as JSON text."""
    return json.dumps(to_dict(found), indent=2, ensure_ascii=False, allow_nan=False)


def from_json(text: str) -> dict[str, Any]:
    """Return the fields of a result, read from JSON text and checked."""
    try:
        data = json.loads(text)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"text must be the JSON that Thresholds.to_json wrote, got something else: {error}"
        ) from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ValueError(
            f'text must be the JSON that Thresholds.to_json wrote, with "schema": "{SCHEMA}"; '
            f"got JSON without it."
        )
    if data.get("version") != VERSION:
        raise ValueError(
            f"version must be {VERSION}, got {data.get('version')!r}. "
            "Read it with the release of ordcut that wrote it, or a newer one."
        )
    thresholds = _numbers(data, "thresholds")
    ranges = _numbers(data, "ranges")
    classes = check_classes(_field(data, "classes", list))
    if thresholds.shape != (len(classes) - 1,):
        raise ValueError(
            f"thresholds must be {len(classes) - 1} numbers for {len(classes)} classes, "
            f"got {thresholds.tolist()}."
        )
    if (thresholds[1:] < thresholds[:-1]).any():
        raise ValueError(f"thresholds must be in ascending order, got {thresholds.tolist()}.")
    if ranges.shape != (len(thresholds), 2):
        raise ValueError(f"ranges must be a pair for each threshold, got {ranges.tolist()}.")
    if not ((ranges[:, 0] <= thresholds) & (thresholds <= ranges[:, 1])).all():
        raise ValueError("ranges must contain the thresholds, got some that do not.")
    names = {name: _field(data, name, str) for name in ("objective", "method", "certificate")}
    if "value" in data and data["value"] is None:  # given thresholds that nobody has judged
        return {
            "thresholds": thresholds,
            "classes": classes,
            "ranges": ranges,
            "value": np.nan,
            **names,
        }
    value = _numbers(data, "value")
    if value.shape != () or not np.isfinite(value):
        raise ValueError(f"value must be a finite number, got {data['value']!r}.")
    return {
        "thresholds": thresholds,
        "classes": classes,
        "ranges": ranges,
        "value": float(value),
        **names,
    }


def as_written(value: float) -> float | str:
    """Return a number as JSON can hold it: infinite ones as text."""
    return value if np.isfinite(value) else str(value)


def _field(data: dict[str, Any], name: str, kind: type) -> Any:
    if not isinstance(data.get(name), kind):
        raise ValueError(
            f"{name} must be a {kind.__name__} in the JSON of thresholds, got {data.get(name)!r}. "
            "The file is damaged; write it again with Thresholds.to_json."
        )
    return data[name]


def _numbers(data: dict[str, Any], name: str) -> Any:
    try:
        numbers = np.array(data.get(name), dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if np.isnan(numbers).any():
        raise ValueError(
            f"{name} must be numbers in the JSON of thresholds, got {data.get(name)!r}. "
            "The file is damaged; write it again with Thresholds.to_json."
        )
    return numbers
