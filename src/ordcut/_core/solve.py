"""The path from a problem to its result: prepare the rows, search, judge the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from ordcut._core.cuts import Cuts
from ordcut._core.data import Rows, SortedRows, scores_around, warn_if_unclear
from ordcut._core.limits import LimitedSearch, Outcome
from ordcut._core.numerics.exact import WEIGHT_DENOMINATOR, as_fraction
from ordcut._core.objectives import Objective
from ordcut._core.outcomes import Prices
from ordcut._core.problem import Problem, Sample
from ordcut._core.pruning import STEPS_TO_SORT, ArraySource, PrunedRows, Source, lump_rows
from ordcut._core.smoothing import Smoothing, check_smoothing, smooth
from ordcut._core.solvers import FreeSteps, Store, Task, choose_method
from ordcut._core.thresholds import Certificate, ConstraintOutcome, Thresholds, record_of
from ordcut._core.typing import Array, Floats

#: The certificate of thresholds that were not searched for.
GIVEN = Certificate("given", note="thresholds were given")

#: Rows are lumped between the values that limits list if there are at most the first number of
#: values, and at least the second number of rows for each value.
MOST_VALUES, ROWS_PER_VALUE = 20_000, 20


def optimum(problem: Problem) -> Thresholds:
    """Return the optimal thresholds of a problem; an error if its limits cannot hold."""
    search: Callable[[Problem], Thresholds] | None = problem.objective.outer_search
    if search is not None:
        return search(problem)
    if problem.limits is not None:
        problem = prepared(problem)  # what constraints cost is found on the same rows
    return result_of(problem, solve(problem))


def smoothed_problem(problem: Problem, smoothing: Smoothing) -> Problem:
    """Return the problem for labels that are smoothed, with the observed rows beside them."""
    check_smoothing(smoothing)
    rows, objective = problem.solved.data, problem.objective
    assert isinstance(rows, Rows)
    if rows.weights is not None:
        warn_if_unclear(rows.weights, rows.weight_type)
    weighted, n_rows, plain = rows, None, objective
    if objective.class_weight is not None:
        plain, totals = objective.unweighted, rows.totals
        factors = objective.factors(totals)
        assert factors is not None
        weighted = rows.class_weighted(factors)
        if rows.soft is None and weighted.has_repeats:  # whole factors are not repeats
            n_rows = float((totals @ factors) ** 2 / (totals @ factors**2))
    blend = smooth(weighted, plain, smoothing, n_rows)
    observed = problem.solved
    # Rows that are weighted by class are drawn as they are by the bootstrap.
    origin = replace(
        problem,
        solved=Sample(weighted),
        observed=None if weighted is rows else observed,
        solved_objective=None if weighted is rows else objective.as_named,
        smoothing=blend.amount,
    )
    return replace(
        origin,
        solved=Sample(blend.rows),
        observed=observed,
        solved_objective=plain,
        origin=origin,
    )


def prepared(problem: Problem, n_problems: int = 1) -> Problem:
    """Return a problem with its rows as solvers need them: lumped, counted by cells, or sorted.

    ``n_problems`` is the number of problems that will be solved on the same rows.
    """
    sample = problem.solved
    if sample.store is not None:
        return problem
    store = store_of(problem, n_problems)
    return replace(problem, solved=replace(sample, store=store))


def store_of(problem: Problem, n_problems: int = 1) -> Store:
    """Return the rows of a problem as solvers need them."""
    data, limits, objective = problem.solved.data, problem.limits, problem.solved_objective
    kind = (problem.objective if objective is None else objective).kind
    if not isinstance(data, Rows):
        assert choose_method("auto", Task(kind, where="engine")) == "pruned"
        return PrunedRows(data)
    rows = data if data.is_whole else data.summable()
    if limits is not None and limits.grid is not None and problem.limited is problem.solved:
        most = min(MOST_VALUES, rows.n_rows // ROWS_PER_VALUE) if rows.is_whole else 0
        values = limits.listed_values(rows.extent, most)
        if values is not None:
            return lump_rows(rows, values, limits.grid)
    has_key = rows.scores.dtype != np.float64 and rows.weights is None and rows.soft is None
    to_sort = STEPS_TO_SORT[has_key] * len(rows.scores)
    task = Task(
        kind,
        n_rows=len(rows.scores),
        n_classes=len(rows.classes),
        where="arrays",
        n_steps=to_sort,
        n_problems=n_problems,
    )
    if choose_method(problem.plan.method, task) == "pruned":
        source, is_auto = ArraySource(rows, problem.plan.n_threads()), problem.plan.method == "auto"
        return PrunedRows(source, to_sort if is_auto else np.inf)
    return rows.sorted()


def solve(problem: Problem, start: Cuts | None = None) -> Cuts:
    """Return the best cuts for a problem; an error if its limits cannot hold.

    ``start`` are the best cuts without limits, or within looser limits, if they are known.
    """
    cuts = solve_if_feasible(problem, start)
    if cuts is None:
        raise limited_search(problem).infeasible()
    return cuts


def solve_if_feasible(problem: Problem, start: Cuts | None = None) -> Cuts | None:
    """Return the best cuts for a problem, or None if its limits cannot hold."""
    if problem.limits is not None:
        return limited_search(problem).solve(start)
    store, goal = problem.solved.store, problem.solved_objective
    steps = FreeSteps(store_of(problem) if store is None else store, problem.plan)
    cuts: Cuts = (problem.objective if goal is None else goal).optimise(steps)
    return cuts


def limited_search(problem: Problem) -> LimitedSearch:
    """Return the search for the best thresholds within the limits of a problem."""
    store, limits, goal = prepared(problem).solved.store, problem.limits, problem.solved_objective
    assert store is not None
    assert limits is not None
    limited = problem.limited
    if limits.has_guarantees:
        limits.check_rows(limited.data.counts_rows)
    observed: SortedRows | None = None
    if limited is not problem.solved:
        observed = (limited.store or limited.rows.summable().sorted()).all_rows()
    goal = problem.objective if goal is None else goal
    return LimitedSearch(store, goal, limits, observed, unit_of(limited), problem.plan)


def unit_of(sample: Sample) -> Fraction:
    """Return what a weight of 1 stands for once the weights are in whole numbers."""
    if sample.row_unit is not None:
        return sample.row_unit
    rows = sample.data
    if not isinstance(rows, Rows) or (rows.weights is None and rows.unit == 1):
        return Fraction(rows.unit)
    unit, whole = as_fraction(rows.unit, WEIGHT_DENOMINATOR), rows.summable()
    if rows.is_whole or rows.weights is None or whole.weights is None or not whole.is_whole:
        return unit
    first = as_fraction(float(rows.weights[0]), WEIGHT_DENOMINATOR)
    return unit * first / int(whole.weights[0])


def result_of(problem: Problem, cuts: Cuts) -> Thresholds:
    """Return the result of a search: its thresholds, and the value they reach on the rows.

    The value comes from the table of the cuts where all weights are whole numbers, or an engine
    adds them up exactly. Sums of fractions in arrays depend on their order, and are added up in the
    order of predicting the rows again.
    """
    judged = problem.solved if problem.observed is None else problem.observed
    data = judged.data
    # Weights may have been scaled to whole numbers.
    is_whole = cuts.is_whole and data.is_whole if isinstance(data, Rows) else data.is_exact
    are_others = problem.observed is not None or problem.grouped is not None
    if are_others or not is_whole:
        table = data.confusion(cuts.place()[1] if cuts.at is None else cuts.at)
    else:
        table = cuts.weigh().astype(np.float64)
    if problem.smoothing is not None:
        proof = replace(cuts.certificate, smoothing=problem.smoothing)
        cuts = replace(cuts, certificate=proof)
    return valued(
        problem.objective,
        data.classes,
        cuts,
        table,
        constraints=() if problem.limits is None else outcomes_of(problem, cuts),
        data=data,
        origin=without_store(problem if problem.origin is None else problem.origin),
    )


def outcomes_of(problem: Problem, cuts: Cuts) -> tuple[ConstraintOutcome, ...]:
    """Return what each constraint has reached, and a way to compute its cost."""
    limits, sample, table = problem.limits, problem.solved, cuts.weigh()
    assert limits is not None
    assert sample.store is not None
    assert cuts.at is not None
    outcome = Outcome(table, cuts.at, unit_of(problem.limited))
    # Lumps are few, and another query of an engine would have to count them again.
    if sample.store.has_every_cut:
        problem = replace(problem, solved=replace(sample, store=None))
    prices = Prices(partial(limited_search, problem), problem.objective, table, cuts.is_free)
    each = zip(limits.constraints, limits.reached(outcome), strict=True)
    return tuple(
        ConstraintOutcome(constraint, reached, partial(prices.price, i), promise)
        for i, (constraint, (reached, promise)) in enumerate(each)
    )


def valued(
    objective: Objective,
    classes: Array,
    cuts: Cuts,
    table: Floats,
    constraints: tuple[ConstraintOutcome, ...] = (),
    data: Rows | Source | None = None,
    origin: Problem | None = None,
) -> Thresholds:
    """Return the thresholds of cuts, with the value of the (decision, class) table they lead to.

    ``data`` are the rows that the table counts, for the record.
    """
    decisions = classes if objective.decisions is None else objective.decisions
    around, middle = cuts.place()
    thresholds = middle if cuts.at is None else cuts.at
    return Thresholds(
        thresholds=thresholds,
        # Where rows have no true classes, decisions are what there is to show.
        classes=classes if objective.has_truth else decisions,
        value=objective.value(table),
        objective=objective.name,
        method=cuts.method,
        proof=cuts.certificate,
        ranges=np.array(around, dtype=np.float64).T + 0.0,
        decisions=decisions,
        review_share=objective.review_share(table) if objective.has_reviews else None,
        constraints=constraints,
        origin=origin,
        evidence=partial(record_of, objective, table, data, thresholds),
    )


def without_store(problem: Problem) -> Problem:
    """Return a problem without the rows prepared for solvers, for a result to keep."""
    sample = problem.solved
    if sample.store is None:
        return problem
    return replace(problem, solved=Sample(sample.data, None, sample.row_unit))


def result_at(
    problem: Problem, thresholds: Floats, method: str = "given", certificate: Certificate = GIVEN
) -> Thresholds:
    """Return given thresholds as a result, with the value that they reach on the rows to solve."""
    rows = problem.solved.rows
    distinct = rows.distinct_scores()
    positions = np.searchsorted(distinct, thresholds, side="left")
    table, around = rows.confusion(thresholds), scores_around(distinct, positions)
    cuts = Cuts(positions, method, certificate, lambda: table, lambda: (around, thresholds))
    origin = without_store(replace(problem, limits=None, smoothing=None))
    result = valued(problem.goal, rows.classes, cuts, table, data=rows, origin=origin)
    if problem.observed is None or not problem.objective.has_reviews:
        return result
    observed = problem.observed.data.confusion(thresholds)
    return replace(result, review_share=problem.objective.review_share(observed))
