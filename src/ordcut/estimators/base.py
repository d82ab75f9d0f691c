"""What the estimators share: targets in, thresholds found, labels out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from ordcut.arrays import Array, ArrayLike, Floats
from ordcut.estimators.labeling import Scored, check_labeling, label
from ordcut.estimators.score_model import ScoreModel
from ordcut.estimators.targets import Targets, read_targets
from ordcut.objectives import ObjectiveLike
from ordcut.smoothing import check_smoothing
from ordcut.thresholds import Thresholds


class OrdinalClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that cuts one-dimensional scores at thresholds.

    A subclass has the parameters ``objective``, ``labeling``, ``smoothing``, ``classes`` and
    ``class_weight``, learns to score in ``fit``, which ends in ``_set_labels``, and scores in
    ``predict_score``.
    """

    objective: Any
    labeling: Any
    smoothing: Any
    classes: Any
    class_weight: Any

    classes_: Array
    thresholds_: Floats
    labeler_: Thresholds
    _model: ScoreModel | None

    def predict_score(self, X: Any) -> Floats:  # noqa: N803
        """Return the one-dimensional score of each row; higher means a higher class."""
        raise NotImplementedError

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the class of each row: the one whose place is the number of thresholds reached.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Values of ``classes_``.
        """
        check_is_fitted(self)
        return self.labeler_.predict(self.predict_score(X))

    def decision_function(self, X: Any) -> Floats:  # noqa: N803
        """Return how far inside each class a score lies: negative outside, largest where predicted.

        This is what scikit-learn expects of a classifier; the scores themselves come from
        ``predict_score``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            For two classes, the score less the threshold.
        """
        check_is_fitted(self)
        return margins(self.predict_score(X), self.thresholds_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # The tag speaks of blobs whose classes have no order along any line.
        tags.classifier_tags.poor_score = True
        return tags

    def _resolved(self) -> tuple[ObjectiveLike, str]:
        """Return the objective and the labeling that the parameters stand for."""
        return self.objective, self.labeling

    def _read_targets(self, y: Any, sample_weight: ArrayLike | None) -> Targets:
        objective, labeling = self._resolved()
        check_labeling(labeling)
        check_smoothing(self.smoothing)
        return read_targets(
            y,
            classes=self.classes,
            objective=objective,
            sample_weight=sample_weight,
            class_weight=self.class_weight,
        )

    def _set_labels(
        self,
        scores: Floats,
        targets: Targets,
        *,
        model: ScoreModel | None = None,
        biases: Floats | None = None,
        rounding: Floats | None = None,
    ) -> None:
        """Find the thresholds on scored rows: the last step of every ``fit``."""
        objective, labeling = self._resolved()
        scored = Scored(scores, targets, objective, model, biases, rounding, self.smoothing)
        if model is None and labeling == "likelihood":
            scored = replace(scored, model=scored.with_model())
        self._model = scored.model
        self.labeler_ = label(scored, labeling)
        self.thresholds_ = self.labeler_.thresholds
        self.classes_ = targets.classes


def _labels_by_likelihood(estimator: OrdinalClassifier) -> bool:
    if estimator.labeling != "likelihood":
        raise AttributeError(
            f"{type(estimator).__name__} has probabilities where it labels by them: "
            'pass labeling="likelihood".'
        )
    return True


class ProbabilitiesOfScores(OrdinalClassifier):
    """A classifier whose probabilities come from its scores, where it labels by likelihood."""

    @available_if(_labels_by_likelihood)
    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probability of each class, by a one-dimensional model of the scores.

        Offered with ``labeling="likelihood"``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        assert self._model is not None
        return self._model.probabilities(np.asarray(self.predict_score(X), dtype=np.float64))


def margins(scores: Floats, thresholds: Floats) -> Floats:
    """Return the signed distance of scores to the inside of each class.

    An infinite threshold has no distance; a smooth stand-in keeps the sign and the order.

    Examples
    --------
    >>> margins(np.array([0.5, 2.0]), np.array([1.0, 4.0]))
    array([[ 0.5, -0.5, -3.5],
           [-1. ,  1. , -2. ]])
    """
    above = np.empty((len(scores), len(thresholds)))
    for k, threshold in enumerate(thresholds):
        if np.isfinite(threshold):
            above[:, k] = scores - threshold
        else:
            above[:, k] = -np.sign(threshold) * np.logaddexp(0.0, -np.sign(threshold) * scores)
    # A score at a threshold belongs to the class above it.
    above[above == 0] = np.finfo(np.float64).tiny
    if len(thresholds) == 1:
        return np.asarray(above[:, 0])
    found = np.full((len(scores), len(thresholds) + 1), np.inf)
    found[:, 1:] = above
    found[:, :-1] = np.minimum(found[:, :-1], -above)
    return found


def read_rows(estimator: Any, features: Any, y: Any) -> tuple[Array, Any]:
    """Return X as numbers, dense or CSR, and y as it came, once both are of one length."""
    if y is None:
        raise needs_y(estimator)
    rows = validate_data(estimator, features, accept_sparse="csr", dtype=np.float64)
    labels = y if hasattr(y, "__len__") else np.asarray(y)
    check_consistent_length(rows, labels)
    return rows, labels


def needs_y(estimator: Any) -> ValueError:
    """Return the error for a fit without labels."""
    return ValueError(
        f"{type(estimator).__name__} requires y to be passed, but the target y is None."
    )


def check_search(alpha: object, tol: object, max_iter: object) -> None:
    """Raise an error unless the penalty and the stopping rule of a search can be used."""
    check_number("alpha", alpha, "a number >= 0", lambda v: v >= 0 and np.isfinite(v), Real)
    check_number("tol", tol, "a number above 0", lambda v: v > 0, Real)
    check_number("max_iter", max_iter, "a whole number >= 1", lambda v: v >= 1, Integral)


def check_number(
    name: str, value: object, must: str, holds: Callable[[Any], bool], kind: type | tuple[type, ...]
) -> None:
    """Raise an error unless a parameter is a number for which something holds.

    Examples
    --------
    >>> check_number("alpha", -1.0, "a number >= 0", lambda v: v >= 0, (int, float))
    Traceback (most recent call last):
    ...
    ValueError: alpha must be a number >= 0, got -1.0.
    """
    if isinstance(value, bool) or not isinstance(value, kind) or not holds(value):
        raise ValueError(f"{name} must be {must}, got {value!r}.")
