"""Linear scores, learned with a surrogate loss, with thresholds."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from ordcut._core.data import check_not_masked
from ordcut._core.errors import unknown_name
from ordcut._core.limits import Constraints
from ordcut._core.objectives import ObjectiveLike
from ordcut._core.smoothing import Smoothing
from ordcut._core.typing import ArrayLike, Floats
from ordcut.estimators.base import OrdinalClassifier, Targets, check_given, check_search
from ordcut.estimators.design import few_threads
from ordcut.estimators.likelihood import (
    MOST_FOR_NEWTON,
    OrdinalRows,
    expand_biases,
    occurring_rows,
)
from ordcut.estimators.minimisers import Gaps, Minimum, Point, lbfgs, newton
from ordcut.estimators.surrogates import SURROGATES, WIDTHS, Surrogate, SurrogateRisk
from ordcut.studies.labelings import rounding_thresholds


class LinearClassifier(OrdinalClassifier):
    """A classifier whose score is a linear function of the features.

    A subclass learns ``coef_``, ``n_iter_`` and the thresholds in ``_learn``.
    """

    coef_: Floats
    intercept_: float

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise an error unless the parameters of the subclass can be used."""

    @abstractmethod
    def _learn(self, features: Any, targets: Targets) -> None:
        """Learn the coefficients, then find the thresholds."""

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:  # noqa: N803
        """Learn the scores, then find the thresholds.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The true classes. Text needs an order, by ``classes`` or as an ordered categorical.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts. A weight of 2 repeats the row.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_parameters()
        check_given(self, X, y)
        features = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        labels = y if hasattr(y, "__len__") else np.asarray(y)
        check_consistent_length(features, labels)
        targets = self._read_targets(X, labels, sample_weight)
        with few_threads(features.shape[1]):
            self._learn(features, targets)
        return self

    def predict_score(self, X: Any) -> Floats:  # noqa: N803
        """Return the linear score of each row, to which the thresholds apply.

        It is ``X @ coef_``, plus ``intercept_`` if the estimator has it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Higher means a higher class.
        """
        check_is_fitted(self)
        check_not_masked(X, "X")
        rows = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores = np.asarray(rows @ self.coef_)
        return scores + self.intercept_ if hasattr(self, "intercept_") else scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearThresholdClassifier(LinearClassifier):
    """Linear scores learned with a surrogate loss, with thresholds for a given objective.

    Parameters
    ----------
    surrogate : str, default="logistic_at"
        The loss by which the score is learned. ``"logistic_at"`` and ``"hinge_at"`` penalise every
        threshold that a score is on the wrong side of; ``"logistic_it"`` and ``"hinge_it"`` only
        those next to the class, with free biases, or ascending ones with ``"_ordered"`` at the
        end; ``"absolute"`` and ``"squared"`` penalise the distance to the class position 0..K-1.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, default="absolute"
        The objective, as in :func:`ordcut.optimal_thresholds`.
    labeling : {"optimal", "biases", "likelihood", "rounding"}, default="optimal"
        How scores become labels: by the thresholds that are optimal for the objective on the
        training rows; by the biases; by the least expected cost (the best expected kappa) under a
        proportional odds model of the labels given the scores; or by rounding.
    smoothing : float from 0 to 1, "auto" or "bagging", default="auto"
        The amount of smoothing by a model of the labels given the scores, as in
        :func:`ordcut.optimal_thresholds`: 0 is the optimum for the training rows, ``"auto"``
        generalises better.
    constraints : sequence of constraints or str, default=None
        Constraints on the training rows, as in :func:`ordcut.optimal_thresholds`. Needs
        ``labeling="optimal"``.
    review : float, default=None
        Adds a decision between any two neighbouring classes, which hands the row over for review
        at this cost, as in :func:`ordcut.optimal_thresholds`. ``decide`` returns these decisions.
        ``predict`` still returns classes: the decision where a row is not reviewed, and the best
        class for the objective where it is.
    review_share : float from 0 to 1, default=None
        Instead of the cost of a review, the largest share of the rows to hand over. Of smoothing,
        it takes only 0 and ``"auto"``, which is then 0 for decisions.
    alpha : float, default=1.0
        Half of ``alpha`` times the squared coefficients of the standardised features is added to
        the sum of the surrogate.
    tol : float, default=1e-7
        The search ends where no derivative is above ``tol`` times the weight of all rows.
    max_iter : int, default=1000
        The maximum number of steps.
    classes : sequence, default=None
        All classes, lowest first, also if they do not occur.
    class_weight : "balanced", dict or array-like of shape (n_classes,), default=None
        How much the rows of each class count, in the surrogate and in the thresholds.
    weight_type : {"repeats", "importance"}, default=None
        Whether weights of rows say how often a row occurs or how much it matters, as in
        :func:`ordcut.optimal_thresholds`. ``"importance"`` is scaled to add up to the effective
        number of rows in the surrogate, next to the penalty; by default, weights count as they are.
    probabilities : bool, default=False
        Whether the estimator has ``predict_proba``. Labels are still optimal for the objective,
        and can differ from the most probable class.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients; a positive coefficient raises the class.
    intercept_ : float
        Added to the scores; 0 where biases are learned.
    biases_ : ndarray of shape (n_classes - 1,)
        The biases that were learned; free ones can be out of order. For ``"absolute"`` and
        ``"squared"``, 0.5, 1.5, ...
    thresholds_ : ndarray of shape (n_classes - 1,)
        The thresholds between scores.
    labeler_ : Thresholds
        The thresholds with their value and the reason for the choice.
    decider_ : Thresholds
        The thresholds between decisions, if there are reviews; else as in ``labeler_``.
    classes_ : ndarray of shape (n_classes,)
        The ordered classes.
    n_iter_ : int
        The number of steps of the search.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, where all are text.

    Notes
    -----
    Hinge and absolute loss are not smooth. Their corners are finally rounded over a width of 0.001,
    so the mean loss is within 0.001 of the minimum for each threshold that is penalised.

    Examples
    --------
    >>> from ordcut.estimators import LinearThresholdClassifier
    >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
    >>> model = LinearThresholdClassifier(surrogate="hinge_at").fit(X, [1, 1, 2, 2, 3, 3])
    >>> model.predict([[0.0], [3.4], [9.0]])
    array([1, 2, 3])
    """

    biases_: Floats

    def __init__(
        self,
        *,
        surrogate: str = "logistic_at",
        objective: ObjectiveLike = "absolute",
        labeling: str = "optimal",
        smoothing: Smoothing = "auto",
        constraints: Constraints = None,
        review: float | None = None,
        review_share: float | None = None,
        alpha: float = 1.0,
        tol: float = 1e-7,
        max_iter: int = 1000,
        classes: Any = None,
        class_weight: Any = None,
        weight_type: Any = None,
        probabilities: bool = False,
    ) -> None:
        self.surrogate = surrogate
        self.objective = objective
        self.labeling = labeling
        self.smoothing = smoothing
        self.constraints = constraints
        self.review = review
        self.review_share = review_share
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.classes = classes
        self.class_weight = class_weight
        self.weight_type = weight_type
        self.probabilities = probabilities

    def _check_parameters(self) -> None:
        if self.surrogate not in SURROGATES:
            raise unknown_name("surrogate", self.surrogate, SURROGATES)
        check_search(self.alpha, self.tol, self.max_iter)

    def _learn(self, features: Any, targets: Targets) -> None:
        surrogate, n_classes = SURROGATES[self.surrogate], len(targets.classes)
        rows, occurring = occurring_rows(features, targets.codes, targets.counts, n_classes)
        if not surrogate.has_biases:
            # Distances to the label include classes that do not occur.
            rows = OrdinalRows(rows.design, occurring[rows.codes], rows.weights, n_classes)
        if surrogate.has_biases and len(occurring) == 1:
            self.coef_, biases, self.n_iter_ = np.zeros(features.shape[1]), np.empty(0), 1
        else:
            minimum = minimise_surrogate(
                rows, surrogate,
                alpha=float(self.alpha), tol=float(self.tol), max_iter=int(self.max_iter),
            )  # fmt: skip
            minimum.warn("Pass alpha > 0, or a larger max_iter or tol.")
            m = len(minimum.iterate) - rows.design.n_features
            self.coef_, shift = rows.design.to_features(minimum.iterate[m:])
            biases, self.n_iter_ = minimum.iterate[:m] + shift, minimum.n_iter
        rounding = None
        if surrogate.has_biases:
            self.intercept_, self.biases_ = 0.0, expand_biases(biases, occurring, n_classes)
        else:
            self.intercept_ = -float(biases[0])
            self.biases_ = rounding = rounding_thresholds(n_classes)
        scores = np.asarray(features @ self.coef_) + self.intercept_
        self._set_labels(scores, targets, biases=self.biases_, rounding=rounding)


def minimise_surrogate(
    rows: OrdinalRows, surrogate: Surrogate, *, alpha: float, tol: float, max_iter: int
) -> Minimum[Point]:
    """Return the minimum of a surrogate risk over biases and coefficients."""
    gtol = tol * float(rows.weights.sum())
    widths = WIDTHS if surrogate.has_corners else (0.0,)
    # With rounded corners, Newton's method converges in a few steps, or L-BFGS is faster.
    most_steps = 40 if surrogate.has_corners else max_iter
    risk = SurrogateRisk(rows, surrogate, alpha)
    iterate, n_iter, m = risk.start, 0, risk.n_biases
    if len(iterate) <= MOST_FOR_NEWTON:
        for width in widths:
            risk = SurrogateRisk(rows, surrogate, alpha, width, iterate)
            by_newton = newton(risk, gtol=gtol, max_iter=min(max_iter, most_steps))
            iterate, n_iter = by_newton.iterate, n_iter + by_newton.n_iter
        is_ordered = bool((np.diff(iterate[:m]) >= 0).all())
        # Free biases that come out in order are also the best among ordered biases.
        has_failed = surrogate.has_corners and by_newton.failure
        if (is_ordered or not surrogate.ordered) and not has_failed:
            return Minimum(iterate, by_newton.point, n_iter, by_newton.failure)
        n_iter = 0
    lower_bounds = np.full(len(iterate), -np.inf)
    if surrogate.ordered:
        lower_bounds[1:m] = 0.0
    for width in widths:
        gaps = Gaps(SurrogateRisk(rows, surrogate, alpha, width, iterate), m)
        gaps.start = np.maximum(gaps.start, lower_bounds)
        minimum = lbfgs(gaps, gtol=gtol, max_iter=max_iter, lower_bounds=lower_bounds)
        iterate, n_iter = gaps.to_inner(minimum.iterate), n_iter + minimum.n_iter
    return Minimum(iterate, minimum.point, n_iter, minimum.failure)
