"""The loops of the paper's algorithms, over arrays that somebody else has checked.

All of them read a score table as four arrays. ``codes`` holds the classes of the rows in the order
of their scores; ``offsets`` says where the rows of each distinct score begin, so that score ``j``
owns ``codes[offsets[j]:offsets[j + 1]]``; the weight of row ``i`` is ``weights[i * stride]``, with
``stride`` 0 and one weight of 1 where rows have none. Cut ``j`` lies just below score ``j``.

``gain[k, l] = cost[k, l] - cost[k + 1, l]`` is what a row of class ``l`` saves when it moves from
class ``k`` up to ``k + 1``. The comments number the lines of the paper's algorithms.
"""

from __future__ import annotations

import numpy as np

from ordcut.arrays import Codes, Floats, Ints
from ordcut.jit import kernel


@kernel(steps=lambda codes, _offsets, _weights, _stride, cost, *_: codes.size * len(cost))
def loss_sums(
    codes: Codes,
    offsets: Ints,
    weights: Floats,
    stride: int,
    cost: Floats,
    first: int,
    last: int,
    sums: Floats,
) -> None:
    """Sum what each label would cost each distinct score: Algorithm 1, line P4.

    Adds ``sums[j, k] = sum of weight * cost[k, l]`` over the rows of score ``j``, for the scores
    ``first <= j < last``. ``cost`` comes transposed, (true, predicted), so that the inner loop is
    contiguous. O(n K) time.
    """
    n_classes = cost.shape[1]
    for j in range(first, last):
        for i in range(offsets[j], offsets[j + 1]):
            weight = weights[i * stride]
            truth = codes[i]
            for k in range(n_classes):
                sums[j, k] += weight * cost[truth, k]  # P4


@kernel(steps=lambda codes, _offsets, _weights, _stride, cost, *_: 3 * codes.size * len(cost))
def ordered_path(
    codes: Codes,
    offsets: Ints,
    weights: Floats,
    stride: int,
    cost: Floats,
    reached: Floats,
    choice: Codes,
    cuts: Ints,
) -> None:
    """Label the scores in non-decreasing classes at the least total cost: Algorithm 2.

    ``L[j, k] = min(L[j - 1, l] for l <= k) + M[j, k]`` is the least cost of the scores up to ``j``
    when ``j`` gets class ``k``. Only one row of ``L`` is alive at a time, in ``reached`` (K,);
    ``choice[j, k]`` keeps the class that score ``j`` takes when the next one takes ``k``. Of equal
    classes it keeps the largest, which makes the thresholds the lowest of the optimal ones.
    ``cost`` comes transposed, (true, predicted). Fills ``cuts`` (K - 1,). O(n K) time.
    """
    n_scores, n_classes = choice.shape
    reached[:] = 0.0
    for j in range(n_scores):  # DP2
        for i in range(offsets[j], offsets[j + 1]):
            weight = weights[i * stride]
            truth = codes[i]
            for k in range(n_classes):
                reached[k] += weight * cost[truth, k]  # DP1, DP6: add M[j, k]
        least = np.inf  # DP3
        largest = 0
        for k in range(n_classes):  # DP4
            if reached[k] <= least:  # DP5
                least = reached[k]
                largest = k
            choice[j, k] = largest
            reached[k] = least
    label = int(choice[n_scores - 1, n_classes - 1])  # DP7
    for k in range(label, n_classes - 1):  # DP8
        cuts[k] = n_scores
    for j in range(n_scores - 2, -1, -1):  # DP9
        lower = int(choice[j, label])  # DP10
        for k in range(lower, label):  # DP11
            cuts[k] = j + 1
        label = lower
    for k in range(label):  # DP12
        cuts[k] = 0


@kernel(
    steps=lambda codes, offsets, _weights, _stride, gain, first, last, *_: (
        3 * codes.size * (last - first) * gain.shape[1] // len(offsets)
    )
)
def block_minima(
    codes: Codes,
    offsets: Ints,
    weights: Floats,
    stride: int,
    gain: Floats,
    first: int,
    last: int,
    total: Floats,
    least: Floats,
    where: Ints,
) -> None:
    """Find the first minimum of some risk curves over a block of cuts: Algorithms 3 and 4.

    Each curve ``k`` starts the block at 0 and rises by ``gain[k, l]`` times the weight of each row
    passed. Over the cuts ``first <= j < last``, fills ``least[k]`` and ``where[k]``, the curve's
    minimum and the first cut that reaches it, and ``total[k]``, its value where the next block
    starts. One block of all cuts is Algorithm 3. ``gain`` comes transposed, (true, curve).
    O(n) time for each curve, and no curve is stored.
    """
    n_scores = len(offsets) - 1
    n_curves = len(total)
    for k in range(n_curves):
        total[k] = 0.0  # IO2, PO3
        least[k] = np.inf
    for j in range(first, last):
        for k in range(n_curves):
            # Stored whether lower or not, because loops without branches run in vectors.
            is_lower = total[k] < least[k]  # IO4, PO10: strictly, so the first minimum stays
            least[k] = total[k] if is_lower else least[k]
            where[k] = j if is_lower else where[k]
        if j < n_scores:
            for i in range(offsets[j], offsets[j + 1]):
                weight = weights[i * stride]
                rise = gain[codes[i]]
                for k in range(n_curves):
                    total[k] += weight * rise[k]  # IO3, PO4, PO5


@kernel(
    steps=lambda codes, _offsets, _weights, _stride, gain, _cuts: (
        2 * codes.size * len(gain).bit_length()
    )
)
def nested_minima(
    codes: Codes, offsets: Ints, weights: Floats, stride: int, gain: Floats, cuts: Ints
) -> None:
    """Find the first minimum of every risk curve of a convex objective.

    Theorem 2 orders the minima, so once the middle threshold of a range is known, the thresholds
    below it need only the scores below it and those above it only the scores above it. Every level
    of this halving reads each row once: O(n log K) time, O(K) memory. Fills ``cuts`` (K - 1,).
    """
    n_cuts, n_classes = gain.shape
    step = np.empty(n_classes)
    # Ranges still to halve: thresholds low..high - 1, whose cuts lie from first to last.
    pending = np.empty((n_cuts + 1, 4), dtype=np.int64)
    pending[0, 0] = 0
    pending[0, 1] = n_cuts
    pending[0, 2] = 0
    pending[0, 3] = len(offsets) - 1
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
        total = 0.0
        least = 0.0
        where = first
        for j in range(first, last):
            for i in range(offsets[j], offsets[j + 1]):
                total += weights[i * stride] * step[codes[i]]
            if total < least:
                least = total
                where = j + 1
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
