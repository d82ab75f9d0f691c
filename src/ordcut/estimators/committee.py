"""Two models of ordered classes whose outputs are averaged."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any, Self

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import validate_data

from ordcut._core.typing import Array, ArrayLike, Floats
from ordcut.estimators.inner import copy_features, copy_tags

#: Characters that LightGBM or XGBoost refuse in the name of a feature.
REFUSED = re.compile(r'[\[\]{}<>",:]')

#: Trees of fewer rows are trained in one thread: waiting for others takes longer than the work.
FEWEST_ROWS_FOR_THREADS = 10_000


class Committee(BaseEstimator, ABC):
    """Two models that are fitted to the same labels, and averaged.

    Parameters
    ----------
    ordered : estimator
        A model that knows the order of the classes.
    unordered : estimator
        A model that does not.
    share : float from 0 to 1, default=0.5
        The weight of the ordered model; the unordered one has the rest.
    """

    def __init__(self, ordered: Any, unordered: Any, share: float = 0.5) -> None:
        self.ordered = ordered
        self.unordered = unordered
        self.share = share

    def fit(self, X: Any, y: Array, sample_weight: ArrayLike | None = None) -> Self:  # noqa: N803
        """Fit both models."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        models = clone(self.ordered), clone(self.unordered)
        if len(y) < FEWEST_ROWS_FOR_THREADS:
            for model in models:
                in_one_thread(model)
        rows = self._rows(X, reset=True)
        self.ordered_, self.unordered_ = (model.fit(rows, y, **weights) for model in models)
        copy_features(self, self.ordered_)
        names = list(getattr(X, "columns", ()))
        if names and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)
        return self

    def _rows(self, features: Any, *, reset: bool) -> Any:
        """Return features as the libraries take them, after the checks of scikit-learn."""
        if hasattr(features, "columns"):
            return with_plain_names(features)
        checked = validate_data(
            self, features, reset=reset, accept_sparse="csr", ensure_all_finite=False
        )
        return sparse.csr_matrix(checked) if sparse.issparse(checked) else checked

    @property
    def members(self) -> tuple[tuple[float, Any], ...]:
        """The two fitted models with their weights."""
        return (self.share, self.ordered_), (1 - self.share, self.unordered_)

    @abstractmethod
    def scores(self, X: Any) -> Floats:  # noqa: N803
        """Return the mean position under each model, (n, 2)."""

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
        rows = self._rows(X, reset=False)
        return np.asarray(sum(share * model.predict_proba(rows) for share, model in self.members))

    def scores(self, X: Any) -> Floats:  # noqa: N803
        """Return the mean position under each model, (n, 2)."""
        rows = self._rows(X, reset=False)
        each = [model.predict_proba(rows) @ self.classes_ for _, model in self.members]
        return np.stack(each, axis=1)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the most probable class."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


class RegressorCommittee(RegressorMixin, Committee):
    """The mean of two scores."""

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """Return the mean of both scores."""
        return np.asarray(self.scores(X) @ [share for share, _ in self.members])

    def scores(self, X: Any) -> Floats:  # noqa: N803
        """Return the score of each model, (n, 2)."""
        rows = self._rows(X, reset=False)
        return np.stack([model.predict(rows) for _, model in self.members], axis=1)


def best_share(scores: Floats, positions: Array, weights: Floats) -> float:
    """Return the weight of the first score in the mean of least squared error.

    Examples
    --------
    >>> best_share(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 2.0]]), np.array([0, 1, 2]), np.ones(3))
    0.666...
    """
    difference = scores[:, 0] - scores[:, 1]
    total = float(weights @ difference**2)
    if total == 0:
        return 0.5
    return float(np.clip(weights @ ((positions - scores[:, 1]) * difference) / total, 0, 1))


def with_plain_names(features: Any) -> Any:
    """Return a dataframe with other column names, if LightGBM or XGBoost refuse the names.

    LightGBM refuses what JSON would escape, such as commas and brackets.
    """
    names = list(getattr(features, "columns", ()))
    if not any(isinstance(name, str) and REFUSED.search(name) for name in names):
        return features
    frame = nw.from_native(features, eager_only=True)
    new = {name: f"f{position}" for position, name in enumerate(names)}
    return frame.rename(new).to_native()


def in_one_thread(estimator: Any) -> None:
    """Let the models of an estimator use one thread, where they have a parameter for it."""
    names = estimator.get_params(deep=True)
    estimator.set_params(**{name: 1 for name in names if name.endswith("n_jobs")})
