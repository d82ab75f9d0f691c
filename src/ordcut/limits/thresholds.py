"""Thresholds within limits, from a source of rows to the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np

from ordcut.data import ClassWeight, Rows, SortedRows
from ordcut.exact import WEIGHT_DENOMINATOR, as_fraction
from ordcut.limits.constraints import Constraint
from ordcut.limits.listed import LumpedRows, lists_values
from ordcut.limits.optimum import Limited, LimitedProblem
from ordcut.limits.scheme import Outcome, Scheme
from ordcut.objectives import Objective
from ordcut.pruning import PrunedProblem, Source
from ordcut.solvers import Problem, Solution, exact_between
from ordcut.thresholds import (
    Origin,
    Thresholds,
    known_scores_around,
    result_between,
)
from ordcut.typing import Array, Floats


def limited_thresholds(
    source: Rows | Source,
    problem: Problem,
    objective: Objective,
    factors: Floats,
    class_weight: ClassWeight | None,
    constraints: tuple[Constraint, ...],
    solve: Callable[[], Solution],
    observed: Rows | None = None,
    observed_factors: Floats | None = None,
    *,
    solves_freely: bool = True,
) -> Thresholds:
    """Return the best thresholds that keep constraints.

    Limits on single thresholds are solved at once. For others, ``solve`` first finds the best
    thresholds without limits, or within looser ones if it does not solve freely; they are the best
    within these if they keep them.
    """
    limited = whole = source if observed is None else observed
    unit = Fraction(1)
    if isinstance(limited, Rows):
        whole = limited.in_whole_weights()
        unit = _unit_of(limited, whole)
    scheme = Scheme.of(objective, source.classes, unit)
    scheme.check(constraints)

    @cache
    def sort_all() -> SortedRows:
        if isinstance(problem, SortedRows) and not isinstance(problem, LumpedRows):
            return problem
        # Rows of a frame keep their weights, in which limits on counts are.
        rows = source.in_whole_weights() if isinstance(source, Rows) else source.all_rows()
        return rows.sorted()

    n_lists = sum(map(lists_values, constraints))

    def sort(some: LimitedProblem) -> SortedRows:
        if isinstance(problem, LumpedRows) and sum(map(lists_values, some.constraints)) < n_lists:
            return sort_all()  # other values are allowed without the constraint that was left out
        if isinstance(problem, SortedRows):
            return problem
        if some.single_limits is not None:
            rows = problem.prune(some.cost, some.single_limits)
            if rows.is_whole or not problem.is_exact:
                return rows
        return sort_all()

    limits = LimitedProblem(
        sort,
        sort_all,
        objective,
        factors,
        scheme,
        constraints,
        totals=lambda: problem.totals,
        count=whole.confusion,  # in the unit of the rows that are solved
        sort_observed=None if observed is None else cache(observed.in_whole_weights().sorted),
        observed_factors=observed_factors,
    )
    found = None if limits.single_limits is None else limits.within_ranges
    if found is None:
        # Rows of an engine with fractional weights were pruned for their limits already.
        is_pruned = isinstance(problem, PrunedProblem) and not problem.is_exact
        if is_pruned and limits.single_limits is not None:
            found = limits.best
        else:
            found = _free_or_limited(limits, problem, solve(), observed, solves_freely)

    def value(thresholds: Floats) -> float:
        is_whole = source.is_whole if isinstance(source, Rows) else True
        if observed is None and is_whole and Outcome(found.table, thresholds).is_whole:
            return objective.value(found.table.astype(np.float64) * factors)
        return objective.value(source.confusion(thresholds) * factors)

    return result_between(
        found.around,
        value,
        classes=objective.known_classes(source.classes),
        objective=objective.name,
        method=found.method,
        certificate=found.certificate,
        thresholds=found.thresholds,
        decisions=objective.decisions,
        constraints=limits.outcomes(found),
        origin=Origin(source, objective, class_weight, constraints=constraints),
    )


def _unit_of(rows: Rows, whole: Rows) -> Fraction:
    """Return what a weight of 1 stands for once the weights of rows are in whole numbers."""
    unit = as_fraction(rows.unit, WEIGHT_DENOMINATOR)
    if whole is rows or rows.weights is None or whole.weights is None:
        return unit
    return unit * as_fraction(float(rows.weights[0]), WEIGHT_DENOMINATOR) / int(whole.weights[0])


def _free_or_limited(
    limits: LimitedProblem,
    problem: Problem,
    free: Solution,
    observed: Rows | None,
    solves_freely: bool,
) -> Limited:
    """Return the best thresholds without limits if they keep them, and else the best within."""

    def count(thresholds: Floats) -> Array:
        if observed is None:  # labels are the same wherever thresholds stand between the scores
            return exact_between(problem, free.rows)(free.cuts)
        return observed.in_whole_weights().exact_between(thresholds)

    found = limits.placed(known_scores_around(free), count, free.method, free.certificate)
    if found is None:
        return limits.best
    # Lumps know nothing of what other values would bring.
    return replace(found, is_free=solves_freely and not isinstance(problem, LumpedRows))
