"""Count rows by cell of the line and class, and fetch the rows of chosen cells.

The cell of a score comes from a table: ``(score - low) * scale``, cut off to the table's length,
is the place where the table holds the cell. Each step keeps the order of the scores, so cells are
in order too. Comparisons are written so that a NaN lands in the first place, never outside.

``low`` and ``scale`` are of the kind of float to reckon in: with scores and both in single
precision, a loop by itself does twice as many at once. ``scale`` is finite.
"""

from __future__ import annotations

import numpy as np

from ordcut.arrays import Array, Bools, Ints, Numbers, Real
from ordcut.jit import kernel

#: How many rows are located before they are counted.
BLOCK = 512


@kernel(steps=lambda scores, *_: 5 * scores.size)
def count_rows(
    scores: Array,
    codes: Array,
    weights: Numbers,
    stride: int,
    low: Real,
    scale: Real,
    base_of: Array,
    counts: Numbers,
) -> None:
    """Add the weight of each row to ``counts[base_of[place] + class]``.

    ``base_of`` holds the cell of each place, multiplied by the number of classes. Rows without
    weights are added to the last of ``counts``, too, if their score is not finite.
    """
    zero = scale - scale
    top = zero + np.float32(len(base_of) - 1)
    if stride == 0:
        n_bad = np.int32(0)
        places = np.empty(BLOCK, np.int32)
        for start in range(0, len(scores), BLOCK):
            some_scores = scores[start : start + BLOCK]
            some_codes = codes[start : start + BLOCK]
            for i in range(len(some_scores)):  # by itself, this loop runs in vectors
                score = some_scores[i]
                n_bad += np.int32(0) if score - score == zero else np.int32(1)
                place = (score - low) * scale
                place = place if place > zero else zero
                place = place if place < top else top
                places[i] = np.int32(place)
            for i in range(len(some_scores)):
                counts[base_of[np.uint32(places[i])] + np.uint32(some_codes[i])] += 1
        counts[-1] += n_bad
    else:
        for i in range(len(scores)):
            place = (scores[i] - low) * scale
            place = place if place > zero else zero
            place = place if place < top else top
            counts[base_of[np.uint32(np.int32(place))] + np.uint32(codes[i])] += weights[i]


@kernel(steps=lambda located, *_: 2 * located.size)
def count_located(
    located: Array, codes: Array, weights: Numbers, stride: int, counts: Numbers
) -> None:
    """Add the weight of each row to the count of its cell and class, given its cell."""
    for i in range(len(located)):
        counts[np.uint32(located[i]), np.uint32(codes[i])] += weights[i * stride]


@kernel(steps=lambda scores, soft, *_: 4 * scores.size + soft.size)
def count_soft_rows(
    scores: Array,
    soft: Numbers,
    weights: Numbers,
    stride: int,
    low: Real,
    scale: Real,
    base_of: Array,
    counts: Numbers,
) -> None:
    """Add the weights of each row's classes to the counts of its cell, as in ``count_rows``."""
    zero = scale - scale
    top = zero + np.float32(len(base_of) - 1)
    for i in range(len(scores)):
        place = (scores[i] - low) * scale
        place = place if place > zero else zero
        place = place if place < top else top
        base = base_of[np.uint32(np.int32(place))]
        for code in range(soft.shape[1]):
            counts[base + np.uint32(code)] += weights[i * stride] * soft[i, code]


@kernel(steps=lambda scores, *_: 5 * scores.size)
def fetch_rows(
    scores: Array,
    codes: Array,
    stride: int,
    low: Real,
    scale: Real,
    is_wanted: Array,
    commonest: Array,
    numbers: Array,
    some_scores: Array,
    some_codes: Array,
    n_found: Ints,
) -> None:
    """Write the numbers, scores and codes of the rows whose place is wanted, in their order.

    ``is_wanted`` holds 1 or 0 for each place. Rows whose score is the ``commonest`` of their place
    are left out; an empty ``commonest`` says that no score is common. Empty ``numbers`` are not
    written; a ``stride`` of 0 says that rows have no codes. Fills ``n_found[0]``.
    """
    zero = scale - scale
    top = zero + np.float32(len(is_wanted) - 1)
    places = np.empty(BLOCK, np.int32)
    found = np.empty(BLOCK, np.uint32)
    n = np.uint32(0)
    for start in range(0, len(scores), BLOCK):
        block = scores[start : start + BLOCK]
        for i in range(len(block)):  # by itself, this loop runs in vectors
            place = (block[i] - low) * scale
            place = place if place > zero else zero
            place = place if place < top else top
            places[i] = np.int32(place)
        # Each number is written, and stays if its row is wanted: that costs less than a branch
        # which cannot be predicted.
        n_here = np.uint32(0)
        for i in range(len(block)):
            found[n_here] = np.uint32(i)
            n_here = np.uint32(n_here + is_wanted[np.uint32(places[i])])
        for j in range(n_here):
            i = found[np.uint32(j)]
            if len(commonest) == 0 or block[i] != commonest[np.uint32(places[i])]:
                if len(numbers) > 0:
                    numbers[n] = np.uint32(start + i)
                some_scores[n] = block[i]
                some_codes[n] = codes[np.uint32(start + i) * np.uint32(stride)]
                n = np.uint32(n + np.uint32(1))
    n_found[0] = n


@kernel(steps=lambda scores, *_: 6 * scores.size)
def locate_parts(
    scores: Array, low: Real, scale: Real, first_part: Array, n_parts: int, located: Array
) -> None:
    """Fill in which part of its place each score lies in, counted from the place's first part."""
    zero = scale - scale
    top = zero + np.float32(len(first_part) - 1)
    for i in range(len(scores)):
        place = (scores[i] - low) * scale
        place = place if place > zero else zero
        place = place if place < top else top
        whole = np.int32(place)
        part = np.int32((place - np.float32(whole)) * np.float32(n_parts))
        part = part if part < n_parts else np.int32(n_parts - 1)  # where a product rounds up
        located[i] = first_part[np.uint32(whole)] + part


@kernel(steps=lambda located, *_: 2 * located.size)
def number_kept(located: Array, is_kept: Bools, numbers: Array, n_found: Ints) -> None:
    """Write the numbers of the rows in cells that are kept, given the cell of each row.

    ``numbers`` must have room for one more than is found. Fills ``n_found[0]``.
    """
    n = np.uint32(0)
    for i in range(len(located)):
        numbers[n] = i
        n = np.uint32(n + np.uint32(is_kept[np.uint32(located[i])]))
    n_found[0] = n


@kernel(steps=lambda counts, gain, *_: 3 * counts.size * len(gain).bit_length())
def mark_near_minima(
    counts: Numbers, has_rows: Bools, gain: Numbers, slack: float, chosen: Bools
) -> None:
    """Mark the cells that can hold a threshold of a convex objective.

    A risk curve is known at the borders of cells; inside a cell it cannot fall below its left
    border plus the falls that the cell's rows could bring. A cell is marked for a curve if that
    bound is not above the lowest border, and so are the cells with rows next to the lowest border.
    Values within ``slack`` count as equal. As in ``nested_minima``, the middle curve's cells bound
    those of the others: O(C K log K) time for C cells.
    """
    n_cells, n_classes = counts.shape
    n_cuts = len(gain)
    border = np.empty(n_cells + 1, gain.dtype)
    floor = np.empty(n_cells, gain.dtype)
    pending = np.empty((n_cuts + 1, 4), dtype=np.int64)
    pending[0, 0] = 0
    pending[0, 1] = n_cuts
    pending[0, 2] = 0
    pending[0, 3] = n_cells
    n_pending = 1
    while n_pending > 0:
        n_pending -= 1
        low = pending[n_pending, 0]
        high = pending[n_pending, 1]
        first = pending[n_pending, 2]
        last = pending[n_pending, 3]
        k = (low + high) // 2
        total = gain[k, 0] - gain[k, 0]
        least = total
        where = first
        border[first] = total
        for c in range(first, last):
            rise = gain[k, 0] - gain[k, 0]
            fall = gain[k, 0] - gain[k, 0]
            for truth in range(n_classes):
                change = counts[c, truth] * gain[k, truth]
                rise += change
                fall += change if change < 0 else 0
            floor[c] = total + fall
            total += rise
            border[c + 1] = total
            if total < least:
                least = total
                where = c + 1
        # Below the first minimum an equal value would win, above it only a lower one.
        lowest = last
        highest = first
        for c in range(first, last):
            if floor[c] < least + slack or (floor[c] == least and c < where):
                chosen[c] = True
                lowest = min(lowest, c)
                highest = max(highest, c + 1)
        for b in range(first, last + 1):
            if b == where or (slack > 0 and border[b] <= least + slack):
                lowest = min(lowest, b)
                highest = max(highest, b)
                c = b - 1
                while c > 0 and not has_rows[c]:
                    c -= 1
                chosen[max(c, 0)] = True
                c = b
                while c < n_cells - 1 and not has_rows[c]:
                    c += 1
                chosen[min(c, n_cells - 1)] = True
        if low < k:
            pending[n_pending, 0] = low
            pending[n_pending, 1] = k
            pending[n_pending, 2] = first
            pending[n_pending, 3] = highest
            n_pending += 1
        if k + 1 < high:
            pending[n_pending, 0] = k + 1
            pending[n_pending, 1] = high
            pending[n_pending, 2] = lowest
            pending[n_pending, 3] = last
            n_pending += 1
