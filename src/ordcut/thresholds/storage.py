"""Thresholds as JSON: written in full, and checked when read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut.data import check_classes
from ordcut.thresholds.certificate import Certificate
from ordcut.typing import Floats

if TYPE_CHECKING:
    from ordcut.thresholds.result import Thresholds

SCHEMA = "ordcut.thresholds"

#: The version that is written for decisions that are the classes, and for others.
VERSION, VERSION_OF_DECISIONS = 1, 2


def to_dict(found: Thresholds, *, with_costs: bool = True) -> dict[str, Any]:
    """Return everything in a result as plain Python values.

    What constraints cost is computed for it, unless it is left out.
    """
    own = found.decisions.tolist() != found.classes.tolist()
    decisions = {"decisions": found.decisions.tolist()} if own else {}
    share = {} if found.review_share is None else {"review_share": found.review_share}
    outcomes = [outcome.to_dict(with_cost=with_costs) for outcome in found.constraints]
    return {
        "schema": SCHEMA,
        "version": VERSION_OF_DECISIONS if own else VERSION,
        "objective": found.objective,
        "value": None if np.isnan(found.value) else found.value,
        "method": found.method,
        "certificate": str(found.proof),
        "proof": found.proof.as_dict(),
        "classes": found.classes.tolist(),
        **decisions,
        **share,
        "thresholds": [as_written(value) for value in found.thresholds.tolist()],
        "ranges": [[as_written(value) for value in row] for row in found.ranges.tolist()],
        **({"constraints": outcomes} if outcomes else {}),
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
    if data.get("version") not in (VERSION, VERSION_OF_DECISIONS):
        raise ValueError(
            f"version must be {VERSION} or {VERSION_OF_DECISIONS}, got {data.get('version')!r}. "
            "Read it with the release of ordcut that wrote it, or a newer one."
        )
    thresholds = _numbers(data, "thresholds")
    ranges = _numbers(data, "ranges")
    classes = check_classes(_field(data, "classes", list))
    decisions, what = classes, "classes"
    if "decisions" in data:
        decisions, what = check_classes(_field(data, "decisions", list), "decisions"), "decisions"
    check_thresholds(thresholds, "thresholds", len(decisions), what)
    if ranges.shape != (len(thresholds), 2):
        raise ValueError(f"ranges must be a pair for each threshold, got {ranges.tolist()}.")
    if not ((ranges[:, 0] <= thresholds) & (thresholds <= ranges[:, 1])).all():
        raise ValueError("ranges must contain the thresholds, got some that do not.")
    names = {name: _field(data, name, str) for name in ("objective", "method", "certificate")}
    text = names.pop("certificate")
    if "proof" in data:
        proof = Certificate.from_dict(_field(data, "proof", dict))
    else:  # a file of version 0.2 or earlier
        proof = Certificate.from_text(text, names["method"])
    value = np.array(np.nan)  # of given thresholds that nobody has judged
    if "value" not in data or data["value"] is not None:
        value = _numbers(data, "value")
        if value.shape != () or not np.isfinite(value):
            raise ValueError(f"value must be a finite number, got {data['value']!r}.")
    return {
        "thresholds": thresholds,
        "classes": classes,
        "decisions": decisions,
        "ranges": ranges,
        "value": float(value),
        "review_share": _field(data, "review_share", float) if "review_share" in data else None,
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
            f"{argument} must be {n - 1} numbers for {n} {what}, got {values.tolist()}."
        )
    if (values[1:] < values[:-1]).any():
        raise ValueError(f"{argument} must be in ascending order, got {values.tolist()}.")


def as_written(value: float) -> float | str:
    """Return a number as JSON can hold it: infinite ones as text.

    Examples
    --------
    >>> as_written(0.5), as_written(float("inf"))
    (0.5, 'inf')
    """
    return value if np.isfinite(value) else str(value)


def _outcomes(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the text of each constraint, what it has reached and what it costs."""
    outcomes = []
    for entry in _field(data, "constraints", list) if "constraints" in data else ():
        fields = entry if isinstance(entry, dict) else {}
        text, cost = _field(fields, "constraint", str), _reached(fields, "cost")
        if isinstance(cost, tuple):
            raise ValueError(f"cost of a constraint must be a number, got {fields['cost']!r}.")
        outcomes.append({"constraint": text, "reached": _reached(fields, "reached"), "cost": cost})
    return outcomes


def _reached(data: dict[str, Any], name: str) -> Any:
    """Return a number, NaN if it is null, or a tuple of numbers."""
    if name in data and data[name] is None:
        return np.nan
    numbers = _numbers(data, name).tolist()
    return tuple(numbers) if isinstance(numbers, list) else numbers


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
