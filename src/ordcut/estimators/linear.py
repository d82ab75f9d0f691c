"""Linear scores learned with a surrogate loss, labelled by thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from ordcut.errors import unknown_name
from ordcut.estimators.base import ProbabilitiesOfScores, Targets, check_search, read_rows
from ordcut.estimators.design import few_threads
from ordcut.estimators.likelihood import MOST_FOR_NEWTON, OrdinalRows
from ordcut.estimators.minimisers import Minimum, Point, lbfgs, newton
from ordcut.estimators.proportional_odds import expand_biases, occurring_rows
from ordcut.estimators.surrogates import SURROGATES, WIDTHS, Gaps, Surrogate, SurrogateRisk
from ordcut.labelings import rounding_thresholds
from ordcut.limits import Constraints
from ordcut.objectives import ObjectiveLike
from ordcut.smoothing import Smoothing
from ordcut.typing import ArrayLike, Floats


class LinearThresholdClassifier(ProbabilitiesOfScores):
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
        one-dimensional proportional odds model of the labels given the scores; or by rounding.
    smoothing : float from 0 to 1 or "auto", default="auto"
        The amount of smoothing by a model of the labels given the scores, as in
        :func:`ordcut.optimal_thresholds`: 0 is the optimum for the training rows, ``"auto"``
        generalises better.
    constraints : sequence of constraints or str, default=None
        Constraints on the training rows, as in :func:`ordcut.optimal_thresholds`. Needs
        ``labeling="optimal"``.
    alpha : float, default=1.0
        Half of ``alpha`` times the squared coefficients of the standardised features is added to
        the sum of the surrogate.
    tol : float, default=1e-7
        The search ends where no derivative is above ``tol`` times the weight of all rows.
    max_iter : int, default=1000
        The maximum number of steps.
    classes : sequence, default=None
        All classes, lowest first, including those that do not occur.
    class_weight : "balanced", dict or array-like of shape (n_classes,), default=None
        How much the rows of each class count, in the surrogate and in the thresholds.
    probabilities : bool, default=False
        Whether the estimator has ``predict_proba``. Labels are still optimal for the objective,
        and can differ from the most probable class.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients; a positive one raises the class.
    intercept_ : float
        Added to the scores; 0 where biases are learned.
    biases_ : ndarray of shape (n_classes - 1,)
        The biases that were learned; free ones can be out of order. For ``"absolute"`` and
        ``"squared"``, 0.5, 1.5, ...
    thresholds_ : ndarray of shape (n_classes - 1,)
        The thresholds between scores.
    labeler_ : Thresholds
        The thresholds with their value and the reason for the choice.
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
    >>> model = LinearThresholdClassifier("hinge_at").fit(X, [1, 1, 2, 2, 3, 3])
    >>> model.predict([[0.0], [3.4], [9.0]])
    array([1, 2, 3])
    """

    biases_: Floats

    def __init__(
        self,
        surrogate: str = "logistic_at",
        *,
        objective: ObjectiveLike = "absolute",
        labeling: str = "optimal",
        smoothing: Smoothing = "auto",
        constraints: Constraints = None,
        alpha: float = 1.0,
        tol: float = 1e-7,
        max_iter: int = 1000,
        classes: Any = None,
        class_weight: Any = None,
        probabilities: bool = False,
    ) -> None:
        self.surrogate = surrogate
        self.objective = objective
        self.labeling = labeling
        self.smoothing = smoothing
        self.constraints = constraints
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.classes = classes
        self.class_weight = class_weight
        self.probabilities = probabilities

    def _check_parameters(self) -> None:
        if self.surrogate not in SURROGATES:
            raise unknown_name("surrogate", self.surrogate, SURROGATES)
        check_search(self.alpha, self.tol, self.max_iter)

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: ArrayLike | None = None,
    ) -> LinearThresholdClassifier:
        """Learn the scores, then find the thresholds.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The true classes. Text is put in alphabetical order, with a warning, unless ``classes``
            or an ordered categorical gives the order.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts. A weight of 2 repeats the row.

        Returns
        -------
        LinearThresholdClassifier
            The fitted estimator.
        """
        self._check_parameters()
        features, labels = read_rows(self, X, y)
        targets = self._read_targets(X, labels, sample_weight)
        surrogate = SURROGATES[self.surrogate]
        with few_threads(features.shape[1]):
            self._learn(features, targets, surrogate)
            scores = np.asarray(features @ self.coef_) + self.intercept_
        if surrogate.has_biases:
            self._set_labels(scores, targets, biases=self.biases_)
        else:
            self.biases_ = rounding_thresholds(len(targets.classes))
            self._set_labels(scores, targets, biases=self.biases_, rounding=self.biases_)
        return self

    def _learn(self, features: Any, targets: Targets, surrogate: Surrogate) -> None:
        n_classes = len(targets.classes)
        rows, occurring = occurring_rows(features, targets.codes, targets.weights, n_classes)
        if not surrogate.has_biases:
            # Distances to the label include classes that do not occur.
            rows = OrdinalRows(rows.design, occurring[rows.codes], rows.weights, n_classes)
        elif len(occurring) == 1:
            self.coef_, self.intercept_, self.n_iter_ = np.zeros(features.shape[1]), 0.0, 1
            self.biases_ = expand_biases(np.empty(0), occurring, n_classes)
            return
        found = minimise_surrogate(
            rows, surrogate,
            alpha=float(self.alpha), tol=float(self.tol), max_iter=int(self.max_iter),
        )  # fmt: skip
        found.warn("Pass alpha > 0, or a larger max_iter or tol.")
        m = len(found.iterate) - rows.design.n_features
        self.n_iter_ = found.n_iter
        self.coef_, shift = rows.design.to_features(found.iterate[m:])
        biases = found.iterate[:m] + shift
        self.intercept_ = 0.0 if surrogate.has_biases else -float(biases[0])
        if surrogate.has_biases:
            self.biases_ = expand_biases(biases, occurring, n_classes)

    def predict_score(self, X: Any) -> Floats:  # noqa: N803
        """Return ``X @ coef_ + intercept_``, to which the thresholds apply.

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
        rows = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return np.asarray(rows @ self.coef_) + self.intercept_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def minimise_surrogate(
    rows: OrdinalRows, surrogate: Surrogate, *, alpha: float, tol: float, max_iter: int
) -> Minimum[Point]:
    """Return the minimum of a surrogate risk over biases and coefficients."""
    gtol = tol * float(rows.weights.sum())
    widths = WIDTHS if surrogate.has_corners else (0.0,)
    # With rounded corners, Newton's method converges in a few steps, or L-BFGS is faster.
    most_steps = 40 if surrogate.has_corners else max_iter
    start = SurrogateRisk(rows, surrogate, alpha).start
    if len(start) <= MOST_FOR_NEWTON:
        iterate, n_iter = start, 0
        for width in widths:
            risk = SurrogateRisk(rows, surrogate, alpha, width, iterate)
            found = newton(risk, gtol=gtol, max_iter=min(max_iter, most_steps))
            iterate, n_iter = found.iterate, n_iter + found.n_iter
        is_ordered = bool((np.diff(iterate[: risk.n_biases]) >= 0).all())
        # Free biases that come out in order are also the best ordered ones.
        if (is_ordered or not surrogate.ordered) and not (surrogate.has_corners and found.failure):
            return Minimum(iterate, found.point, n_iter, found.failure)
        start = iterate
    return _minimise_within_bounds(rows, surrogate, alpha, gtol, max_iter, start)


def _minimise_within_bounds(
    rows: OrdinalRows,
    surrogate: Surrogate,
    alpha: float,
    gtol: float,
    max_iter: int,
    iterate: Floats,
) -> Minimum[Point]:
    n_iter = 0
    for width in WIDTHS if surrogate.has_corners else (0.0,):
        gaps = Gaps(SurrogateRisk(rows, surrogate, alpha, width, iterate))
        found = lbfgs(gaps, gtol=gtol, max_iter=max_iter, lower_bounds=gaps.lower_bounds)
        iterate, n_iter = gaps.to_inner(found.iterate), n_iter + found.n_iter
    return Minimum(iterate, found.point, n_iter, found.failure)
