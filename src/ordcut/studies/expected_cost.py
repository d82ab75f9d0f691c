"""Decisions of least expected cost, from a probability for each class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ordcut._core.data import ClassWeight, check_classes
from ordcut._core.errors import listed
from ordcut._core.objectives import Additive, Objective, ObjectiveLike, resolve_objective
from ordcut._core.typing import Array, ArrayLike, Floats

#: By how much the probabilities of a row can differ from 1 in sum, as by rounding to two decimals.
TOLERANCE = 0.05


def cost_of(objective: Objective) -> Floats:
    """Return the costs of an objective; raise an error unless it is a cost of each row."""
    if not isinstance(objective, Additive):
        raise ValueError(
            f"least expected cost needs an objective that is a cost of each row, got "
            f"{objective.name!r}, in which the best label of a row depends on all other rows. Use "
            'optimal thresholds (labeling="optimal"), or a cost such as "absolute" or "squared".'
        )
    return objective.cost


def cheapest_codes(probabilities: Floats, cost: Floats) -> Array:
    """Return the position of the decision of least expected cost; of equal ones, the lowest.

    Examples
    --------
    >>> cheapest_codes(np.array([[0.6, 0.4]]), np.array([[0.0, 1.0], [9.0, 0.0]]))
    array([0])
    """
    return np.asarray(np.argmin(probabilities @ cost.T, axis=1))


def expected_cost_labels(
    probabilities: ArrayLike,
    objective: ObjectiveLike = "absolute",
    *,
    classes: Sequence[Any] | Array | None = None,
    class_weight: ClassWeight | None = None,
    class_totals: ArrayLike | None = None,
) -> Array:
    """Return the decision of least expected cost for each row of class probabilities.

    The baseline that optimal thresholds have to beat, for any model with ``predict_proba``: it
    needs no thresholds, and follows the probabilities of each row wherever they lead.

    Parameters
    ----------
    probabilities : array-like of shape (n_samples, n_classes)
        The probability of each class, lowest class first.
    objective : str, array-like of shape (D, K), callable or Objective, default="absolute"
        A loss, as in :func:`ordcut.optimal_thresholds`. Kappas and F1 scores are no costs of rows.
    classes : sequence, default=None
        All classes, lowest first; by default 0..K-1. Losses of numbers depend on their values.
    class_weight : dict or array-like of shape (n_classes,), default=None
        How much the rows of each class count.
    class_totals : array-like of shape (n_classes,), default=None
        The number of training rows of each class, or their share. Needed by objectives in which
        every class counts the same, such as ``"macro_mae"``, and by ``class_weight="balanced"``.

    Returns
    -------
    ndarray of shape (n_samples,)
        Values of ``classes``, or the names of decisions if the objective has them.

    Examples
    --------
    >>> from ordcut import expected_cost_labels
    >>> unsure = [[0.4, 0.25, 0.35]]
    >>> expected_cost_labels(unsure, "zero_one"), expected_cost_labels(unsure, "absolute")
    (array([0]), array([1]))
    >>> expected_cost_labels(unsure, "macro_mae", class_totals=[80, 15, 5])
    array([2])
    """
    table = np.asarray(probabilities)
    _check_probabilities(table)
    names = np.arange(table.shape[1]) if classes is None else check_classes(classes)
    if len(names) != table.shape[1]:
        raise ValueError(
            f"probabilities must have one column per class, {len(names)} ({listed(names)}), got "
            f"{table.shape[1]}."
        )
    resolved = resolve_objective(objective, names).weighted(class_weight, names)
    cost = cost_of(resolved)
    if resolved.weighs_by_totals and class_totals is None:
        raise ValueError(
            f"{resolved.name!r} gives every class the same weight, so it needs class_totals=, the "
            "number of training rows of each class."
        )
    totals = np.ones(len(names)) if class_totals is None else np.asarray(class_totals, np.float64)
    if totals.shape != (len(names),) or not (np.isfinite(totals) & (totals >= 0)).all():
        raise ValueError(
            f"class_totals must be {len(names)} numbers that are not negative, one per class, got "
            f"{class_totals!r}."
        )
    factors = resolved.factors(totals)
    codes = cheapest_codes(table.astype(np.float64), cost if factors is None else cost * factors)
    return np.asarray((names if resolved.decisions is None else resolved.decisions)[codes])


def _check_probabilities(table: Array) -> None:
    if table.ndim != 2 or table.shape[1] < 2 or table.dtype.kind not in "fiu":
        raise ValueError(
            "probabilities must be numbers of shape (n_samples, n_classes), got shape "
            f"{table.shape} and dtype {table.dtype}. Of two classes, pass both columns of "
            "predict_proba."
        )
    sums = table.sum(axis=1)
    wrong = ~(np.abs(sums - 1) <= TOLERANCE) | ~(table >= 0).all(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            "probabilities must not be negative and add up to 1 in each row, got "
            f"{table[row].tolist()} in row {row}."
        )
