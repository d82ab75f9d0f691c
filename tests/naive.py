"""Oracles too simple to be wrong: they try every ordered labeling, row by row.

The paper's own algorithms, which the solvers are compared with as well, are in
``ordcut.experiments.literal``: the experiment times them.
"""

from itertools import combinations_with_replacement


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


def weights_below(position, problem):
    """The weight of each class below a position, row by row."""
    weights = [1.0] * len(problem.scores) if problem.weights is None else problem.weights
    found = [0.0] * problem.n_classes
    for score, label, weight in zip(problem.scores, problem.labels, weights, strict=True):
        if score < position:
            found[label] += weight
    return found
