"""Rows counted between values that thresholds must be chosen from: nothing has to be sorted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ordcut.data import Rows, SortedRows
from ordcut.jit import kernel
from ordcut.limits.constraints import Allowed, Constraint, Digits, Gap
from ordcut.limits.positions import round_numbers
from ordcut.typing import Array, Floats, Numbers

#: Up to so many values, and a value for so many rows, rows are counted between values.
MOST_VALUES, ROWS_PER_VALUE = 20_000, 20

#: Slots of the table that says where to look for a value, for each value.
SLOTS_PER_VALUE = 16


class LumpedRows(SortedRows):
    """Rows lumped together between the values that thresholds must be chosen from.

    They stand for all rows only as long as thresholds have to be among these values.
    """


def lists_values(constraint: Constraint) -> bool:
    """Return whether a constraint says which values thresholds must be chosen from."""
    return isinstance(constraint, Allowed | Digits)


def rows_between_values(rows: Rows, constraints: Sequence[Constraint]) -> LumpedRows | None:
    """Return rows lumped together between the values that constraints allow.

    None where no constraint lists values, these are many, weights are not whole numbers, or
    thresholds must be apart. The first and the last score of each lump are those of its rows, so
    that thresholds go where they would go between the rows themselves.

    Examples
    --------
    >>> rows = Rows.read(np.arange(100.0), np.repeat([0, 1], 50))
    >>> lumped = rows_between_values(rows, [Allowed([20.5, 60.5])])
    >>> lumped.scores[lumped.ends], lumped.between(np.flatnonzero(lumped.ends)[:-1] + 1).tolist()
    (array([20., 60., 99.]), [[21.0, 0.0], [29.0, 11.0], [0.0, 39.0]])
    """
    if rows.codes is None or not rows.is_whole:
        return None
    most = min(MOST_VALUES, rows.n_rows // ROWS_PER_VALUE)
    values = listed_values(constraints, rows.extent, most)
    return None if values is None else lumped(*_count(rows, values), len(rows.classes))


def listed_values(
    constraints: Sequence[Constraint], extent: Callable[[], tuple[float, float]], most: int
) -> Floats | None:
    """Return the finite values that thresholds must be chosen from, if they are few.

    ``extent`` returns the lowest and the highest score. None also where thresholds must be apart:
    then it matters which of several values between the same scores is taken.

    Examples
    --------
    >>> listed_values([Digits(0)], lambda: (0.4, 2.2), most=10)
    array([-1.,  0.,  1.,  2.,  3.,  4.])
    """
    values: Floats | None = None
    if any(isinstance(one, Gap) for one in constraints):
        return None
    for one in constraints:
        some: Floats | None = None
        if isinstance(one, Allowed):
            some = np.array(one.values)
        elif isinstance(one, Digits):
            low, high = extent()
            if (high - low) * 10.0**one.n > most:
                return None
            some = round_numbers(one.n, low, high)
        if some is not None:
            values = some if values is None else np.intersect1d(values, some)
    if values is None:
        return None
    finite = values[np.isfinite(values)]
    return finite if 0 < len(finite) <= most else None


def _count(rows: Rows, values: Floats) -> tuple[Numbers, Array, Array]:
    """Return the weight of each cell between values and class, and its lowest and highest score."""
    assert rows.codes is not None
    n_cells = len(values) + 1
    counts = np.zeros((n_cells, len(rows.classes)), np.int64)
    lowest = np.full(n_cells, np.inf, rows.dtype)
    highest = np.full(n_cells, -np.inf, rows.dtype)
    with np.errstate(over="ignore", divide="ignore"):
        scale = SLOTS_PER_VALUE * len(values) / (values[-1] - values[0])
    scale = scale if np.isfinite(scale) else 0.0
    edges = values[0] + np.arange(SLOTS_PER_VALUE * len(values) + 1) / (scale or 1.0)
    guess = np.searchsorted(values, edges, "right").astype(np.uint16)  # so that caches hold it
    weights = np.ones(1, np.int64) if rows.weights is None else rows.weights
    stride = int(rows.weights is not None)
    scores = rows.scores.astype(np.float32) if rows.dtype == np.float16 else rows.scores
    if scores.dtype != rows.dtype:
        lowest, highest = lowest.astype(scores.dtype), highest.astype(scores.dtype)
    count_between(
        scores, rows.codes, weights, stride, values, guess, scale, counts, lowest, highest
    )
    return counts, lowest.astype(rows.dtype), highest.astype(rows.dtype)


def lumped(counts: Numbers, lowest: Array, highest: Array, n_classes: int) -> LumpedRows:
    """Return cells as sorted rows: one for each class at the lowest score, one at the highest."""
    cell, code = np.nonzero(counts)
    is_used = lowest <= highest
    last = np.flatnonzero(is_used)
    order = np.argsort(np.concatenate([cell, last]), kind="stable")
    scores = np.concatenate([lowest[cell], highest[last]])[order]
    codes = np.concatenate([code, np.zeros(len(last), np.int64)])[order].astype(np.uint16)
    weights = np.concatenate([counts[cell, code], np.zeros(len(last), np.int64)])[order]
    is_end = np.concatenate([np.zeros(len(cell), np.bool_), np.ones(len(last), np.bool_)])[order]
    return LumpedRows(scores, codes, is_end, weights, n_classes)


@kernel("scores", steps=8)
def count_between(
    scores: Array,
    codes: Array,
    weights: Numbers,
    stride: int,
    values: Floats,
    guess: Array,
    scale: float,
    counts: Numbers,
    lowest: Array,
    highest: Array,
) -> None:
    """Add each row to the cell whose number is how many ascending values are at or below it.

    ``guess`` says how many are below each slot of a table over the values, with ``scale`` slots for
    a distance of 1: from there it is a few steps at most where values are evenly spaced. Fills
    ``counts`` by class, and the ``lowest`` and ``highest`` score of each cell.
    """
    top = len(guess) - 1
    n_values = len(values)
    first = values[0]
    for i in range(len(scores)):
        score = scores[i]
        slot = (score - first) * scale
        slot = slot if slot > 0.0 else 0.0
        slot = slot if slot < top else np.float64(top)
        cell = np.int64(guess[int(slot)])
        while cell < n_values and values[cell] <= score:
            cell += 1
        while cell > 0 and values[cell - 1] > score:
            cell -= 1
        counts[cell, codes[i]] += weights[i * stride]
        if score < lowest[cell]:
            lowest[cell] = score
        if score > highest[cell]:
            highest[cell] = score
