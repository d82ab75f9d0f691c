"""The paper's Algorithms 1 to 4, line by line over Python lists: the baseline of its Table 1.

``--method literal`` of the experiment runs Algorithms 1 and 2, ``literal-io`` and ``literal-pio``
Algorithms 1 and 3, and the solvers of the library are tested against all four. This module imports
nothing but the standard library.

Labels are 1..K and indices count from 1 as in the paper, so entry 0 of each list is unused. On ties
the paper takes the smallest label in lines DP7 and DP10, which gives the highest optimal
thresholds, whereas its Algorithm 3 gives the lowest. Here all algorithms return the lowest optimal
thresholds, as the library does.

Examples
--------
>>> a, Y = group([0.1, 0.4, 0.5, 0.9], [1, 1, 2, 3])
>>> M, c = losses_and_candidates(a, Y, 3, lambda k, y: abs(k - y))
>>> dynamic_programme(M, c, 3) == independent_optimisation(M, c, 3) == [0.45, 0.7]
True
"""

# ruff: noqa: N803, N806, E741 (the paper's letters)

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from math import ceil, floor, inf
from typing import Any, TypeAlias

#: A list whose indices count from 1.
Table: TypeAlias = list[Any]


def group(scores: Sequence[float], labels: Sequence[int]) -> tuple[Table, Table]:
    """Return the distinct scores in order and the labels of each: lines P2 and P3."""
    a = [None, *sorted(set(scores))]  # P2
    N = len(a) - 1
    Y = [None] + [
        [y for s, y in zip(scores, labels, strict=True) if s == a[j]] for j in range(1, N + 1)
    ]  # P3
    return a, Y


def group_with_dictionary(scores: Sequence[float], labels: Sequence[int]) -> tuple[Table, Table]:
    """Return the distinct scores in order and the labels of each, in linear time after the sort.

    ``group`` follows the paper literally, and takes quadratic time.
    """
    a = [None, *sorted(set(scores))]
    index = {score: j for j, score in enumerate(a)}
    Y: Table = [None] + [[] for _ in a[1:]]
    for score, y in zip(scores, labels, strict=True):
        Y[index[score]].append(y)
    return a, Y


def losses_and_candidates(
    a: Table, Y: Table, n_classes: int, loss: Callable[[int, int], float]
) -> tuple[Table, Table]:
    """Return the loss of each label for each score, and the candidate thresholds: P4 and P5."""
    N = len(a) - 1
    M = [None] + [
        [None] + [sum(loss(k, y) for y in Y[j]) for k in range(1, n_classes + 1)]
        for j in range(1, N + 1)
    ]  # P4
    c = [None, -inf] + [(a[j - 1] + a[j]) / 2 for j in range(2, N + 1)] + [inf]  # P5
    return M, c


def dynamic_programme(M: Table, c: Table, n_classes: int) -> list[float]:
    """Return the thresholds of Algorithm 2, with the largest label on ties, not the smallest."""
    N, K = len(M) - 1, n_classes
    L: Table = [None] + [[None] * (K + 1) for _ in range(N)]
    for k in range(1, K + 1):
        L[1][k] = M[1][k]  # DP1
    for j in range(2, N + 1):  # DP2
        O = inf  # DP3
        for k in range(1, K + 1):  # DP4
            if L[j - 1][k] < O:  # DP5
                O = L[j - 1][k]
            L[j][k] = O + M[j][k]  # DP6
    t: Table = [None] * K
    I = _last_argmin(L[N], K)  # DP7
    for k in range(I, K):  # DP8
        t[k] = c[N + 1]
    for j in range(N - 1, 0, -1):  # DP9
        J = _last_argmin(L[j], I)  # DP10
        for k in range(J, I):  # DP11
            t[k] = c[j + 1]
        I = J
    for k in range(1, I):  # DP12
        t[k] = c[1]
    return t[1:]


def _last_argmin(row: Table, K: int) -> int:
    least = min(row[1 : K + 1])
    return max(k for k in range(1, K + 1) if row[k] == least)


def independent_optimisation(M: Table, c: Table, n_classes: int) -> list[float]:
    """Return the thresholds of Algorithm 3."""
    columns = list(zip(*M[1:], strict=True))
    return [c[best_candidate(*columns[k : k + 2])] for k in range(1, n_classes)]  # IO1


def best_candidate(losses: Sequence[float], losses_above: Sequence[float]) -> int:
    """Return the index of a threshold's best candidate, given the losses of the classes next to it.

    These are lines IO2 to IO4, which need nothing of the other thresholds.
    """
    N = len(losses)
    R: Table = [None, 0]  # IO2
    for j in range(1, N + 1):  # IO3
        R.append(R[j] + losses[j - 1] - losses_above[j - 1])
    return R.index(min(R[1:]), 1)  # IO4


def parallel_optimisation(
    M: Table, c: Table, n_classes: int, executor: Executor, n_workers: int
) -> list[float]:
    """Return the thresholds of Algorithm 3, with the thresholds of line IO1 in parallel."""
    columns = list(zip(*M[1:], strict=True))
    size = ceil((n_classes - 1) / n_workers)
    best = executor.map(best_candidate, columns[1:n_classes], columns[2:], chunksize=size)
    return [c[index] for index in best]


def further_parallelised(M: Table, c: Table, n_classes: int, L: int) -> list[float]:
    """Return the thresholds of Algorithm 4, with blocks of L candidates."""
    N, t = len(M) - 1, []
    L_par, L_quo = ceil((N + 1) / L), floor((N + 1) / L)
    L_rem = (N + 1) - L * L_quo
    start = [0] + [(block - 1) * L for block in range(1, L_par + 2)]
    for k in range(1, n_classes):  # PO1
        Q: Table = [None] * (N + 2)
        R: Table = [None] * (N + 2)
        for b in range(1, L_par + 1):  # PO2
            Q[start[b] + 1] = 0  # PO3
            for j in range(1, L if b <= L_quo else L_rem):  # PO4, PO5
                Q[start[b] + j + 1] = Q[start[b] + j] + M[start[b] + j][k] - M[start[b] + j][k + 1]
        for b in range(1, L_par + 1):  # PO6
            S = sum(  # PO7
                Q[start[m + 1]] - Q[start[m] + 1] + M[start[m + 1]][k] - M[start[m + 1]][k + 1]
                for m in range(1, b)
            )
            for j in range(1, (L if b <= L_quo else L_rem) + 1):  # PO8, PO9
                R[start[b] + j] = Q[start[b] + j] + S
        t.append(c[R.index(min(R[1:]), 1)])  # PO10
    return t
