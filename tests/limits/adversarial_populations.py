"""Populations with given class shares, on arrays and in engines, against all thresholds."""

from fractions import Fraction

import numpy as np
import polars as pl

import ordcut
from tests.limits.adversarial_groups import ENGINES, OBJECTIVES, cuts_of
from tests.limits.within_limits import (
    all_thresholds,
    holds,
    random_constraint,
    random_problem,
    table_of,
)
from tests.naive import GOODNESS

#: Constraints that have a meaning in a population: all but the number of rows.
KINDS = ["recall", "precision", "both shares", "under", "over", "f1", "lift", "digits", "between"]


def in_population(problem, shares):
    """The problem with the weight of each row as it is in the population."""
    totals = [
        sum(weight for _, label, weight in problem["rows"] if label == k)
        for k in range(problem["n_classes"])
    ]
    every = sum(totals)
    rows = [
        (score, label, weight * shares[label] * every / totals[label])
        for score, label, weight in problem["rows"]
    ]
    return problem | {"rows": rows}


def check_populations(seed):
    """Assert that the best thresholds of a population that keep limits there are found."""
    random = np.random.default_rng(seed)
    problem = random_problem(random, weighted=seed % 3 == 0, n_classes=2 + seed % 2)
    k, objective = problem["n_classes"], OBJECTIVES[seed // 2 % len(OBJECTIVES)]
    if len(set(problem["labels"].tolist())) < k:
        return 0
    parts = random.integers(1, 10, k)
    shares = [Fraction(int(part), int(parts.sum())) for part in parts]
    constraints = [random_constraint(str(kind), random, k) for kind in random.choice(KINDS, 2)]
    population = in_population(problem, shares)
    kept = [
        (GOODNESS[objective](table), cuts_of(problem, thresholds))
        for thresholds in all_thresholds(problem, constraints)
        for table in [table_of(population, thresholds)]
        if all(holds(each, table, thresholds) for each in constraints)
    ]
    options = {
        "objective": objective,
        "classes": range(k),
        "constraints": constraints,
        "class_shares": [float(share) for share in shares],
    }
    frame = pl.DataFrame({name: problem[name] for name in ("scores", "labels")})
    weights = None if problem["weights"] is None else "weights"
    if weights:
        frame = frame.with_columns(weights=problem["weights"])
    calls = (
        lambda: ordcut.optimal_thresholds(
            problem["scores"], problem["labels"], sample_weight=problem["weights"], **options
        ),
        lambda: ordcut.frames.optimal_thresholds(
            ENGINES[seed // 8 % len(ENGINES)](frame),
            score="scores",
            label="labels",
            weight=weights,
            **options,
        ),
    )
    n_solved = 0
    for call in calls:
        try:
            result = call()
        except ordcut.InfeasibleConstraintsError:
            assert not kept, (problem, constraints, shares)
            continue
        except ValueError as error:
            if "can limit only one share" not in str(error):
                raise
            continue
        thresholds = result.thresholds.tolist()
        table = table_of(population, thresholds)
        assert all(holds(each, table, thresholds) for each in constraints), (problem, constraints)
        best = max(kept)
        assert (GOODNESS[objective](table), cuts_of(problem, thresholds)) == best, (
            problem, objective, constraints, shares,
        )  # fmt: skip
        n_solved += 1
    return n_solved
