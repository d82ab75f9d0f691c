"""Any regressor or classifier, with thresholds for out-of-fold scores."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import sklearn
from sklearn.base import MetaEstimatorMixin
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_consistent_length, check_is_fitted, has_fit_parameter

from ordcut._core.data import check_not_masked, codes_of
from ordcut._core.errors import unknown_name
from ordcut._core.limits import Constraints, refuse_confidence
from ordcut._core.objectives import ObjectiveLike
from ordcut._core.smoothing import Smoothing
from ordcut._core.typing import Array, ArrayLike, Floats
from ordcut.estimators.base import SEEN, OrdinalClassifier, Targets, check_given
from ordcut.estimators.calibration import Calibration
from ordcut.estimators.cross_validation import (
    RESPONSES,
    ROW_PARAMETERS,
    Fitted,
    Response,
    Splits,
    choose_response,
    encode_evaluation_labels,
    fit_on_splits,
    is_per_row,
    plain_name,
    read_cv,
    scores_of,
)
from ordcut.estimators.inner import as_rows, copy_features, copy_tags, link_of
from ordcut.estimators.link_classifier import as_classifier
from ordcut.estimators.rounds import median_rounds, with_rounds
from ordcut.studies.labelings import EXPECTED_COST, rounding_thresholds

#: What to do about a splitter that got no groups.
NEEDS_GROUPS = (
    "cv={splitter} needs the group of each row: pass fit(X, y, groups=groups). Tools such as "
    "GridSearchCV and cross_validate pass groups on only with metadata routing: call "
    "sklearn.set_config(enable_metadata_routing=True), and pass "
    "GridSearchCV(...).fit(X, y, groups=groups) or "
    'cross_validate(..., params={{"groups": groups}}).'
)


class OrdinalThresholdClassifierCV(MetaEstimatorMixin, OrdinalClassifier):
    """Turn any regressor or classifier into an ordinal classifier for a given objective.

    The inner estimator is fitted to the positions 0..K-1 of the ordered classes. Thresholds are
    found on cross-validated scores, since scores of training rows are optimistic.

    Parameters
    ----------
    estimator : estimator
        A regressor, or a classifier whose class probabilities are averaged to a score.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, default="absolute"
        The objective, as in :func:`ordcut.optimal_thresholds`.
    labeling : {"optimal", "biases", "likelihood", "rounding", "expected_cost"}, default="optimal"
        How scores become labels: by the thresholds that are optimal for the objective; by the
        biases, or by the least expected cost (the best expected kappa), of a
        proportional odds model of the labels given the scores; by rounding; or without
        thresholds, by the least expected cost under the calibrated probabilities of a classifier.
    smoothing : float from 0 to 1, "auto" or "bagging", default="auto"
        The amount of smoothing by a model of the labels given the scores, as in
        :func:`ordcut.optimal_thresholds`: 0 is the optimum for the scored rows, ``"auto"``
        generalises better.
    constraints : sequence of constraints or str, default=None
        Constraints on the cross-validated scores, as in :func:`ordcut.optimal_thresholds`, such as
        ``["recall urgent >= 0.95"]``. Needs ``labeling="optimal"``. On new rows, constraints that
        bind hold only about half of the time. Those with a confidence, such as
        ``["under urgent <= 0.05 with 95 %"]``, hold with that probability; they need
        ``calibration`` or ``cv="prefit"``.
    review : float, default=None
        Adds a decision between any two neighbouring classes, which hands the row over for review
        at this cost, as in :func:`ordcut.optimal_thresholds`. ``decide`` returns these decisions.
        ``predict`` still returns classes: the decision where a row is not reviewed, and the best
        class for the objective where it is.
    review_share : float from 0 to 1, default=None
        Instead of the cost of a review, the largest share of the rows to hand over. Of smoothing,
        it takes only 0 and ``"auto"``, which is then 0 for decisions.
    cv : int, float, splitter, iterable or "prefit", default=5
        A number of stratified folds, the share of a stratified hold-out, or anything that
        scikit-learn accepts as ``cv``. ``"prefit"`` uses an estimator that is already fitted, and
        finds thresholds on all rows passed to ``fit``.
    calibration : float between 0 and 1, default=None
        The share of rows that are held out, stratified by class: the estimator is fitted once, to
        the other rows, and thresholds are found on the held-out rows alone. It replaces ``cv`` and
        ``refit``.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}, default="auto"
        The method that scores rows. ``"auto"`` is ``"predict"`` for a regressor; for a classifier
        it is ``"predict_proba"`` if it exists, else ``"decision_function"``, whose softmax is
        used as probabilities if there are more than two classes.
    refit : bool, default=True
        Whether to fit the estimator on all rows at the end. False keeps the estimators that were
        fitted on the training rows of the splits, and averages their scores. Of folds, this is
        often a little better for new rows and saves the refit, but takes as many times the memory
        and the time of a prediction as there are folds.
    class_weight : "balanced", dict or array-like of shape (n_classes,), default=None
        How much the rows of each class count for the thresholds. This does not affect the inner
        estimator.
    weight_type : {"repeats", "importance"}, default=None
        Whether weights of rows say how often a row occurs or how much it matters, as in
        :func:`ordcut.optimal_thresholds`. The inner estimator gets the weights as they are.
    classes : sequence, default=None
        All classes, lowest first, also if they do not occur.
    n_jobs : int, default=None
        The number of folds that are fitted in parallel.
    random_state : int, RandomState instance or None, default=None
        Determines the rows of a hold-out.
    store_cv_results : bool, default=False
        Whether to keep the scores that determined the thresholds, as ``cv_results_``.
    probabilities : bool, default=False
        Whether the estimator has ``predict_proba``: the probabilities of a classifier or of trees
        with a cumulative link, calibrated on out-of-fold rows by temperature scaling; for other
        regressors, those of a proportional odds model of the score. Labels are still optimal for
        the objective, and can differ from the most probable class.

    Attributes
    ----------
    estimator_ : estimator
        The fitted inner estimator, if there is only one.
    estimators_ : list of estimator
        The fitted inner estimators: those of all folds with ``refit=False``.
    thresholds_ : ndarray of shape (n_classes - 1,)
        The thresholds between scores.
    labeler_ : Thresholds
        The thresholds with their value on the scored rows, and the reason for the choice.
    decider_ : Thresholds
        The thresholds between decisions, if there are reviews; else as in ``labeler_``.
    classes_ : ndarray of shape (n_classes,)
        The ordered classes.
    cv_results_ : dict of str to ndarray
        ``rows``, ``scores`` and ``labels`` of the scored rows, if ``store_cv_results``.
    n_features_in_ : int
        The number of features, if the inner estimator has it.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if the inner estimator has them.

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
        constraints: Constraints = None,
        review: float | None = None,
        review_share: float | None = None,
        cv: Any = 5,
        calibration: float | None = None,
        response_method: str = "auto",
        refit: bool = True,
        class_weight: Any = None,
        weight_type: Any = None,
        classes: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        store_cv_results: bool = False,
        probabilities: bool = False,
    ) -> None:
        self.estimator = estimator
        self.objective = objective
        self.labeling = labeling
        self.smoothing = smoothing
        self.constraints = constraints
        self.review = review
        self.review_share = review_share
        self.cv = cv
        self.calibration = calibration
        self.response_method = response_method
        self.refit = refit
        self.class_weight = class_weight
        self.weight_type = weight_type
        self.classes = classes
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.store_cv_results = store_cv_results
        self.probabilities = probabilities

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: ArrayLike | None = None,
        **params: Any,
    ) -> OrdinalThresholdClassifierCV:
        """Score rows by cross-validation, then find the thresholds.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The rows, which are passed to the inner estimator unchanged.
        y : array-like of shape (n_samples,)
            The true classes. Text needs an order, by ``classes`` or as an ordered categorical.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts, for the inner estimator and for the thresholds.
        **params : dict
            ``groups`` for the splitter: rows of a group are in the same fold, also with a number
            of folds or a share as ``cv``, and with ``calibration``. Anything else is passed to the
            ``fit`` of the inner estimator. With metadata routing enabled, metadata go where they
            were requested.
            ``eval_set``, ``eval_y`` or ``y_val``, for early stopping, are the same in all folds:
            rows that are not in ``X``, with labels like ``y``.

        Returns
        -------
        OrdinalThresholdClassifierCV
            The fitted estimator.
        """
        if self.response_method != "auto" and self.response_method not in RESPONSES:
            raise unknown_name("response_method", self.response_method, ["auto", *RESPONSES])
        check_given(self, X, y)
        unfitted = self._unfitted()
        if not hasattr(unfitted, "fit"):
            raise TypeError(
                "estimator must be a regressor or a classifier, such as Ridge(), got "
                f"{unfitted!r}. For a fitted model of another kind, pass its scores to "
                "ordcut.optimal_thresholds."
            )
        features, labels = as_rows(X), as_rows(y)
        check_consistent_length(features, labels)
        targets = self._read_targets(X, labels, sample_weight)
        if self.calibration is not None:
            check_calibration(self.calibration, self.cv)
        if isinstance(self.cv, str):
            rows, outputs = np.arange(len(targets.codes)), self._score_prefit(features, targets)
            folds = None
        else:
            metadata = self._route(sample_weight, targets, params)
            rows, outputs, folds = self._cross_fit(features, targets, metadata)
        scored, scores = targets.take(rows), scores_of(outputs)
        self._set_labels(
            scores, scored, calibration=self._calibration(outputs, scored),
            rounding=self._rounding(targets.classes), folds=folds,
        )  # fmt: skip
        if self.store_cv_results:
            labels = targets.classes[scored.codes]
            self.cv_results_ = {"rows": rows, "scores": scores, "labels": labels}
        copy_features(self, self._models[0])
        return self

    def _score_prefit(self, features: Any, targets: Targets) -> Floats:
        if self.cv != "prefit":
            raise unknown_name("cv", self.cv, ["prefit"])
        check_is_fitted(self.estimator)
        self._models = [self.estimator]
        self._set_estimators(self._models)
        self._method = choose_response(self.estimator, self.response_method).method
        self._code_of = _codes_of_labels(self.estimator, targets.classes)
        return self._outputs(features, len(targets.classes))

    def _cross_fit(
        self, features: Any, targets: Targets, metadata: Metadata
    ) -> tuple[Array, Floats, Array | None]:
        """Return the rows that were held out, what models return for them, and their folds.

        The folds are None for a single split, and where splits hold out a row repeatedly.
        """
        n_classes = len(targets.classes)
        unfitted = inner = self._unfitted(len(targets.codes))
        if self.response_method in ("auto", "predict_proba"):
            inner = as_classifier(unfitted, n_classes)
        self._method = choose_response(inner, self.response_method).method
        self._code_of = np.flatnonzero(np.bincount(targets.codes))
        if inner is not unfitted:  # boosted trees, which take positions with gaps
            self._code_of = np.arange(n_classes)
        inner_y = self._encode_inner(targets.codes)

        def encode(labels: Any, name: str) -> Array:
            return self._encode_inner(codes_of(labels, targets.classes, name))

        fit_params = {
            name: encode_evaluation_labels(name, value, encode)
            for name, value in metadata.fit.items()
        }
        is_refit = self.refit and self.calibration is None
        cv = self.cv if self.calibration is None else self.calibration
        groups = metadata.split.get("groups")
        splitter, strata = read_cv(
            cv, targets.codes, self.random_state, has_groups=groups is not None
        )
        try:
            splits = list(splitter.split(features, strata, **metadata.split))
        except (TypeError, ValueError) as error:
            if groups is None and "groups" in str(error):
                raise ValueError(NEEDS_GROUPS.format(splitter=type(splitter).__name__)) from error
            raise
        if not is_refit and len(splits) > 1:
            refuse_confidence(targets.constraints, SEEN)
        fitted = fit_on_splits(
            inner, features, inner_y, splits, fit_params, metadata.per_row, self._response,
            self._code_of, n_classes, self.n_jobs,
        )  # fmt: skip
        held_out = self._combine(inner, fitted, features, splits, targets)
        if is_refit:
            rounds = median_rounds([model for model, _ in fitted])
            last, fit_params = with_rounds(inner, rounds, fit_params)
            self._models = [last.fit(features, inner_y, **fit_params)]
        else:
            self._models = [model for model, _ in fitted]
        self._set_estimators(
            self._models if inner is unfitted else [model.estimator_ for model in self._models]
        )
        rows = np.concatenate([np.asarray(test) for _, test in splits])
        folds = np.repeat(np.arange(len(splits)), [len(outputs) for outputs in held_out])
        has_folds = len(splits) > 1 and len(np.unique(rows)) == len(rows)
        return rows, np.concatenate(held_out), folds if has_folds else None

    def _set_estimators(self, fitted: list[Any]) -> None:
        self.estimators_ = fitted
        if len(fitted) == 1:
            self.estimator_ = fitted[0]
        elif hasattr(self, "estimator_"):
            del self.estimator_  # of an earlier fit

    def _calibration(self, outputs: Floats, targets: Targets) -> Calibration | None:
        """Return how the probabilities of a classifier are calibrated, if they are needed."""
        is_needed = self.probabilities or self.labeling == EXPECTED_COST
        if self._method != "predict_proba" or not is_needed or self.labeling == "likelihood":
            return None
        return Calibration.fit(outputs, targets.codes, targets.row_weights)

    def _model_inputs(self, features: Any) -> Floats:
        if isinstance(self._model, Calibration):
            return self._outputs(features, len(self.classes_))
        return super()._model_inputs(features)

    def _unfitted(self, n_rows: int = 0) -> Any:  # noqa: ARG002
        """Return the estimator to clone and fit."""
        return self.estimator

    def _combine(
        self, _inner: Any, fitted: Fitted, _features: Any, _splits: Splits, _targets: Targets
    ) -> list[Floats]:
        """Return the outputs of the models for the rows that they were not fitted to."""
        return [outputs for _, outputs in fitted]

    def _outputs(self, features: Any, n_classes: int) -> Floats:
        """Return the mean of the scores, or of the probabilities, of all models: (n,) or (n, K)."""
        outputs = [
            self._response.outputs(model, features, self._code_of, n_classes)
            for model in self._models
        ]
        return outputs[0] if len(outputs) == 1 else np.mean(outputs, axis=0)

    @property
    def _response(self) -> Response:
        return RESPONSES[self._method]

    def _has_unseen_rows(self) -> bool:
        return isinstance(self.cv, str) or self.calibration is not None or not self.refit

    def _encode_inner(self, codes: Array) -> Array:
        """Return labels for the inner estimator, from the positions of their classes.

        A classifier gets codes without gaps; a regressor gets positions among all classes.
        """
        if not self._response.needs_classifier:
            return codes.astype(np.float64)
        unknown = np.setdiff1d(codes, self._code_of)
        if len(unknown):
            raise ValueError(
                "labels for evaluation must be among the classes that occur in y, since the inner "
                f"estimator is a classifier; got the class at position {unknown[0]}."
            )
        return np.searchsorted(self._code_of, codes)

    def _link_of_scores(self) -> str:
        """Return the link that the inner estimator was trained with, or else the logit."""
        link = link_of(self._models[0])
        return "logit" if link is None else str(link.link)

    def _rounding(self, classes: Array) -> Floats:
        """Return where scores round up: halfway between numeric labels, or between positions."""
        is_prefit_regressor = isinstance(self.cv, str) and not self._response.needs_classifier
        has_numbers = classes.dtype.kind in "biuf"
        return rounding_thresholds(classes if is_prefit_regressor and has_numbers else len(classes))

    def predict_score(self, X: Any) -> Floats:  # noqa: N803
        """Return the scores of the inner estimator, to which the thresholds apply.

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
        check_not_masked(X, "X")
        return scores_of(self._outputs(X, len(self.classes_)))

    def _route(
        self, sample_weight: ArrayLike | None, targets: Targets, params: dict[str, Any]
    ) -> Metadata:
        """Return which metadata of ``fit`` go to the inner estimator and which to the splitter.

        With metadata routing enabled, scikit-learn decides by what was requested. Otherwise groups
        go to the splitter, and weights to an inner estimator whose ``fit`` has that parameter.
        """
        if sklearn.get_config()["enable_metadata_routing"]:
            if sample_weight is not None:
                params = {**params, "sample_weight": sample_weight}
            routed = process_routing(self, "fit", **params)
            to_fit = dict(routed.estimator.fit)
            per_row = [
                name
                for name, value in to_fit.items()
                if is_per_row(name, value, len(targets.codes))
            ]
            return Metadata(to_fit, dict(routed.splitter.split), frozenset(per_row))
        to_fit = {name: value for name, value in params.items() if name != "groups"}
        to_split = {"groups": params["groups"]} if "groups" in params else {}
        if sample_weight is not None:
            if has_fit_parameter(self._unfitted(), "sample_weight"):
                to_fit["sample_weight"] = targets.row_weights
            else:
                warnings.warn(
                    f"{type(self.estimator).__name__} takes no sample_weight in fit, so weights "
                    "are used for the thresholds only. To pass them to the steps of a pipeline, "
                    "enable metadata routing: sklearn.set_config(enable_metadata_routing=True).",
                    UserWarning,
                    stacklevel=3,
                )
        per_row = [name for name in to_fit if plain_name(name) in ROW_PARAMETERS]
        return Metadata(to_fit, to_split, frozenset(per_row))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where metadata go: to this estimator, the inner estimator or the splitter."""
        router = MetadataRouter(owner=self).add_self_request(self)
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router.add(estimator=self._unfitted(), method_mapping=to_fit)
        if not isinstance(self.cv, str):
            is_number = self.cv is None or isinstance(self.cv, float | Integral)
            splitter, _ = read_cv(5 if is_number else self.cv, np.arange(10) % 2, None)
            to_split = MethodMapping().add(caller="fit", callee="split")
            router.add(splitter=splitter, method_mapping=to_split)
        return router

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        copy_tags(tags, self._unfitted())
        return tags


def check_calibration(calibration: object, cv: object) -> None:
    """Raise an error unless a calibration is a share, and the estimator is still to be fitted."""
    if not isinstance(calibration, float) or not 0 < calibration < 1:
        raise ValueError(
            f"calibration must be a share of the rows between 0 and 1, got {calibration!r}."
        )
    if isinstance(cv, str):
        raise ValueError(
            f"calibration cannot be combined with cv={cv!r}: the estimator is fitted already, so "
            "all rows are used for calibration. Leave one of them out."
        )


@dataclass(frozen=True)
class Metadata:
    """Arguments for the inner estimator's ``fit`` and for the splitter's ``split``.

    ``per_row`` are the names of those for ``fit`` that hold one value per row.
    """

    fit: dict[str, Any]
    split: dict[str, Any]
    per_row: frozenset[str]


def _codes_of_labels(estimator: Any, classes: Array) -> Array:
    """Return the positions of the labels that a fitted classifier predicts."""
    known = getattr(estimator, "classes_", None)
    if known is None:
        return np.arange(len(classes))
    code_of = {value: code for code, value in enumerate(classes.tolist())}
    unknown = [value for value in np.asarray(known).tolist() if value not in code_of]
    if unknown:
        raise ValueError(
            f"the classes of a fitted estimator must be among {classes.tolist()}, "
            f"got {unknown[0]!r}. List all classes in classes=, lowest first."
        )
    return np.array([code_of[value] for value in np.asarray(known).tolist()])
