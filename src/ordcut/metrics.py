"""Judge predictions by the same objectives that thresholds are found for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ordcut.data import (
    ClassWeight,
    check_weights,
    class_factors,
    codes_of,
    count_confusion,
    encode,
)
from ordcut.objectives import ObjectiveLike, n_classes_of, resolve_objective
from ordcut.typing import Array, ArrayLike


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
    factors = class_factors(class_weight, truth.classes, confusion.sum(axis=0))
    return resolve_objective(objective, k).value(confusion * factors)


def _all_classes(labels: ArrayLike, predictions: ArrayLike) -> Array | None:
    """Return the numbers that occur in either; None where the labels state classes of their own."""
    true, predicted = np.asarray(labels), np.asarray(predictions)
    if true.ndim != 1 or true.dtype.kind not in "iuf" or predicted.dtype.kind not in "iuf":
        return None
    both = np.union1d(true, predicted)
    return both if len(both) > 1 and np.isfinite(both).all() else None
