"""Sort rows by score: Algorithm 1, lines P2 and P3."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, zip_longest
from typing import Any, TypeAlias

import numpy as np

from ordcut.arrays import Array, Bools, Codes, Floats, Ints, Keys, Numbers
from ordcut.kernels import sorting as kernels

#: Classes, last rows of a score, weights, and the stride of the weights.
KernelRows: TypeAlias = tuple[Codes, Bools, Numbers, int]

#: From this many rows on, sorting by digits beats an argsort, also when it has to be compiled.
ROWS_WORTH_DIGITS = 20_000

#: Each thread keeps room for so many keys: 2 MiB.
MOST_KEYS_KEPT = 1 << 18
_kept = threading.local()


@dataclass(frozen=True)
class SortedRows:
    """Rows in the order of their scores.

    ``ends`` marks the last row of each distinct score; ``weights`` is None where each row counts 1.
    """

    scores: Array
    codes: Codes
    ends: Bools
    weights: Numbers | None

    @cached_property
    def is_whole(self) -> bool:
        """Whether all weights are whole numbers."""
        return self.weights is None or self.weights.dtype == np.int64

    def for_kernels(self, kind: np.dtype[Any]) -> KernelRows:
        """Return the rows as the solvers' kernels read them, with weights of a kind of number."""
        if self.weights is None:
            return self.codes, self.ends, np.ones(1, kind), 0
        return self.codes, self.ends, self.weights.astype(kind, copy=False), 1

    @cached_property
    def merged(self) -> SortedRows:
        """The same rows with equal pairs of score and class made one, in the order of classes.

        Sums of fractions then do not depend on the order of the rows, and a weight of ``w`` is the
        same as ``w`` repeats, to the last bit. Sums of whole numbers need no such care.
        """
        if self.ends.all():
            return self
        score_number: Ints = np.cumsum(self.ends) - self.ends
        pairs = score_number << 16 | self.codes
        if (pairs[1:] > pairs[:-1]).all():
            return self
        pairs, weights = _merge(pairs, self.weights)
        last = np.append(pairs[1:] >> 16 != pairs[:-1] >> 16, True)
        scores = self.scores[self.ends][pairs >> 16]
        return SortedRows(scores, (pairs & 0xFFFF).astype(np.uint16), last, weights)


def sort_rows(
    scores: Array,
    codes: Array | None,
    soft: Floats | None = None,
    weights: Numbers | None = None,
) -> SortedRows:
    """Sort rows by their scores; they have a code each, or soft labels.

    Examples
    --------
    >>> rows = sort_rows(np.array([0.5, 0.1, 0.5, 0.5]), np.array([1, 0, 1, 0]))
    >>> rows.scores, rows.ends
    (array([0.1, 0.5, 0.5, 0.5]), array([ True, False, False,  True]))
    >>> rows.merged.codes, rows.merged.weights
    (array([0, 0, 1], dtype=uint16), array([1, 1, 2]))
    """
    if soft is not None:
        return _sort_soft_rows(scores, soft, weights)
    assert codes is not None
    may_use_digits = weights is None and scores.dtype != np.float64
    if may_use_digits and ROWS_WORTH_DIGITS <= len(scores) < np.iinfo(np.int32).max:
        return _sort_by_digits(scores.astype(np.float32, copy=False), codes)
    order = np.argsort(scores)
    scores = scores[order]
    weights = None if weights is None else weights[order]
    rows = SortedRows(scores, codes[order].astype(np.uint16), _ends(scores), weights)
    return rows if rows.is_whole else rows.merged


def insert_lumps(
    rows: SortedRows, positions: Ints, totals: Numbers, scores: Array | None = None
) -> SortedRows:
    """Insert scores whose rows are known by their weight per class only.

    Lump ``i``, with weights ``totals[i]``, comes before the row at ``positions[i]``; lumps at one
    position keep their order. Without ``scores``, what the lumps' scores are is unknown: NaN.

    Examples
    --------
    >>> rows = sort_rows(np.array([0.5, 0.1]), np.array([1, 0]))
    >>> lumped = insert_lumps(rows, np.array([1]), np.array([[3, 4]]))
    >>> lumped.scores, lumped.codes, lumped.weights
    (array([0.1, nan, nan, 0.5]), array([0, 0, 1, 1], dtype=uint16), array([1, 3, 4, 1]))
    """
    lump, code = np.nonzero(totals)
    place = positions[lump]
    weights = np.ones(len(rows.codes), np.int64) if rows.weights is None else rows.weights
    new_scores = np.full(len(lump), np.nan) if scores is None else scores[lump]
    # Few lumps stand between many rows, so whole stretches are copied.
    turns = np.flatnonzero(np.append(True, place[1:] != place[:-1])).tolist() if len(lump) else []
    new_bounds = pairwise([*turns, len(lump)])
    old_bounds = pairwise([0, *place[turns].tolist(), len(rows.codes)])
    stretches = list(zip_longest(old_bounds, new_bounds, fillvalue=(0, 0)))

    def joined(old: Array, new: Array) -> Array:
        new = new.astype(old.dtype)
        return np.concatenate(
            [part for (a, b), (c, d) in stretches for part in (old[a:b], new[c:d])]
        )

    return SortedRows(
        joined(rows.scores, new_scores),
        joined(rows.codes, code),
        joined(rows.ends, _ends(lump)),
        joined(weights, totals[lump, code]),
    )


def _sort_by_digits(scores: Array, codes: Array) -> SortedRows:
    keys, spare = np.empty(len(scores), np.uint64), _spare_keys(len(scores))
    histogram = np.zeros((kernels.N_DIGITS, 1 << kernels.DIGIT_BITS), np.int32)
    kernels.pack_keys(np.ascontiguousarray(scores).view(np.uint32), codes, keys, histogram)
    kernels.sort_keys(keys, spare, histogram)
    # The sorted keys are in spare; what they are taken apart into fits where they came from, which
    # saves touching new memory.
    n, store = len(scores), keys.view(np.uint8)
    bits, sorted_codes = store[: 4 * n].view(np.uint32), store[4 * n : 6 * n].view(np.uint16)
    ends = store[6 * n : 7 * n].view(np.bool_)
    kernels.unpack_keys(spare, bits, sorted_codes, ends)
    return SortedRows(bits.view(np.float32), sorted_codes, ends, None)


def _spare_keys(n: int) -> Keys:
    """Return room for some keys; a little stays with each thread, as new memory is slow to touch.

    Sorting 143 000 rows again and again takes half the time so.
    """
    if n > MOST_KEYS_KEPT:
        return np.empty(n, np.uint64)
    if not hasattr(_kept, "keys"):
        _kept.keys = np.empty(MOST_KEYS_KEPT, np.uint64)
    spare: Keys = _kept.keys[:n]
    return spare


def _ends(sorted_values: Array) -> Bools:
    """Return which row is the last of its value."""
    if len(sorted_values) == 0:
        return np.zeros(0, np.bool_)
    return np.append(sorted_values[1:] != sorted_values[:-1], True)


def _merge(pairs: Ints, weights: Numbers | None) -> tuple[Ints, Numbers | None]:
    """Sort pairs of score and class, and add up the weights of equal ones."""
    if weights is None:
        pairs, counts = np.unique(pairs, return_counts=True)
        return pairs, counts.astype(np.int64)
    if weights.dtype == np.int64:
        order = np.argsort(pairs, kind="stable")  # quick where pairs are nearly in order
    else:  # by weight, too, so that a sum of fractions does not depend on the rows' order
        order = np.lexsort((weights, pairs))
    pairs, weights = pairs[order], weights[order]
    starts = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1]))
    return pairs[starts], np.add.reduceat(weights, starts)


def _sort_soft_rows(scores: Array, soft: Floats, weights: Numbers | None) -> SortedRows:
    """Turn each score into one row for each class that has weight there."""
    if weights is not None:
        soft = soft * weights[:, None]
    order = np.argsort(scores)
    is_last = _ends(scores[order])
    if not is_last.all():  # equal scores go by their labels, as in _merge
        order = np.lexsort((*soft.T, scores))
    starts = np.flatnonzero(np.append(True, is_last[:-1]))
    soft = np.add.reduceat(soft[order], starts, axis=0)
    if (soft == np.rint(soft)).all():
        soft = soft.astype(np.int64)
    row, code = np.nonzero(soft)
    distinct = scores[order][starts]
    return SortedRows(distinct[row], code.astype(np.uint16), _ends(row), soft[row, code])
