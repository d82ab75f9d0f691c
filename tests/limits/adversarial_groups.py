"""Limits for groups of rows, on arrays and in engines, against all thresholds in fractions."""

import warnings
from dataclasses import replace

import duckdb
import numpy as np
import polars as pl

import ordcut
from tests.limits.within_limits import (
    all_thresholds,
    holds,
    random_constraint,
    random_problem,
    table_of,
)
from tests.naive import GOODNESS

#: Constraints on decisions, which can be about a group.
KINDS = [
    "recall", "precision", "both shares", "count", "under", "over", "f1", "lift", "specificity",
    "most recall", "most precision",
]  # fmt: skip

OBJECTIVES = ["absolute", "zero_one", "quadratic_kappa", "macro_f1"]

ENGINES = [
    pl.DataFrame.to_pandas,
    pl.DataFrame.lazy,
    lambda frame: duckdb.from_arrow(frame.to_arrow()),
]


def rows_of(problem, group):
    """The problem with the rows of a group alone; of all groups for None."""
    rows = [
        row
        for row, own in zip(problem["rows"], problem["groups"], strict=True)
        if group is None or own == group
    ]
    return problem | {"rows": rows}


def keeps(problem, constraints, thresholds):
    """Whether thresholds keep each constraint on the rows that it is about."""
    return all(
        holds(constraint, table_of(rows_of(problem, constraint.where), thresholds), thresholds)
        for constraint in constraints
    )


def check_groups(seed):
    """Assert that the best thresholds that keep limits for groups are found, by engines, too."""
    random = np.random.default_rng(seed)
    n_groups = 2 + seed % 2
    problem = random_problem(random, weighted=seed % 3 == 0, n_classes=2 + seed % 5 // 3)
    problem["groups"] = random.choice(list("abc"[:n_groups]), len(problem["rows"]))
    problem["groups"][:n_groups] = list("abc"[:n_groups])
    objective = OBJECTIVES[seed // 2 % len(OBJECTIVES)]
    constraints = [
        replace(random_constraint(kind, random, problem["n_classes"]), where=group)
        for kind, group in zip(random.choice(KINDS, 2), ["a", [None, "b"][seed % 2]], strict=True)
    ]
    best = max(
        ((GOODNESS[objective](table), cuts) for table, cuts in tables_within(problem, constraints)),
        default=None,
    )
    options = {
        "objective": objective,
        "classes": range(problem["n_classes"]),
        "constraints": constraints,
    }
    frame = pl.DataFrame({name: problem[name] for name in ("scores", "labels", "groups")})
    weights = None if problem["weights"] is None else "weights"
    if weights:
        frame = frame.with_columns(weights=problem["weights"])
    calls = (
        lambda: ordcut.optimal_thresholds(
            problem["scores"],
            problem["labels"],
            groups=problem["groups"],
            sample_weight=problem["weights"],
            **options,
        ),
        lambda: ordcut.frames.optimal_thresholds(
            ENGINES[seed // 8 % len(ENGINES)](frame),
            score="scores",
            label="labels",
            groups="groups",
            weight=weights,
            **options,
        ),
    )
    n_solved = 0
    for call in calls:
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "constraint .* say little about new rows")
                result = call()
        except ordcut.InfeasibleConstraintsError:
            assert best is None, (problem, constraints)
            continue
        except ValueError as error:
            if "can limit only one share" not in str(error):
                raise
            continue
        thresholds = result.thresholds.tolist()
        assert keeps(problem, constraints, thresholds), (problem, constraints)
        reached = GOODNESS[objective](table_of(problem, thresholds)), cuts_of(problem, thresholds)
        assert reached == best, (problem, objective, constraints)
        n_solved += 1
    return n_solved


def tables_within(problem, constraints):
    """Yield the table and the cuts of all thresholds that keep the constraints."""
    for thresholds in all_thresholds(problem, []):
        if keeps(problem, constraints, thresholds):
            yield table_of(problem, thresholds), cuts_of(problem, thresholds)


def cuts_of(problem, thresholds):
    """The labels of thresholds, by which the lowest of the best are found."""
    scores = [score for score, *_ in problem["rows"]]
    return [-sum(score < value for score in scores) for value in reversed(thresholds)]
