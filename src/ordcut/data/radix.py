"""Sort float32 scores with their classes by the bits of the scores: no comparison, no branch.

The bits of a float, with the sign bit flipped for positive numbers and all bits flipped for
negative ones, are an integer in the order of the floats. Score and class go into one 64-bit key,
``bits << 16 | class``, which is sorted by three digits of 11 bits of the score, lowest first.
"""

from __future__ import annotations

import threading

import numpy as np

from ordcut.jit import kernel
from ordcut.typing import Array, Bools, Codes, Keys, Numbers

#: Three digits of 11 bits hold the 32 bits of a score.
N_DIGITS, DIGIT_BITS = 3, 11

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
    sort_keys(keys, buffer, histogram)
    # The sorted keys are in the buffer; what they are unpacked into fits where they came from,
    # which saves touching new memory.
    store = keys.view(np.uint8)
    bits, sorted_codes = store[: 4 * n].view(np.uint32), store[4 * n : 6 * n].view(np.uint16)
    ends = store[6 * n : 7 * n].view(np.bool_)
    unpack_keys(buffer, bits, sorted_codes, ends)
    return bits.view(np.float32), sorted_codes, ends


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


@kernel("bits", steps=8)
def pack_keys(bits: Array, codes: Array, keys: Keys, histogram: Numbers) -> None:
    """Fill the keys of rows, and count how often each value of each digit occurs."""
    for i in range(len(bits)):
        pattern = np.uint64(bits[i])
        pattern = np.uint64(0) if pattern == np.uint64(0x80000000) else pattern  # -0.0 is 0.0
        is_negative = pattern >> np.uint64(31)
        flip = np.uint64(0xFFFFFFFF) if is_negative else np.uint64(0x80000000)
        pattern ^= flip
        histogram[0, pattern & np.uint64(0x7FF)] += 1
        histogram[1, (pattern >> np.uint64(11)) & np.uint64(0x7FF)] += 1
        histogram[2, pattern >> np.uint64(22)] += 1
        keys[i] = (pattern << np.uint64(16)) | np.uint64(codes[i])


@kernel("keys", steps=12)
def sort_keys(keys: Keys, buffer: Keys, histogram: Numbers) -> None:
    """Sort keys by their score; the sorted keys end in ``buffer``. Rows of one score keep order."""
    n_values = histogram.shape[1]
    for digit in range(histogram.shape[0]):
        position = histogram[digit]
        total = position[0] - position[0]
        for value in range(n_values):
            here = position[value]
            position[value] = total
            total += here
        shift = np.uint64(16 + 11 * digit)
        # The three digits lie in turn in keys, buffer and keys.
        source = keys if digit % 2 == 0 else buffer
        target = buffer if digit % 2 == 0 else keys
        for i in range(len(keys)):
            value = (source[i] >> shift) & np.uint64(0x7FF)
            target[position[value]] = source[i]
            position[value] += 1


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
