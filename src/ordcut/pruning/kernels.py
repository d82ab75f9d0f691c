"""Count rows by cell of the line and class, and fetch the rows of chosen cells.

The cell of a score comes from a table: ``(score - low) * scale``, clipped to the table's length, is
the index of the slot that holds the cell. Each step keeps the order of the scores, so cells are in
order too. Comparisons are written so that a NaN lands in the first slot, never outside.

``low`` and ``scale`` have the dtype to compute in: with scores and both in single precision, a
vectorised loop does twice as many at once. ``scale`` is finite.
"""

from __future__ import annotations

import numpy as np

from ordcut.jit import inlined, kernel
from ordcut.typing import Array, Bools, Floats, Ints, Numbers, Real

#: How many rows are located before they are counted. Slots are kept in 16 bits.
BLOCK = 512


@inlined
def slot_of(score: Real, low: Real, scale: Real, zero: Real, top: Real) -> Real:
    """Return the slot of a score, with its fraction; ``zero`` and ``top`` are the end slots."""
    slot = (score - low) * scale
    slot = slot if slot > zero else zero
    return slot if slot < top else top


@kernel("scores", steps=5)
def count_rows(
    scores: Array,
    codes: Array,
    weights: Numbers,
    stride: int,
    low: Real,
    scale: Real,
    base_of: Array,
    located: Array,
    counts: Numbers,
) -> None:
    """Add the weight of each row to ``counts[base_of[slot] + class]``.

    ``base_of`` holds the cell of each slot, multiplied by the number of classes. ``located`` fills
    with the slots of the rows, unless it is empty. The last of ``counts`` is the number of scores
    that are not finite.
    """
    zero = scale - scale
    top = zero + np.float32(len(base_of) - 1)
    n_bad = np.int32(0)
    slots = np.empty(BLOCK, np.int32)
    for start in range(0, len(scores), BLOCK):
        some_scores = scores[start : start + BLOCK]
        some_codes = codes[start : start + BLOCK]
        some_located = located[start : start + BLOCK]
        for i in range(len(some_scores)):  # by themselves, these loops run in vectors
            score = some_scores[i]
            n_bad += np.int32(0) if score - score == zero else np.int32(1)
            slots[i] = np.int32(slot_of(score, low, scale, zero, top))
        for i in range(len(some_located)):
            some_located[i] = np.uint16(slots[i])
        if stride == 0:
            for i in range(len(some_scores)):
                counts[np.uint32(base_of[np.uint32(slots[i])]) + np.uint32(some_codes[i])] += 1
        else:
            some_weights = weights[start : start + BLOCK]
            for i in range(len(some_scores)):
                slot = np.uint32(base_of[np.uint32(slots[i])]) + np.uint32(some_codes[i])
                counts[slot] += some_weights[i]
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
    counts: Numbers,
) -> None:
    """Add the weights of each row's classes to the counts of its cell, as in ``count_rows``."""
    zero = scale - scale
    top = zero + np.float32(len(base_of) - 1)
    for i in range(len(scores)):
        slot = np.uint32(np.int32(slot_of(scores[i], low, scale, zero, top)))
        if len(located) > 0:
            located[i] = np.uint16(slot)
        base = base_of[slot]
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
    commonest: Array,
    indices: Array,
    some_scores: Array,
    some_codes: Array,
    n_found: Ints,
) -> None:
    """Write the indices, scores and codes of the rows whose slot is wanted, in their order.

    ``located`` holds the slots of the rows, or is empty, and ``is_wanted`` 1 or 0 for each slot.
    Rows whose score is the ``commonest`` of their slot are left out; an empty ``commonest`` says
    that no score is common. Empty ``indices`` are not written; a ``stride`` of 0 says that rows
    have no codes. Fills ``n_found[0]``.
    """
    zero = scale - scale
    top = zero + np.float32(len(is_wanted) - 1)
    buffer, wide = np.empty(BLOCK, np.uint16), np.empty(BLOCK, np.int32)
    found = np.empty(BLOCK, np.uint32)
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
            found[n_here] = np.uint32(i)
            n_here = np.uint32(n_here + is_wanted[slots[i]])
        for j in range(n_here):
            i = found[np.uint32(j)]
            if len(commonest) == 0 or block[i] != commonest[slots[i]]:
                if len(indices) > 0:
                    indices[n] = np.uint32(start + i)
                some_scores[n] = block[i]
                some_codes[n] = codes[np.uint32(start + i) * np.uint32(stride)]
                n = np.uint32(n + np.uint32(1))
    n_found[0] = n


@kernel("scores", steps=6)
def locate_parts(
    scores: Array, low: Real, scale: Real, first_part: Array, n_parts: int, located: Array
) -> None:
    """Fill in which part of its slot each score lies in, counted from the slot's first part."""
    zero = scale - scale
    top = zero + np.float32(len(first_part) - 1)
    for i in range(len(scores)):
        slot = slot_of(scores[i], low, scale, zero, top)
        whole = np.int32(slot)
        part = np.int32((slot - np.float32(whole)) * np.float32(n_parts))
        located[i] = first_part[np.uint32(whole)] + part


@kernel("located", steps=2)
def index_kept(located: Array, is_kept: Bools, indices: Array, n_found: Ints) -> None:
    """Write the indices of the rows in cells that are kept, given the cell of each row.

    ``indices`` must have room for one more than is found. Fills ``n_found[0]``.
    """
    n = np.uint32(0)
    for i in range(len(located)):
        indices[n] = i
        n = np.uint32(n + np.uint32(is_kept[np.uint32(located[i])]))
    n_found[0] = n


@kernel("counts", "gain", steps=9)
def mark_near_minima(
    counts: Numbers, has_rows: Bools, gain: Numbers, order: Ints, slack: Numbers, chosen: Bools
) -> None:
    """Mark the cells that can hold a threshold of a convex objective.

    A risk curve is known at the borders of cells; inside a cell it cannot fall below its left
    border plus the falls that the cell's rows could bring. A cell is marked for a curve if that
    bound is not above the lowest border, and so are the cells with rows next to the lowest border.
    Values of curve ``k`` within ``slack[k]`` count as equal. ``order`` is that of
    ``halving_order``: the middle curve's cells bound those of the others. O(C K log K) time for C
    cells.
    """
    n_cells, n_classes = counts.shape
    n_cuts = len(gain)
    border = np.empty(n_cells + 1, gain.dtype)
    floor = np.empty(n_cells, gain.dtype)
    lowest_of = np.empty(n_cuts, dtype=np.int64)
    highest_of = np.empty(n_cuts, dtype=np.int64)
    for i in range(n_cuts):
        k = order[i, 0]
        first = lowest_of[order[i, 1]] if order[i, 1] >= 0 else 0
        last = highest_of[order[i, 2]] if order[i, 2] < n_cuts else n_cells
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
        most = least + slack[k]
        lowest = last
        highest = first
        for c in range(first, last):
            if floor[c] < most or (floor[c] == most and (c < where or slack[k] > 0)):
                chosen[c] = True
                lowest = min(lowest, c)
                highest = max(highest, c + 1)
        for b in range(first, last + 1):
            if b == where or (slack[k] > 0 and border[b] <= most):
                # The cell before it was marked, as its bound is not above what it ends with.
                lowest = min(lowest, b)
                c = b
                while c < n_cells - 1 and not has_rows[c]:
                    c += 1
                chosen[min(c, n_cells - 1)] = True
        lowest_of[k] = lowest
        highest_of[k] = highest


@kernel("counts", "cost", steps=40)
def bound_paths(
    counts: Floats,
    cost: Floats,
    least_cost: Floats,
    is_closed: Bools,
    slack: float,
    lowest: Floats,
    ends: Floats,
) -> None:
    """Bound the cost of all ordered labelings in which the decision changes inside a cell.

    In a cell that a labeling enters with decision ``a`` and leaves with ``b``, a row of class ``l``
    costs at least ``least_cost[a, b, l]``, the least of ``cost[a..b, l]``. Fills ``lowest`` (C,),
    the least such bound for a change inside each cell, inf for a cell that is closed to changes,
    and ``ends``, bounds on the least cost of all: from below, and from above by labelings that
    change at borders of cells only. What is above the latter by more than ``slack`` is not looked
    into. O(C D K) time for C cells, D decisions and K classes, and O(K) for every change that
    cheaper bounds do not rule out.
    """
    n_cells, n_classes = counts.shape
    n_decisions = len(cost)
    stays = np.zeros((n_cells, n_decisions))  # the cost of a cell with one decision
    free = np.zeros(n_cells)  # and with any
    most = np.inf
    at_border = np.zeros(n_decisions)
    for c in range(n_cells):
        for truth in range(n_classes):
            if counts[c, truth] > 0:
                for d in range(n_decisions):
                    stays[c, d] += counts[c, truth] * cost[d, truth]
                free[c] += counts[c, truth] * least_cost[0, n_decisions - 1, truth]
        best = np.inf
        for d in range(n_decisions):
            best = min(best, at_border[d])
            at_border[d] = best + stays[c, d]
    for d in range(n_decisions):
        most = min(most, at_border[d])
    # Bounds that let a change inside a cell cost what any decisions would.
    above = np.zeros((n_cells + 1, n_decisions))
    for c in range(n_cells - 1, -1, -1):
        best = np.inf
        for d in range(n_decisions - 1, -1, -1):
            stay = stays[c, d] + above[c + 1, d]
            above[c, d] = stay if is_closed[c] else min(stay, best + free[c])
            best = min(best, above[c + 1, d])
    below = np.zeros((n_cells + 1, n_decisions))
    for c in range(n_cells):
        best = np.inf
        for b in range(n_decisions):
            total = below[c, b] + stays[c, b]
            if not is_closed[c] and best + free[c] + above[c + 1, b] <= most + slack:
                for a in range(b):
                    if below[c, a] + free[c] + above[c + 1, b] <= most + slack:
                        change = 0.0
                        for truth in range(n_classes):
                            change += counts[c, truth] * least_cost[a, b, truth]
                        total = min(total, below[c, a] + change)
            best = min(best, below[c, b])
            below[c + 1, b] = total if total + above[c + 1, b] <= most + slack else np.inf
    least = np.inf
    for d in range(n_decisions):
        least = min(least, below[n_cells, d])
    for c in range(n_cells - 1, -1, -1):  # the same from above, now with what is known from below
        lowest[c] = np.inf
        for a in range(n_decisions):
            total = stays[c, a] + above[c + 1, a]
            if not is_closed[c] and below[c, a] < np.inf:
                for b in range(a + 1, n_decisions):
                    if below[c, a] + free[c] + above[c + 1, b] <= most + slack:
                        change = 0.0
                        for truth in range(n_classes):
                            change += counts[c, truth] * least_cost[a, b, truth]
                        total = min(total, change + above[c + 1, b])
                        lowest[c] = min(lowest[c], below[c, a] + change + above[c + 1, b])
            above[c, a] = total if below[c, a] < np.inf else np.inf
    ends[0] = least
    ends[1] = most
