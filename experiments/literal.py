"""The paper's Algorithms 1 to 4, line by line over Python lists: the baseline of its Table 1.

The methods of the experiment whose names start with ``literal`` run these functions, and the
solvers of the library are tested against them. This module imports nothing but the standard
library.

Functions that take an executor divide the work as the paper does, one task per class for line P4,
one per threshold for Algorithm 3, and one per threshold and block for Algorithm 4. The executor
decides whether tasks run in threads or, as in the paper, in processes, and ``chunk`` how many tasks
are sent to a process at once: lists that they share are then sent once.

Labels are 1..K and indices count from 1 as in the paper, so entry 0 of each list is unused. On ties
the paper takes the smallest label in lines DP7 and DP10, which gives the highest optimal
thresholds, whereas its Algorithm 3 gives the lowest. Here all algorithms return the lowest optimal
thresholds, as the library does.

Examples
--------
>>> a, Y = group([0.1, 0.4, 0.5, 0.9], [1, 1, 2, 3])
>>> M, c = losses(Y, 3, lambda k, y: abs(k - y)), candidates(a)
>>> dynamic_programme(M, c, 3) == independent_optimisation(M, c, 3) == [0.45, 0.7]
True
"""

# ruff: noqa: N803, N806, E741 (the paper's letters)

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from math import ceil, inf
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


def losses(Y: Table, n_classes: int, loss: Callable[[int, int], float]) -> Table:
    """Return the loss of each label for each score: line P4."""
    return [None] + [
        [None] + [sum(loss(k, y) for y in Y[j]) for k in range(1, n_classes + 1)]
        for j in range(1, len(Y))
    ]


def parallel_losses(
    Y: Table, n_classes: int, loss: Callable[[int, int], float], executor: Executor, chunk: int = 1
) -> Table:
    """Return the loss of each label for each score, with the K labels of line P4 in parallel."""
    labels = range(1, n_classes + 1)
    costs = [[loss(k, y) for y in labels] for k in labels]
    columns = list(executor.map(losses_of_label, [Y] * n_classes, costs, chunksize=chunk))
    return [None] + [[None, *row] for row in zip(*columns, strict=True)]


def losses_of_label(Y: Table, costs: Sequence[float]) -> list[float]:
    """Return the loss of one label for each score, where ``costs`` are those of each true label."""
    return [sum(costs[y - 1] for y in Y[j]) for j in range(1, len(Y))]


def candidates(a: Table) -> Table:
    """Return the candidate thresholds: line P5."""
    N = len(a) - 1
    return [None, -inf] + [(a[j - 1] + a[j]) / 2 for j in range(2, N + 1)] + [inf]


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
    M: Table, c: Table, n_classes: int, executor: Executor, chunk: int = 1
) -> list[float]:
    """Return the thresholds of Algorithm 3, with the K - 1 thresholds of line IO1 in parallel."""
    columns = list(zip(*M[1:], strict=True))
    pairs = columns[1:n_classes], columns[2:]
    return [c[index] for index in executor.map(best_candidate, *pairs, chunksize=chunk)]


def further_parallelised(
    M: Table, c: Table, n_classes: int, L_par: int, executor: Executor | None = None
) -> list[float]:
    """Return the thresholds of Algorithm 4, for L_par blocks of the N + 1 candidates.

    As in the paper's appendix, a block has L = ceil((N + 1) / L_par) candidates; fewer blocks than
    L_par are enough if there are few candidates. With an executor, lines PO2 to PO5 are a task for
    each threshold and block, and lines PO8 and PO9 are again.
    """
    run = map if executor is None else executor.map
    N = len(M) - 1
    L = ceil((N + 1) / L_par)
    blocks = [range(first, min(first + L, N + 2)) for first in range(1, N + 2, L)]
    columns = list(zip(*M[1:], [None] * (n_classes + 1), strict=True))
    pairs = [(columns[k], columns[k + 1]) for k in range(1, n_classes)]  # PO1
    # M[j, k] and M[j, k + 1] for the candidates of a block but its last one.
    pieces = [column[b[0] - 1 : b[-1] - 1] for pair in pairs for b in blocks for column in pair]
    Q = list(run(block_of_curve, pieces[::2], pieces[1::2]))  # PO2
    S = []
    for k, (losses_k, losses_above) in enumerate(pairs):
        lift = 0  # PO7, as a running sum
        for i, b in enumerate(blocks):
            S.append(lift)
            if b[-1] <= N:
                rest = losses_k[b[-1] - 1] - losses_above[b[-1] - 1]
                lift += Q[k * len(blocks) + i][-1] + rest
    lifted = list(run(lifted_block, Q, S))  # PO6
    t = []
    for k in range(n_classes - 1):
        R = [value for block in lifted[k * len(blocks) : (k + 1) * len(blocks)] for value in block]
        t.append(c[R.index(min(R)) + 1])  # PO10
    return t


def block_of_curve(losses: Sequence[float], losses_above: Sequence[float]) -> list[float]:
    """Return a block of a curve that starts at 0: lines PO3 to PO5."""
    Q: list[float] = [0]  # PO3
    for loss, loss_above in zip(losses, losses_above, strict=True):  # PO4, PO5
        Q.append(Q[-1] + loss - loss_above)
    return Q


def lifted_block(Q: Sequence[float], S: float) -> list[float]:
    """Return a block of a curve, lifted to where the block before it ends: lines PO8 and PO9."""
    return [value + S for value in Q]
