"""Near-optimal ranges keep every limit at every cut, judged by counting the rows again."""

import numpy as np
import polars as pl
import pytest

import ordcut
import ordcut.frames
from tests.limits.within_limits import (
    KINDS,
    holds,
    midpoints,
    random_constraint,
    random_problem,
    table_of,
)

OF_VALUES = ["fixed", "between", "allowed", "digits", "gap"]
OF_ROWS = [kind for kind in KINDS if kind not in OF_VALUES]


def solve(problem, constraint, options):
    return ordcut.optimal_thresholds(
        problem["scores"],
        problem["labels"],
        classes=range(3),
        sample_weight=problem["weights"],
        constraints=[constraint],
        **options,
    )


def solve_frame(problem, constraint, options):
    weights = problem["weights"]
    columns = {"score": problem["scores"], "label": problem["labels"]}
    columns |= {} if weights is None else {"weight": weights}
    return ordcut.frames.optimal_thresholds(
        pl.DataFrame(columns),
        score="score",
        label="label",
        weight=None if weights is None else "weight",
        classes=range(3),
        constraints=[constraint],
        **options,
    )


def keeps(problem, constraint, thresholds):
    return holds(constraint, table_of(problem, thresholds), thresholds)


@pytest.mark.parametrize("solver", [solve, solve_frame], ids=["arrays", "polars"])
@pytest.mark.parametrize("rows", ["plain", "weighted", "smoothed"])
@pytest.mark.parametrize("kind", OF_ROWS)
def test_near_optimal_ranges_keep_a_limit_at_every_cut(kind, rows, solver):
    random = np.random.default_rng([KINDS.index(kind), len(rows)])
    options = {"smoothing": 0.5} if rows == "smoothed" else {}
    n_moved = 0
    for _ in range(25):
        problem = random_problem(random, weighted=rows == "weighted", n_classes=3)
        constraint = random_constraint(kind, random, 3)
        try:
            result = solver(problem, constraint, options)
        except ordcut.InfeasibleConstraintsError:
            continue
        places = midpoints(problem["scores"].tolist())
        own = result.thresholds.tolist()
        for k, (low, high) in enumerate(result.near_optimal(tolerance=5).tolist()):
            allowed = [at for at in places if (low < at or low == at == -np.inf) and at <= high]
            for place in allowed:
                moved = [*own[:k], place, *own[k + 1 :]]
                assert moved == sorted(moved)
                assert keeps(problem, constraint, moved)
            n_moved += len(allowed) > 1
    assert n_moved > 3
