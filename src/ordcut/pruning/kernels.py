"""Count rows by cell of the line and class, and fetch the rows of chosen cells.

The cell of a score comes from a table of slots. Slots are equal steps of the line, ``(score - low)
* scale``, clipped to the table's length; or they follow the leading bits of the scores, as
``Prefixes`` describes. Each step keeps the order of the scores, so cells are in order too.
Comparisons are written so that a NaN lands in an end slot, never outside.

``low`` and ``scale`` have the dtype to compute in: with scores and both in single precision, a
vectorised loop does twice as many at once. ``scale`` is finite.
"""

from __future__ import annotations

import numpy as np

from ordcut.data import ordered_bits
from ordcut.jit import inlined, kernel
from ordcut.typing import Array, Bools, Floats, Ints, Keys, Numbers, Real

#: How many rows are located before they are counted. Slots are kept in 16 bits.
BLOCK = 512


@inlined
def slot_of(score: Real, low: Real, scale: Real, zero: Real, top: Real) -> Real:
    """Return the slot of a score, with its fraction; ``zero`` and ``top`` are the end slots."""
    slot = (score - low) * scale
    slot = slot if slot > zero else zero
    return slot if slot < top else top


@inlined
def fill_by_bits(bits: Array, nodes: Keys, window: Keys, integers: Keys, slots: Array) -> None:
    """Fill in the integers and the slots of up to ``BLOCK`` scores, as ``Prefixes`` describes."""
    sign = np.uint64(1) << np.uint64(8 * bits.itemsize - 1)
    drop, half, most = np.uint64(bits.itemsize >> 3), np.uint64(32), np.uint64(63)
    low_bits = np.uint64(0xFFFFFFFF)
    first, last, shift = window[0], window[1], window[2]
    for i in range(len(bits)):  # by themselves, these loops run in vectors
        integer = ordered_bits(np.uint64(bits[i]), sign) >> drop
        integer = integer if integer > first else first
        integers[i] = (integer if integer < last else last) - first
    for i in range(len(bits)):
        slots[i] = np.uint32(integers[i] >> shift)
    for _ in range(window[3]):
        for i in range(len(bits)):
            node = nodes[slots[i]]
            slots[i] = np.uint32(((node >> half) + (integers[i] >> (node & most))) & low_bits)


@kernel("bits", steps=9)
def locate_by_bits(bits: Array, nodes: Keys, window: Keys, located: Array) -> None:
    """Fill in the slot of each score, given the bits of the scores."""
    integers, slots = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint32)
    for start in range(0, len(bits), BLOCK):
        block = located[start : start + BLOCK]
        fill_by_bits(bits[start : start + BLOCK], nodes, window, integers, slots)
        for i in range(len(block)):
            block[i] = np.uint16(slots[i])


@kernel("scores", steps=5)
def count_rows(
    scores: Array,
    codes: Array,
    weights: Numbers,
    stride: int,
    low: Real,
    scale: Real,
    base_of: Array,
    common: Array,
    n_classes: int,
    located: Array,
    is_located: bool,
    counts: Numbers,
) -> None:
    """Add the weight of each row to the count of its cell and class.

    ``base_of`` holds the first cell of each slot, multiplied by the number of classes. A slot with
    a ``common`` score has three cells: below that score, at it and above it. Other slots have a
    NaN there, and ``common`` is empty if all have. ``located`` holds the slots of the rows if
    ``is_located``; else it fills with them, unless it is empty. The last of ``counts`` is the
    number of scores that are not finite.
    """
    zero = scale - scale
    top = zero + np.float32(len(base_of) - 1)
    n_bad = np.int32(0)
    slots = np.empty(BLOCK, np.int32)
    for start in range(0, len(scores), BLOCK):
        block_scores = scores[start : start + BLOCK]
        block_codes = codes[start : start + BLOCK]
        block_located = located[start : start + BLOCK]
        if is_located:
            for i in range(len(block_scores)):
                score = block_scores[i]
                n_bad += np.int32(0) if score - score == zero else np.int32(1)
                slots[i] = np.int32(block_located[i])
        else:
            for i in range(len(block_scores)):  # by themselves, these loops run in vectors
                score = block_scores[i]
                n_bad += np.int32(0) if score - score == zero else np.int32(1)
                slots[i] = np.int32(slot_of(score, low, scale, zero, top))
            for i in range(len(block_located)):
                block_located[i] = np.uint16(slots[i])
        if len(common) > 0:
            for i in range(len(block_scores)):
                slot, score = np.uint32(slots[i]), block_scores[i]
                n_below = np.uint32(score >= common[slot]) + np.uint32(score > common[slot])
                target = np.uint32(base_of[slot]) + np.uint32(block_codes[i])
                counts[target + n_below * np.uint32(n_classes)] += weights[(start + i) * stride]
        elif stride == 0:
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
    is_located: bool,
    counts: Numbers,
) -> None:
    """Add the weights of each row's classes to the counts of its cell, as in ``count_rows``."""
    zero = scale - scale
    top = zero + np.float32(len(base_of) - 1)
    for i in range(len(scores)):
        slot = np.int32(slot_of(scores[i], low, scale, zero, top))
        if is_located:
            slot = np.int32(located[i])
        elif len(located) > 0:
            located[i] = np.uint16(slot)
        base = base_of[np.uint32(slot)]
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
    common: Array,
    indices: Array,
    kept_scores: Array,
    kept_codes: Array,
    n_kept: Ints,
) -> None:
    """Write the indices, scores and codes of the rows whose slot is wanted, in their order.

    ``located`` holds the slots of the rows, or is empty, and ``is_wanted`` 1 or 0 for each slot.
    Rows whose score is the ``common`` of their slot are left out; an empty ``common`` says
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
            if len(common) == 0 or block[i] != common[slots[i]]:
                if len(indices) > 0:
                    indices[n] = np.uint32(start + i)
                kept_scores[n] = block[i]
                kept_codes[n] = codes[np.uint32(start + i) * np.uint32(stride)]
                n = np.uint32(n + np.uint32(1))
    n_kept[0] = n


@kernel("scores", steps=6)
def locate_parts(
    scores: Array, low: Real, scale: Real, first_part: Array, n_parts: Array, located: Array
) -> None:
    """Fill in the part of its slot that each score lies in, counted from the slot's first part."""
    zero = scale - scale
    top = zero + np.float32(len(first_part) - 1)
    for i in range(len(scores)):
        slot = slot_of(scores[i], low, scale, zero, top)
        whole = np.uint32(np.int32(slot))
        part = np.int32((slot - np.float32(whole)) * np.float32(n_parts[whole]))
        located[i] = first_part[whole] + part


@kernel("bits", steps=12)
def locate_parts_by_bits(
    bits: Array,
    nodes: Keys,
    window: Keys,
    widths: Keys,
    first_part: Array,
    n_parts: Array,
    located: Array,
) -> None:
    """Fill in the part of its slot that each score lies in, given the bits of the scores.

    The parts of a slot are equal ranges of the ``widths[slot]`` bits by which its scores differ.
    """
    integers, slots = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint32)
    half = np.uint64(32)
    for start in range(0, len(bits), BLOCK):
        block = located[start : start + BLOCK]
        fill_by_bits(bits[start : start + BLOCK], nodes, window, integers, slots)
        for i in range(len(block)):
            slot = slots[i]
            width = widths[slot]
            differ = integers[i] & ((np.uint64(1) << width) - np.uint64(1))
            drop = width - half if width > half else np.uint64(0)  # 32 bits are enough
            part = (differ >> drop) * np.uint64(n_parts[slot]) >> (width - drop)
            block[i] = first_part[slot] + np.int32(part)


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
