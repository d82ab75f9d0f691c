"""Find optimal thresholds: from data to result, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ordcut._core.data import ClassWeight, Rows, WeightType
from ordcut._core.decisions import check_alone, read_costs
from ordcut._core.limits import (
    Constraints,
    limits_for,
    read_constraints,
    read_groups,
)
from ordcut._core.objectives import Objective, ObjectiveLike, n_classes_of, resolve_objective
from ordcut._core.problem import Problem, Sample
from ordcut._core.protocols import LabelSource
from ordcut._core.review import with_reviews
from ordcut._core.smoothing import Smoothing
from ordcut._core.solve import optimum, smoothed_problem
from ordcut._core.solvers import Method, Plan
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, ArrayLike


def optimal_thresholds(
    scores: ArrayLike,
    labels: ArrayLike | None = None,
    objective: ObjectiveLike = "absolute",
    *,
    classes: Sequence[Any] | Array | None = None,
    decisions: Sequence[Any] | Array | None = None,
    review: float | None = None,
    review_share: float | None = None,
    costs: ArrayLike | None = None,
    constraints: Constraints = (),
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType | None = None,
    class_weight: ClassWeight | None = None,
    class_shares: Mapping[Any, float] | ArrayLike | None = None,
    smoothing: Smoothing | None = None,
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
    objective : str, array-like of shape (D, K), dict, callable, Kappa or Objective
        A loss to minimise, ``"absolute"``, ``"squared"``, ``"zero_one"`` or ``"beyond_one"``, or,
        with every class counting the same, ``"macro_mae"`` or ``"balanced_accuracy"``; a matrix of
        the cost of decision ``d``, by default a class, when the truth is class ``l``; a dict of
        costs by name, ``{(d, l): cost}`` or ``{d: {l: cost}}``; a callable
        ``(d, l) -> cost`` over their positions; a kappa to maximise, ``"kappa"``,
        ``"linear_kappa"``, ``"quadratic_kappa"`` or :class:`ordcut.Kappa`; or another score to
        maximise, ``"macro_f1"``, ``"weighted_f1"``, ``"geometric_recall"``, ``"min_recall"`` or
        :class:`ordcut.SegmentObjective`.
    classes : sequence, optional
        All classes, lowest first, also if they do not occur. By default the classes that occur,
        in ascending order, or the order that a categorical states.
    decisions : sequence, optional
        What can be decided, lowest first, where that is not the classes: the names of the D rows
        of the cost matrix.
    review : float, optional
        Adds a decision between any two neighbouring classes, named ``"a or b"``, which hands the
        row over for review at this cost. Decisions are then text.
    review_share : float from 0 to 1, optional
        Instead of the cost of a review, the largest share of the rows to hand over: reviews have
        the least cost at which the optimum reviews no more rows than that.
    costs : array-like of shape (n_samples, D), optional
        What each decision costs each row, instead of ``labels`` and ``objective``.
    constraints : sequence of constraints or str, optional
        What must hold: limits on what is decided, such as :class:`ordcut.Recall` or
        ``"share hire <= 0.1"``, or on thresholds, such as :class:`ordcut.Digits`. The result is the
        best of all thresholds that keep them.
    groups : array-like of shape (n_samples,), optional
        The group of each row, for constraints on a group, such as
        ``"recall urgent >= 0.9 where F"``.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts. A weight of 2 equals the row twice, a weight of 0 no row.
    weight_type : {"repeats", "importance"}, optional
        What weights are, where the number of rows matters: in smoothing, in the intervals of
        ``bootstrap`` and for constraints with a confidence. ``"repeats"``: whole numbers, how
        often each row occurs, as in a table of counts; their sum is the number of rows.
        ``"importance"``: how much each row matters, up to a common factor; rows count as
        ``(sum of w) ** 2 / (sum of w ** 2)``. By default, whole weights are repeats, with a
        warning if their mean is above 10, and others are importance.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each class count in the objective; ``"balanced"`` gives every class
        the same weight. Constraints are about the rows as they are.
    class_shares : dict or array-like of shape (n_classes,), optional
        The share of each class in the population, where the rows at hand were sampled by class.
        Thresholds, ``value`` and constraints are then for the population. Unlike ``class_weight``,
        it counts in constraints, too.
    smoothing : float from 0 to 1, "auto" or "bagging", optional
        The share of each label that a model gives, by default 0, or ``"auto"`` for a panel. 0 is
        the optimum for the labels as observed, which overfits where rows are few. Above 0,
        thresholds are optimal for a blend of observed labels, ``1 - smoothing``, and class
        probabilities given the score, ``smoothing``. These are from an ordinal logistic model from
        which each threshold departs as smoothly as the data call for; ``value`` is still that on
        the observed labels. With ``"auto"``, the model counts as much as 4000 rows: the amount is
        4000 / (4000 + n), or 0 for more than 36 000 rows. Smoothing costs a sort of the scores, and
        memory for the rows once more and up to 512 K rows of the model. ``"bagging"`` needs no
        model: thresholds are the mean of the optimal thresholds of 40 bootstrap samples, drawn with
        a fixed seed from 256 groups of neighbouring scores or more.
    method : {"auto", "dp", "io", "pio", "blocks", "nested", "zero_one", "pruned"}
        The paper's algorithms 2 (``"dp"``), 3 (``"io"``, and ``"pio"`` in threads that share the
        thresholds) and 4 (``"blocks"``, in threads that share the rows, which gain more than
        ``"pio"`` if classes are few); ``"nested"`` for convex objectives; ``"zero_one"`` where all
        errors of a row cost the same; or ``"pruned"``, which counts rows by cells and sorts few of
        them. ``"auto"`` takes the fastest that is sure to be optimal.
    n_jobs : int, optional
        The number of threads, -1 for all cores. By default 1, or all cores for the methods
        ``"pio"`` and ``"blocks"``.
    block_size : int, optional
        The number of rows of a block of ``"blocks"``; by default there is a block for each thread.

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
    >>> result = optimal_thresholds([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 2])
    >>> result.thresholds
    array([0.45, 0.7 ])
    >>> result.certificate
    'convex objective (Theorem 2)'

    Smoothed, the threshold is between the classes as a whole, and not where two rows happen to be
    in the other order:

    >>> scores, labels = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 1, 0, 0, 1, 1, 1]
    >>> optimal_thresholds(scores, labels).thresholds
    array([5.5])
    >>> optimal_thresholds(scores, labels, smoothing=1).thresholds
    array([4.5])
    """
    source = labels if isinstance(labels, LabelSource) else None
    if smoothing is None:
        by_default: Smoothing = 0.0 if source is None else source.default_smoothing
        smoothing = by_default if review_share is None else 0.0
    parsed = read_constraints(constraints) if constraints else ()
    resolved: Objective
    if costs is not None:
        reviews = review if review_share is None else review_share
        check_alone(labels, objective, classes, reviews, class_weight, class_shares, smoothing)
        rows, resolved = read_costs(scores, costs, decisions, sample_weight, weight_type)
    elif labels is None:
        raise TypeError("labels must be given, or else costs of each row and decision.")
    else:
        rows = Rows.read(
            scores,
            labels,
            classes=classes,
            n_classes=n_classes_of(objective, decisions is not None),
            weights=sample_weight,
            weight_type=weight_type,
        )
        resolved = resolve_objective(objective, rows.classes, decisions)
        if review is not None or review_share is not None:
            resolved = with_reviews(resolved, review, review_share, rows.classes)
    plan = Plan(method, n_jobs, block_size)
    if class_weight is not None or class_shares is not None:
        resolved = resolved.weighted(class_weight, rows.classes, class_shares)
    has_classes = costs is None and source is None
    known = None if groups is None else read_groups(groups, scores, parsed, has_classes=has_classes)
    limits = limits_for(parsed, resolved, rows.classes, known) if parsed else None
    problem = Problem(Sample(rows), resolved, limits, plan)
    if known is not None:
        problem = problem.in_groups(known, sample_weight)
    if smoothing != 0 or isinstance(smoothing, bool):
        problem = smoothed_problem(problem, smoothing)
    result = optimum(problem)
    return result if source is None else replace(result, dropped=source.n_unrated)
