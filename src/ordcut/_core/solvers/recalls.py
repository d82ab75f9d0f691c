"""The few cuts that can be best for scores that only recalls make up.

A threshold that moves past rows of neither of its two classes changes no recall for the worse. So
the lowest best cut lies right above a row of the class below it, and the next row of its two
classes is of the class above it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ordcut._core.data import SortedRows
from ordcut._core.numerics.jit import kernel
from ordcut._core.typing import Bools, Codes, Ints, Numbers


def recall_candidates(rows: SortedRows) -> list[Ints] | None:
    """Return the indices of the cuts that each threshold can take, for the highest recalls.

    The lowest of the best cuts are among the candidates. Returns None if a recall of 0 cannot be
    avoided: then thresholds can be equal, and each cut can be the best.

    Examples
    --------
    >>> from ordcut._core.data import Rows
    >>> rows = Rows.read([1, 2, 3, 4, 5, 6], [0, 0, 2, 1, 0, 1]).sorted()
    >>> recall_candidates(rows) is None
    True
    >>> rows = Rows.read([1, 2, 3, 4, 5, 6], [0, 0, 1, 2, 0, 2]).sorted()
    >>> recall_candidates(rows)
    [array([2]), array([3])]
    """
    codes, ends, weights, stride = rows.for_kernels(np.dtype(np.int64 if rows.is_whole else float))
    first = np.append(0, np.cumsum(np.bincount(codes, minlength=rows.n_classes)))
    parts, stops = np.empty(len(codes), np.int64), first[:-1].copy()
    list_parts(codes, ends, weights, stride, parts, stops)
    of_classes = [parts[start:stop] for start, stop in zip(first, stops, strict=False)]
    last = -1
    for own in of_classes:
        at = np.searchsorted(own, last, "right")
        if at == len(own):
            return None
        last = own[at]
    candidates = []
    for below, above in pairwise(of_classes):
        is_candidate = np.empty(len(below), np.bool_)
        mark_changes(below, above, is_candidate)
        candidates.append(below[is_candidate] + 1)
    return candidates


@kernel("codes", steps=3)
def list_parts(
    codes: Codes, ends: Bools, weights: Numbers, stride: int, parts: Ints, stops: Ints
) -> None:
    """List the parts between neighbouring cuts that hold rows of each class, in ascending order.

    ``codes``, ``ends``, ``weights`` and ``stride`` come from ``KernelRows``. ``stops`` holds where
    the list of each class begins in ``parts``, and then where it ends. O(n) time.
    """
    last = np.full(len(stops), -1)
    part = 0
    for i in range(len(codes)):
        c = codes[i]
        if last[c] < part and weights[i * stride] > 0:
            last[c] = part
            parts[stops[c]] = part
            stops[c] += 1
        if ends[i]:
            part += 1


@kernel("below", steps=4)
def mark_changes(below: Ints, above: Ints, is_candidate: Bools) -> None:
    """Mark the parts that are followed by a part of the class above before any of their own.

    ``below`` and ``above`` list the parts of two classes. O(m) time for both together.
    """
    j = 0
    for i in range(len(below)):
        while j < len(above) and above[j] <= below[i]:
            j += 1
        is_last = i + 1 == len(below)
        is_candidate[i] = j < len(above) and (is_last or above[j] <= below[i + 1])
