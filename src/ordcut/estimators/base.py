"""The base class of the estimators: validates targets, finds thresholds, and predicts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ordcut._core.data import (
    ClassWeight,
    Labels,
    Rows,
    WeightType,
    as_scores,
    check_aligned,
    check_not_continuous,
    check_not_masked,
    class_factors,
    effective_rows,
    encode,
    only_column,
    read_weights,
    stated_order,
)
from ordcut._core.errors import check_number
from ordcut._core.limits import Constraint, limits_for, read_constraints, refuse_confidence
from ordcut._core.numerics.threads import cached_property
from ordcut._core.objectives import Objective, ObjectiveLike, n_classes_of, resolve_objective
from ordcut._core.review import ranges_of_classes, with_reviews
from ordcut._core.smoothing import check_smoothing
from ordcut._core.thresholds import Thresholds, labels_at
from ordcut._core.typing import Array, ArrayLike, Floats
from ordcut.estimators.calibration import Calibration
from ordcut.estimators.likelihood import ProportionalOddsModel
from ordcut.estimators.margins import margins
from ordcut.estimators.probabilities import OfProbabilities
from ordcut.studies.expected_cost import cheapest_codes, cost_of
from ordcut.studies.labelings import (
    EXPECTED_COST,
    LabelingProblem,
    check_labeling,
    find_labeling,
    with_held_out,
)

#: Why the rows that trained an estimator promise nothing for new rows.
SEEN = (
    "rows that trained the estimator have other scores than new rows, and cross-fitted scores come "
    "from other estimators. Hold out rows with OrdinalThresholdClassifierCV(..., "
    'calibration=0.2), or pass rows that the estimator has not seen to one with cv="prefit".'
)


class OrdinalClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A classifier that labels rows by comparing a score with thresholds.

    A subclass has the parameters ``objective``, ``labeling``, ``smoothing``, ``constraints``,
    ``review``, ``review_share``, ``classes``, ``class_weight`` and ``weight_type``. Its ``fit``
    learns a score and ends with ``_set_labels``; its ``predict_score`` returns the score.
    """

    objective: Any
    labeling: Any
    smoothing: Any
    constraints: Any
    review: Any
    review_share: Any
    classes: Any
    class_weight: Any
    weight_type: Any

    classes_: Array
    thresholds_: Floats
    labeler_: Thresholds
    decider_: Thresholds
    _model: ProportionalOddsModel | Calibration | None
    _cost: Floats | None

    @abstractmethod
    def predict_score(self, X: Any) -> Floats:  # noqa: N803
        """Return the score of each row; higher means a higher class."""

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the class of each row: its position is the number of thresholds <= the score.

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
        if self._cost is not None:
            codes = cheapest_codes(self._probabilities(X), self._cost)
            return np.asarray(self.classes_[codes])
        return labels_at(self.labeler_, as_scores(self.predict_score(X)))

    def decide(self, X: Any) -> Array:  # noqa: N803
        """Return the decision of each row: a class, or the name of a review, ``"low or mid"``.

        Without ``review`` and ``review_share``, these are the classes that ``predict`` returns.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            As returned by ``decider_.predict``.
        """
        check_is_fitted(self)
        if self._cost is not None:
            return self.predict(X)
        return labels_at(self.decider_, as_scores(self.predict_score(X)))

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:  # noqa: N803
        """Return the accuracy, as every scikit-learn classifier does, regardless of the objective.

        To select models by their objective, pass a scorer to scikit-learn's tools:
        ``GridSearchCV(model, grid, scoring=ordcut.scorers.ObjectiveScorer())``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The true classes.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        float
            The share of correctly predicted rows.
        """
        check_is_fitted(self)
        check_not_masked(y, "y")
        if self.classes_.dtype.kind != "f":
            return float(super().score(X, y, sample_weight))
        # Ratings in half steps are classes here, and continuous to the metrics of scikit-learn.
        labels = column_or_1d(y, dtype=np.float64)
        assert_all_finite(labels, input_name="y")
        _, codes = np.unique(np.concatenate([labels, self.predict(X)]), return_inverse=True)
        truth, predicted = codes[: len(labels)], codes[len(labels) :]
        return float(accuracy_score(truth, predicted, sample_weight=sample_weight))

    def decision_function(self, X: Any) -> Floats:  # noqa: N803
        """Return the signed distance of each score to each class, largest for the predicted class.

        The distance is negative outside a class. With ``labeling="expected_cost"``, it is minus the
        expected cost of each class, and for two classes what the higher one saves. This is the
        format that scikit-learn expects of a classifier; the scores themselves are returned by
        ``predict_score``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            For two classes, the score minus the threshold.
        """
        check_is_fitted(self)
        if self._cost is not None:
            savings = -(self._probabilities(X) @ self._cost.T)
            return savings if len(self.classes_) > 2 else savings[:, 1] - savings[:, 0]
        return margins(self.predict_score(X), self.thresholds_)

    @OfProbabilities
    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probability of each class, by a proportional odds model of the score.

        ``predict`` returns the best class for the objective, which can differ from the most
        probable class. An estimator has this method only with ``probabilities=True``, which is the
        default of :class:`OrdinalLogisticRegression`, or ``labeling="likelihood"``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self._probabilities(X)

    @OfProbabilities
    def predict_cumproba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probability of each class or any lower class, as ``predict_proba`` has it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; the last column is 1.
        """
        return self._fitted_model().cumulative(self._model_inputs(X))

    def _probabilities(self, features: Any) -> Floats:
        return self._fitted_model().probabilities(self._model_inputs(features))

    def _model_inputs(self, features: Any) -> Floats:
        """Return what the model of the probabilities is given for each row: its score."""
        return np.asarray(self.predict_score(features), dtype=np.float64)

    def _fitted_model(self) -> ProportionalOddsModel | Calibration:
        check_is_fitted(self)
        if self._model is None:
            raise ValueError("probabilities=True must be set before fit. Fit the estimator again.")
        return self._model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # The tag is about test data whose classes are in no order along any line.
        tags.classifier_tags.poor_score = True
        return tags

    def _has_unseen_rows(self) -> bool:
        """Return whether thresholds are found on rows that did not train the estimator."""
        return False

    def _link_of_scores(self) -> str:
        """Return the link of the model of labels given scores."""
        return "logit"

    def _read_targets(self, features: Any, y: Any, sample_weight: ArrayLike | None) -> Targets:
        """Validate and encode the arguments of ``fit``, except for the values of the features."""
        check_aligned(X=features, y=y, sample_weight=sample_weight)
        objective, labeling = self.objective, self.labeling
        check_labeling(labeling)
        check_smoothing(self.smoothing)
        constraints = read_constraints(self.constraints) if self.constraints else ()
        if constraints or self.review is not None or self.review_share is not None:
            _check_labeling(labeling, "constraints" if constraints else "reviews")
        if constraints and not self._has_unseen_rows():
            refuse_confidence(constraints, SEEN)
        _check_decisions(objective)
        targets = read_targets(
            y,
            classes=self.classes,
            objective=objective,
            sample_weight=sample_weight,
            weight_type=self.weight_type,
            class_weight=self.class_weight,
        )
        if labeling == EXPECTED_COST:
            cost_of(resolve_objective(objective, targets.classes))
        return replace(targets, constraints=constraints)

    def _set_labels(
        self,
        scores: Array,
        targets: Targets,
        *,
        model: ProportionalOddsModel | None = None,
        calibration: Calibration | None = None,
        biases: Floats | None = None,
        rounding: Floats | None = None,
        folds: Array | None = None,
    ) -> None:
        """Find the thresholds on scored rows: the last step of every ``fit``.

        ``model`` and ``calibration`` are of the probabilities that the estimator has by itself.
        ``folds`` are the numbers of the folds that rows of cross-validation were held out in.
        """
        objective, labeling = self.objective, self.labeling
        n_classes = len(targets.classes)
        rows = targets.with_scores(scores)
        needs_model = labeling == "likelihood" or (labeling == "biases" and biases is None)
        if calibration is None:
            needs_model |= bool(getattr(self, "probabilities", False)) or labeling == EXPECTED_COST
        if model is None and needs_model:
            model = ProportionalOddsModel.fit(
                scores, targets.codes, targets.weights, n_classes, self._link_of_scores()
            )
        resolved = resolve_objective(objective, targets.classes)
        problem = LabelingProblem(
            rows,
            resolved,
            targets.factors,
            self.smoothing,
            model,
            biases,
            rounding,
        )
        self._model = model if calibration is None else calibration
        self.classes_ = targets.classes
        self._cost = None
        if labeling == EXPECTED_COST:
            self._cost = self._weighted_cost(resolved, rows, targets)
            return
        decided = problem
        if self.review is not None or self.review_share is not None:
            reviewed = with_reviews(resolved, self.review, self.review_share, rows.classes)
            is_share = self.review_share is not None and self.smoothing == "auto"
            decided = replace(
                problem, objective=reviewed, smoothing=0.0 if is_share else self.smoothing
            )
        if targets.constraints:
            limits = limits_for(targets.constraints, decided.objective, rows.classes)
            decided = replace(decided, limits=limits)
        self.labeler_ = self.decider_ = find_labeling(decided, labeling)
        if folds is not None and labeling == "optimal":
            counted = folds[targets.row_weights > 0]
            self.labeler_ = self.decider_ = with_held_out(self.decider_, decided, counted)
        if self.decider_.review_share is not None:
            limits = limits_for(ranges_of_classes(self.decider_), resolved, rows.classes)
            self.labeler_ = find_labeling(replace(problem, limits=limits), labeling)
        self.thresholds_ = self.labeler_.thresholds

    def _weighted_cost(self, objective: Objective, rows: Rows, targets: Targets) -> Floats:
        """Return the costs that expectations are taken of, (K, K), with the weights of classes."""
        cost = cost_of(objective)
        factors = objective.factors(rows.totals)
        if factors is not None:
            cost = cost * factors
        # A proportional odds model was fitted to rows with these weights; a classifier was not.
        return cost * targets.factors if isinstance(self._model, Calibration) else cost


@dataclass(frozen=True)
class Targets:
    """Labels as codes of the ordered classes, with row weights, class factors and constraints.

    ``scale`` times the weights are numbers of rows. It is 1 unless weights were stated to be
    importance, whose sum has no meaning.
    """

    classes: Array
    codes: Array
    sample_weight: Floats | None
    factors: Floats
    constraints: tuple[Constraint, ...] = ()
    weight_type: WeightType | None = None
    scale: float = 1.0

    @property
    def row_weights(self) -> Floats:
        """How much each row counts, without the factor of its class."""
        return np.ones(len(self.codes)) if self.sample_weight is None else self.sample_weight

    @cached_property
    def weights(self) -> Floats:
        """How much each row counts, including the factor of its class."""
        rows = self.row_weights
        return rows if (self.factors == 1).all() else rows * self.factors[self.codes]

    @property
    def counts(self) -> Floats:
        """The weights as numbers of rows, next to a penalty and for standard errors."""
        return self.weights if self.scale == 1 else self.weights * self.scale

    def take(self, rows: Array) -> Targets:
        """Return the targets of the given rows; classes and factors do not change."""
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        return replace(self, codes=self.codes[rows], sample_weight=weights)

    def with_scores(self, scores: Array) -> Rows:
        """Return the rows to find thresholds on, without rows of weight 0."""
        labels = Labels(self.classes, self.codes)
        return Rows.encoded(as_scores(scores), labels, self.sample_weight, self.weight_type)


def read_targets(
    y: Any,
    *,
    classes: Sequence[Any] | Array | None,
    objective: ObjectiveLike,
    sample_weight: ArrayLike | None,
    weight_type: WeightType | None,
    class_weight: ClassWeight | None,
) -> Targets:
    """Validate and encode the labels and weights that were passed to ``fit``."""
    if not isinstance(y, np.ndarray):
        y = only_column(y)
    if np.ndim(y) == 2:
        y = column_or_1d(y, warn=True)
    if np.asarray(y).dtype.kind == "c":
        raise ValueError(f"Complex data not supported: y must be in order, got {np.asarray(y)[0]}.")
    is_order_stated = classes is not None or stated_order(y) is not None
    if not is_order_stated:
        _check_two_classes(y)
    labels = encode(y, classes, n_classes_of(objective))
    assert labels.codes is not None
    if not is_order_stated:
        check_not_continuous(labels.classes, len(labels.codes), "y")
    if sample_weight is not None and not np.any(np.asarray(sample_weight)):
        raise ValueError("sample_weight must contain a weight above 0, got only zeros.")
    checked, _, stated = read_weights(sample_weight, len(labels.codes), weight_type)
    weights = None if checked is None else checked.astype(np.float64, copy=False)
    codes = labels.codes.astype(np.intp, copy=False)
    totals = np.bincount(codes, weights, minlength=len(labels.classes)).astype(np.float64)
    factors = class_factors(class_weight, labels.classes, totals)
    if isinstance(class_weight, str):
        # As in scikit-learn, balanced weights do not change the total weight of all rows.
        factors = factors * (totals.sum() / (factors @ totals))
    scale = 1.0
    if weight_type == "importance" and weights is not None:
        scale = effective_rows(weights) / float(weights.sum())
    return Targets(labels.classes, codes, weights, factors, weight_type=stated, scale=scale)


def _check_labeling(labeling: str, needed_by: str) -> None:
    if labeling != "optimal":
        raise ValueError(
            f"{needed_by} need optimal thresholds, got labeling={labeling!r}, whose thresholds do "
            f'not depend on {needed_by}. Use labeling="optimal".'
        )


def _check_decisions(objective: object) -> None:
    if isinstance(objective, Objective) and objective.decisions is not None:
        raise ValueError(
            "objective must have a row per class, since a classifier predicts classes; got an "
            f"objective with the decisions {objective.decisions.tolist()}. For other "
            "decisions, pass the scores of predict_score to ordcut.optimal_thresholds."
        )


def _check_two_classes(y: Any) -> None:
    values = np.asarray(y)
    if len(values) and (values == values[0]).all():
        raise ValueError(
            f"y must hold at least two classes, got only one class: {values.tolist()[0]!r}. "
            "If other classes exist but do not occur, list them all in classes=."
        )


def check_given(estimator: Any, features: Any, y: Any) -> None:
    """Raise an error if labels are missing, swapped with the features, or any value is masked."""
    check_not_masked(features, "X")
    check_not_masked(y, "y")
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    shapes: list[Any] = [getattr(given, "shape", ()) for given in (features, y)]
    if len(shapes[0]) == 1 and len(shapes[1]) == 2 and shapes[1][1] > 1:
        raise ValueError(
            f"X must be two-dimensional and y one-dimensional, got shapes {shapes[0]} and "
            f"{shapes[1]}: they seem to be swapped. Pass fit(X, y)."
        )


def check_search(alpha: object, tol: object, max_iter: object) -> None:
    """Raise an error unless the penalty and the stopping rule of a search can be used."""
    check_number("alpha", alpha, "a number >= 0", lambda v: v >= 0 and np.isfinite(v))
    check_number("tol", tol, "a number above 0", lambda v: v > 0)
    check_number("max_iter", max_iter, "a whole number >= 1", lambda v: v >= 1, Integral)
