"""The path from data to result, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ordcut.arrays import Array, ArrayLike
from ordcut.checks import ClassWeight, class_factors
from ordcut.finding import find_thresholds
from ordcut.objectives import Objective, ObjectiveLike, n_classes_of, resolve_objective
from ordcut.smoothing import Smoothing, check_smoothing, smooth
from ordcut.solvers import Method, Plan, Problem
from ordcut.solvers.pruned import PrunedProblem, is_worth_pruning
from ordcut.sources.arrays import ArraySource
from ordcut.table import ScoreTable
from ordcut.threads import count_threads
from ordcut.thresholds import Thresholds
from ordcut.uncertainty.origin import Origin


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
        labels, ``1 - smoothing``, and class probabilities given the score, ``smoothing``, by an
        ordinal logistic model of one slope; ``value`` is still that on the observed labels.
        ``"auto"`` chooses the amount, the same one every time: the share of what plain thresholds
        gain over the model's that noise alone would gain, in data drawn from the model. Costs a
        sort of the scores, and room for the rows once more with up to 2048 K rows of the model;
        ``"auto"`` solves 10 tables of that many rows besides.
    method : {"auto", "dp", "io", "pio", "blocks", "nested", "pruned"}
        The paper's algorithms 2 (``"dp"``), 3 (``"io"``, and ``"pio"`` in threads) and 4
        (``"blocks"``); ``"nested"`` for convex objectives; or ``"pruned"``, which counts rows by
        cells and sorts few of them. ``"auto"`` takes the fastest that is sure to be optimal.
    n_jobs : int, optional
        The number of threads, -1 for one a core. By default one, and one a core for the methods
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
        If ``"io"``, ``"pio"`` or ``"blocks"`` is asked for an objective that is not convex and
        the minima do not come out in order.

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
    source = ArraySource(
        scores, labels, classes=classes, n_classes=n_classes_of(objective), weights=sample_weight
    )
    resolved = resolve_objective(objective, len(source.classes))
    check_smoothing(smoothing)
    plan = Plan(n_jobs, block_size)
    if smoothing == 0:
        return _solve(source, resolved, method, class_weight, plan)
    return smoothed_thresholds(source, resolved, smoothing, method, class_weight, plan)


def smoothed_thresholds(
    source: ArraySource,
    objective: Objective,
    smoothing: Smoothing,
    method: Method,
    class_weight: ClassWeight | None,
    plan: Plan,
) -> Thresholds:
    """Return the thresholds for labels that are smoothed, with their value for the observed ones.

    Examples
    --------
    >>> source = ArraySource([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 1, 0, 0, 1, 1, 1])
    >>> absolute = resolve_objective("absolute", 2)
    >>> smoothed_thresholds(source, absolute, 1.0, "auto", None, Plan()).thresholds
    array([4.5])
    """
    factors = class_factors(class_weight, source.classes, source.totals)
    weighted = source.class_weighted(factors)
    smoothed = smooth(weighted, objective, smoothing)
    found = _solve(smoothed.source, objective, method, None, plan)
    return replace(
        found,
        # Factors last: sums of whole weights do not depend on the order of the rows.
        value=objective.value(source.confusion(found.thresholds) * factors),
        certificate=f"{found.certificate}, of labels smoothed by {smoothed.amount:.3g}",
        origin=Origin(weighted, objective, None, smoothed.amount),
    )


def _solve(
    source: ArraySource,
    objective: Objective,
    method: Method,
    class_weight: ClassWeight | None,
    plan: Plan,
) -> Thresholds:
    if method == "auto" and is_worth_pruning(source, objective):
        method = "pruned"
    problem: Problem
    if method == "pruned":
        problem = PrunedProblem(source, count_threads(plan.n_jobs))
    else:
        problem = ScoreTable.from_source(source)
    return find_thresholds(problem, objective, method, class_weight, plan)
