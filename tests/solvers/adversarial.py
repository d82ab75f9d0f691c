"""Problems made to break arithmetic, and their check against a brute force in fractions.

Magnitudes far apart, near ties, costs that mean "never", plain fractions.
"""

from itertools import combinations_with_replacement

import numpy as np

import ordcut
from ordcut._core.solvers import METHODS
from tests import naive
from tests.strategies import Problem

#: What a method may say instead of returning thresholds.
REFUSALS = (
    "crossed",
    "needs a convex objective",
    "wrong predictions of a row cost the same",
    "magnitude",
    "added up",
    "finite sum",
    "adds up over decisions",
)


def magnitudes(rng, shape):
    """Powers of ten from 1e-300 to 1e300."""
    return 10.0 ** rng.uniform(-300, 300, shape)


def moderate(rng, shape):
    return 10.0 ** rng.uniform(-20, 20, shape)


def near_ties(rng, shape):
    """Ones that are off by a few roundings."""
    return 1.0 + rng.integers(-3, 4, shape) * 2.0**-52


def tenths(rng, shape):
    return rng.integers(1, 30, shape) / 10


def sevenths(rng, shape):
    return rng.integers(1, 30, shape) / 7


def big_ones(rng, shape):
    """Small whole numbers with a few that mean "never"."""
    return np.where(
        rng.random(shape) < 0.2, 10.0 ** rng.integers(15, 19, shape), rng.integers(1, 4, shape)
    ).astype(float)


def small(rng, shape):
    return rng.integers(1, 4, shape).astype(float)


def plain_floats(rng, shape):
    return rng.random(shape)


FAMILIES = [
    magnitudes, moderate, near_ties, tenths, sevenths, big_ones, small, plain_floats,
]  # fmt: skip


def mixed(rng, shape):
    """Entries of two families."""
    one, other = rng.choice(len(FAMILIES), 2)
    return np.where(rng.random(shape) < 0.5, FAMILIES[one](rng, shape), FAMILIES[other](rng, shape))


def draw(rng):
    """Return a problem with weights, and a cost matrix with 0 on the diagonal."""
    n, k = int(rng.integers(1, 9)), int(rng.integers(2, 5))
    scores = rng.integers(0, 5, n).astype(float)
    labels = rng.integers(0, k, n)
    family = FAMILIES[rng.integers(len(FAMILIES))] if rng.random() < 0.8 else mixed
    weights = family(rng, n) if rng.random() < 0.8 else None
    return Problem(scores, labels, k, weights), draw_cost(rng, k)


def draw_cost(rng, k):
    """Return costs: convex, convex up to scale, the same for all errors of a row, or any."""
    shape = rng.integers(5)
    values = np.cumsum(FAMILIES[rng.integers(len(FAMILIES))](rng, k))
    with np.errstate(over="ignore"):
        if shape == 0:
            return np.abs(values[:, None] - values)
        if shape == 1:
            positions = np.arange(k)
            scale = FAMILIES[rng.integers(len(FAMILIES))](rng, 1)[0]
            return np.abs(positions[:, None] - positions) * scale
        cost = (mixed if shape == 2 else FAMILIES[rng.integers(len(FAMILIES))])(rng, (k, k))
        if shape == 4:
            cost[:] = cost[0]
    np.fill_diagonal(cost, 0)
    return cost


def cuts_of(result, problem):
    kept = problem.scores if problem.weights is None else problem.scores[problem.weights > 0]
    return tuple(np.searchsorted(np.unique(kept), result.thresholds).tolist())


def assert_lowest(problem, objective, goodness, rows, n_scores, **options):
    """Assert that every method finds the lowest optimum or refuses; return how many found it."""
    _, lowest = naive.brute_force(rows, n_scores, problem.n_classes, goodness)
    n_found = 0
    for method in METHODS:
        try:
            result = ordcut.optimal_thresholds(
                problem.scores,
                problem.labels,
                objective=objective,
                classes=problem.classes,
                sample_weight=problem.weights,
                method=method,
                **options,
            )
        except ValueError as error:
            if not any(word in str(error) for word in REFUSALS):
                raise
            continue
        assert cuts_of(result, problem) == lowest, (method, problem, objective)
        n_found += 1
    return n_found


def check_additive(seed):
    problem, cost = draw(np.random.default_rng(seed))
    if not np.isfinite(cost).all():
        return 0
    rows, n_scores, exact = naive.exact_problem(problem, cost)
    return assert_lowest(problem, cost, naive.exact_loss(exact), rows, n_scores)


def check_kappa(seed):
    problem, cost = draw(np.random.default_rng(seed))
    if not np.isfinite(cost).all() or len(set(problem.labels.tolist())) < 2:
        return 0
    rows, n_scores, exact = naive.exact_problem(problem, np.abs(cost))
    if any(sum(exact[k][truth] for _, truth, _ in rows) == 0 for k in range(problem.n_classes)):
        return 0
    objective = ordcut.Kappa(np.abs(cost))
    return assert_lowest(problem, objective, naive.exact_kappa(exact), rows, n_scores)


def check_row_costs(seed):
    """Costs of each row, with entries below 0 and constants added to rows."""
    rng = np.random.default_rng(seed)
    n, n_decisions = int(rng.integers(1, 7)), int(rng.integers(2, 5))
    scores = rng.integers(0, 5, n).astype(float)
    family = FAMILIES[rng.integers(len(FAMILIES))] if rng.random() < 0.8 else mixed
    costs = family(rng, (n, n_decisions)) * rng.choice([-1, 0, 1], (n, n_decisions))
    times = rng.integers(1, 4, n) if rng.random() < 0.5 else None
    exact = [[naive.meaning(cost, 10_000) for cost in row] for row in costs.tolist()]
    distinct = np.unique(scores)
    positions = np.searchsorted(distinct, scores).tolist()

    def total(cuts):
        decided = [sum(position >= cut for cut in cuts) for position in positions]
        rows = range(n)
        return sum((1 if times is None else int(times[i])) * exact[i][decided[i]] for i in rows)

    ordered = combinations_with_replacement(range(len(distinct) + 1), n_decisions - 1)
    lowest = min(ordered, key=lambda cuts: (total(cuts), cuts[::-1]))
    n_solved = 0
    for method in METHODS:
        try:
            result = ordcut.optimal_thresholds(
                scores, costs=costs, sample_weight=times, method=method
            )
        except ValueError as error:
            if not any(word in str(error) for word in REFUSALS):
                raise
            continue
        cuts = tuple(np.searchsorted(distinct, result.thresholds).tolist())
        assert cuts == lowest, (method, scores.tolist(), costs.tolist(), times)
        n_solved += 1
    return n_solved


def check_balanced(seed):
    """Every class counts the same, whatever the weights of its rows."""
    rng = np.random.default_rng(seed)
    problem, cost = draw(rng)
    if not np.isfinite(cost).all():
        return 0
    rows, n_scores, exact = naive.exact_problem(problem, cost)
    totals = [sum(weight for _, label, weight in rows if label == k) for k in problem.classes]
    rows = [(score, label, weight / totals[label]) for score, label, weight in rows]
    goodness = naive.exact_loss(exact)
    return assert_lowest(problem, cost, goodness, rows, n_scores, class_weight="balanced")
