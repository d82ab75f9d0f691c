"""Sort scores by their bits, with their classes or positions: no comparison, no branch.

The bits of a float, with the sign bit flipped for positive numbers and all bits flipped for
negative numbers, are an integer in the order of the floats. A float32 score and its class make a
64-bit key, ``bits << 16 | class``. A float64 score leaves no bits for the class, so its leading
bits make a key with its position, ``leading << 31 | position``. Keys are sorted by three digits of
the score, lowest digit first. Scores that agree in their leading bits are then sorted by insertion.
"""

from __future__ import annotations

import threading

import numpy as np

from ordcut.jit import inlined, kernel
from ordcut.typing import Array, Bools, Codes, Ints, Keys, Numbers

#: Three digits of 11 bits hold the 32 bits of a score, or the leading 33 bits.
DIGIT_BITS = 11

#: From this many scores on, digits beat an argsort also when the kernel has to be compiled.
SCORES_WORTH_COMPILING = 20_000

#: Up to this many scores, few of which agree in 21 bits, digits have 7 bits.
FEW_SCORES, FEW_DIGIT_BITS = 8192, 7

#: Insertion is given up after this many moves per score.
MOST_MOVES = 4

#: The number of keys in the buffer that each thread keeps: 2 MiB.
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
    histogram = np.zeros((3, 1 << DIGIT_BITS), np.int32)
    # What sorted keys are unpacked into fits where they came from, which saves touching new memory.
    store = keys.view(np.uint8)
    bits, sorted_codes = store[: 4 * n].view(np.uint32), store[4 * n : 6 * n].view(np.uint16)
    ends = store[6 * n : 7 * n].view(np.bool_)
    given = np.ascontiguousarray(scores).view(np.uint32)
    sort_with_classes(given, codes, keys, buffer, histogram, bits, sorted_codes, ends)
    return bits.view(np.float32), sorted_codes, ends


def sort_positions(scores: Array) -> tuple[Ints, Array, Bools] | None:
    """Return the order that sorts float32 or float64 scores, the scores, and which ends each value.

    Scores that are not finite end up first or last. None if an argsort is faster: where too many
    scores agree in their leading bits, or few are sorted and the kernel is not compiled yet, which
    pays after a million scores or so. There must be fewer than 2**31.

    Examples
    --------
    >>> order, ordered, _ = sort_positions(np.linspace(1, 0, SCORES_WORTH_COMPILING))
    >>> order[:3], ordered[0]
    (array([19999, 19998, 19997]), np.float64(0.0))
    """
    n = len(scores)
    if n < SCORES_WORTH_COMPILING and not sort_with_positions.is_compiled_after(n // 20):
        return None
    bits = np.ascontiguousarray(scores).view(np.uint64 if scores.itemsize == 8 else np.uint32)
    width = FEW_DIGIT_BITS if n <= FEW_SCORES else DIGIT_BITS
    histogram = np.zeros((3, 1 << width), np.int32)
    keys, buffer, ordered = np.empty(n, np.uint64), _key_buffer(n), np.empty_like(scores)
    positions, ends = np.empty(n, np.int64), np.empty(n, np.bool_)
    moves_left = np.array([MOST_MOVES * n])
    sort_with_positions(
        bits, scores, keys, buffer, histogram, width, positions, ordered, ends, moves_left
    )
    return None if moves_left[0] < 0 else (positions, ordered, ends)


def _key_buffer(n: int) -> Keys:
    """Return a buffer for ``n`` keys, from memory that each thread keeps unless ``n`` is large.

    New memory is slow to touch: repeated sorts of 143 000 rows take half the time this way.
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


@inlined
def sort_keys(
    keys: Keys, buffer: Keys, histogram: Numbers, first_bit: int, width: np.uint64
) -> None:
    """Sort keys by three digits of ``width`` bits; the sorted keys end in ``buffer``.

    ``histogram`` says how often each value of each digit occurs. Keys with the same digits keep
    their order.
    """
    last = (np.uint64(1) << width) - np.uint64(1)
    for digit in range(3):
        position = histogram[digit]
        total = position[0] - position[0]
        for value in range(len(position)):
            here = position[value]
            position[value] = total
            total += here
        shift = np.uint64(first_bit) + width * np.uint64(digit)
        source = keys if digit % 2 == 0 else buffer
        target = buffer if digit % 2 == 0 else keys
        for i in range(len(keys)):
            at = (source[i] >> shift) & last
            target[position[at]] = source[i]
            position[at] += 1


@kernel("bits", steps=25)
def sort_with_classes(
    bits: Array,
    codes: Array,
    keys: Keys,
    buffer: Keys,
    histogram: Numbers,
    sorted_bits: Array,
    sorted_codes: Codes,
    ends: Bools,
) -> None:
    """Sort float32 scores, given by their bits, with their classes; mark the last row of each.

    ``sorted_bits``, ``sorted_codes`` and ``ends`` may share the memory of ``keys``.
    """
    n = len(bits)
    sign = np.uint64(0x80000000)
    for i in range(n):
        pattern = ordered_bits(np.uint64(bits[i]), sign)
        histogram[0, pattern & np.uint64(0x7FF)] += 1
        histogram[1, (pattern >> np.uint64(11)) & np.uint64(0x7FF)] += 1
        histogram[2, pattern >> np.uint64(22)] += 1
        keys[i] = (pattern << np.uint64(16)) | np.uint64(codes[i])
    sort_keys(keys, buffer, histogram, 16, np.uint64(11))
    for i in range(n):
        key = buffer[i]
        pattern = key >> np.uint64(16)
        sorted_codes[i] = key & np.uint64(0xFFFF)
        is_positive = pattern >> np.uint64(31)
        flip = np.uint64(0x80000000) if is_positive else np.uint64(0xFFFFFFFF)
        sorted_bits[i] = pattern ^ flip
        ends[i] = i == n - 1 or pattern != buffer[i + 1] >> np.uint64(16)


@kernel("bits", steps=30)
def sort_with_positions(
    bits: Array,
    scores: Array,
    keys: Keys,
    buffer: Keys,
    histogram: Numbers,
    digit_bits: int,
    positions: Ints,
    ordered: Array,
    ends: Bools,
    moves_left: Ints,
) -> None:
    """Sort scores, given by their bits as well, with their positions; mark the last of each.

    Keys have the leading bits of the distance from the lowest score. In their order, each score
    moves down past higher ones. The kernel stops when ``moves_left[0]`` falls below 0.
    """
    n = len(bits)
    width = np.uint64(digit_bits)
    last = (np.uint64(1) << width) - np.uint64(1)
    sign = np.uint64(1) << np.uint64(8 * bits.itemsize - 1)
    low = ordered_bits(np.uint64(bits[0]), sign)
    high = low
    for i in range(n):
        pattern = ordered_bits(np.uint64(bits[i]), sign)
        keys[i] = pattern
        low = pattern if pattern < low else low
        high = pattern if pattern > high else high
    shift = np.uint64(0)
    while (high - low) >> shift >> (np.uint64(3) * width):
        shift += np.uint64(1)
    for i in range(n):
        leading = (keys[i] - low) >> shift
        histogram[0, leading & last] += 1
        histogram[1, (leading >> width) & last] += 1
        histogram[2, leading >> width >> width] += 1
        keys[i] = (leading << np.uint64(31)) | np.uint64(i)
    sort_keys(keys, buffer, histogram, 31, width)
    left = moves_left[0]
    for i in range(n):
        at = np.int64(buffer[i] & np.uint64(0x7FFFFFFF))
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
    for i in range(n - 1):
        ends[i] = ordered[i] != ordered[i + 1]
    ends[n - 1] = True
