"""A digest of rows that depends neither on their order nor on how repeats are written."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from ordcut._core.data.intervals import to_fields
from ordcut._core.data.rows import Rows
from ordcut._core.typing import Array

#: The constants of splitmix64, which mixes 64 bits, and a start for each half of the digest.
STEP, FIRST, SECOND = (
    np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
STARTS = 0x243F6A8885A308D3, 0x13198A2E03707344

#: The number of rows that are mixed at once.
STRETCH = 1 << 16


def digest_of(rows: Rows) -> str:
    """Return 32 hexadecimal digits for the scores, classes and weights of rows.

    A row of whole weight w counts as w equal rows. The digest shows whether data are the same; it
    cannot protect against other data that are made to have the same digest.

    Examples
    --------
    >>> one, other = Rows.read([1, 2, 2], [0, 1, 1]), Rows.read([2, 1], [1, 0], weights=[2, 1])
    >>> digest_of(one) == digest_of(other)
    True
    """
    totals = [0 for _ in STARTS]
    for first in range(0, len(rows.scores), STRETCH):
        stretch = slice(first, first + STRETCH)
        for half, start in enumerate(STARTS):
            totals[half] += int(_mixed(rows, stretch, np.uint64(start)).sum(dtype=np.uint64))
    text = json.dumps(
        [*(total % (1 << 64) for total in totals), to_fields(rows.classes), rows.unit]
    )
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _mixed(rows: Rows, stretch: slice, start: np.uint64) -> Array:
    """Return 64 bits for each row of a stretch, times its weight where that is a number of rows."""
    scores = rows.scores[stretch].astype(np.float64) + 0.0  # the same bits for 0.0 and -0.0
    bits = _mix(scores.view(np.uint64) ^ start)
    if rows.codes is not None:
        bits = _mix(bits + rows.codes[stretch].astype(np.uint64))
    else:
        assert rows.soft is not None
        for column in rows.soft[stretch].T:
            shares = np.ascontiguousarray(column, dtype=np.float64) + 0.0
            bits = _mix(bits + shares.view(np.uint64))
    if rows.weights is None:
        return bits
    weights = rows.weights[stretch]
    if weights.dtype == np.int64:
        return bits * weights.astype(np.uint64)
    return _mix(bits + weights.view(np.uint64))


def _mix(bits: Array) -> Array:
    """Mix the bits of each number, by the finalizer of splitmix64."""
    bits = bits + STEP
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND
    return np.asarray(bits ^ (bits >> np.uint64(31)))
