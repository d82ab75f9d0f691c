"""Oracles too simple to be wrong: the paper's algorithms, literally, and a brute force."""

from itertools import combinations_with_replacement

from ordcut.experiments.literal import (
    dynamic_programme,
    further_parallelised,
    group,
    independent_optimisation,
    losses_and_candidates,
)

__all__ = [
    "brute_force",
    "dynamic_programme",
    "further_parallelised",
    "independent_optimisation",
    "preparation",
]


def preparation(scores, labels, n_classes, loss):
    """Algorithm 1 without line P1: the distinct scores, their labels, losses, candidates."""
    a, Y = group(scores, labels)
    return a, Y, *losses_and_candidates(a, Y, n_classes, loss)


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
