"""Boosted trees with the ordinal objective, as a classifier with probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from ordcut._core.typing import Array, ArrayLike, Floats
from ordcut.estimators.base import check_given, read_targets
from ordcut.estimators.inner import as_rows, copy_features, copy_tags, fit_encoded, link_of
from ordcut.estimators.rounds import library_of

#: LightGBM leaves out features in advance that cannot split the rows, unless there are few rows.
FEW_ROWS = 1000


class CumulativeLinkClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Boosted trees with the ordinal objective, as a classifier with probabilities.

    The raw score of the trees has no fixed scale: it grows with each round. After training, the
    biases of the link are fitted again, to the scores of the rounds that are kept, so that
    probabilities have the same meaning however many rounds were trained.

    Parameters
    ----------
    estimator : estimator
        A regressor of LightGBM or XGBoost with the objective
        :class:`~ordcut.boosting.CumulativeLink`, or a pipeline that ends with it.
    classes : sequence, default=None
        All classes, lowest first, also if they do not occur.

    Attributes
    ----------
    estimator_ : estimator
        The fitted trees.
    link_ : CumulativeLink
        The link with the biases of the rounds that are kept.
    classes_ : ndarray of shape (n_classes,)
        The ordered classes.
    n_features_in_ : int
        The number of features, if the inner estimator has it.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if the inner estimator has them.

    Examples
    --------
    >>> import numpy as np
    >>> from lightgbm import LGBMRegressor
    >>> from ordcut.boosting import CumulativeLink
    >>> from ordcut.estimators import CumulativeLinkClassifier
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> y = np.repeat(["bad", "fair", "good", "top"], 50)
    >>> trees = LGBMRegressor(objective=CumulativeLink(), n_estimators=20, verbose=-1)
    >>> model = CumulativeLinkClassifier(trees, classes=["bad", "fair", "good", "top"]).fit(X, y)
    >>> model.predict([[0.1], [0.9]]).tolist()
    ['bad', 'top']
    >>> model.predict_proba([[0.1], [0.9]]).shape
    (2, 4)
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
    ) -> CumulativeLinkClassifier:
        """Train the trees, then fit the biases to the scores of the rounds that are kept.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The rows, which are passed to the trees unchanged.
        y : array-like of shape (n_samples,)
            The true classes. Text needs an order, by ``classes`` or as an ordered categorical.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.
        **params : dict
            Passed to the ``fit`` of the trees. Labels of evaluation rows are like ``y``.

        Returns
        -------
        CumulativeLinkClassifier
            The fitted estimator.
        """
        check_given(self, X, y)
        features, labels = as_rows(X), as_rows(y)
        if link_of(self.estimator) is None:
            raise TypeError(
                "estimator must be boosted trees with objective=CumulativeLink(), such as "
                f"LGBMRegressor(objective=CumulativeLink()), got {self.estimator!r}."
            )
        targets = read_targets(
            labels,
            classes=self.classes,
            objective="absolute",
            sample_weight=sample_weight,
            weight_type=None,
            class_weight=None,
        )
        every = np.arange(len(targets.classes))
        trees = for_few_rows(self.estimator) if len(targets.codes) < FEW_ROWS else self.estimator
        self.estimator_ = fit_encoded(trees, features, targets, every, params)
        self.link_ = clone(link_of(self.estimator_))
        self.link_.n_classes = len(targets.classes)
        self.link_.fit(self.estimator_.predict(features), targets.codes, targets.sample_weight)
        self.classes_ = targets.classes
        copy_features(self, self.estimator_)
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        probabilities: Floats = self.link_.probabilities(self.estimator_.predict(X))
        return probabilities

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the most probable class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Values of ``classes_``.
        """
        probabilities = self.predict_proba(X)
        return np.asarray(self.classes_[probabilities.argmax(axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        copy_tags(tags, self.estimator)
        tags.classifier_tags.poor_score = True
        return tags


def for_few_rows(estimator: Any) -> Any:
    """Return trees of LightGBM that keep features which cannot split the rows.

    With few rows, all features can be such, and a custom objective would be an error without any.
    """
    copy = clone(estimator)
    last = copy[-1] if hasattr(copy, "steps") else copy
    if library_of(last) == "lightgbm" and "feature_pre_filter" not in last.get_params():
        last.set_params(feature_pre_filter=False)
    return copy


def as_classifier(estimator: Any, n_classes: int | None = None) -> Any:
    """Return boosted trees with a cumulative link as a classifier, and others as they are.

    With ``n_classes``, the classes are the positions 0..K-1, also of those that do not occur.
    """
    if link_of(estimator) is None:
        return estimator
    return CumulativeLinkClassifier(
        estimator, classes=None if n_classes is None else range(n_classes)
    )
