"""Find optimal thresholds: from data to result, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ordcut.data import ClassWeight, Rows, warn_if_reversed
from ordcut.decisions import RowCosts, check_alone, read_costs, with_review
from ordcut.limits import (
    Constraint,
    Constraints,
    limited_thresholds,
    read_constraints,
    rows_between_values,
)
from ordcut.objectives import BALANCED, Objective, ObjectiveLike, n_classes_of, resolve_objective
from ordcut.pruning import ArraySource, PrunedProblem, Source
from ordcut.smoothing import Smoothing, check_smoothing, smooth
from ordcut.solvers import (
    Method,
    Plan,
    Problem,
    SortedBy,
    choose_method,
    solve,
)
from ordcut.thresholds import (
    SMOOTHED,
    Origin,
    Thresholds,
    result_of,
)
from ordcut.typing import Array, ArrayLike, Floats


def optimal_thresholds(
    scores: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    objective: ObjectiveLike = "absolute",
    classes: Sequence[Any] | Array | None = None,
    decisions: Sequence[Any] | Array | None = None,
    review: float | None = None,
    costs: ArrayLike | None = None,
    constraints: Constraints = (),
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
    smoothing: Smoothing = 0.0,
    method: Method = "auto",
    n_jobs: int | None = None,
    block_size: int | None = None,
) -> Thresholds:
    """Find the thresholds of least empirical loss, or of the highest kappa, for scores.

    Of all optimal thresholds it returns the lowest, each halfway between two scores. Where costs
    and weights are whole numbers or plain fractions, every method and every number of threads
    returns the same thresholds to the last bit.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Finite scores; higher means a higher class.
    labels : array-like of shape (n_samples,) or (n_samples, n_classes)
        The true classes: integers, floats, booleans, strings or ordered categoricals; or soft
        labels, a weight that is not negative for each row and class.
    objective : str, array-like of shape (D, K), callable, Kappa or Objective
        A loss to minimise, ``"absolute"``, ``"squared"`` or ``"zero_one"``, or, with every class
        counting the same, ``"macro_mae"`` or ``"balanced_accuracy"``; a matrix of the cost of
        decision ``d``, by default a class, when the truth is class ``l``; a callable
        ``(d, l) -> cost`` over their positions; or a kappa to maximise, ``"kappa"``,
        ``"linear_kappa"``, ``"quadratic_kappa"`` or :class:`ordcut.Kappa`.
    classes : sequence, optional
        All classes, lowest first, those that do not occur included. By default those that occur,
        in ascending order, or the order that a categorical states.
    decisions : sequence, optional
        What can be decided, lowest first, where that is not the classes: the names of the D rows
        of the cost matrix.
    review : float, optional
        Adds a decision between any two neighbouring classes, named ``"a or b"``, which hands the
        row over for review at this cost. Decisions are then text.
    costs : array-like of shape (n_samples, D), optional
        What each decision costs each row, instead of ``labels`` and ``objective``.
    constraints : sequence of constraints or str, optional
        What must hold: limits on what is decided, such as :class:`ordcut.Recall` or
        ``"share hire <= 0.1"``, or on thresholds, such as :class:`ordcut.Digits`. The result is the
        best of all thresholds that keep them.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts. A weight of 2 equals the row twice, a weight of 0 no row.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each class count; ``"balanced"`` gives every class the same weight.
    smoothing : float from 0 to 1 or "auto", default=0.0
        How much of each label is left to a model. 0 is the optimum for the labels as observed,
        which overfits where rows are few. Above 0, thresholds are optimal for a blend of observed
        labels, ``1 - smoothing``, and class probabilities given the score, ``smoothing``. These are
        from an ordinal logistic model in which each threshold has a slope of its own, held back
        by a penalty from the common one; ``value`` is still that on the observed labels.
        ``"auto"`` chooses the amount, the same one every time: the share of what plain thresholds
        gain over the model's that noise alone would gain, in data drawn from the model. It
        costs a sort of the scores, and memory for the rows once more and up to 1024 K rows of the
        model; ``"auto"`` also solves 10 tables of that many rows.
    method : {"auto", "dp", "io", "pio", "blocks", "nested", "zero_one", "pruned"}
        The paper's algorithms 2 (``"dp"``), 3 (``"io"``, and ``"pio"`` in threads) and 4
        (``"blocks"``); ``"nested"`` for convex objectives; ``"zero_one"`` where all errors of a row
        cost the same; or ``"pruned"``, which counts rows by cells and sorts few of them.
        ``"auto"`` takes the fastest that is sure to be optimal.
    n_jobs : int, optional
        The number of threads, -1 for one per core. By default one, and one per core for the methods
        ``"pio"`` and ``"blocks"``.
    block_size : int, optional
        How many rows ``"blocks"`` puts in a block; by default there is a block for each thread.

    Returns
    -------
    Thresholds
        The thresholds, their value, and why they are optimal.

    Raises
    ------
    CrossedThresholdsError
        If ``"io"``, ``"pio"`` or ``"blocks"`` is used for an objective that is not convex, and the
        minima do not come out in order.
    InfeasibleConstraintsError
        If no thresholds keep all constraints.

    Examples
    --------
    >>> found = optimal_thresholds([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 2])
    >>> found.thresholds
    array([0.45, 0.7 ])
    >>> found.certificate
    'convex objective (Theorem 2)'

    Left to the model, the cut stands between the classes as a whole, and not where two rows happen
    to change places:

    >>> scores, labels = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 1, 0, 0, 1, 1, 1]
    >>> optimal_thresholds(scores, labels).thresholds
    array([5.5])
    >>> optimal_thresholds(scores, labels, smoothing=1).thresholds
    array([4.5])
    """
    plan, limits = Plan(n_jobs, block_size), read_constraints(constraints) if constraints else ()
    if costs is not None:
        check_alone(labels, objective, classes, review, class_weight, smoothing)
        rows, priced = read_costs(scores, costs, decisions, sample_weight)
        return thresholds_of_rows(rows, priced, 0.0, method, None, plan, limits)
    if labels is None:
        raise TypeError("labels must be given, or else costs of each row and decision.")
    n_classes = n_classes_of(objective, decisions is not None)
    rows = Rows.read(scores, labels, classes=classes, n_classes=n_classes, weights=sample_weight)
    resolved = resolve_objective(objective, rows.classes, decisions)
    if review is not None:
        resolved = with_review(resolved, review, rows.classes)
    return thresholds_of_rows(rows, resolved, smoothing, method, class_weight, plan, limits)


def thresholds_of_rows(
    rows: Rows,
    objective: Objective,
    smoothing: Smoothing = 0.0,
    method: str = "auto",
    class_weight: ClassWeight | None = None,
    plan: Plan = Plan(),  # noqa: B008 (frozen)
    constraints: tuple[Constraint, ...] = (),
) -> Thresholds:
    """Return the optimal thresholds of validated rows, for labels as observed or smoothed."""
    if not isinstance(objective, RowCosts):  # which know no classes
        warn_if_reversed(rows)
    if smoothing != 0 or isinstance(smoothing, bool):
        return smoothed_thresholds(
            rows, objective, smoothing, method, class_weight, plan, constraints
        )
    problem = rows_between_values(rows.in_whole_weights(), constraints) if constraints else None
    if problem is None:
        return find_thresholds(
            rows,
            prepare(rows, objective, method, plan),
            objective,
            method,
            class_weight,
            plan,
            constraints,
        )
    # What is left are few rows in order, of which "pruned" would have nothing to leave out.
    method = "auto" if method == "pruned" else method
    return find_thresholds(rows, problem, objective, method, class_weight, plan, constraints)


def prepare(
    rows: Rows, objective: Objective, method: str, plan: Plan, n_problems: int = 1
) -> Problem:
    """Sort rows, or count them by cells where that is faster for the objective."""
    sorted_by: SortedBy = "position" if rows.dtype == np.float64 else "key"
    method = choose_method(
        method,
        objective.has_convex_steps,
        equal_errors=objective.exact_cost.has_equal_errors,
        is_kappa=objective.is_kappa,
        n_rows=len(rows.scores),
        n_classes=len(rows.classes),
        where="arrays",
        sorted_by=sorted_by if rows.weights is None else "weighted",
        n_problems=n_problems,
    )
    if rows.weights is not None:
        rows = rows.in_whole_weights()
    if method == "pruned":
        return PrunedProblem(ArraySource(rows, plan.n_threads()))
    return rows.sorted()


def find_thresholds(
    source: Rows | Source,
    problem: Problem,
    objective: Objective,
    method: str = "auto",
    class_weight: ClassWeight | None = None,
    plan: Plan = Plan(),  # noqa: B008 (frozen)
    constraints: tuple[Constraint, ...] = (),
    observed: Rows | None = None,
    observed_factors: Floats | None = None,
) -> Thresholds:
    """Return the optimal thresholds of rows that are prepared, with the value they reach.

    Constraints must hold on the observed rows, where those to be solved are others, and what they
    cost is judged with the factors of the observed classes.
    """
    factors = None
    if class_weight is not None or objective.name in BALANCED:
        factors = objective.class_factors(class_weight, source.classes, problem.totals)
    if constraints:
        return limited_thresholds(
            source,
            problem,
            objective,
            np.ones(len(source.classes)) if factors is None else factors,
            class_weight,
            constraints,
            lambda: solve(problem, objective, factors, method, plan),
            observed,
            observed_factors,
        )
    found = solve(problem, objective, factors, method, plan)
    value: float | Callable[[Floats], float]
    if found.rows.is_whole and (not isinstance(source, Rows) or source.is_whole):
        value = objective.value(_counted(found.confusion(plan), factors))
    else:  # sums of fractions depend on their order: take that of predicting the rows again

        def value(thresholds: Floats) -> float:
            return objective.value(_counted(source.confusion(thresholds), factors))

    return result_of(
        found,
        value,
        classes=source.classes
        if objective.decisions is None
        else objective.known_classes(source.classes),
        objective=objective.name,
        method=found.method,
        certificate=found.certificate,
        decisions=objective.decisions,
        origin=Origin(source, objective, class_weight),
    )


def _counted(confusion: Floats, factors: Floats | None) -> Floats:
    """Return a (predicted, true) table with each true class counting as much as it should."""
    return confusion if factors is None else confusion * factors


def smoothed_thresholds(
    rows: Rows,
    objective: Objective,
    smoothing: Smoothing,
    method: str,
    class_weight: ClassWeight | None,
    plan: Plan,
    constraints: tuple[Constraint, ...] = (),
) -> Thresholds:
    """Return the thresholds for labels that are smoothed, with their value for the observed ones.

    Examples
    --------
    >>> rows = Rows.read([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 1, 0, 0, 1, 1, 1])
    >>> from ordcut.objectives import resolve_objective
    >>> absolute = resolve_objective("absolute", 2)
    >>> smoothed_thresholds(rows, absolute, 1.0, "auto", None, Plan()).thresholds
    array([4.5])
    """
    check_smoothing(smoothing)
    factors = np.ones(len(rows.classes))
    if class_weight is not None or objective.name in BALANCED:
        factors = objective.class_factors(class_weight, rows.classes, rows.totals)
    weighted = rows.class_weighted(factors)
    smoothed = smooth(weighted, objective, smoothing)
    plain = objective.unbalanced  # rows are weighted already
    problem = prepare(smoothed.rows, plain, method, plan)
    found = find_thresholds(
        smoothed.rows, problem, plain, method, None, plan, constraints, rows, factors
    )
    confusion = rows.confusion(found.thresholds)
    return replace(
        found,
        objective=objective.name,
        # Factors last: sums of whole weights do not depend on the order of the rows.
        value=objective.value(confusion * factors),
        review_share=objective.review_share(confusion),
        certificate=f"{found.certificate}{SMOOTHED}{smoothed.amount:.3g}",
        origin=Origin(
            weighted,
            objective,
            None,
            smoothed.amount,
            constraints,
            None if weighted is rows else rows,
        ),
    )
