"""Sort scores by their bits, with their classes or positions: no comparison, no branch.

The bits of a float, with the sign bit flipped for positive numbers and all bits flipped for
negative ones, are an integer in the order of the floats. A float32 score and its class go into one
64-bit key, ``bits << 16 | class``; a float64 score leaves no room for that, so its leading bits go
there with its position, ``leading << 31 | position``. Keys are sorted by three digits of 11 bits of
the score, lowest first. Scores that agree in their leading bits are then put in order by insertion.
"""

from __future__ import annotations

import threading

import numpy as np

from ordcut.jit import inlined, kernel
from ordcut.typing import Array, Bools, Codes, Ints, Keys, Numbers

#: Three digits of 11 bits hold the 32 bits of a score, or the leading 33 bits.
N_DIGITS, DIGIT_BITS = 3, 11

#: Where the digits start: the bits below hold the class, or the position.
CLASS_BITS, POSITION_BITS = 16, 31

#: Insertion is given up after so many moves for each score.
MOST_MOVES = 4

#: Each thread keeps a buffer of so many keys: 2 MiB.
MOST_KEYS_KEPT = 1 << 18
_kept = threading.local()


def sort_by_digits(scores: Array, codes: Array) -> tuple[Array, Codes, Bools]:
    """Return float32 scores in ascending order, their codes, and which row ends each score.

    Examples
    --------
    >>> sort_by_digits(np.array([0.5, -1.0, 0.5], np.float32), np.array([1, 0, 2]))[1]
    array([0, 1, 2], dtype=uint16)
    """
    n = len(scores)
    keys, buffer = np.empty(n, np.uint64), _key_buffer(n)
    histogram = np.zeros((N_DIGITS, 1 << DIGIT_BITS), np.int32)
    pack_keys(np.ascontiguousarray(scores).view(np.uint32), codes, keys, histogram)
    sort_keys(keys, buffer, histogram, CLASS_BITS)
    # The sorted keys are in the buffer; what they are unpacked into fits where they came from,
    # which saves touching new memory.
    store = keys.view(np.uint8)
    bits, sorted_codes = store[: 4 * n].view(np.uint32), store[4 * n : 6 * n].view(np.uint16)
    ends = store[6 * n : 7 * n].view(np.bool_)
    unpack_keys(buffer, bits, sorted_codes, ends)
    return bits.view(np.float32), sorted_codes, ends


def sort_positions(scores: Array) -> tuple[Ints, Array] | None:
    """Return the order that sorts finite float32 or float64 scores, and the scores in that order.

    None if too many of them agree in their leading bits. There must be fewer than 2**31.

    Examples
    --------
    >>> sort_positions(np.array([0.5, -2.0, 0.1]))
    (array([1, 2, 0]), array([-2. ,  0.1,  0.5]))
    """
    n = len(scores)
    bits = np.ascontiguousarray(scores).view(np.uint64 if scores.itemsize == 8 else np.uint32)
    ends = np.array([scores.min(), scores.max()]).view(bits.dtype)
    in_order = np.empty(2, np.uint64)
    order_bits(ends, in_order)
    low, span = int(in_order[0]), int(in_order[1] - in_order[0])
    shift = max(0, span.bit_length() - N_DIGITS * DIGIT_BITS)
    keys, buffer = np.empty(n, np.uint64), _key_buffer(n)
    histogram = np.zeros((N_DIGITS, 1 << DIGIT_BITS), np.int32)
    pack_positions(bits, np.uint64(low), np.uint64(shift), keys, histogram)
    sort_keys(keys, buffer, histogram, POSITION_BITS)
    positions, ordered = keys.view(np.int64), np.empty_like(scores)
    moves_left = np.array([MOST_MOVES * n])
    insert_positions(buffer, scores, positions, ordered, moves_left)
    return None if moves_left[0] < 0 else (positions, ordered)


def _key_buffer(n: int) -> Keys:
    """Return a buffer for some keys; each thread keeps a small one, as new memory is slow to touch.

    Sorting 143 000 rows again and again takes half the time this way.
    """
    if n > MOST_KEYS_KEPT:
        return np.empty(n, np.uint64)
    if not hasattr(_kept, "keys"):
        _kept.keys = np.empty(MOST_KEYS_KEPT, np.uint64)
    buffer: Keys = _kept.keys[:n]
    return buffer


@inlined
def ordered_bits(pattern: np.uint64, sign: np.uint64) -> np.uint64:
    """Return the bits of a float, with the given sign bit, as an integer in the order of floats."""
    if pattern & sign:
        # All bits flipped, and -0.0 made 0.0.
        return sign if pattern == sign else (sign - np.uint64(1)) ^ (pattern ^ sign)
    return pattern | sign


@kernel("bits", steps=4)
def order_bits(bits: Array, in_order: Keys) -> None:
    """Fill in the integers in the order of some floats, given by their bits."""
    sign = np.uint64(1) << np.uint64(8 * bits.itemsize - 1)
    for i in range(len(bits)):
        in_order[i] = ordered_bits(np.uint64(bits[i]), sign)


@kernel("bits", steps=8)
def pack_keys(bits: Array, codes: Array, keys: Keys, histogram: Numbers) -> None:
    """Fill the keys of rows, and count how often each value of each digit occurs."""
    sign = np.uint64(0x80000000)
    for i in range(len(bits)):
        pattern = ordered_bits(np.uint64(bits[i]), sign)
        histogram[0, pattern & np.uint64(0x7FF)] += 1
        histogram[1, (pattern >> np.uint64(11)) & np.uint64(0x7FF)] += 1
        histogram[2, pattern >> np.uint64(22)] += 1
        keys[i] = (pattern << np.uint64(16)) | np.uint64(codes[i])


@kernel("bits", steps=8)
def pack_positions(
    bits: Array, low: np.uint64, shift: np.uint64, keys: Keys, histogram: Numbers
) -> None:
    """Fill the keys of scores with positions, as ``pack_keys`` does with classes.

    ``low`` is the least score in the order of integers; of what is above it, ``shift`` bits are
    left out.
    """
    sign = np.uint64(1) << np.uint64(8 * bits.itemsize - 1)
    for i in range(len(bits)):
        pattern = (ordered_bits(np.uint64(bits[i]), sign) - low) >> shift
        histogram[0, pattern & np.uint64(0x7FF)] += 1
        histogram[1, (pattern >> np.uint64(11)) & np.uint64(0x7FF)] += 1
        histogram[2, pattern >> np.uint64(22)] += 1
        keys[i] = (pattern << np.uint64(31)) | np.uint64(i)


@kernel("keys", steps=12)
def sort_keys(keys: Keys, buffer: Keys, histogram: Numbers, first_bit: int) -> None:
    """Sort keys by the digits from a bit on; the sorted keys end in ``buffer``.

    Keys with the same digits keep their order.
    """
    n_values = histogram.shape[1]
    for digit in range(histogram.shape[0]):
        position = histogram[digit]
        total = position[0] - position[0]
        for value in range(n_values):
            here = position[value]
            position[value] = total
            total += here
        shift = np.uint64(first_bit + 11 * digit)
        # The three digits lie in turn in keys, buffer and keys.
        source = keys if digit % 2 == 0 else buffer
        target = buffer if digit % 2 == 0 else keys
        for i in range(len(keys)):
            value = (source[i] >> shift) & np.uint64(0x7FF)
            target[position[value]] = source[i]
            position[value] += 1


@kernel("keys", steps=6)
def insert_positions(
    keys: Keys, scores: Array, positions: Ints, ordered: Array, moves_left: Ints
) -> None:
    """Fill in positions and scores in order, given keys sorted by the leading bits of scores.

    Each score moves down past higher ones. After as many moves as are left, it ends with fewer
    than 0.
    """
    left = moves_left[0]
    for i in range(len(keys)):
        at = np.int64(keys[i] & np.uint64(0x7FFFFFFF))
        score = scores[at]
        j = i
        while j > 0 and ordered[j - 1] > score:
            ordered[j] = ordered[j - 1]
            positions[j] = positions[j - 1]
            j -= 1
            left -= 1
        if left < 0:
            break
        ordered[j] = score
        positions[j] = at
    moves_left[0] = left


@kernel("keys", steps=5)
def unpack_keys(keys: Keys, bits: Array, codes: Codes, ends: Bools) -> None:
    """Take sorted keys apart, and mark the last row of each score."""
    n = len(keys)
    for i in range(n):
        key = keys[i]
        pattern = key >> np.uint64(16)
        codes[i] = key & np.uint64(0xFFFF)
        is_positive = pattern >> np.uint64(31)
        flip = np.uint64(0x80000000) if is_positive else np.uint64(0xFFFFFFFF)
        bits[i] = pattern ^ flip
        ends[i] = i == n - 1 or pattern != keys[i + 1] >> np.uint64(16)
