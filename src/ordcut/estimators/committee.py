"""Two models of ordered classes that are averaged."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone

from ordcut._core.typing import Array, ArrayLike, Floats
from ordcut.estimators.inner import copy_features, copy_tags

#: Trees of fewer rows are trained in one thread: waiting for others takes longer than the work.
FEWEST_ROWS_FOR_THREADS = 10_000


class Committee(BaseEstimator):
    """Two models that are fitted to the same labels, and averaged.

    Parameters
    ----------
    ordered : estimator
        A model that knows the order of the classes.
    unordered : estimator
        A model that does not.
    """

    def __init__(self, ordered: Any, unordered: Any) -> None:
        self.ordered = ordered
        self.unordered = unordered

    def fit(self, X: Any, y: Array, sample_weight: ArrayLike | None = None) -> Self:  # noqa: N803
        """Fit both models."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        models = clone(self.ordered), clone(self.unordered)
        if len(y) < FEWEST_ROWS_FOR_THREADS:
            for model in models:
                in_one_thread(model)
        self.ordered_, self.unordered_ = (model.fit(X, y, **weights) for model in models)
        copy_features(self, self.ordered_)
        return self

    @property
    def members(self) -> tuple[Any, Any]:
        """The two fitted models."""
        return self.ordered_, self.unordered_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        copy_tags(tags, self.unordered)
        return tags


class ClassifierCommittee(ClassifierMixin, Committee):
    """The mean of the probabilities of two classifiers."""

    def fit(self, X: Any, y: Array, sample_weight: ArrayLike | None = None) -> Self:  # noqa: N803
        """Fit both classifiers to positions of classes."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        return super().fit(X, codes, sample_weight)

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the mean of both probabilities of each class."""
        ordered, unordered = self.ordered_.predict_proba(X), self.unordered_.predict_proba(X)
        return np.asarray((ordered + unordered) / 2)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the most probable class."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


class RegressorCommittee(RegressorMixin, Committee):
    """The mean of two scores."""

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """Return the mean of both scores."""
        return np.asarray((self.ordered_.predict(X) + self.unordered_.predict(X)) / 2)


def in_one_thread(estimator: Any) -> None:
    """Let the models of an estimator use one thread, where they have a parameter for it."""
    names = estimator.get_params(deep=True)
    estimator.set_params(**{name: 1 for name in names if name.endswith("n_jobs")})
