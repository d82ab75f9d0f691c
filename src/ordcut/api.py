"""The path from data to result, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ordcut.arrays import Array, ArrayLike
from ordcut.checks import ClassWeight
from ordcut.finding import find_thresholds
from ordcut.objectives import ObjectiveLike, n_classes_of, resolve_objective
from ordcut.solvers import Method, Plan, Problem
from ordcut.solvers.pruned import PrunedProblem, is_worth_pruning
from ordcut.sources.arrays import ArraySource
from ordcut.table import ScoreTable
from ordcut.threads import count_threads
from ordcut.thresholds import Thresholds


def optimal_thresholds(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    objective: ObjectiveLike = "absolute",
    classes: Sequence[Any] | Array | None = None,
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
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
    method : {"auto", "dp", "io", "pio", "blocks", "nested"}
        The paper's algorithms 2 (``"dp"``), 3 (``"io"``, and ``"pio"`` in threads) and 4
        (``"blocks"``), or ``"nested"`` for convex objectives. ``"auto"`` takes the fastest that
        is sure to be optimal.
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
    """
    source = ArraySource(
        scores, labels, classes=classes, n_classes=n_classes_of(objective), weights=sample_weight
    )
    resolved = resolve_objective(objective, len(source.classes))
    if method == "auto" and is_worth_pruning(source, resolved):
        method = "pruned"
    problem: Problem
    if method == "pruned":
        problem = PrunedProblem(source, count_threads(n_jobs))
    else:
        problem = ScoreTable.from_source(source)
    return find_thresholds(problem, resolved, method, class_weight, Plan(n_jobs, block_size))
