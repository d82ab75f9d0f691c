"""Rows lumped together between values that thresholds must be chosen from: nothing is sorted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ordcut._core.data import Rows, SortedRows
from ordcut._core.numerics.jit import kernel
from ordcut._core.numerics.limbs import AS_GIVEN, Limbs
from ordcut._core.numerics.threads import cached_property
from ordcut._core.pruning.source import Source
from ordcut._core.typing import Array, Floats, Numbers

#: Slots per value of the table that says where to look for a value.
SLOTS_PER_VALUE = 16


@dataclass(frozen=True)
class LumpedRows(SortedRows):
    """Rows lumped together between the values of a grid: a store for thresholds on that grid.

    For other thresholds, ``source`` has the rows themselves.
    """

    grid: object
    source: Rows | Source
    has_every_cut: ClassVar[bool] = False

    def on_grid(self, grid: object) -> SortedRows:
        """Return the lumps for thresholds on their grid, and all sorted rows for any other."""
        return self if grid == self.grid else self._sorted

    @cached_property
    def _sorted(self) -> SortedRows:
        return replace(self.source.all_rows(), limbs=self.limbs).sorted()


def lump_rows(rows: Rows, values: Floats, grid: object) -> LumpedRows:
    """Return rows of whole weight lumped together between ascending values of a grid.

    The first and the last score of each lump are scores of its rows, so that thresholds go where
    they would go between the rows themselves.

    Examples
    --------
    >>> rows = Rows.read(np.arange(100.0), np.repeat([0, 1], 50))
    >>> lumps = lump_rows(rows, np.array([20.5, 60.5]), grid=None)
    >>> lumps.scores[lumps.ends], lumps.between(np.flatnonzero(lumps.ends)[:-1] + 1).tolist()
    (array([20., 60., 99.]), [[21.0, 0.0], [29.0, 11.0], [0.0, 39.0]])
    """
    return lumps_of(rows, grid, *_count(rows, values))


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


def lumps_of(
    source: Rows | Source,
    grid: object,
    sums: Numbers,
    lowest: Array,
    highest: Array,
    limbs: Limbs = AS_GIVEN,
) -> LumpedRows:
    """Return cells as sorted rows: rows per class at the lowest score, and an end at the last.

    ``sums`` are the weights of each cell and class, or their sums of limbs.
    """
    parts = limbs.as_weights(sums)
    cell, code, term = np.nonzero(parts)
    is_used = lowest <= highest
    last = np.flatnonzero(is_used)
    order = np.argsort(np.concatenate([cell, last]), kind="stable")
    scores = np.concatenate([lowest[cell], highest[last]])[order]
    codes = np.concatenate([code, np.zeros(len(last), np.int64)])[order].astype(np.uint16)
    weights = np.append(parts[cell, code, term], np.zeros(len(last), parts.dtype))[order]
    is_end = np.concatenate([np.zeros(len(cell), np.bool_), np.ones(len(last), np.bool_)])[order]
    n_classes = sums.shape[1]
    return LumpedRows(scores, codes, is_end, weights, n_classes, grid, source, limbs=limbs)


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
