"""What an estimator learns from: codes of ordered classes, and how much each row counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ordcut.arrays import Array, ArrayLike, Floats
from ordcut.checks import ClassWeight, check_weights, class_factors
from ordcut.labels import encode
from ordcut.objectives import ObjectiveLike, n_classes_of


@dataclass(frozen=True)
class Targets:
    """Labels as codes into the ordered classes, with row weights and class factors."""

    classes: Array
    codes: Array
    sample_weight: Floats | None
    factors: Floats

    @property
    def n_classes(self) -> int:
        """The number of classes, K, those that do not occur included."""
        return len(self.classes)

    @cached_property
    def weights(self) -> Floats:
        """How much each row counts, its class taken into account."""
        rows = np.ones(len(self.codes)) if self.sample_weight is None else self.sample_weight
        return rows if (self.factors == 1).all() else rows * self.factors[self.codes]

    @cached_property
    def occurring(self) -> Array:
        """The codes of the classes that carry any weight, in order."""
        return np.flatnonzero(np.bincount(self.codes, self.weights, minlength=self.n_classes))

    def take(self, rows: Array) -> Targets:
        """Return the targets of some rows; classes and factors stay what they are."""
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        return Targets(self.classes, self.codes[rows], weights, self.factors)


def read_targets(
    y: Any,
    *,
    classes: Sequence[Any] | Array | None,
    objective: ObjectiveLike,
    sample_weight: ArrayLike | None,
    class_weight: ClassWeight | None,
) -> Targets:
    """Read what ``fit`` was given; every error says what to do about it."""
    if np.ndim(y) == 2:
        y = column_or_1d(y, warn=True)
    if classes is None and not _states_its_order(y):
        check_classification_targets(np.asarray(y))
        _check_two_classes(y)
    found = encode(y, classes, n_classes_of(objective))
    assert found.codes is not None
    weights = _check_sample_weight(sample_weight, len(found.codes))
    codes = found.codes.astype(np.intp, copy=False)
    totals = np.bincount(codes, weights, minlength=len(found.classes)).astype(np.float64)
    factors = class_factors(class_weight, found.classes, totals)
    if isinstance(class_weight, str):
        # As in scikit-learn, balanced weights leave the weight of all rows together as it is.
        factors = factors * (totals.sum() / (factors @ totals))
    return Targets(found.classes, codes, weights, factors)


def _check_sample_weight(sample_weight: ArrayLike | None, n_rows: int) -> Floats | None:
    if sample_weight is not None and not np.any(np.asarray(sample_weight)):
        raise ValueError("sample_weight must hold a weight other than zero, got only zeros.")
    weights = check_weights(sample_weight, n_rows)
    return None if weights is None else weights.astype(np.float64, copy=False)


def _states_its_order(y: Any) -> bool:
    return not isinstance(y, np.ndarray | list | tuple) and (
        bool(getattr(getattr(y, "dtype", None), "ordered", False))
        or type(getattr(y, "dtype", None)).__name__ == "Enum"
    )


def _check_two_classes(y: Any) -> None:
    values = np.asarray(y)
    if len(values) and (values == values[0]).all():
        raise ValueError(
            f"y must hold at least two classes, got only one class: {values.tolist()[0]!r}. "
            "If other classes exist but do not occur, list them all in classes=."
        )
