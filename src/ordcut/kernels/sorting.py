"""Sort float32 scores with their classes by the bits of the scores: no comparison, no branch.

The bits of a float, with the sign bit flipped for positive numbers and all bits flipped for
negative ones, are an integer in the order of the floats. Score and class go into one 64-bit key,
``bits << 16 | class``, which is sorted by three digits of 11 bits of the score, lowest first.
"""

from __future__ import annotations

import numpy as np

from ordcut.arrays import Array, Bools, Codes, Keys, Numbers
from ordcut.jit import kernel

#: Three digits of 11 bits hold the 32 bits of a score.
N_DIGITS, DIGIT_BITS = 3, 11


@kernel(steps=lambda bits, *_: 8 * bits.size)
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


@kernel(steps=lambda keys, *_: 12 * keys.size)
def sort_keys(keys: Keys, spare: Keys, histogram: Numbers) -> None:
    """Sort keys by their score; the sorted keys end in ``spare``. Rows of one score keep order."""
    n_values = histogram.shape[1]
    for digit in range(histogram.shape[0]):
        place = histogram[digit]
        total = place[0] - place[0]
        for value in range(n_values):
            here = place[value]
            place[value] = total
            total += here
        shift = np.uint64(16 + 11 * digit)
        # The three digits lie in turn in keys, spare and keys.
        source = keys if digit % 2 == 0 else spare
        target = spare if digit % 2 == 0 else keys
        for i in range(len(keys)):
            value = (source[i] >> shift) & np.uint64(0x7FF)
            target[place[value]] = source[i]
            place[value] += 1


@kernel(steps=lambda keys, *_: 5 * keys.size)
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
