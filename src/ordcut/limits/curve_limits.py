"""Limits on one threshold each, as limits on the weight of the rows below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor

import numpy as np

from ordcut.data import SortedRows
from ordcut.exact import as_fraction
from ordcut.limits.constraints import Between, Constraint, Fixed, Over, Under
from ordcut.limits.scheme import Scheme
from ordcut.pruning import CurveLimit
from ordcut.typing import Array, Floats, Ints


def curve_limits(
    constraints: Sequence[Constraint],
    scheme: Scheme,
    count_all: Callable[[], Array],
    count: Callable[[Floats], Array],
) -> list[CurveLimit] | None:
    """Return constraints as limits on weights below thresholds; None if some are of other kinds.

    ``count_all`` returns the weights of the classes, and ``count`` those between thresholds.
    """
    if not all(isinstance(one, Under | Fixed | Between) for one in constraints):
        return None
    every, totals = np.arange(len(scheme.classes)), count_all()
    found = []
    for one in constraints:
        if isinstance(one, Under):
            k, is_over = scheme.true_class(one), isinstance(one, Over)
            which = every <= k if is_over else every >= k
            total = totals[which].sum()
            share = as_fraction(one.at_most)
            is_whole = total == int(total)
            most = floor(share * int(total)) if is_whole else float(share) * float(total)
            if is_over and scheme.last_decision_of(one) < len(scheme.decisions) - 1:
                found.append(CurveLimit(scheme.last_decision_of(one), which, at_least=total - most))
            elif not is_over and scheme.first_decision_of(one) > 0:
                found.append(CurveLimit(scheme.first_decision_of(one) - 1, which, at_most=most))
    ends = []
    for one in constraints:
        if isinstance(one, Fixed):
            ends.append((scheme.threshold(one), one.value, one.value))
        elif isinstance(one, Between):
            ends.append((scheme.threshold(one), one.low, one.high))
    values = np.unique([value for _, *pair in ends for value in pair if np.isfinite(value)])
    # The weight below -inf, below each value, and below inf.
    inner = np.cumsum(count(values).sum(axis=1))[:-1] if len(values) else np.empty(0)
    below = np.concatenate([[0], inner, [totals.sum()]])
    for k, low, high in ends:
        at_least, at_most = (_below(value, values, below) for value in (low, high))
        found.append(
            CurveLimit(
                k,
                every >= 0,
                None if low == -np.inf else at_least,
                None if high == np.inf else at_most,
            )
        )
    return found


def _below(value: float, values: Floats, below: Array) -> float:
    if np.isinf(value):
        return float(below[-1] if value > 0 else 0)
    return float(below[1 + np.searchsorted(values, value)])


def cut_ranges(
    rows: SortedRows, limits: Sequence[CurveLimit], n_thresholds: int
) -> tuple[Ints, Ints] | None:
    """Return the lowest and highest cut of each threshold; None if there is none for some.

    Both are in ascending order: a threshold cannot be above one that must be low.

    Examples
    --------
    >>> from ordcut.data import Rows
    >>> rows = Rows.read([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1]).sorted()
    >>> cut_ranges(rows, [CurveLimit(0, np.array([False, True]), at_most=1)], 1)
    (array([0]), array([3]))
    """
    n_rows = len(rows.codes)
    lowest, highest = np.zeros(n_thresholds, np.int64), np.full(n_thresholds, n_rows)
    for one in limits:
        counted = np.flatnonzero(one.which[rows.codes])
        # The weight of the rows that count, up to and with each of them.
        upto = np.arange(1, len(counted) + 1)
        if rows.weights is not None:
            upto = np.cumsum(rows.weights[counted])
        if one.at_least is not None and one.at_least > 0:
            index = int(np.searchsorted(upto, one.at_least, "left"))
            if index == len(counted):
                return None
            last_below = int(counted[index])  # up to the end of its score
            first = last_below + 1 + int(np.argmax(rows.ends[last_below:]))
            lowest[one.k] = max(lowest[one.k], first)
        if one.at_most is not None:
            index = int(np.searchsorted(upto, one.at_most, "right"))
            last = n_rows
            if index < len(counted):  # down to the start of the score that would be too much
                last = int(counted[index])
                last -= int(np.argmax(rows.ends[:last][::-1])) if rows.ends[:last].any() else last
            highest[one.k] = min(highest[one.k], last)
    lowest, highest = np.maximum.accumulate(lowest), np.minimum.accumulate(highest[::-1])[::-1]
    return (lowest, highest) if (lowest <= highest).all() else None
