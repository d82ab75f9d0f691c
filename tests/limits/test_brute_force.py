"""Thresholds within limits against all thresholds there are."""

from itertools import combinations

import numpy as np
import pytest

import ordcut
from ordcut._core.numerics.jit import running_kernels_as
from tests import naive
from tests.limits.within_limits import (
    KINDS,
    best_within,
    holds,
    random_constraint,
    random_constraints,
    random_problem,
    table_of,
)
from tests.tables import COSTS, EVERY_OBJECTIVE

#: The smallest recall takes constraints on single thresholds only; ``test_segment_objectives.py``
#: has these.
TAKE_ALL = [name for name in EVERY_OBJECTIVE if name != "min_recall"]


def objective_of(i):
    return TAKE_ALL[i % len(TAKE_ALL)]


def check(problem, constraints, name):
    """Solve and compare; return whether the constraints could hold."""
    goodness = naive.GOODNESS[name]
    best = best_within(problem, constraints, goodness)

    def solve():
        return ordcut.optimal_thresholds(
            problem["scores"],
            problem["labels"],
            objective=name,
            classes=range(problem["n_classes"]),
            sample_weight=problem["weights"],
            constraints=constraints,
        )

    if best is None:
        with pytest.raises(ordcut.InfeasibleConstraintsError):
            solve()
        return False
    result = solve()
    table = table_of(problem, result.thresholds.tolist())
    assert all(holds(constraint, table, result.thresholds.tolist()) for constraint in constraints)
    cuts = [int((problem["scores"] < value).sum()) for value in result.thresholds]
    assert (goodness(table), [-cut for cut in reversed(cuts)]) == best
    assert result.value == pytest.approx(naive.value_of(name, table), rel=1e-12, abs=1e-12)
    return True


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_one_constraint_is_kept_at_the_least_cost(kind, weighted):
    random = np.random.default_rng([KINDS.index(kind), weighted])
    n_feasible = 0
    for i in range(36):
        problem = random_problem(random, weighted)
        constraint = random_constraint(kind, random, problem["n_classes"])
        n_feasible += check(problem, [constraint], objective_of(i))
    assert n_feasible > 5


@pytest.mark.parametrize("kind", ["under", "over", "fixed", "between"])
def test_limits_on_one_threshold_count_weights_in_their_own_unit(kind):
    random = np.random.default_rng(KINDS.index(kind))
    for i in range(50):
        problem = random_problem(random, weighted=True)
        constraint = random_constraint(kind, random, problem["n_classes"])
        check(problem, [constraint], COSTS[i % len(COSTS)])


@pytest.mark.parametrize("kind", KINDS)
def test_constraints_hold_at_the_least_cost_where_sums_are_rounded(kind):
    random = np.random.default_rng(KINDS.index(kind))
    for i in range(12):
        problem = random_problem(random, weighted=True)
        weights = random.uniform(0.1, 3, len(problem["rows"]))
        problem["weights"] = weights
        problem["rows"] = [
            (score, label, naive.meaning(weight))
            for (score, label, _), weight in zip(problem["rows"], weights.tolist(), strict=True)
        ]
        constraint = random_constraint(kind, random, problem["n_classes"])
        check(problem, [constraint], objective_of(i))


@pytest.mark.parametrize("pair", list(combinations(KINDS, 2)), ids=" and ".join)
def test_two_constraints_are_kept_at_the_least_cost(pair):
    random = np.random.default_rng([KINDS.index(kind) for kind in pair])
    for i in range(14):
        problem = random_problem(random, weighted=i % 2 == 1)
        constraints = random_constraints(pair, random, problem["n_classes"])
        check(problem, constraints, objective_of(i))


@pytest.mark.parametrize("kind", KINDS)
def test_three_constraints_and_compiled_kernels(kind):
    random = np.random.default_rng(KINDS.index(kind))
    for i in range(6):
        problem = random_problem(random, weighted=False)
        kinds = [kind, *random.choice(KINDS, 2)]
        constraints = random_constraints(kinds, random, problem["n_classes"])
        with running_kernels_as("compiled"):
            check(problem, constraints, objective_of(i))
