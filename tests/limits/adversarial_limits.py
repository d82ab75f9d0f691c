"""Problems made to break arithmetic, under constraints, against all thresholds in fractions."""

import numpy as np
from adversarial import REFUSALS, draw
from within_limits import KINDS, best_within, holds, random_constraint, table_of

import naive
import ordcut


def check_limits(seed):
    """Assert that the best thresholds within limits are found; return whether there are any."""
    rng = np.random.default_rng(seed)
    problem, cost = draw(rng)
    if not np.isfinite(cost).all():
        return 0
    weights = np.ones(len(problem.scores)) if problem.weights is None else problem.weights
    columns = (problem.scores.tolist(), problem.labels.tolist(), weights.tolist())
    rows = [(s, k, naive.meaning(w, 10_000)) for s, k, w in zip(*columns, strict=True)]
    exact = [[naive.meaning(value) for value in row] for row in cost.tolist()]
    is_kappa = seed % 3 == 0
    if is_kappa and any(sum(one[k] * w for _, k, w in rows) == 0 for one in exact):
        return 0
    kinds = rng.choice(KINDS, rng.integers(1, 3))
    constraints = [random_constraint(kind, rng, problem.n_classes) for kind in kinds]
    n_classes = {"n_classes": problem.n_classes, "n_decisions": problem.n_classes}
    goodness = naive.exact_kappa(exact) if is_kappa else naive.exact_loss(exact)
    best = best_within({"rows": rows, **n_classes}, constraints, goodness)
    try:
        found = ordcut.optimal_thresholds(
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
    thresholds = found.thresholds.tolist()
    table = table_of({"rows": rows, **n_classes}, thresholds)
    assert all(holds(one, table, thresholds) for one in constraints), (problem, cost, constraints)
    cuts = [int((problem.scores < value).sum()) for value in thresholds]
    reached = goodness(table), [-cut for cut in reversed(cuts)]
    assert reached == best, (problem, cost, constraints)
    return 1
