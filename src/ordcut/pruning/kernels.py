"""Count rows by cell of the line and class, and fetch the rows of chosen cells.

The cell of a score comes from a table: ``(score - low) * scale``, clipped to the table's length, is
the index of the slot that holds the cell. Each step keeps the order of the scores, so cells are in
order too. Comparisons are written so that a NaN lands in the first slot, never outside.

``low`` and ``scale`` have the dtype to compute in: with scores and both in single precision, a
vectorised loop does twice as many at once. ``scale`` is finite.
"""

from __future__ import annotations

import numpy as np

from ordcut.jit import inlined, kernel
from ordcut.typing import Array, Bools, Floats, Ints, Numbers, Real

#: How many rows are located before they are counted. Slots are kept in 16 bits.
BLOCK = 512


@inlined
def slot_of(score: Real, low: Real, scale: Real, zero: Real, top: Real) -> Real:
    """Return the slot of a score, with its fraction; ``zero`` and ``top`` are the end slots."""
    slot = (score - low) * scale
    slot = slot if slot > zero else zero
    return slot if slot < top else top


@kernel("scores", steps=5)
def count_rows(
    scores: Array,
    codes: Array,
    weights: Numbers,
    stride: int,
    low: Real,
    scale: Real,
    base_of: Array,
    located: Array,
    counts: Numbers,
) -> None:
    """Add the weight of each row to ``counts[base_of[slot] + class]``.

    ``base_of`` holds the cell of each slot, multiplied by the number of classes. ``located`` fills
    with the slots of the rows, unless it is empty. The last of ``counts`` is the number of scores
    that are not finite.
    """
    zero = scale - scale
    top = zero + np.float32(len(base_of) - 1)
    n_bad = np.int32(0)
    slots = np.empty(BLOCK, np.int32)
    for start in range(0, len(scores), BLOCK):
        block_scores = scores[start : start + BLOCK]
        block_codes = codes[start : start + BLOCK]
        block_located = located[start : start + BLOCK]
        for i in range(len(block_scores)):  # by themselves, these loops run in vectors
            score = block_scores[i]
            n_bad += np.int32(0) if score - score == zero else np.int32(1)
            slots[i] = np.int32(slot_of(score, low, scale, zero, top))
        for i in range(len(block_located)):
            block_located[i] = np.uint16(slots[i])
        if stride == 0:
            for i in range(len(block_scores)):
                counts[np.uint32(base_of[np.uint32(slots[i])]) + np.uint32(block_codes[i])] += 1
        else:
            block_weights = weights[start : start + BLOCK]
            for i in range(len(block_scores)):
                slot = np.uint32(base_of[np.uint32(slots[i])]) + np.uint32(block_codes[i])
                counts[slot] += block_weights[i]
    counts[-1] += n_bad


@kernel("scores", steps=5)
def lowest_in_slots(scores: Array, low: Real, scale: Real, lowest: Floats) -> None:
    """Fill in the lowest score of each slot; ``lowest`` holds inf."""
    zero = scale - scale
    top = zero + np.float32(len(lowest) - 1)
    for i in range(len(scores)):
        slot = np.uint32(np.int32(slot_of(scores[i], low, scale, zero, top)))
        lowest[slot] = min(lowest[slot], np.float64(scores[i]))


@kernel("located", steps=2)
def count_located(
    located: Array, codes: Array, weights: Numbers, stride: int, counts: Numbers
) -> None:
    """Add the weight of each row to the count of its cell and class, given its cell."""
    for i in range(len(located)):
        counts[np.uint32(located[i]), np.uint32(codes[i])] += weights[i * stride]


@kernel("scores", steps=9)
def count_soft_rows(
    scores: Array,
    soft: Numbers,
    weights: Numbers,
    stride: int,
    low: Real,
    scale: Real,
    base_of: Array,
    located: Array,
    counts: Numbers,
) -> None:
    """Add the weights of each row's classes to the counts of its cell, as in ``count_rows``."""
    zero = scale - scale
    top = zero + np.float32(len(base_of) - 1)
    for i in range(len(scores)):
        slot = np.uint32(np.int32(slot_of(scores[i], low, scale, zero, top)))
        if len(located) > 0:
            located[i] = np.uint16(slot)
        base = base_of[slot]
        for code in range(soft.shape[1]):
            counts[base + np.uint32(code)] += weights[i * stride] * soft[i, code]


@kernel("scores", steps=5)
def fetch_rows(
    scores: Array,
    codes: Array,
    stride: int,
    low: Real,
    scale: Real,
    located: Array,
    is_wanted: Array,
    commonest: Array,
    indices: Array,
    kept_scores: Array,
    kept_codes: Array,
    n_kept: Ints,
) -> None:
    """Write the indices, scores and codes of the rows whose slot is wanted, in their order.

    ``located`` holds the slots of the rows, or is empty, and ``is_wanted`` 1 or 0 for each slot.
    Rows whose score is the ``commonest`` of their slot are left out; an empty ``commonest`` says
    that no score is common. Empty ``indices`` are not written; a ``stride`` of 0 says that rows
    have no codes. Fills ``n_kept[0]``.
    """
    zero = scale - scale
    top = zero + np.float32(len(is_wanted) - 1)
    buffer, wide = np.empty(BLOCK, np.uint16), np.empty(BLOCK, np.int32)
    wanted = np.empty(BLOCK, np.uint32)
    n = np.uint32(0)
    for start in range(0, len(scores), BLOCK):
        block = scores[start : start + BLOCK]
        slots = located[start : start + BLOCK]
        if len(located) == 0:
            slots = buffer[: len(block)]
            for i in range(len(block)):  # by themselves, these loops run in vectors
                wide[i] = np.int32(slot_of(block[i], low, scale, zero, top))
            for i in range(len(block)):
                slots[i] = np.uint16(wide[i])
        # Each index is written, and stays if its row is wanted: that costs less than a branch
        # which cannot be predicted.
        n_here = np.uint32(0)
        for i in range(len(slots)):
            wanted[n_here] = np.uint32(i)
            n_here = np.uint32(n_here + is_wanted[slots[i]])
        for j in range(n_here):
            i = wanted[np.uint32(j)]
            if len(commonest) == 0 or block[i] != commonest[slots[i]]:
                if len(indices) > 0:
                    indices[n] = np.uint32(start + i)
                kept_scores[n] = block[i]
                kept_codes[n] = codes[np.uint32(start + i) * np.uint32(stride)]
                n = np.uint32(n + np.uint32(1))
    n_kept[0] = n


@kernel("scores", steps=6)
def locate_parts(
    scores: Array, low: Real, scale: Real, first_part: Array, n_parts: int, located: Array
) -> None:
    """Fill in the part of its slot that each score lies in, counted from the slot's first part."""
    zero = scale - scale
    top = zero + np.float32(len(first_part) - 1)
    for i in range(len(scores)):
        slot = slot_of(scores[i], low, scale, zero, top)
        whole = np.int32(slot)
        part = np.int32((slot - np.float32(whole)) * np.float32(n_parts))
        located[i] = first_part[np.uint32(whole)] + part


@kernel("located", steps=2)
def index_kept(located: Array, is_kept: Bools, indices: Array, n_kept: Ints) -> None:
    """Write the indices of the rows in cells that are kept, given the cell of each row.

    ``indices`` must be longer than the number of these rows. Fills ``n_kept[0]``.
    """
    n = np.uint32(0)
    for i in range(len(located)):
        indices[n] = i
        n = np.uint32(n + np.uint32(is_kept[np.uint32(located[i])]))
    n_kept[0] = n
