"""Judge predictions, and given thresholds, by the objectives of thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ordcut._core.data import (
    ClassWeight,
    Rows,
    check_aligned,
    check_not_continuous,
    check_weights,
    codes_of,
    count_confusion,
    encode,
)
from ordcut._core.objectives import ObjectiveLike, n_classes_of, resolve_objective
from ordcut._core.problem import Problem, Sample
from ordcut._core.protocols import LabelSource
from ordcut._core.solve import result_at
from ordcut._core.thresholds import UNKNOWN, Thresholds, objective_for
from ordcut._core.typing import Array, ArrayLike

#: What to do about scores among the arguments of ``evaluate``.
ORDER = (
    "The true classes come first, then the predicted ones: evaluate(labels, "
    "thresholds.predict(scores)). To judge thresholds, use ordcut.judge(thresholds, scores, "
    "labels)."
)


def evaluate(
    labels: ArrayLike,
    predictions: ArrayLike,
    objective: ObjectiveLike = "absolute",
    *,
    classes: Sequence[Any] | Array | None = None,
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
) -> float:
    """Return the mean loss of predictions, or their kappa.

    Parameters
    ----------
    labels : array-like of shape (n_samples,) or (n_samples, n_classes)
        The true classes, or soft labels: a weight for each class.
    predictions : array-like of shape (n_samples,)
        The predicted classes.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective
        What to judge by, as in :func:`ordcut.optimal_thresholds`.
    classes : sequence, optional
        All classes, lowest first. By default those that occur in ``labels`` or ``predictions``.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each true class count.

    Returns
    -------
    float
        The (weighted) mean loss; for a kappa, the kappa.

    Examples
    --------
    >>> evaluate([0, 1, 2, 2], [0, 1, 1, 2])
    0.25
    >>> evaluate([0, 1, 2, 2], [0, 1, 1, 2], "quadratic_kappa")
    0.8
    """
    _check_order(labels, predictions, classes)
    check_aligned(labels=labels, predictions=predictions, sample_weight=sample_weight)
    n_classes = n_classes_of(objective)
    if classes is None and n_classes is None:
        classes = _all_classes(labels, predictions)
    truth = encode(labels, classes, n_classes)
    k = len(truth.classes)
    predicted = codes_of(predictions, truth.classes, "predictions")
    each = truth.codes if truth.soft is None else truth.soft
    assert each is not None
    if len(predicted) != len(each):
        raise ValueError(
            "labels and predictions must have the same length, "
            f"got {len(each)} labels and {len(predicted)} predictions."
        )
    weights = check_weights(sample_weight, len(predicted))
    confusion = count_confusion(predicted, k, codes=truth.codes, soft=truth.soft, weights=weights)
    resolved = resolve_objective(objective, truth.classes)
    return resolved.weighted(class_weight, truth.classes).value(confusion)


def judge(
    thresholds: Thresholds,
    scores: ArrayLike,
    labels: ArrayLike,
    objective: ObjectiveLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
) -> Thresholds:
    """Return thresholds with the value that they reach on scores and labels.

    Parameters
    ----------
    thresholds : Thresholds
        An earlier result, or your own values as :meth:`ordcut.Thresholds.from_values`.
    scores : array-like of shape (n_samples,)
        Finite scores.
    labels : array-like of shape (n_samples,) or (n_samples, n_classes)
        The true classes, or soft labels.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, optional
        What to judge by; by default the objective of the thresholds, or else the absolute loss.
    sample_weight, class_weight
        As in :func:`evaluate`.

    Returns
    -------
    Thresholds
        The thresholds with their ``value`` and ``ranges`` on these rows; ``method`` is ``"given"``.

    Examples
    --------
    >>> import ordcut
    >>> mine = ordcut.Thresholds.from_values([1.5, 2.5], classes=[1, 2, 3])
    >>> ordcut.judge(mine, [1.0, 1.7, 2.0, 4.0], [1, 1, 2, 3]).value
    0.25
    """
    if not isinstance(thresholds, Thresholds):
        raise TypeError(
            f"thresholds must be a Thresholds, got {type(thresholds).__name__}. They come first: "
            "judge(thresholds, scores, labels). Make one of your own values with "
            "ordcut.Thresholds.from_values(values, classes=...)."
        )
    rows = Rows.read(scores, labels, classes=thresholds.classes, weights=sample_weight)
    if objective is None and thresholds.origin is None and thresholds.objective == UNKNOWN:
        objective = "absolute"
    resolved = objective_for(thresholds, objective, rows.classes)
    weighted = resolved.weighted(class_weight, rows.classes)
    return result_at(Problem(Sample(rows), weighted), thresholds.thresholds)


def _check_order(labels: Any, predictions: Any, classes: Any) -> None:
    """Raise an error for arguments in the order of another function, or for scores among them."""
    if isinstance(labels, Thresholds):
        raise TypeError(
            "labels must hold the true classes, got thresholds. To judge thresholds, use "
            "ordcut.judge(thresholds, scores, labels)."
        )
    is_panel = isinstance(predictions, LabelSource)
    if is_panel or (
        np.ndim(predictions) == 2 and np.ndim(labels) == 1 and np.shape(predictions)[1] > 1
    ):
        got = f"a {type(predictions).__name__}" if is_panel else "a table"
        raise ValueError(
            f"predictions must hold one class per row, got {got}. If labels and predictions are "
            "swapped, exchange them: evaluate(labels, predictions)."
        )
    if isinstance(labels, LabelSource) or classes is not None:
        return
    for argument, values in {
        "predictions": np.asarray(predictions),
        "labels": np.asarray(labels),
    }.items():
        if values.ndim == 1 and values.dtype.kind in "iuf":
            check_not_continuous(np.unique(values), len(values), argument, remedy=ORDER)


def _all_classes(labels: ArrayLike, predictions: ArrayLike) -> Array | None:
    """Return the numbers that occur in either; None where the labels state classes of their own."""
    if isinstance(labels, LabelSource):
        return None
    true, predicted = np.asarray(labels), np.asarray(predictions)
    if true.ndim != 1 or true.dtype.kind not in "iuf" or predicted.dtype.kind not in "iuf":
        return None
    both = np.union1d(true, predicted)
    return both if len(both) > 1 and np.isfinite(both).all() else None
