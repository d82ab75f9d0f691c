"""The loops of the paper's algorithms, and of the nested search that goes beyond it.

All of them read a score table as arrays over its rows, in the order of their scores: ``codes``
holds the classes; ``ends`` says which row is the last of its score; the weight of row ``i`` is
``weights[i * stride]``, with ``stride`` 0 and one weight of 1 where rows have none. Cut ``p`` puts
the rows ``[:p]`` below a threshold, which is possible where ``p`` is 0 or ``ends[p - 1]``.

``gain[k, l] = cost[k, l] - cost[k + 1, l]`` is what a row of class ``l`` saves when it moves from
class ``k`` up to ``k + 1``. Numbers are int64 where all are whole, float64 elsewhere. The comments
number the lines of the paper's algorithms.
"""

from __future__ import annotations

import numpy as np

from ordcut.arrays import Bools, Codes, Ints, Numbers
from ordcut.jit import kernel

#: How many rows the nested search looks at before it compares them with the minimum so far.
BLOCK = 256


@kernel(steps=lambda codes, _number, _weights, _stride, cost, *_: codes.size * len(cost))
def loss_sums(
    codes: Codes,
    number: Ints,
    weights: Numbers,
    stride: int,
    cost: Numbers,
    first: int,
    last: int,
    sums: Numbers,
) -> None:
    """Sum what each label would cost each distinct score: Algorithm 1, line P4.

    Adds ``weight * cost[k, l]`` to ``sums[number[i], k]`` for the rows ``first <= i < last``, where
    ``number[i]`` counts the distinct scores up to row ``i``. ``cost`` comes transposed, (true,
    predicted), so that the inner loop is contiguous. O(n K) time.
    """
    n_classes = cost.shape[1]
    for i in range(first, last):
        weight = weights[i * stride]
        for k in range(n_classes):
            sums[number[i], k] += weight * cost[codes[i], k]  # P4


@kernel(steps=lambda codes, *_: 2 * codes.size)
def segment_totals(
    codes: Codes, weights: Numbers, stride: int, segments: Ints, totals: Numbers
) -> None:
    """Add up the weight of each class between neighbouring cuts.

    Adds the rows ``segments[k] <= i < segments[k + 1]`` to ``totals[k]`` by class. O(n) time.
    """
    for k in range(len(segments) - 1):
        some_codes = codes[segments[k] : segments[k + 1]]
        some_weights = weights[segments[k] * stride :]
        total = totals[k]
        for i in range(len(some_codes)):
            total[some_codes[i]] += some_weights[i * stride]


@kernel(steps=lambda codes, _ends, _weights, _stride, cost, *_: 3 * codes.size * len(cost))
def ordered_path(
    codes: Codes,
    ends: Bools,
    weights: Numbers,
    stride: int,
    cost: Numbers,
    reached: Numbers,
    takes: Bools,
    cuts: Ints,
) -> None:
    """Label the scores in non-decreasing classes at the least total cost: Algorithm 2.

    ``L[j, k] = min(L[j - 1, l] for l <= k) + M[j, k]`` is the least cost of the scores up to ``j``
    when ``j`` gets class ``k``. Only the running minimum over ``l <= k`` of one row of ``L`` is
    alive at a time, in ``reached`` (K,). ``takes[i, k]`` says, where row ``i`` is the last of its
    score, whether class ``k`` reaches that minimum; the class taken when at most ``k`` is allowed
    is the largest such one up to ``k``, which makes the thresholds the lowest of the optimal ones.
    ``cost`` comes transposed, (true, predicted). Fills ``cuts`` (K - 1,). O(n K) time.
    """
    n_rows, n_classes = takes.shape
    for k in range(n_classes):
        reached[k] = 0
    i = 0
    while i < n_rows:  # DP2
        if stride == 0 and i + 1 < n_rows and ends[i] and ends[i + 1]:
            # Two scores at once: the second one's minima wait for the first one's by one step
            # only, so that a processor works on both.
            paid = cost[codes[i]]
            paid_next = cost[codes[i + 1]]
            least = reached[0] + paid[0]  # DP3
            least_next = least + paid_next[0]
            for k in range(n_classes):  # DP4
                total = reached[k] + paid[k]  # DP1, DP6: add M[j, k]
                takes[i, k] = total <= least  # DP5
                least = total if total <= least else least
                total_next = least + paid_next[k]
                takes[i + 1, k] = total_next <= least_next
                least_next = total_next if total_next <= least_next else least_next
                reached[k] = least_next
            i += 2
        elif ends[i]:
            weight = weights[i * stride]
            paid = cost[codes[i]]
            least = reached[0] + weight * paid[0]
            for k in range(n_classes):
                total = reached[k] + weight * paid[k]
                takes[i, k] = total <= least
                least = total if total <= least else least
                reached[k] = least
            i += 1
        else:
            for k in range(n_classes):
                reached[k] += weights[i * stride] * cost[codes[i], k]
            i += 1
    label = n_classes - 1
    for i in range(n_rows - 1, -1, -1):  # DP9
        if ends[i]:
            lower = label
            while not takes[i, lower]:  # DP7, DP10
                lower -= 1
            for k in range(lower, label):  # DP8, DP11
                cuts[k] = i + 1
            label = lower
    for k in range(label):  # DP12
        cuts[k] = 0


@kernel(
    steps=lambda _codes, _ends, _weights, _stride, gain, first, last, *_: (
        3 * (last - first) * gain.shape[1]
    )
)
def block_minima(
    codes: Codes,
    ends: Bools,
    weights: Numbers,
    stride: int,
    gain: Numbers,
    first: int,
    last: int,
    total: Numbers,
    least: Numbers,
    where: Ints,
) -> None:
    """Find the first minimum of some risk curves over a block of cuts: Algorithms 3 and 4.

    Each curve ``k`` starts the block at 0 and rises by ``gain[k, l]`` times the weight of each row
    passed. Over the cuts ``first <= p < last``, fills ``least[k]`` and ``where[k]``, the curve's
    minimum and the first cut that reaches it (``where[k] = -1`` if the block has no cut), and
    ``total[k]``, its value where the next block starts. One block of all cuts is Algorithm 3.
    ``gain`` comes transposed, (true, curve). O(n) time for each curve; no curve is stored.
    """
    n_rows = len(codes)
    n_curves = len(total)
    for k in range(n_curves):
        total[k] = 0  # IO2, PO3
        where[k] = -1
    for p in range(first, last):
        if p == 0 or ends[p - 1]:
            for k in range(n_curves):
                # Stored whether lower or not, because loops without branches run in vectors.
                # IO4, PO10: strictly lower, so the first minimum stays.
                is_lower = (where[k] < 0) | (total[k] < least[k])
                least[k] = total[k] if is_lower else least[k]
                where[k] = p if is_lower else where[k]
        if p < n_rows:
            weight = weights[p * stride]
            rise = gain[codes[p]]
            for k in range(n_curves):
                total[k] += weight * rise[k]  # IO3, PO4, PO5


@kernel(
    steps=lambda codes, _ends, _weights, _stride, gain, _cuts: (
        3 * codes.size * len(gain).bit_length()
    )
)
def nested_minima(
    codes: Codes, ends: Bools, weights: Numbers, stride: int, gain: Numbers, cuts: Ints
) -> None:
    """Find the first minimum of every risk curve of a convex objective.

    Theorem 2 orders the minima, so once the middle threshold of a range is known, the thresholds
    below it need only the rows below it and those above it only the rows above it. Every level of
    this halving reads each row once: O(n log K) time, O(K) memory. Fills ``cuts`` (K - 1,).
    """
    n_cuts, n_classes = gain.shape
    step = np.empty(n_classes, gain.dtype)
    curve = np.empty(BLOCK, gain.dtype)
    # Ranges still to halve: thresholds low..high - 1, whose cuts lie from first to last.
    pending = np.empty((n_cuts + 1, 4), dtype=np.int64)
    pending[0, 0] = 0
    pending[0, 1] = n_cuts
    pending[0, 2] = 0
    pending[0, 3] = len(codes)
    n_pending = 1
    while n_pending > 0:
        n_pending -= 1
        low = pending[n_pending, 0]
        high = pending[n_pending, 1]
        first = pending[n_pending, 2]
        last = pending[n_pending, 3]
        k = (low + high) // 2
        for truth in range(n_classes):
            step[truth] = gain[k, truth]
        total = step[0] - step[0]
        least = total
        best = -1  # the block that holds the minimum so far, if it lies above the first cut
        before_best = total
        for start in range(first, last, BLOCK):
            # Slices count from 0, which spares the compiled loops a check for negative indices.
            some_codes = codes[start : min(start + BLOCK, last)]
            some_ends = ends[start : min(start + BLOCK, last)]
            before = total
            if stride == 0:
                for i in range(len(some_codes)):
                    total += step[some_codes[i]]
                    curve[i] = total
            else:
                some_weights = weights[start : min(start + BLOCK, last)]
                for i in range(len(some_codes)):
                    total += some_weights[i] * step[some_codes[i]]
                    curve[i] = total
            # The lowest value in a loop of its own, which runs in vectors; where it is, not yet.
            lowest = least
            for i in range(len(some_codes)):
                value = curve[i] if some_ends[i] else least
                lowest = value if value < lowest else lowest
            if lowest < least:
                least = lowest
                best = start
                before_best = before
        where = first
        if best >= 0:
            total = before_best
            where = best
            while True:
                total += weights[where * stride] * step[codes[where]]
                where += 1
                if total == least and ends[where - 1]:
                    break
        cuts[k] = where
        if low < k:
            pending[n_pending, 0] = low
            pending[n_pending, 1] = k
            pending[n_pending, 2] = first
            pending[n_pending, 3] = where
            n_pending += 1
        if k + 1 < high:
            pending[n_pending, 0] = k + 1
            pending[n_pending, 1] = high
            pending[n_pending, 2] = where
            pending[n_pending, 3] = last
            n_pending += 1
