"""Oracles too simple to be wrong: they try every ordered labeling, row by row.

The paper's own algorithms, which the solvers are compared with as well, are in
``experiments.literal``: the experiment times them.
"""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod


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
    judged = [
        (goodness(confusion_of(cuts, rows, n_classes)), cuts)
        for cuts in every_labeling(n_scores, n_classes)
    ]
    best = max(value for value, _ in judged)
    optima = [cuts for value, cuts in judged if value == best]
    return best, tuple(min(column) for column in zip(*optima, strict=True))


def weights_below(position, problem):
    """The weight of each class below a position, row by row."""
    weights = [1.0] * len(problem.scores) if problem.weights is None else problem.weights
    below = [0.0] * problem.n_classes
    for score, label, weight in zip(problem.scores, problem.labels, weights, strict=True):
        if score < position:
            below[label] += weight
    return below


def meaning(value, largest=1_000_000):
    """The number that a float stands for: a plain fraction next to it, or what it is."""
    exact = Fraction(value)
    if exact.denominator <= largest:
        return exact
    near = exact.limit_denominator(largest)
    is_dyadic = bin(near.denominator).count("1") == 1
    return exact if is_dyadic or abs(near - exact) > abs(exact) * Fraction(1, 2**50) else near


def exact_problem(problem, cost):
    """Rows of (score number, class, weight) and a cost matrix, in fractions."""
    weights = [1.0] * len(problem.scores) if problem.weights is None else problem.weights.tolist()
    numbers = sorted({s for s, w in zip(problem.scores.tolist(), weights, strict=True) if w > 0})
    rows = [
        (numbers.index(score), label, meaning(weight, 10_000))
        for score, label, weight in zip(
            problem.scores.tolist(), problem.labels.tolist(), weights, strict=True
        )
        if weight > 0
    ]
    return rows, len(numbers), [[meaning(value) for value in row] for row in cost.tolist()]


def exact_loss(cost):
    """How good a table of weights is by costs that are fractions: less cost is better."""

    def goodness(table):
        return -sum(
            cost[k][truth] * weight
            for k, row in enumerate(table)
            for truth, weight in enumerate(row)
        )

    return goodness


def exact_kappa(weights):
    """The kappa of a table of weights, without rounding."""

    def goodness(table):
        total = sum(map(sum, table))
        predicted = [sum(row) for row in table]
        true = [sum(column) for column in zip(*table, strict=True)]
        chance = sum(
            weights[k][truth] * predicted[k] * true[truth]
            for k in range(len(table))
            for truth in range(len(table))
        )
        return 1 + exact_loss(weights)(table) * total / chance

    return goodness


def share(part, whole):
    """A part of a whole, which is 0 where there is no part."""
    return Fraction(part) / Fraction(whole) if part else Fraction(0)


def matrix(disagreement, n_classes):
    return [[disagreement(d, k) for k in range(n_classes)] for d in range(n_classes)]


def mean_loss(disagreement):
    def goodness(table):
        cost = matrix(disagreement, len(table))
        return exact_loss(cost)(table) / Fraction(sum(map(sum, table)))

    return goodness


def balanced_loss(disagreement):
    """The loss of each class that occurs, and the mean of these losses."""

    def goodness(table):
        losses = [
            sum(disagreement(d, k) * Fraction(weight) for d, weight in enumerate(column))
            / Fraction(sum(column))
            for k, column in enumerate(zip(*table, strict=True))
            if sum(column)
        ]
        return -sum(losses) / len(losses)

    return goodness


def kappa(disagreement):
    return lambda table: exact_kappa(matrix(disagreement, len(table)))(table)


def recalls(table):
    totals = [sum(column) for column in zip(*table, strict=True)]
    return [share(table[k][k], total) for k, total in enumerate(totals)]


def f1_scores(table):
    totals = [sum(column) for column in zip(*table, strict=True)]
    return [share(2 * row[k], totals[k] + sum(row)) for k, row in enumerate(table)]


def macro_f1(table):
    return sum(f1_scores(table)) / len(table)


def weighted_f1(table):
    totals = [sum(column) for column in zip(*table, strict=True)]
    terms = zip(f1_scores(table), totals, strict=True)
    return sum(score * Fraction(total) for score, total in terms) / Fraction(sum(totals))


def geometric_recall(table):
    """How many recalls are above 0, and the product of these."""
    above = [recall for recall in recalls(table) if recall]
    return len(above), prod(above, start=Fraction(1))


def min_recall(table):
    """All recalls, the smallest first."""
    return tuple(sorted(recalls(table)))


def distance(d, k):
    return abs(d - k)


def squared_distance(d, k):
    return (d - k) ** 2


def difference(d, k):
    return int(d != k)


#: How good a (decision, class) table of weights is by each named objective, without rounding: more
#: is better. A new row of a table of objectives needs a row here.
GOODNESS = {
    "absolute": mean_loss(distance),
    "squared": mean_loss(squared_distance),
    "zero_one": mean_loss(difference),
    "beyond_one": mean_loss(lambda k, truth: int(abs(k - truth) > 1)),
    "macro_mae": balanced_loss(distance),
    "balanced_zero_one": balanced_loss(difference),
    "kappa": kappa(difference),
    "linear_kappa": kappa(distance),
    "quadratic_kappa": kappa(squared_distance),
    "macro_f1": macro_f1,
    "weighted_f1": weighted_f1,
    "geometric_recall": geometric_recall,
    "min_recall": min_recall,
}


def value_of(name, table):
    """The value that a result states for a table of weights."""
    goodness = GOODNESS[name](table)
    if name == "geometric_recall":
        n_above, product = goodness
        return float(product) ** (1 / len(table)) if n_above == len(table) else 0.0
    if name == "min_recall":
        return float(goodness[0])
    is_loss = name in (
        "absolute",
        "squared",
        "zero_one",
        "beyond_one",
        "macro_mae",
        "balanced_zero_one",
    )
    return float(-goodness if is_loss else goodness)
