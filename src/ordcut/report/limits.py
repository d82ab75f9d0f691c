"""Constraints as a page checks them: ratios of weights, and positions of thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ordcut.limits import (
    Allowed,
    Between,
    Constraint,
    Count,
    Digits,
    Fixed,
    Gap,
    Over,
    Precision,
    Recall,
    Scheme,
    Share,
    Under,
    read_constraints,
)
from ordcut.objectives import Objective
from ordcut.thresholds import Thresholds, as_written
from ordcut.typing import Array, Floats

#: The maximum number of allowed values that are included in the positions of a page.
MOST_VALUES = 300

#: The maximum length of the text of a limit.
LONGEST_TEXT = 120


def constraints_of(thresholds: Thresholds | None) -> tuple[Constraint, ...]:
    """Return the constraints of thresholds, also if they were read from JSON."""
    if thresholds is None:
        return ()
    return read_constraints([one.constraint for one in thresholds.constraints])


def limits_content(
    constraints: Sequence[Constraint],
    thresholds: Thresholds | None,
    objective: Objective,
    classes: Array,
    positions: Floats,
) -> list[dict[str, Any]]:
    """Return each constraint as plain values, ready to be written as JSON.

    Of the values that constraints allow, only those at the given positions are listed. A limit on
    a ratio has two blocks of the (decision, class) table of weights, each as the first and the end
    of its decisions and of its classes; the second one is None for a number of rows.

    Examples
    --------
    >>> from ordcut import optimal_thresholds
    >>> found = optimal_thresholds([1, 2, 3], [0, 1, 1], constraints=["recall 1 >= 0.9"])
    >>> objective, positions = found.origin.objective, np.array([-np.inf, 1.5, 2.5, np.inf])
    >>> limits_content(constraints_of(found), found, objective, found.classes, positions)
    [{'limit': 'recall 1 >= 0.9', 'part': [[1, 2], [1, 2]], 'whole': [[0, 2], [1, 2]], ...
    """
    scheme = Scheme.of(objective, classes)
    if thresholds is not None and thresholds.review_share is not None:
        scheme = replace(scheme, is_review=True)  # also for costs without that name
    scheme.check(tuple(constraints))
    texts = [str(one) for one in constraints]
    short = [
        text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…" for text in texts
    ]
    return [
        {"limit": text, **_limit(one, scheme, positions)}
        for text, one in zip(short, constraints, strict=True)
    ]


def values_allowed(constraints: Sequence[Constraint], extent: tuple[float, float]) -> Floats:
    """Return the values within an extent that constraints allow, if they are few.

    Examples
    --------
    >>> values_allowed([Digits(0), Fixed(0, 2.5)], (0.5, 3.5))
    array([1. , 2. , 2.5, 3. ])
    """
    low, high = extent
    found: list[float] = []
    for one in constraints:
        if isinstance(one, Allowed):
            values = [value for value in one.values if low <= value <= high]
        elif isinstance(one, Digits):
            step = 10.0**-one.n
            first, last = np.ceil(low / step), np.floor(high / step)
            is_few = last - first < MOST_VALUES  # False for NaN as well
            steps = np.arange(first, last + 1) if is_few else np.empty(0)
            values = [round(float(at) * step, one.n) for at in steps]
        else:
            values = [one.value] if isinstance(one, Fixed) else []
        found += values if len(values) <= MOST_VALUES else []
    return np.unique(np.array(found, dtype=np.float64))


def _limit(one: Constraint, scheme: Scheme, positions: Floats) -> dict[str, Any]:
    if isinstance(one, Fixed):
        value = as_written(float(one.value))
        return {"threshold": scheme.threshold(one), "low": value, "high": value}
    if isinstance(one, Between):
        low, high = as_written(float(one.low)), as_written(float(one.high))
        return {"threshold": scheme.threshold(one), "low": low, "high": high}
    if isinstance(one, Allowed):
        reachable = np.intersect1d(np.array(one.values), positions)
        return {"values": [as_written(value) for value in reachable.tolist()]}
    if isinstance(one, Digits):
        return {"digits": int(one.n)}
    if isinstance(one, Gap):
        return {"gap": float(one.at_least)}
    part, whole = _blocks(one, scheme)
    sides = {"atLeast": getattr(one, "at_least", None), "atMost": getattr(one, "at_most", None)}
    return {"part": part, "whole": whole, **sides}


def _blocks(one: Constraint, scheme: Scheme) -> tuple[Any, Any]:
    """Return the two blocks of the table of weights whose ratio a constraint limits."""
    all_decisions, all_classes = [0, len(scheme.decisions)], [0, len(scheme.classes)]
    if isinstance(one, Under):
        k = scheme.true_class(one)
        if isinstance(one, Over):
            higher, some = [scheme.last_decision_of(one) + 1, all_decisions[1]], [0, k + 1]
            return [higher, some], [all_decisions, some]
        lower, some = [0, scheme.first_decision_of(one)], [k, all_classes[1]]
        return [lower, some], [all_decisions, some]
    d = scheme.decision(one)
    own = [d, d + 1]
    if isinstance(one, Share | Count):
        whole = None if isinstance(one, Count) else [all_decisions, all_classes]
        return [own, all_classes], whole
    assert isinstance(one, Recall | Precision)
    k = scheme.true_class(one)
    true = [k, k + 1]
    return [own, true], [all_decisions, true] if isinstance(one, Recall) else [own, all_classes]
