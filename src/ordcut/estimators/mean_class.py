"""The mean class of a classifier, as a regressor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ordcut._core.typing import Array, ArrayLike, Floats
from ordcut.estimators.base import check_given, read_targets
from ordcut.estimators.inner import as_rows, copy_features, copy_tags, fit_encoded
from ordcut.estimators.link_classifier import as_classifier


class MeanClassRegressor(MetaEstimatorMixin, RegressorMixin, BaseEstimator):
    """The mean class under the probabilities of a classifier, as a regressor.

    It is a score for ordered classes like any other, so that scikit-learn's ``VotingRegressor``
    averages it with others, and :class:`OrdinalThresholdClassifierCV` cuts it.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``predict_proba``, or boosted trees with the objective
        :class:`~ordcut.boosting.CumulativeLink`, which become a
        :class:`CumulativeLinkClassifier`.
    classes : sequence, default=None
        All classes, lowest first. Text needs an order, by this or as an ordered categorical.

    Attributes
    ----------
    estimator_ : estimator
        The fitted classifier, whose classes are the positions of the classes that occur.
    classes_ : ndarray of shape (n_classes,)
        The ordered classes.
    n_features_in_ : int
        The number of features, if the inner estimator has it.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if the inner estimator has them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import VotingRegressor
    >>> from sklearn.linear_model import LogisticRegression, Ridge
    >>> from ordcut.estimators import MeanClassRegressor, OrdinalThresholdClassifierCV
    >>> X, y = np.linspace(0, 1, 40)[:, None], np.repeat([1, 2, 3, 5], 10)
    >>> MeanClassRegressor(LogisticRegression()).fit(X, y).predict([[0.0], [1.0]]).round(1)
    array([1.8, 3.8])
    >>> both = VotingRegressor(
    ...     [("line", Ridge()), ("mean", MeanClassRegressor(LogisticRegression()))]
    ... )
    >>> OrdinalThresholdClassifierCV(both).fit(X, y).predict([[0.0], [1.0]])
    array([1, 5])
    """

    def __init__(self, estimator: Any, *, classes: Sequence[Any] | Array | None = None) -> None:
        self.estimator = estimator
        self.classes = classes

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: ArrayLike | None = None,
        **params: Any,
    ) -> MeanClassRegressor:
        """Fit the classifier.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The rows, which are passed to the classifier unchanged.
        y : array-like of shape (n_samples,)
            The true classes, also as whole numbers in floats.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.
        **params : dict
            Passed to the ``fit`` of the classifier. Labels of evaluation rows are like ``y``.

        Returns
        -------
        MeanClassRegressor
            The fitted estimator.
        """
        check_given(self, X, y)
        features, labels = as_rows(X), as_rows(y)
        targets = read_targets(
            labels,
            classes=self.classes,
            objective="absolute",
            sample_weight=sample_weight,
            weight_type=None,
            class_weight=None,
        )
        inner = as_classifier(self.estimator)
        if not hasattr(inner, "predict_proba"):
            raise TypeError(
                "estimator must be a classifier with predict_proba, or boosted trees with "
                f"objective=CumulativeLink(), got {self.estimator!r}."
            )
        occurring = np.flatnonzero(np.bincount(targets.codes))
        self.estimator_ = fit_encoded(inner, features, targets, occurring, params)
        self.classes_ = targets.classes
        has_numbers = targets.classes.dtype.kind in "biuf"
        values = targets.classes if has_numbers else np.arange(len(targets.classes))
        self._values = values[occurring].astype(np.float64)
        copy_features(self, self.estimator_)
        return self

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """Return the mean class of each row, or the mean position if classes are no numbers.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Between the lowest and the highest class.
        """
        check_is_fitted(self)
        probabilities = np.asarray(self.estimator_.predict_proba(X))
        mean: Floats = probabilities @ self._values
        return mean

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        copy_tags(tags, self.estimator)
        tags.regressor_tags.poor_score = True
        return tags
