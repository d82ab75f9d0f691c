"""Limits as a page checks them: ratios of weights, and positions of thresholds."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ordcut._core.limits import (
    Distance,
    Grid,
    Interval,
    Limits,
    Ratio,
    limits_for,
    read_constraints,
)
from ordcut._core.numerics.exact import EXACT
from ordcut._core.objectives import Objective
from ordcut._core.thresholds import Thresholds, as_written
from ordcut._core.typing import Floats, Ints

#: The maximum number of allowed values that are included in the positions of a page.
MOST_VALUES = 300

#: The maximum length of the text of a limit.
LONGEST_TEXT = 120


def limits_of(thresholds: Thresholds | None, objective: Objective) -> Limits | None:
    """Return the limits of thresholds, also if they were read from JSON."""
    if thresholds is None:
        return None
    constraints = read_constraints([outcome.constraint for outcome in thresholds.constraints])
    for constraint in constraints:
        if constraint.group is not None:
            raise ValueError(
                f"a report cannot judge constraint {str(constraint)!r}: it does not know the "
                "groups of the rows. Leave out the constraint, or use Thresholds.explain()."
            )
    return limits_for(constraints, objective, thresholds.classes)


def limits_content(
    limits: Limits | None, positions: Floats, totals: Floats
) -> list[dict[str, Any]]:
    """Return each limit as plain values, ready to be written as JSON.

    Limits with a confidence become limits on the share that promises them on rows of these totals.
    Of the values that limits allow, only those at the given positions are listed. A limit on a
    ratio has two sums over the (decision, class) table of weights, each as a list of blocks: a
    coefficient, the first decision and the end of the decisions, and likewise for the classes. The
    second sum is None for a number of rows.

    Examples
    --------
    >>> from ordcut import optimal_thresholds
    >>> result = optimal_thresholds([1, 2, 3], [0, 1, 1], constraints=["recall 1 >= 0.9"])
    >>> positions, totals = np.array([-np.inf, 1.5, 2.5, np.inf]), np.array([1.0, 2.0])
    >>> limits_content(result.origin.limits, positions, totals)
    [{'limit': 'recall 1 >= 0.9', 'part': [[1, [1, 2], [1, 2]]], 'whole': [[1, [0, 2], [1, 2]]], ...
    """
    if limits is None:
        return []
    texts = [str(constraint) for constraint in limits.constraints]
    short = [
        text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…" for text in texts
    ]
    return [
        {"limit": text, **CONTENT[form.kind](form, positions)}
        for text, form in zip(short, limits.on(totals, Fraction(1)).forms, strict=True)
    ]


def values_allowed(limits: Limits | None, extent: tuple[float, float]) -> Floats:
    """Return the values within an extent that limits ask for, if they are few.

    Examples
    --------
    >>> from ordcut._core.limits import Digits, Fixed, Names, lower_all
    >>> limits = lower_all([Digits(0), Fixed(0, 2.5)], Names([0, 1], [0, 1]))
    >>> values_allowed(limits, (0.5, 3.5))
    array([1. , 2. , 2.5, 3. ])
    """
    values: list[float] = []
    for form in () if limits is None else limits.forms:
        allowed = VALUES[form.kind](form, extent)
        values += allowed if len(allowed) <= MOST_VALUES else []
    return np.unique(np.array(values, dtype=np.float64))


def _values_of_grid(form: Grid, extent: tuple[float, float]) -> list[float]:
    low, high = extent
    if form.n_digits is None:
        assert form.values is not None
        return [value for value in form.values if low <= value <= high]
    step = 10.0**-form.n_digits
    first, last = np.ceil(low / step), np.floor(high / step)
    is_few = last - first < MOST_VALUES  # False for NaN as well
    steps = np.arange(first, last + 1) if is_few else np.empty(0)
    return [round(float(at) * step, form.n_digits) for at in steps]


def _values_of_interval(form: Interval, _: object) -> list[float]:
    return [form.low] if form.low == form.high else []


#: The values that each kind of form asks for within an extent.
VALUES: dict[str, Callable[[Any, tuple[float, float]], list[float]]] = {
    "grid": _values_of_grid,
    "interval": _values_of_interval,
    "distance": lambda *_: [],
    "ratio": lambda *_: [],
    "promised precision": lambda *_: [],
}


def _ratio(form: Ratio, _: object) -> dict[str, Any]:
    part, whole = form.part, form.whole
    if whole is not None and max(part.max(), whole.max()) > EXACT:  # scripts have floats only
        part, whole = ((each / whole.max()).astype(np.float64) for each in (part, whole))
    least, most = (
        None if limit is None else float(limit) for limit in (form.at_least, form.at_most)
    )
    sides = {"atLeast": least, "atMost": most}
    blocks = None if whole is None else blocks_of(whole)
    return {"part": blocks_of(part), "whole": blocks, **sides}


def _interval(form: Interval, _: object) -> dict[str, Any]:
    return {"threshold": form.k, "low": as_written(form.low), "high": as_written(form.high)}


def _grid(form: Grid, positions: Floats) -> dict[str, Any]:
    if form.n_digits is not None:
        return {"digits": form.n_digits}
    reachable = np.intersect1d(np.array(form.values), positions)
    return {"values": [as_written(value) for value in reachable.tolist()]}


def _distance(form: Distance, _: object) -> dict[str, Any]:
    return {"gap": form.at_least}


#: The plain values of each kind of form.
CONTENT: dict[str, Callable[[Any, Floats], dict[str, Any]]] = {
    "ratio": _ratio,
    "promised precision": lambda form, _: _ratio(form.ratio, _),
    "interval": _interval,
    "grid": _grid,
    "distance": _distance,
}


def blocks_of(coefficients: Ints) -> list[list[Any]]:
    """Return a (decision, class) table of coefficients as blocks of equal coefficients.

    Examples
    --------
    >>> blocks_of(np.array([[0, 1, 1], [0, 1, 1], [2, 0, 0]]))
    [[1, [0, 2], [1, 3]], [2, [2, 3], [0, 1]]]
    """
    blocks: list[list[Any]] = []
    rows = coefficients.tolist()
    first = 0
    for end in range(1, len(rows) + 1):
        if end < len(rows) and rows[end] == rows[first]:
            continue
        blocks += [[value, [first, end], run] for value, run in _runs(rows[first])]
        first = end
    return blocks


def _runs(row: list[int]) -> list[tuple[int, list[int]]]:
    """Return the runs of equal numbers in a row, except runs of 0, with their first and end."""
    changes = [0, *(i for i in range(1, len(row)) if row[i] != row[i - 1]), len(row)]
    pairs = itertools.pairwise(changes)
    return [(row[first], [first, end]) for first, end in pairs if row[first] != 0]
