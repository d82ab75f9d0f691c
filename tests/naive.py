"""Oracles too simple to be wrong: the paper's algorithms, literally, and a brute force.

Algorithms 1-4 are transcribed line by line over Python lists, with labels 1..K and indices that
count from 1 as in the paper (entry 0 of each list is unused). Ties are broken as the library
promises: the lowest optimal thresholds.
"""

from itertools import combinations_with_replacement
from math import ceil, floor, inf


def preparation(scores, labels, n_classes, loss):
    """Algorithm 1 without line P1: the distinct scores, their labels, losses, candidates."""
    a, Y = group(scores, labels)
    return a, Y, *losses_and_candidates(a, Y, n_classes, loss)


def fast_preparation(scores, labels, n_classes, loss):
    """Algorithm 1 with a dictionary for line P3, which is quadratic in time when read literally."""
    a, Y = group_with_dictionary(scores, labels)
    return a, Y, *losses_and_candidates(a, Y, n_classes, loss)


def group(scores, labels):
    a = [None, *sorted(set(scores))]  # P2
    N = len(a) - 1
    Y = [None] + [
        [y for s, y in zip(scores, labels, strict=True) if s == a[j]] for j in range(1, N + 1)
    ]  # P3
    return a, Y


def group_with_dictionary(scores, labels):
    a = [None, *sorted(set(scores))]
    place = {score: j for j, score in enumerate(a)}
    Y = [None] + [[] for _ in a[1:]]
    for score, y in zip(scores, labels, strict=True):
        Y[place[score]].append(y)
    return a, Y


def losses_and_candidates(a, Y, n_classes, loss):
    N = len(a) - 1
    M = [None] + [
        [None] + [sum(loss(k, y) for y in Y[j]) for k in range(1, n_classes + 1)]
        for j in range(1, N + 1)
    ]  # P4
    c = [None, -inf] + [(a[j - 1] + a[j]) / 2 for j in range(2, N + 1)] + [inf]  # P5
    return M, c


def dynamic_programme(M, c, n_classes):
    """Algorithm 2, with the largest label on ties (the paper allows any)."""
    N, K = len(M) - 1, n_classes
    L = [None] + [[None] * (K + 1) for _ in range(N)]
    for k in range(1, K + 1):
        L[1][k] = M[1][k]  # DP1
    for j in range(2, N + 1):  # DP2
        O = inf  # DP3
        for k in range(1, K + 1):  # DP4
            if L[j - 1][k] < O:  # DP5
                O = L[j - 1][k]
            L[j][k] = O + M[j][k]  # DP6
    t = [None] * K
    I = last_argmin(L[N], K)  # DP7
    for k in range(I, K):  # DP8
        t[k] = c[N + 1]
    for j in range(N - 1, 0, -1):  # DP9
        J = last_argmin(L[j], I)  # DP10
        for k in range(J, I):  # DP11
            t[k] = c[j + 1]
        I = J
    for k in range(1, I):  # DP12
        t[k] = c[1]
    return t[1:]


def last_argmin(row, K):
    least = min(row[1 : K + 1])
    return max(k for k in range(1, K + 1) if row[k] == least)


def independent_optimisation(M, c, n_classes):
    """Algorithm 3."""
    N, t = len(M) - 1, []
    for k in range(1, n_classes):  # IO1
        R = [None, 0]  # IO2
        for j in range(1, N + 1):  # IO3
            R.append(R[j] + M[j][k] - M[j][k + 1])
        t.append(c[R.index(min(R[1:]), 1)])  # IO4
    return t


def further_parallelised(M, c, n_classes, L):
    """Algorithm 4, with blocks of L candidates."""
    N, t = len(M) - 1, []
    L_par, L_quo = ceil((N + 1) / L), floor((N + 1) / L)
    L_rem = (N + 1) - L * L_quo
    start = [None] + [(block - 1) * L for block in range(1, L_par + 2)]
    for k in range(1, n_classes):  # PO1
        Q, R = [None] * (N + 2), [None] * (N + 2)
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


def every_labeling(n_scores, n_classes):
    """Every way to label sorted scores in non-decreasing classes 0..K-1, as K-1 cuts."""
    return combinations_with_replacement(range(n_scores + 1), n_classes - 1)


def label_by(cuts, j):
    """The class of score number j: how many cuts are at or below it."""
    return sum(cut <= j for cut in cuts)


def confusion_of(cuts, rows, n_classes):
    """The (predicted, true) table of weights, from rows of (score number, class, weight)."""
    table = [[0] * n_classes for _ in range(n_classes)]
    for j, truth, weight in rows:
        table[label_by(cuts, j)][truth] += weight
    return table


def brute_force(rows, n_scores, n_classes, goodness):
    """The best goodness over all ordered cuts, and the lowest cuts that reach it."""
    found = [
        (goodness(confusion_of(cuts, rows, n_classes)), cuts)
        for cuts in every_labeling(n_scores, n_classes)
    ]
    best = max(value for value, _ in found)
    optima = [cuts for value, cuts in found if value == best]
    return best, tuple(min(column) for column in zip(*optima, strict=True))
