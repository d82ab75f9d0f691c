"""Rows counted by equal steps of their scores, without sorting them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordcut._core.data import Rows
from ordcut._core.numerics.jit import kernel
from ordcut._core.pruning.arrays import ArraySource
from ordcut._core.pruning.cells import MOST_SLOTS, Cells, slot_of
from ordcut._core.typing import Array, Floats, Numbers, Real


@dataclass(frozen=True)
class Steps:
    """The weight of each class, and the lowest score, in equal steps of the scores."""

    counts: Numbers
    lowest: Floats


def count_equal_steps(rows: Rows) -> Steps | None:
    """Return the rows counted by equal steps from the lowest to the highest score.

    None if all scores are equal, or their range is beyond float64.
    """
    low, high = rows.extent()
    with np.errstate(over="ignore", divide="ignore"):
        scale = np.float64(MOST_SLOTS - 1) / (np.float64(high) - np.float64(low))
    if not (np.isfinite(scale) and scale > 0):
        return None
    source, lowest = ArraySource(rows), np.full(MOST_SLOTS, np.inf)
    cells = Cells(np.float64(low), scale, np.arange(MOST_SLOTS), common=source.scores[:0])
    lowest_in_slots(source.scores, cells.low, cells.scale, lowest)
    return Steps(rows.limbs.rounded(source.count_by(cells)[0]), lowest)


@kernel("scores", steps=5)
def lowest_in_slots(scores: Array, low: Real, scale: Real, lowest: Floats) -> None:
    """Fill in the lowest score of each slot; ``lowest`` holds inf."""
    zero = scale - scale
    top = zero + np.float32(len(lowest) - 1)
    for i in range(len(scores)):
        slot = np.uint32(np.int32(slot_of(scores[i], low, scale, zero, top)))
        lowest[slot] = min(lowest[slot], np.float64(scores[i]))
