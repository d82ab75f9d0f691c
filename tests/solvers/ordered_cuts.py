"""Losses, risk curves and optima of ordered cuts, row by row, and the cuts that ordcut finds."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from tests import naive
from tests.strategies import cost_matrices, find


def whole(cost):
    return np.asarray(cost).astype(int).tolist()


def loss_of(cuts, problem, cost):
    """The loss row by row."""
    return sum(w * cost[naive.label_by(cuts, j)][truth] for j, truth, w in problem.rows)


def risk_curves(rows, n_scores, cost):
    """R_k(j) for k = 1..K-1 and j = 0..N, row by row."""
    return [
        [
            sum(w * (cost[k - 1][truth] - cost[k][truth]) for j, truth, w in rows if j < cut)
            for cut in range(n_scores + 1)
        ]
        for k in range(1, len(cost))
    ]


def first_minima(curves):
    return tuple(curve.index(min(curve)) for curve in curves)


def all_optima(problem, loss):
    """Every ordered vector of cuts that has the least loss."""
    losses = {
        cuts: loss(cuts) for cuts in naive.every_labeling(problem.n_scores, problem.n_classes)
    }
    least = min(losses.values())
    return [cuts for cuts, value in losses.items() if value == least]


def optima_of(problem, cost):
    """Every ordered vector of cuts that has the least cost."""
    return all_optima(problem, lambda cuts: loss_of(cuts, problem, cost))


def lowest(optima):
    return tuple(min(column) for column in zip(*optima, strict=True))


def is_ordered(cuts):
    return all(low <= high for low, high in pairwise(cuts))


def library_cuts(problem, objective, method):
    result = find(
        problem.scores,
        problem.labels,
        problem.n_classes,
        objective,
        sample_weight=problem.weights,
        method=method,
    )
    kept = problem.scores if problem.weights is None else problem.scores[problem.weights > 0]
    return tuple(np.searchsorted(np.unique(kept), result.thresholds).tolist())


def labels_of(cuts, n_scores):
    return [naive.label_by(cuts, j) + 1 for j in range(n_scores)]


def highest(optima):
    return tuple(max(column) for column in zip(*optima, strict=True))


def paid_and_expected(cuts, problem, disagreement):
    """P and Q, row by row, as exact fractions."""
    rows, n_classes = problem.rows, problem.n_classes
    total = sum(w for _, _, w in rows)
    weight = [sum(w for _, truth, w in rows if truth == k) for k in range(n_classes)]
    by_chance = [Fraction(int(np.dot(row, weight)), total) for row in disagreement]
    paid = sum(w * disagreement[naive.label_by(cuts, j)][truth] for j, truth, w in rows)
    expected = sum(w * by_chance[naive.label_by(cuts, j)] for j, _, w in rows)
    return Fraction(paid, total), expected / total


def optima_among(every, loss):
    """Those of some cuts that have the least loss."""
    losses = {cuts: loss(cuts) for cuts in every}
    least = min(losses.values())
    return [cuts for cuts, value in losses.items() if value == least]


@st.composite
def decision_costs(draw, n_classes, convex=False):
    """Costs of 2 to 5 decisions against the classes."""
    n_decisions = draw(st.integers(2, 5))
    square = draw(cost_matrices(max(n_decisions, n_classes), convex))
    return square[:n_decisions, :n_classes] - 2


@st.composite
def borders_of_cells(draw, n_scores):
    """Cells of sorted scores as ascending borders: cell c holds scores border[c]..border[c+1]-1."""
    inner = draw(st.sets(st.integers(1, n_scores - 1))) if n_scores > 1 else set()
    return [0, *sorted(inner), n_scores]
