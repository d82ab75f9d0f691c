"""Problems made to break arithmetic, under constraints, against all thresholds in fractions."""

from dataclasses import replace

import numpy as np

import ordcut
from tests import naive
from tests.limits.within_limits import (
    KINDS,
    best_within,
    holds,
    random_constraint,
    random_constraints,
    table_of,
)
from tests.solvers.adversarial import REFUSALS, draw


def check_limits(seed):
    """Assert that the best thresholds within limits are found; return whether there are any."""
    rng = np.random.default_rng(seed)
    problem, cost = draw(rng)
    kinds = rng.choice(KINDS, rng.integers(1, 3))
    constraints = random_constraints(kinds, rng, problem.n_classes)
    return check(problem, cost, constraints, is_kappa=seed % 3 == 0)


def check_gaps(seed):
    """Assert the same for a gap, alone or with a second limit, and for scores of any kind."""
    rng = np.random.default_rng(seed)
    problem, cost = draw(rng)
    sizes = [[0.0, 1.0, 2.0, 3.0, 4.0], [0.1, 0.2, 0.3, 0.4, 0.7], [-3.0, 1 / 3, 1.0, 2e-9, 5.7]]
    problem = replace(problem, scores=rng.choice(sizes[seed % 3], len(problem.scores)))
    distances = np.diff(np.sort(rng.choice(problem.scores, 2))).item(), *rng.choice(sizes[1], 2)
    gap = ordcut.Gap(float(rng.choice([*distances, distances[0] / 2, distances[0] * 0.9])))
    others = [random_constraint(kind, rng, problem.n_classes) for kind in rng.choice(KINDS, 1)]
    return check(problem, cost, [gap, *others[seed % 2 :]], is_kappa=seed % 7 == 0)


def check(problem, cost, constraints, *, is_kappa):
    if not np.isfinite(cost).all():
        return 0
    weights = np.ones(len(problem.scores)) if problem.weights is None else problem.weights
    columns = (problem.scores.tolist(), problem.labels.tolist(), weights.tolist())
    rows = [(s, k, naive.meaning(w, 10_000)) for s, k, w in zip(*columns, strict=True)]
    exact = [[naive.meaning(value) for value in row] for row in cost.tolist()]
    if is_kappa and any(sum(one[k] * w for _, k, w in rows) == 0 for one in exact):
        return 0
    n_classes = {"n_classes": problem.n_classes, "n_decisions": problem.n_classes}
    goodness = naive.exact_kappa(exact) if is_kappa else naive.exact_loss(exact)
    best = best_within({"rows": rows, **n_classes}, constraints, goodness)
    try:
        result = ordcut.optimal_thresholds(
            problem.scores,
            problem.labels,
            objective=ordcut.Kappa(cost) if is_kappa else cost,
            classes=problem.classes,
            sample_weight=problem.weights,
            constraints=constraints,
        )
    except ordcut.InfeasibleConstraintsError:
        assert best is None, (problem, cost, constraints)
        return 0
    except ValueError as error:
        if not any(word in str(error) for word in REFUSALS):
            raise
        return 0
    thresholds = result.thresholds.tolist()
    table = table_of({"rows": rows, **n_classes}, thresholds)
    assert all(holds(constraint, table, thresholds) for constraint in constraints), (
        problem,
        cost,
        constraints,
    )
    if not any(
        isinstance(constraint, ordcut.Allowed | ordcut.Digits) for constraint in constraints
    ):
        distances = np.diff(result.thresholds[np.isfinite(result.thresholds)])
        gaps = [
            constraint.at_least for constraint in constraints if isinstance(constraint, ordcut.Gap)
        ]
        assert (distances >= max(gaps, default=0)).all(), (problem, cost, constraints)
    cuts = [int((problem.scores < value).sum()) for value in thresholds]
    reached = goodness(table), [-cut for cut in reversed(cuts)]
    assert reached == best, (problem, cost, constraints)
    return 1
