"""Count rows by cell of the line and class, and fetch the rows of chosen cells.

The cell of a score comes from a table: ``(score - low) * scale``, cut off to the table's length,
is the place where the table holds the cell. Each step keeps the order of the scores, so cells are
in order too. Comparisons are written so that a NaN lands in the first place, never outside.
"""

from __future__ import annotations

import numpy as np

from ordcut.arrays import Array, Ints, Numbers
from ordcut.jit import kernel


@kernel(steps=lambda scores, *_: 5 * scores.size)
def count_rows(
    scores: Array,
    codes: Array,
    weights: Numbers,
    stride: int,
    low: float,
    scale: float,
    base_of: Array,
    counts: Numbers,
) -> None:
    """Add the weight of each row to ``counts[base_of[place] + class]``.

    ``base_of`` holds the cell of each place, multiplied by the number of classes.
    """
    top = float(len(base_of) - 1)
    for i in range(len(scores)):
        place = (float(scores[i]) - low) * scale
        place = place if place > 0.0 else 0.0
        place = place if place < top else top
        base = base_of[np.uint32(np.int32(place))]
        counts[base + np.uint32(codes[i])] += weights[i * stride]


@kernel(steps=lambda scores, soft, *_: 4 * scores.size + soft.size)
def count_soft_rows(
    scores: Array,
    soft: Numbers,
    weights: Numbers,
    stride: int,
    low: float,
    scale: float,
    base_of: Array,
    counts: Numbers,
) -> None:
    """Add the weights of each row's classes to the counts of its cell, as in ``count_rows``."""
    top = float(len(base_of) - 1)
    for i in range(len(scores)):
        place = (float(scores[i]) - low) * scale
        place = place if place > 0.0 else 0.0
        place = place if place < top else top
        base = base_of[np.uint32(np.int32(place))]
        for code in range(soft.shape[1]):
            counts[base + np.uint32(code)] += weights[i * stride] * soft[i, code]


@kernel(steps=lambda scores, *_: 5 * scores.size)
def fetch_rows(
    scores: Array,
    low: float,
    scale: float,
    slot_of: Array,
    commonest: Array,
    first_row: int,
    rows: Ints,
    n_found: Ints,
) -> None:
    """Write the numbers of the rows of chosen cells into ``rows``, in the order of the rows.

    ``slot_of`` holds, in place of each cell, its number among the chosen ones or -1. Rows whose
    score is the ``commonest`` of their cell are left out. Row 0 has the number ``first_row``.
    Adds to ``n_found[0]`` how many rows were written.
    """
    top = float(len(slot_of) - 1)
    n = n_found[0]
    for i in range(len(scores)):
        place = (float(scores[i]) - low) * scale
        place = place if place > 0.0 else 0.0
        place = place if place < top else top
        slot = slot_of[np.uint32(np.int32(place))]
        if slot >= 0 and scores[i] != commonest[slot]:
            rows[n] = first_row + i
            n += 1
    n_found[0] = n
