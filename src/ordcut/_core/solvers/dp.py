"""The dynamic programme, Algorithm 2: any objective, O(n K) time.

The comments in all solvers number the lines of the paper's algorithms. ``KernelRows`` describes the
arguments ``codes``, ``ends``, ``weights`` and ``stride`` of all kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordcut._core.data import KernelRows
from ordcut._core.numerics.jit import kernel
from ordcut._core.typing import Bools, Codes, Ints, Numbers

if TYPE_CHECKING:
    from ordcut._core.solvers.choose import Plan


def solve_by_dynamic_programme(rows: KernelRows, cost: Numbers, plan: Plan) -> Ints:
    """Return the lowest optimal cuts; the only array of n x K entries holds single bytes."""
    del plan  # unused: the recursion is sequential
    n_classes = len(cost)
    takes = np.empty((len(rows[0]), n_classes), dtype=np.bool_)
    cuts = np.empty(n_classes - 1, dtype=np.int64)
    reached = np.empty(n_classes, dtype=cost.dtype)
    ordered_path(*rows, np.ascontiguousarray(cost.T), reached, takes, cuts)
    return cuts


@kernel("codes", "cost", steps=3)
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
    when ``j`` gets class ``k``. Only the running minimum over ``l <= k`` of a single row of ``L``
    is stored at a time, in ``reached`` (K,). ``takes[i, k]`` says, where row ``i`` is the last of
    its score, whether class ``k`` reaches that minimum; when classes up to ``k`` are allowed, the
    largest class that reaches it is taken, which makes the thresholds the lowest optimal. ``cost``
    is transposed, (true, predicted). Fills ``cuts`` (K - 1,). O(n K) time.
    """
    n_rows, n_classes = takes.shape
    for k in range(n_classes):
        reached[k] = 0
    i = 0
    while i < n_rows:  # DP2
        if stride == 0 and i + 1 < n_rows and ends[i] and ends[i + 1]:
            # Two scores at once: the minima of the second are a single step behind the
            # first minima, so that a processor works on both.
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
