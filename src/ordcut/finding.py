"""From a prepared problem to thresholds: resolve the objective, solve, place the cuts, judge."""

from __future__ import annotations

import numpy as np

from ordcut.checks import ClassWeight, class_factors
from ordcut.objectives import ObjectiveLike, resolve_objective
from ordcut.placing import place_between, scores_around
from ordcut.solvers import Plan, Problem, solve
from ordcut.thresholds import Thresholds
from ordcut.uncertainty.origin import Origin


def find_thresholds(
    problem: Problem,
    objective: ObjectiveLike,
    method: str,
    class_weight: ClassWeight | None,
    plan: Plan,
) -> Thresholds:
    """Return the optimal thresholds of a problem, with the value they reach on its data."""
    resolved = resolve_objective(objective, len(problem.classes))
    factors = np.ones(len(problem.classes))
    if class_weight is not None:
        factors = class_factors(class_weight, problem.classes, problem.totals)
    found = solve(problem, resolved, factors, method, plan)
    # Thresholds are computed in the precision of the data, whatever they were sorted in.
    around = np.array(scores_around(found.table.rows.scores, found.cuts), problem.precision)
    if np.isnan(around).any():  # a score unknown to the solver: never show a threshold next to it
        raise RuntimeError(
            "a threshold came to stand next to rows that were left out, which must not happen. "
            'Use method="nested" or "dp", and please report this with your data.'
        )
    return Thresholds(
        thresholds=place_between(*around),
        classes=problem.classes,
        value=resolved.value(found.table.confusion_again(found.cuts) * factors),
        objective=resolved.name,
        method=found.method,
        certificate=found.certificate,
        ranges=around.T.astype(np.float64) + 0.0,
        origin=Origin(problem.source, resolved, class_weight),
    )
