"""The problem, and the steps from it to a result.

``solve`` returns the optimum of a ``Problem``, and ``result_of`` turns that into a ``Thresholds``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np

from ordcut._core.data import ClassWeight, Rows, SortedRows, balanced_factors, warn_if_unclear
from ordcut._core.limits import LimitedSearch, Limits, Outcome
from ordcut._core.numerics.exact import WEIGHT_DENOMINATOR, as_fraction
from ordcut._core.numerics.threads import cached_property
from ordcut._core.objectives.named import BALANCED, Objective, ObjectiveLike, n_classes_of
from ordcut._core.pruning import ArraySource, Budget, PrunedRows, Source, lump_rows
from ordcut._core.smoothing import Smoothing, check_smoothing, smooth
from ordcut._core.solvers import (
    ExactKappa,
    Plan,
    Solution,
    SortedBy,
    Store,
    Task,
    choose_method,
    solve_freely,
    weighted_cost,
)
from ordcut._core.thresholds import (
    Certificate,
    ConstraintOutcome,
    Thresholds,
    place_known,
    scores_around,
)
from ordcut._core.typing import Array, ArrayLike, Floats

#: The certificate of thresholds that were not searched for.
GIVEN = Certificate("given", note="thresholds were given")

#: Rows are lumped between the values that limits list if there are at most the first number of
#: values, and at least the second number of rows for each value.
MOST_VALUES, ROWS_PER_VALUE = 20_000, 20


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows, as they were given and as solvers need them.

    Attributes
    ----------
    data : Rows or Source
        The rows as given, whose weights are added up in the order of the rows.
    class_weight : "balanced", dict or array-like of shape (K,), optional
        How the rows of each true class are weighted, unless the objective says so.
    store : Store, optional
        The rows prepared for solvers, if known.
    row_unit : Fraction, optional
        What a weight of 1 of the stored rows stands for, if that is not known from the data.
    factors : ndarray of shape (K,), optional
        What the rows of each class count in the search, if that is not ``class_weight``.
    """

    data: Rows | Source
    class_weight: ClassWeight | None = None
    store: Store | None = None
    row_unit: Fraction | None = None
    factors: Floats | None = None

    @classmethod
    def read(
        cls,
        scores: ArrayLike,
        labels: ArrayLike,
        objective: ObjectiveLike,
        *,
        has_decisions: bool = False,
        **options: Any,
    ) -> Sample:
        """Read rows, by the options of ``Rows``, for an objective that may fix their classes."""
        n_classes = n_classes_of(objective, has_decisions)
        return cls(Rows.read(scores, labels, n_classes=n_classes, **options))

    @property
    def rows(self) -> Rows:
        """The rows as given, which must be in memory."""
        assert isinstance(self.data, Rows)
        return self.data

    @property
    def unit(self) -> Fraction:
        """What a weight of 1 stands for once the weights are in whole numbers."""
        if self.row_unit is not None:
            return self.row_unit
        rows = self.data
        if not isinstance(rows, Rows) or (rows.weights is None and rows.unit == 1):
            return Fraction(rows.unit)
        unit, whole = as_fraction(rows.unit, WEIGHT_DENOMINATOR), rows.in_whole_weights()
        if whole is rows or rows.weights is None or whole.weights is None:
            return unit
        first = as_fraction(float(rows.weights[0]), WEIGHT_DENOMINATOR)
        return unit * first / int(whole.weights[0])


@dataclass(frozen=True, eq=False)
class Problem:
    """Everything that determines optimal thresholds.

    Attributes
    ----------
    solved : Sample
        The rows to solve.
    objective : Objective
        What is optimised.
    limits : Limits, optional
        What must hold.
    plan : Plan
        How to search.
    observed : Sample, optional
        The rows as they were observed, which limits and the value are about, if not ``solved``.
    smoothing : float or "bagging", optional
        The share of the labels that a model gives, if labels are smoothed, or that they are bagged.
    origin : Problem, optional
        The problem with labels as observed, if those to solve are smoothed.
    """

    solved: Sample
    objective: Objective
    limits: Limits | None = None
    plan: Plan = Plan()  # noqa: RUF009 (frozen)
    observed: Sample | None = None
    smoothing: float | Literal["bagging"] | None = None
    origin: Problem | None = None

    @cached_property
    def store(self) -> Store:
        """The rows to solve, prepared for solvers."""
        store = self.solved.store
        return prepare(self) if store is None else store

    @property
    def factors(self) -> Array | None:
        """What the rows of each class count in the search; None if all count the same.

        Balanced factors are fractions of exact totals, so that no rounding decides a tie.
        """
        sample = self.solved
        if sample.factors is None and not self._weighs_classes(sample):
            return None
        return self._factors

    @cached_property
    def _factors(self) -> Array | None:
        sample = self.solved
        if sample.factors is not None:
            return None if (sample.factors == 1).all() else sample.factors
        if isinstance(self.objective.weighting(sample.class_weight), str):
            self.factors_for(self.store.totals)  # raises an error for other texts
            return balanced_factors(self.store.exact_totals)
        return self.factors_for(self.store.totals)

    def _weighs_classes(self, sample: Sample) -> bool:
        return sample.class_weight is not None or self.objective.name in BALANCED

    def factors_for(self, totals: Floats, sample: Sample | None = None) -> Floats | None:
        """Return what the rows of each class count, for rows with these totals.

        None if all classes count the same. The weights are those of the rows to solve, unless
        another sample is given.
        """
        sample = self.solved if sample is None else sample
        if not self._weighs_classes(sample):
            return None
        return self.objective.class_factors(sample.class_weight, sample.data.classes, totals)

    @property
    def judged(self) -> Sample:
        """The rows that limits and the value are about."""
        return self.solved if self.observed is None else self.observed

    @cached_property
    def search(self) -> LimitedSearch:
        """The search for the best thresholds within the limits."""
        assert self.limits is not None
        if self.limits.has_guarantees:
            self.limits.check_rows(self.judged.data.counts_rows)
        observed: SortedRows | None = None
        if self.observed is not None:
            store = self.observed.store or self.observed.rows.in_whole_weights().sorted()
            observed = store.all_rows()
        return LimitedSearch(
            self.store, self.objective, self.factors, self.limits, observed, self.judged.unit
        )

    def without_store(self) -> Problem:
        """Return the problem without the rows prepared for solvers, for a result to keep."""
        sample = self.solved
        if sample.store is not None:
            sample = Sample(sample.data, sample.class_weight, None, sample.row_unit, sample.factors)
        # A new instance has none of the properties that this one has cached.
        rest = self.limits, self.plan, self.observed, self.smoothing, self.origin
        return Problem(sample, self.objective, *rest)

    def value(self, confusion: Floats) -> float:
        """Return the value of a (predicted, true) table, with the class weights of its totals."""
        return self._value_of(confusion, self.solved)

    def judged_value(self, confusion: Floats) -> float:
        """Return the value of a table of the rows that the value is about."""
        return self._value_of(confusion, self.judged)

    def _value_of(self, confusion: Floats, sample: Sample) -> float:
        if not self._weighs_classes(sample):
            return self.objective.value(confusion)
        factors = self.factors_for(confusion.sum(axis=0), sample)
        return self.objective.value(confusion, factors)

    def at(
        self, thresholds: Floats, method: str = "given", certificate: Certificate = GIVEN
    ) -> Thresholds:
        """Return given thresholds as a result, with the value that they reach on the rows."""
        rows = self.solved.rows
        distinct = rows.distinct_scores()
        around = scores_around(distinct, np.searchsorted(distinct, thresholds, side="left"))
        confusion = rows.confusion(thresholds)
        review_share = self.objective.review_share(
            confusion if self.observed is None else self.observed.data.confusion(thresholds)
        )
        return Thresholds(
            thresholds=thresholds,
            classes=_classes(self.objective, rows.classes),
            value=self.value(confusion),
            objective=self.objective.name,
            method=method,
            proof=certificate,
            ranges=np.array(around, dtype=np.float64).T + 0.0,
            decisions=_decisions(self.objective, rows.classes),
            review_share=review_share,
            origin=replace(self.without_store(), limits=None, smoothing=None),
        )


def smoothed_problem(problem: Problem, smoothing: Smoothing) -> Problem:
    """Return the problem for labels that are smoothed, with the observed rows beside them."""
    check_smoothing(smoothing)
    rows, objective = problem.solved.rows, problem.objective
    if rows.weights is not None:
        warn_if_unclear(rows.weights, rows.weight_type)
    factors = problem.factors_for(rows.totals)
    weighted, n_rows = rows, None
    if factors is not None:
        weighted, totals = rows.class_weighted(factors), rows.totals
        if rows.soft is None and weighted.has_repeats:  # whole factors are not repeats
            n_rows = float((totals @ factors) ** 2 / (totals @ factors**2))
    blend = smooth(weighted, objective, smoothing, n_rows)
    observed = problem.solved
    # Rows that are weighted by class are drawn as they are by the bootstrap.
    origin = replace(
        problem,
        solved=Sample(weighted),
        observed=None if weighted is rows else observed,
        smoothing=blend.amount,
    )
    # The classes of these rows are weighted already.
    solved = Sample(blend.rows, factors=np.ones(len(rows.classes)))
    return replace(origin, solved=solved, observed=observed, origin=origin)


def optimum(problem: Problem) -> Thresholds:
    """Return the optimal thresholds of a problem; an error if its limits cannot hold."""
    search = problem.objective.search
    return result_of(problem, solve(problem)) if search is None else search(problem)


def prepare(problem: Problem, n_problems: int = 1) -> Store:
    """Return rows as solvers need them: lumped, counted by cells, or sorted.

    ``n_problems`` is the number of problems that will be solved on the same rows.
    """
    data, objective, limits = problem.solved.data, problem.objective, problem.limits
    if not isinstance(data, Rows):
        assert choose_method("auto", Task(objective.is_convex, where="engine")) == "pruned"
        return PrunedRows(data)
    rows = data if data.weights is None else data.in_whole_weights()
    if limits is not None and limits.grid is not None and problem.observed is None:
        most = min(MOST_VALUES, rows.n_rows // ROWS_PER_VALUE) if rows.is_whole else 0
        values = limits.listed_values(rows.extent, most)
        if values is not None:
            return lump_rows(rows, values, limits.grid)
    sorted_by: SortedBy = "position" if rows.scores.dtype == np.float64 else "key"
    if rows.weights is not None:
        sorted_by = "weighted" if rows.is_whole else "fractional"
    task = Task(
        objective.has_convex_steps,
        equal_errors=objective.exact_cost.has_equal_errors,
        is_kappa=objective.is_kappa,
        is_segmented=objective.is_segmented,
        n_rows=len(rows.scores),
        n_classes=len(rows.classes),
        where="arrays",
        sorted_by=sorted_by,
        is_even=lambda: ArraySource(rows).is_even,
        n_problems=n_problems,
    )
    if choose_method(problem.plan.method, task) == "pruned":
        budget = Budget.to_sort(rows) if problem.plan.method == "auto" else None
        return PrunedRows(ArraySource(rows, problem.plan.n_threads()), budget)
    return rows.sorted()


def solve(problem: Problem, start: Solution | None = None) -> Solution:
    """Return the optimum of a problem; an error if its limits cannot hold.

    ``start`` is the optimum without limits, or within looser limits, if it is known.
    """
    solution = solve_if_feasible(problem, start)
    if solution is None:
        raise problem.search.infeasible()
    return solution


def solve_if_feasible(problem: Problem, start: Solution | None = None) -> Solution | None:
    """Return the optimum of a problem, or None if its limits cannot hold."""
    if problem.limits is None:
        return _solve_freely(problem)
    search = problem.search
    solution = search.within_ranges()
    # An engine with fractional weights has pruned its rows for limits on single thresholds.
    if solution is None and (search.curve_limits is None or problem.store.is_exact):
        solution = search.keeping(_solve_freely(problem) if start is None else start)
    return search.solve() if solution is None else solution


def _solve_freely(problem: Problem) -> Solution:
    return solve_freely(problem.store, problem.objective, problem.factors, problem.plan)


def result_of(problem: Problem, solution: Solution) -> Thresholds:
    """Return the result of a solution: its thresholds, and the value they reach on the rows.

    The value comes from the solution's table where all weights are whole numbers. Sums of fractions
    depend on their order, and are added up in the order of predicting the rows again.
    """
    data, objective, rows = problem.judged.data, problem.objective, solution.rows
    has_lumps = problem.store.searched_by is not None
    around, middle = place_known(rows.scores, solution.cuts, has_lumps=has_lumps)
    at = middle if solution.thresholds is None else solution.thresholds
    # Weights may have been scaled to whole numbers.
    was_scaled = isinstance(data, Rows) and data.weights is not None and not data.is_whole
    if problem.observed is not None or was_scaled or not rows.is_whole:
        confusion = data.confusion(at)
    elif solution.table is not None:
        confusion = solution.table.astype(np.float64)
    else:
        n_threads = 1 if problem.plan.n_jobs is None else problem.plan.n_threads()
        confusion = rows.between(solution.cuts, n_threads)
    certificate = solution.certificate
    if problem.smoothing is not None:
        certificate = replace(certificate, smoothing=problem.smoothing)
    origin = problem if problem.origin is None else problem.origin
    return Thresholds(
        thresholds=at,
        classes=_classes(objective, data.classes),
        value=problem.judged_value(confusion),
        objective=objective.name,
        method=solution.method,
        proof=certificate,
        ranges=np.array(around, dtype=np.float64).T + 0.0,
        decisions=_decisions(objective, data.classes),
        review_share=objective.review_share(confusion) if objective.has_reviews else None,
        constraints=() if problem.limits is None else outcomes_of(problem, solution, at),
        origin=origin.without_store(),
    )


def _classes(objective: Objective, classes: Array) -> Array:
    """Return the classes to show: the decisions, where rows have no true classes."""
    if objective.has_truth or objective.decisions is None:
        return classes
    return objective.decisions


def _decisions(objective: Objective, classes: Array) -> Array:
    return classes if objective.decisions is None else objective.decisions


def outcomes_of(
    problem: Problem, solution: Solution, thresholds: Floats
) -> tuple[ConstraintOutcome, ...]:
    """Return what each constraint has reached, and a way to compute its cost."""
    assert problem.limits is not None
    assert solution.table is not None
    outcome = Outcome(solution.table, thresholds, problem.judged.unit)
    # Lumps are few, and another query of an engine would have to count them again.
    kept = problem.without_store() if problem.store.has_every_cut else problem
    prices = Prices(kept, solution.table, solution.is_free)
    limits = problem.limits
    each = zip(limits.constraints, limits.reached(outcome), strict=True)
    return tuple(
        ConstraintOutcome(constraint, reached, partial(prices.price, i), promise)
        for i, (constraint, (reached, promise)) in enumerate(each)
    )


@dataclass(frozen=True, eq=False)
class Prices:
    """The cost of each constraint: how much better the value would be without it.

    Attributes
    ----------
    problem : Problem
        The problem, whose rows are prepared again when a price is first computed.
    table : ndarray of shape (D, K)
        The exact weight of each decision and class with all constraints.
    is_free : bool
        Whether the thresholds are optimal without any constraints.
    """

    problem: Problem
    table: Array
    is_free: bool

    def price(self, index: int) -> float:
        """Return how much better the value would be without the constraint at an index."""
        if self.is_free:
            return 0.0
        problem = self.problem
        assert problem.limits is not None
        search = replace(problem.search, limits=problem.limits.without(index))
        table = search.best().table
        assert table is not None
        if self._score(self.table) >= self._score(table):
            return 0.0
        return abs(self._value(self.table) - self._value(table))

    def _value(self, table: Array) -> float:
        return self.problem.judged_value(table.astype(np.float64))

    def _score(self, table: Array) -> Any:
        """Return a number without rounding that is the higher, the better the table is."""
        problem, objective = self.problem, self.problem.objective
        factors = problem.factors
        if problem.observed is not None:
            factors = problem.factors_for(problem.observed.rows.totals, problem.observed)
        if objective.is_kappa:
            return -ExactKappa.of(objective, table.sum(axis=0), factors).ratio_of(table)
        return weighted_cost(objective, factors).exact_score(table)
