"""Find optimal thresholds: from data to result, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ordcut.data import ClassWeight, Rows, class_factors, warn_if_reversed
from ordcut.objectives import Objective, ObjectiveLike, n_classes_of, resolve_objective
from ordcut.pruning import ArraySource, PrunedProblem, Source
from ordcut.smoothing import Smoothing, check_smoothing, smooth
from ordcut.solvers import Method, Plan, Problem, choose_method, solve
from ordcut.thresholds import Origin, Thresholds, result_between, scores_around
from ordcut.typing import Array, ArrayLike, Floats


def optimal_thresholds(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    objective: ObjectiveLike = "absolute",
    classes: Sequence[Any] | Array | None = None,
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
    objective : str, array-like of shape (K, K), callable, Kappa or Objective
        A loss to minimise, ``"absolute"``, ``"squared"`` or ``"zero_one"``; a matrix of the cost
        of predicting class ``k`` when the truth is ``l``; a callable ``(k, l) -> cost`` over the
        positions 0..K-1; or a kappa to maximise, ``"kappa"``, ``"linear_kappa"``,
        ``"quadratic_kappa"`` or :class:`ordcut.Kappa`.
    classes : sequence, optional
        All classes, lowest first, those that do not occur included. By default those that occur,
        in ascending order, or the order that a categorical states.
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
        costs a sort of the scores, and memory for the rows once more and up to 2048 K rows of the
        model; ``"auto"`` also solves 10 tables of that many rows.
    method : {"auto", "dp", "io", "pio", "blocks", "nested", "pruned"}
        The paper's algorithms 2 (``"dp"``), 3 (``"io"``, and ``"pio"`` in threads) and 4
        (``"blocks"``); ``"nested"`` for convex objectives; or ``"pruned"``, which counts rows by
        cells and sorts few of them. ``"auto"`` takes the fastest that is sure to be optimal.
    n_jobs : int, optional
        The number of threads, -1 for one per core. By default one, and one per core for the methods
        ``"pio"`` and ``"blocks"``.
    block_size : int, optional
        How many cuts ``"blocks"`` puts in a block; about the square root of all by default.

    Returns
    -------
    Thresholds
        The thresholds, their value, and why they are optimal.

    Raises
    ------
    CrossedThresholdsError
        If ``"io"``, ``"pio"`` or ``"blocks"`` is used for an objective that is not convex, and the
        minima do not come out in order.

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
    plan = Plan(n_jobs, block_size)
    rows = Rows.read(
        scores, labels, classes=classes, n_classes=n_classes_of(objective), weights=sample_weight
    )
    resolved = resolve_objective(objective, rows.classes)
    return thresholds_of_rows(rows, resolved, smoothing, method, class_weight, plan)


def thresholds_of_rows(
    rows: Rows,
    objective: Objective,
    smoothing: Smoothing = 0.0,
    method: str = "auto",
    class_weight: ClassWeight | None = None,
    plan: Plan = Plan(),  # noqa: B008 (frozen)
) -> Thresholds:
    """Return the optimal thresholds of validated rows, for labels as observed or smoothed."""
    warn_if_reversed(rows)
    if smoothing != 0 or isinstance(smoothing, bool):
        return smoothed_thresholds(rows, objective, smoothing, method, class_weight, plan)
    problem = prepare(rows, objective, method, plan)
    return find_thresholds(rows, problem, objective, method, class_weight, plan)


def prepare(
    rows: Rows, objective: Objective, method: str, plan: Plan, n_problems: int = 1
) -> Problem:
    """Sort rows, or count them by cells where that is faster for the objective."""
    method = choose_method(
        method,
        objective.exact_cost.convexity != "no",
        n_rows=len(rows.scores),
        n_classes=len(rows.classes),
        where="arrays",
        n_problems=1 if objective.is_kappa else n_problems,
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
) -> Thresholds:
    """Return the optimal thresholds of rows that are prepared, with the value they reach."""
    factors = np.ones(len(source.classes))
    if class_weight is not None:
        factors = class_factors(class_weight, source.classes, problem.totals)
    found = solve(problem, objective, factors, method, plan)
    around = scores_around(found.rows.scores, found.cuts)
    if np.isnan(around).any():  # a score unknown to the solver: never show a threshold next to it
        raise RuntimeError(
            "a threshold came out next to rows that were left out, which must not happen. "
            'Use method="nested" or "dp", and please report this with your data.'
        )
    value: float | Callable[[Floats], float]
    weights = source.weights if isinstance(source, Rows) else None
    is_rounded = weights is not None and weights.dtype != np.int64
    if found.rows.is_whole and not is_rounded:
        value = objective.value(found.rows.between(found.cuts) * factors)
    else:  # sums of fractions depend on their order: take that of predicting the rows again

        def value(thresholds: Floats) -> float:
            return objective.value(source.confusion(thresholds) * factors)

    return result_between(
        around,
        value,
        classes=source.classes,
        objective=objective.name,
        method=found.method,
        certificate=found.certificate,
        origin=Origin(source, objective, class_weight),
    )


def smoothed_thresholds(
    rows: Rows,
    objective: Objective,
    smoothing: Smoothing,
    method: str,
    class_weight: ClassWeight | None,
    plan: Plan,
) -> Thresholds:
    """Return the thresholds for labels that are smoothed, with their value for the observed ones.

    Examples
    --------
    >>> rows = Rows.read([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 1, 0, 0, 1, 1, 1])
    >>> absolute = resolve_objective("absolute", 2)
    >>> smoothed_thresholds(rows, absolute, 1.0, "auto", None, Plan()).thresholds
    array([4.5])
    """
    check_smoothing(smoothing)
    factors = class_factors(class_weight, rows.classes, rows.totals)
    weighted = rows.class_weighted(factors)
    smoothed = smooth(weighted, objective, smoothing)
    problem = prepare(smoothed.rows, objective, method, plan)
    found = find_thresholds(smoothed.rows, problem, objective, method, None, plan)
    return replace(
        found,
        # Factors last: sums of whole weights do not depend on the order of the rows.
        value=objective.value(rows.confusion(found.thresholds) * factors),
        certificate=f"{found.certificate}, of labels smoothed by {smoothed.amount:.3g}",
        origin=Origin(weighted, objective, None, smoothed.amount),
    )
