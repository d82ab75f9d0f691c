"""Any regressor or classifier, cut by thresholds that are found on rows it has not seen."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ordcut.arrays import Array, ArrayLike, Floats
from ordcut.errors import unknown_name
from ordcut.estimators.base import ProbabilitiesOfScores, needs_y
from ordcut.estimators.folds import read_cv, take_rows
from ordcut.estimators.responses import RESPONSES, Response, choose_response
from ordcut.estimators.routing import Routed, route
from ordcut.estimators.targets import Targets
from ordcut.objectives import ObjectiveLike
from ordcut.smoothing import Smoothing


class OrdinalThresholdClassifierCV(MetaEstimatorMixin, ProbabilitiesOfScores):
    """Turn any regressor or classifier into an ordinal classifier for your own loss.

    The inner estimator learns the places 0..K-1 of the ordered classes. Thresholds are found on
    scores of rows that it had not seen, so that they do not inherit its optimism.

    Parameters
    ----------
    estimator : estimator
        A regressor, or a classifier whose class probabilities are averaged to a score.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, default="absolute"
        What labels are judged by, as in :func:`ordcut.optimal_thresholds`.
    labeling : {"optimal", "biases", "likelihood", "round"}, default="optimal"
        How scores become labels: by the thresholds that are optimal for the objective; by the
        biases, or by the least expected cost, of a one-dimensional ordinal logistic model of the
        labels given the scores; or by rounding.
    smoothing : float from 0 to 1 or "auto", default="auto"
        How much optimal thresholds leave to a model of the labels given the scores, as in
        :func:`ordcut.optimal_thresholds`: 0 is the optimum for the rows seen, ``"auto"`` does
        better on new ones.
    cv : int, float, splitter, iterable or "prefit", default=5
        A number of stratified folds, the share of a stratified hold-out, or anything that
        scikit-learn takes. ``"prefit"`` takes the estimator as it is, and finds thresholds on all
        rows given.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}, default="auto"
        Where scores come from. ``"auto"`` is ``"predict"`` for a regressor; for a classifier it
        is ``"predict_proba"`` if there is one, else ``"decision_function"``, whose softmax then
        stands in for probabilities if there are more than two classes.
    refit : bool, default=True
        Whether to fit the estimator on all rows in the end. False needs a single split, and keeps
        the estimator that was fitted on its training rows.
    class_weight : "balanced", dict or array-like of shape (n_classes,), default=None
        How much the rows of each class count for the thresholds. The inner estimator has weights
        of its own.
    classes : sequence, default=None
        All classes, lowest first, those that do not occur included.
    n_jobs : int, default=None
        How many folds are fitted at once.
    random_state : int, RandomState instance or None, default=None
        The choice of rows for a hold-out.
    store_cv_results : bool, default=False
        Whether to keep the scores that the thresholds were found on, as ``cv_results_``.

    Attributes
    ----------
    estimator_ : estimator
        The fitted inner estimator.
    thresholds_ : ndarray of shape (n_classes - 1,)
        Where scores are cut.
    labeler_ : Thresholds
        The thresholds with their value on rows not seen, and why they were chosen.
    classes_ : ndarray of shape (n_classes,)
        The ordered classes.
    cv_results_ : dict of str to ndarray
        ``rows``, ``scores`` and ``labels`` of the rows scored, if ``store_cv_results``.
    n_features_in_ : int
        The number of features, if the inner estimator knows it.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if the inner estimator knows them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from ordcut.estimators import OrdinalThresholdClassifierCV
    >>> X = np.linspace(0, 1, 40)[:, None]
    >>> y = np.repeat([1, 2, 3, 4], 10)
    >>> model = OrdinalThresholdClassifierCV(Ridge(), objective="quadratic_kappa").fit(X, y)
    >>> model.predict([[0.0], [0.4], [1.0]])
    array([1, 2, 4])
    """

    def __init__(
        self,
        estimator: Any,
        *,
        objective: ObjectiveLike = "absolute",
        labeling: str = "optimal",
        smoothing: Smoothing = "auto",
        cv: Any = 5,
        response_method: str = "auto",
        refit: bool = True,
        class_weight: Any = None,
        classes: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        store_cv_results: bool = False,
    ) -> None:
        self.estimator = estimator
        self.objective = objective
        self.labeling = labeling
        self.smoothing = smoothing
        self.cv = cv
        self.response_method = response_method
        self.refit = refit
        self.class_weight = class_weight
        self.classes = classes
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.store_cv_results = store_cv_results

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: ArrayLike | None = None,
        **params: Any,
    ) -> OrdinalThresholdClassifierCV:
        """Score rows by models that have not seen them, then find the thresholds.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The rows, which go to the inner estimator as they are.
        y : array-like of shape (n_samples,)
            The true classes. Text without an order given by ``classes`` or an ordered categorical
            is taken in alphabetical order, with a warning.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts, for the inner estimator and for the thresholds.
        **params : dict
            ``groups`` for the splitter; anything else goes to the ``fit`` of the inner estimator.
            With metadata routing on, whatever was requested goes where it was requested.

        Returns
        -------
        OrdinalThresholdClassifierCV
            The fitted estimator.
        """
        if self.response_method != "auto" and self.response_method not in RESPONSES:
            raise unknown_name("response_method", self.response_method, ["auto", *RESPONSES])
        if y is None:
            raise needs_y(self)
        features = X if hasattr(X, "__len__") or hasattr(X, "shape") else np.asarray(X)
        labels = y if hasattr(y, "__len__") else np.asarray(y)
        check_consistent_length(features, labels)
        targets = self._read_targets(labels, sample_weight)
        if isinstance(self.cv, str):
            rows, scores = np.arange(len(targets.codes)), self._score_prefit(features, targets)
        else:
            routed = route(self, sample_weight, targets, params)
            rows, scores = self._cross_fit(features, targets, routed)
        found_on = targets.take(rows)
        self._set_labels(scores, found_on, rounding=self._rounding(targets))
        if self.store_cv_results:
            known = targets.classes[found_on.codes]
            self.cv_results_ = {"rows": rows, "scores": scores, "labels": known}
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def _score_prefit(self, features: Any, targets: Targets) -> Floats:
        if self.cv != "prefit":
            raise unknown_name("cv", self.cv, ["prefit"])
        check_is_fitted(self.estimator)
        self.estimator_ = self.estimator
        self._response = choose_response(self.estimator, self.response_method)
        self._code_of = _codes_of_labels(self.estimator, targets.classes)
        return self._response.scores(self.estimator_, features, self._code_of)

    def _cross_fit(self, features: Any, targets: Targets, routed: Routed) -> tuple[Array, Floats]:
        """Return the rows that were held out, and their scores."""
        self._response = choose_response(self.estimator, self.response_method)
        self._code_of = np.flatnonzero(np.bincount(targets.codes))
        # A classifier sees classes without gaps; a regressor sees places on the whole scale.
        inner_y = (
            np.searchsorted(self._code_of, targets.codes)
            if self._response.needs_classifier
            else targets.codes.astype(np.float64)
        )
        splitter, strata = read_cv(self.cv, targets.codes, self.random_state)
        splits = list(splitter.split(features, strata, **routed.split))
        if not self.refit and len(splits) != 1:
            raise ValueError(
                f"refit=False needs a single split, of which to keep the estimator; got "
                f"{len(splits)}. Pass a share such as cv=0.2, or refit=True."
            )
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_and_score)(
                clone(self.estimator), features, inner_y, train, test, routed.fit,
                self._response, self._code_of,
            )
            for train, test in splits
        )  # fmt: skip
        if self.refit:
            self.estimator_ = clone(self.estimator).fit(features, inner_y, **routed.fit)
        else:
            self.estimator_ = fitted[0][0]
        rows = np.concatenate([np.asarray(test) for _, test in splits])
        return rows, np.concatenate([scores for _, scores in fitted])

    def _rounding(self, targets: Targets) -> Floats:
        """Return where scores round up: halfway between places, or between numeric labels."""
        labels = targets.classes
        is_prefit = isinstance(self.cv, str)
        if is_prefit and not self._response.needs_classifier and labels.dtype.kind in "biuf":
            return np.asarray(labels[:-1] / 2 + labels[1:] / 2, dtype=np.float64)
        return np.arange(0.5, targets.n_classes - 1)

    def predict_score(self, X: Any) -> Floats:  # noqa: N803
        """Return the scores of the inner estimator, which the thresholds cut.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Higher means a higher class.
        """
        check_is_fitted(self)
        return self._response.scores(self.estimator_, X, self._code_of)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where metadata go: to this estimator, to the inner one and to the splitter."""
        router = MetadataRouter(owner=self).add_self_request(self)
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router.add(estimator=self.estimator, method_mapping=to_fit)
        if not isinstance(self.cv, str):
            is_number = self.cv is None or isinstance(self.cv, float | Integral)
            splitter, _ = read_cv(5 if is_number else self.cv, np.arange(10) % 2, None)
            to_split = MethodMapping().add(caller="fit", callee="split")
            router.add(splitter=splitter, method_mapping=to_split)
        return router

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        tags.input_tags.string, tags.input_tags.categorical = inner.string, inner.categorical
        return tags


def _fit_and_score(
    estimator: Any,
    features: Any,
    y: Array,
    train: Array,
    test: Array,
    fit_params: dict[str, Any],
    response: Response,
    code_of: Array,
) -> tuple[Any, Floats]:
    n = len(y)
    params = {
        name: take_rows(value, train) if hasattr(value, "__len__") and len(value) == n else value
        for name, value in fit_params.items()
    }
    estimator.fit(take_rows(features, train), y[train], **params)
    return estimator, response.scores(estimator, take_rows(features, test), code_of)


def _codes_of_labels(estimator: Any, classes: Array) -> Array:
    """Return the places of the classes that a fitted classifier knows by their labels."""
    known = getattr(estimator, "classes_", None)
    if known is None:
        return np.arange(len(classes))
    places = {value: place for place, value in enumerate(classes.tolist())}
    unknown = [value for value in np.asarray(known).tolist() if value not in places]
    if unknown:
        raise ValueError(
            f"the classes of a fitted estimator must be among {classes.tolist()}, "
            f"got {unknown[0]!r}. List all classes in classes=, lowest first."
        )
    return np.array([places[value] for value in np.asarray(known).tolist()])
