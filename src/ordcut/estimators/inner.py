"""What an estimator learns about, and from, the estimator inside."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from ordcut._core.data import codes_of
from ordcut._core.typing import Array
from ordcut.estimators.base import Targets
from ordcut.estimators.cross_validation import encode_evaluation_labels


def link_of(estimator: Any) -> Any:
    """Return the cumulative link that boosted trees are trained with; None for other models."""
    last = estimator[-1] if hasattr(estimator, "steps") else estimator
    objective = getattr(last, "objective", None)
    has_link = hasattr(objective, "link") and hasattr(objective, "probabilities")
    return objective if has_link else None


def fit_encoded(
    estimator: Any, features: Any, targets: Targets, known: Array, params: dict[str, Any]
) -> Any:
    """Return a clone of an estimator, fitted to positions among the classes ``known``.

    Labels of evaluation rows in ``params`` become such positions, too.
    """

    def encode(labels: Any, name: str) -> Array:
        codes = codes_of(labels, targets.classes[known], name)
        return np.asarray(codes, dtype=np.intp)

    params = {name: encode_evaluation_labels(name, value, encode) for name, value in params.items()}
    if targets.sample_weight is not None:
        params["sample_weight"] = targets.sample_weight
    return clone(estimator).fit(features, np.searchsorted(known, targets.codes), **params)


def as_rows(values: Any) -> Any:
    """Return features or labels as they are, if they have a length, and otherwise as an array."""
    return values if hasattr(values, "__len__") or hasattr(values, "shape") else np.asarray(values)


def copy_features(outer: Any, inner: Any) -> None:
    """Copy the number and the names of features from an inner estimator."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(inner, name):
            setattr(outer, name, getattr(inner, name))


def copy_tags(tags: Any, inner: Any) -> None:
    """Copy the tags about features from the inner estimator."""
    given, taken = get_tags(inner).input_tags, tags.input_tags
    taken.sparse, taken.allow_nan = given.sparse, given.allow_nan
    taken.string, taken.categorical = given.string, given.categorical
