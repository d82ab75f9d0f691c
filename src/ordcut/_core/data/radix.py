"""Sort scores by their bits, with their classes or positions: no comparison, no branch.

The bits of a float, with the sign bit flipped for positive numbers and all bits flipped for
negative numbers, are an integer in the order of the floats. A float32 score and its class make a
64-bit key, ``bits << 16 | class``. A float64 score leaves no bits for the class, so its leading
bits make a key with its position, ``leading << 31 | position``. Keys are sorted by three digits of
the score, lowest digit first. Scores that agree in their leading bits are then sorted by insertion.

Two digits are enough for scores that spread over their range: the digits of
``(score - low) * scale``, rounded down, of which few are equal for different scores.
"""

from __future__ import annotations

import threading

import numpy as np

from ordcut._core.numerics.jit import inlined, kernel
from ordcut._core.typing import Array, Bools, Codes, Ints, Keys, Numbers, Real

#: Three digits of 11 bits hold the 32 bits of a score, or the leading 33 bits.
DIGIT_BITS = 11

#: Two digits are used if at most about this many moves per score are left for insertion.
MOST_EVEN_MOVES = 1 / 8

#: Two digits are for scores whose range is less than this, and more than its inverse.
MOST_SPREAD = 1e30

#: How many scores are turned into steps at once, and checked for being in order.
BLOCK, FEW_AT_ONCE = 512, 16

#: From this many scores on, digits beat an argsort also when the kernel has to be compiled.
SCORES_WORTH_COMPILING = 20_000

#: Up to this many scores, few of which agree in 21 bits, there are three digits of 7 bits.
FEW_SCORES, FEW_DIGIT_BITS = 2048, 7

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
    scores = np.ascontiguousarray(scores)
    given = scores, scores.view(np.uint32), codes
    zero = np.float32(0)
    steps = equal_steps(scores, 2 * DIGIT_BITS) if n <= MOST_KEYS_KEPT else (zero, zero)
    ordered = bits.view(np.float32)
    output = ordered, bits, sorted_codes, ends
    sort_with_classes(*given, *steps, keys, buffer, histogram, *output)
    return ordered, sorted_codes, ends


def equal_steps(scores: Array, n_bits: int) -> tuple[Real, Real]:
    """Return ``low`` and ``scale``, so that ``(score - low) * scale`` is at least 0 and has n bits.

    The scale is 0 for scores that are all equal, not finite, or far apart.

    Examples
    --------
    >>> low, scale = equal_steps(np.array([1.0, 3.0]), 11)
    >>> low, (3 - low) * scale
    (np.float64(1.0), np.float64(2040.0))
    """
    low, high, dtype = scores.min(), scores.max(), scores.dtype.type
    spread = float(high) - float(low)
    is_usual = 1 / MOST_SPREAD < spread < MOST_SPREAD
    # Less than all bits, in case a product is rounded up.
    return low, dtype(((1 << n_bits) - 8) / spread if is_usual else 0)


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
    scores = np.ascontiguousarray(scores)
    bits = scores.view(np.uint64 if scores.itemsize == 8 else np.uint32)
    width = FEW_DIGIT_BITS if n <= FEW_SCORES else DIGIT_BITS
    histogram = np.zeros((3, 1 << width), np.int32)
    keys, buffer, ordered = np.empty(n, np.uint64), _key_buffer(n), np.empty_like(scores)
    # Positions fit where keys were, which saves touching new memory.
    positions, ends = keys.view(np.int64), np.empty(n, np.bool_)
    moves_left = np.array([MOST_MOVES * n])
    zero = scores.dtype.type(0)
    steps = equal_steps(scores, 2 * width) if n > FEW_SCORES else (zero, zero)
    digits = keys, buffer, histogram, width
    sort_with_positions(scores, bits, *steps, *digits, positions, ordered, ends, moves_left)
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
def start_digits(counts: Numbers) -> None:
    """Turn how often each digit occurs into where its first key goes."""
    total = counts[0] - counts[0]
    for digit in range(len(counts)):
        here = counts[digit]
        counts[digit] = total
        total += here


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
        start_digits(position)
        shift = np.uint64(first_bit) + width * np.uint64(digit)
        source = keys if digit % 2 == 0 else buffer
        target = buffer if digit % 2 == 0 else keys
        for i in range(len(keys)):
            at = (source[i] >> shift) & last
            target[np.uint32(position[at])] = source[i]
            position[at] += 1


@inlined
def fill_steps(scores: Array, low: Real, scale: Real, steps: Array) -> None:
    """Fill in the step of each of up to ``BLOCK`` scores; by itself, this loop runs in vectors."""
    for i in range(len(scores)):
        steps[i] = np.uint32(np.int32((scores[i] - low) * scale))


@inlined
def count_digits(
    scores: Array, low: Real, scale: Real, width: np.uint32, histogram: Numbers, steps: Array
) -> bool:
    """Count both digits of the steps; return whether few different scores share a step."""
    last = np.uint32((1 << width) - 1)
    lower, higher = histogram[0], histogram[1]
    for start in range(0, len(scores), BLOCK):
        block = scores[start : start + BLOCK]
        fill_steps(block, low, scale, steps)
        for i in range(len(block)):
            lower[steps[i] & last] += 1
            higher[steps[i] >> width] += 1
    # About half the pairs that share a step are out of order.
    n_moves = 0.0
    for digit in range(len(higher)):
        n_moves += float(higher[digit]) * float(higher[digit]) / (4 << width)
    return n_moves <= MOST_EVEN_MOVES * len(scores)


@inlined
def sort_by_insertion(ordered: Array, rows: Array, moves_left: int) -> int:
    """Sort nearly sorted scores, and the columns of their rows, by insertion.

    Returns how many moves are left. Less than 0 says that there were too few, and scores are not
    sorted.
    """
    for start in range(0, len(ordered) - 1, FEW_AT_ONCE):
        stop = min(start + FEW_AT_ONCE, len(ordered) - 1)
        these, after = ordered[start:stop], ordered[start + 1 : stop + 1]
        n_lower = 0
        for i in range(len(these)):  # by itself, this loop runs in vectors
            n_lower += 1 if after[i] < these[i] else 0
        if n_lower == 0:
            continue
        for i in range(start + 1, stop + 1):
            score, row = ordered[i], rows[i]
            if not score < ordered[i - 1]:
                continue
            j = i
            while j > 0 and ordered[j - 1] > score:
                ordered[j] = ordered[j - 1]
                rows[j] = rows[j - 1]
                j -= 1
                moves_left -= 1
            ordered[j] = score
            rows[j] = row
            if moves_left < 0:
                return moves_left
    return moves_left


@kernel("bits", steps=25)
def sort_with_classes(
    scores: Array,
    bits: Array,
    codes: Array,
    low: Real,
    scale: Real,
    keys: Keys,
    buffer: Keys,
    histogram: Numbers,
    ordered: Array,
    ordered_patterns: Array,
    sorted_codes: Codes,
    ends: Bools,
) -> None:
    """Sort float32 scores, given with their bits, with their classes; mark the last row of each.

    ``ordered_patterns`` are the bits of ``ordered``. These, ``sorted_codes`` and ``ends`` may share
    the memory of ``keys``. Scores are sorted by two digits of their steps if few share a step, and
    by three digits of their bits otherwise, or if ``scale`` is 0.
    """
    n = len(bits)
    sign, low_bits = np.uint64(0x80000000), np.uint64(0xFFFFFFFF)
    width, last = np.uint32(11), np.uint32(0x7FF)
    steps = np.empty(BLOCK, np.uint32)
    is_sorted = False
    if scale > 0 and count_digits(scores, low, scale, width, histogram, steps):
        lower, higher = histogram[0], histogram[1]
        start_digits(lower)
        start_digits(higher)
        for start in range(0, n, BLOCK):
            block_bits, block_codes = bits[start : start + BLOCK], codes[start : start + BLOCK]
            fill_steps(scores[start : start + BLOCK], low, scale, steps)
            for i in range(len(block_bits)):
                digit = steps[i] & last
                row = (np.uint64(block_bits[i]) << np.uint64(16)) | np.uint64(block_codes[i])
                keys[np.uint32(lower[digit])] = np.uint64(steps[i] >> width) << np.uint64(48) | row
                lower[digit] += 1
        for i in range(n):
            digit = np.uint32(keys[i] >> np.uint64(48))
            buffer[np.uint32(higher[digit])] = keys[i]
            higher[digit] += 1
        for i in range(n):
            ordered_patterns[i] = (buffer[i] >> np.uint64(16)) & low_bits
            sorted_codes[i] = buffer[i] & np.uint64(0xFFFF)
        is_sorted = sort_by_insertion(ordered, sorted_codes, n) >= 0
    if not is_sorted:
        histogram[:] = 0
        for i in range(n):
            pattern = ordered_bits(np.uint64(bits[i]), sign)
            histogram[0, pattern & np.uint64(0x7FF)] += 1
            histogram[1, (pattern >> np.uint64(11)) & np.uint64(0x7FF)] += 1
            histogram[2, pattern >> np.uint64(22)] += 1
            keys[i] = (pattern << np.uint64(16)) | np.uint64(codes[i])
        sort_keys(keys, buffer, histogram, 16, np.uint64(11))
        for i in range(n):
            pattern = buffer[i] >> np.uint64(16)
            ordered_patterns[i] = pattern ^ (sign if pattern >> np.uint64(31) else low_bits)
            sorted_codes[i] = buffer[i] & np.uint64(0xFFFF)
    for i in range(n):
        ordered[i] += scale - scale  # -0.0 becomes 0.0
    for i in range(n - 1):
        ends[i] = ordered[i] != ordered[i + 1]
    ends[n - 1] = True


@kernel("bits", steps=30)
def sort_with_positions(
    scores: Array,
    bits: Array,
    low: Real,
    scale: Real,
    keys: Keys,
    buffer: Keys,
    histogram: Numbers,
    digit_bits: int,
    positions: Ints,
    ordered: Array,
    ends: Bools,
    moves_left: Ints,
) -> None:
    """Sort scores, given with their bits, with their positions; mark the last of each score.

    Keys have the steps of the scores if few share a step; otherwise, or if ``scale`` is 0, the
    leading bits of the distance from the lowest score. In their order, each score moves down past
    higher ones. The kernel stops when ``moves_left[0]`` falls below 0. ``positions`` may share the
    memory of ``keys``.
    """
    n = len(bits)
    width, position_bits = np.uint64(digit_bits), np.uint64(0x7FFFFFFF)
    last = (np.uint64(1) << width) - np.uint64(1)
    steps = np.empty(BLOCK, np.uint32)
    is_sorted = False
    if scale > 0 and count_digits(scores, low, scale, np.uint32(width), histogram, steps):
        lower, higher = histogram[0], histogram[1]
        start_digits(lower)
        start_digits(higher)
        for start in range(0, n, BLOCK):
            block = scores[start : start + BLOCK]
            fill_steps(block, low, scale, steps)
            for i in range(len(block)):
                digit = steps[i] & np.uint32(last)
                leading = np.uint64(steps[i]) >> width
                keys[np.uint32(lower[digit])] = leading << np.uint64(31) | np.uint64(start + i)
                lower[digit] += 1
        for i in range(n):
            digit = np.uint32(keys[i] >> np.uint64(31))
            buffer[np.uint32(higher[digit])] = keys[i]
            higher[digit] += 1
        for i in range(n):
            at = buffer[i] & position_bits
            positions[i] = at
            ordered[i] = scores[at]
        is_sorted = sort_by_insertion(ordered, positions, n) >= 0
    if not is_sorted:
        histogram[:] = 0
        sign = np.uint64(1) << np.uint64(8 * bits.itemsize - 1)
        lowest = ordered_bits(np.uint64(bits[0]), sign)
        highest = lowest
        for i in range(n):
            pattern = ordered_bits(np.uint64(bits[i]), sign)
            keys[i] = pattern
            lowest = pattern if pattern < lowest else lowest
            highest = pattern if pattern > highest else highest
        shift = np.uint64(0)
        while (highest - lowest) >> shift >> (np.uint64(3) * width):
            shift += np.uint64(1)
        for i in range(n):
            leading = (keys[i] - lowest) >> shift
            histogram[0, leading & last] += 1
            histogram[1, (leading >> width) & last] += 1
            histogram[2, leading >> width >> width] += 1
            keys[i] = (leading << np.uint64(31)) | np.uint64(i)
        sort_keys(keys, buffer, histogram, 31, width)
        for i in range(n):
            at = buffer[i] & position_bits
            positions[i] = at
            ordered[i] = scores[at]
        moves_left[0] = sort_by_insertion(ordered, positions, moves_left[0])
    for i in range(n - 1):
        ends[i] = ordered[i] != ordered[i + 1]
    ends[n - 1] = True
