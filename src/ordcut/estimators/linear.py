"""Linear scores learned by a surrogate loss, cut by thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from ordcut.arrays import ArrayLike, Floats
from ordcut.errors import unknown_name
from ordcut.estimators.base import ProbabilitiesOfScores, check_search, read_rows
from ordcut.estimators.design import few_threads
from ordcut.estimators.likelihood import MOST_FOR_NEWTON, OrdinalRows
from ordcut.estimators.minimise import Minimum, Point, lbfgs, newton
from ordcut.estimators.score_model import expand_biases, rows_to_learn_from
from ordcut.estimators.surrogates import SURROGATES, WIDTHS, Gaps, Surrogate, SurrogateRisk
from ordcut.estimators.targets import Targets
from ordcut.objectives import ObjectiveLike
from ordcut.smoothing import Smoothing


class LinearThresholdClassifier(ProbabilitiesOfScores):
    """Linear scores learned by a surrogate loss, cut where your own loss is least.

    Parameters
    ----------
    surrogate : str, default="logistic_at"
        What the score is learned by. ``"logistic_at"`` and ``"hinge_at"`` pay for every threshold
        that a score is on the wrong side of; ``"logistic_it"`` and ``"hinge_it"`` for those next
        to the class only, with free biases, or ascending ones with ``"_ordered"`` at the end;
        ``"absolute"`` and ``"squared"`` pay for the distance to the label's place 0..K-1.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, default="absolute"
        What labels are judged by, as in :func:`ordcut.optimal_thresholds`.
    labeling : {"optimal", "biases", "likelihood", "round"}, default="optimal"
        How scores become labels: by the thresholds that are optimal for the objective on the
        training rows; by the biases; by the least expected cost under a one-dimensional ordinal
        logistic model of the scores; or by rounding.
    smoothing : float from 0 to 1 or "auto", default="auto"
        How much optimal thresholds leave to a model of the labels given the scores, as in
        :func:`ordcut.optimal_thresholds`: 0 is the optimum for the rows seen, ``"auto"`` does
        better on new ones.
    alpha : float, default=1.0
        Half of ``alpha`` times the squared coefficients of the standardised features is added to
        the sum of the surrogate.
    tol : float, default=1e-7
        The search ends where no derivative is above ``tol`` times the weight of all rows.
    max_iter : int, default=1000
        The most steps.
    classes : sequence, default=None
        All classes, lowest first, those that do not occur included.
    class_weight : "balanced", dict or array-like of shape (n_classes,), default=None
        How much the rows of each class count, in the surrogate and in the thresholds.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients; a positive one raises the class.
    intercept_ : float
        Added to the scores; 0 where biases are learned.
    biases_ : ndarray of shape (n_classes - 1,)
        What the surrogate learned; free ones can be out of order. For ``"absolute"`` and
        ``"squared"``, the halves 0.5, 1.5, ...
    thresholds_ : ndarray of shape (n_classes - 1,)
        Where scores are cut.
    labeler_ : Thresholds
        The thresholds with their value and why they were chosen.
    classes_ : ndarray of shape (n_classes,)
        The ordered classes.
    n_iter_ : int
        How many steps the search took.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, where all are text.

    Notes
    -----
    Hinge and absolute loss have corners. They are rounded over a width of at last 0.001, so what
    is reached is within 0.001 of the least mean loss for each threshold paid for.

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
        alpha: float = 1.0,
        tol: float = 1e-7,
        max_iter: int = 1000,
        classes: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.surrogate = surrogate
        self.objective = objective
        self.labeling = labeling
        self.smoothing = smoothing
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.classes = classes
        self.class_weight = class_weight

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
            The true classes. Text without an order given by ``classes`` or an ordered categorical
            is taken in alphabetical order, with a warning.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts. A weight of 2 equals the row twice.

        Returns
        -------
        LinearThresholdClassifier
            The fitted estimator.
        """
        self._check_parameters()
        features, labels = read_rows(self, X, y)
        targets = self._read_targets(labels, sample_weight)
        surrogate = SURROGATES[self.surrogate]
        halves: Floats = np.arange(0.5, targets.n_classes - 1)
        with few_threads(features.shape[1]):
            self._learn(features, targets, surrogate)
            scores = np.asarray(features @ self.coef_) + self.intercept_
        if surrogate.has_biases:
            self._set_labels(scores, targets, biases=self.biases_)
        else:
            self.biases_ = halves
            self._set_labels(scores, targets, biases=halves, rounding=halves)
        return self

    def _learn(self, features: Any, targets: Targets, surrogate: Surrogate) -> None:
        rows, occurring = rows_to_learn_from(features, targets)
        if not surrogate.has_biases:
            # Distances to the label count classes that do not occur, too.
            rows = OrdinalRows(rows.design, occurring[rows.codes], rows.weights, targets.n_classes)
        elif len(occurring) == 1:
            self.coef_, self.intercept_, self.n_iter_ = np.zeros(features.shape[1]), 0.0, 1
            self.biases_ = expand_biases(np.empty(0), occurring, targets.n_classes)
            return
        found = minimise_surrogate(
            rows, surrogate,
            alpha=float(self.alpha), tol=float(self.tol), max_iter=int(self.max_iter),
        )  # fmt: skip
        found.warn("Pass alpha > 0, or a larger max_iter or tol.")
        m = len(found.place) - rows.design.n_features
        self.n_iter_ = found.n_iter
        self.coef_, shift = rows.design.to_features(found.place[m:])
        biases = found.place[:m] + shift
        self.intercept_ = 0.0 if surrogate.has_biases else -float(biases[0])
        if surrogate.has_biases:
            self.biases_ = expand_biases(biases, occurring, targets.n_classes)

    def predict_score(self, X: Any) -> Floats:  # noqa: N803
        """Return ``X @ coef_ + intercept_``, which the thresholds cut.

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
    flat = tol * float(rows.weights.sum())
    widths = WIDTHS if surrogate.has_corners else (0.0,)
    # Rounded corners either settle in a few Newton steps, or are better left to L-BFGS.
    most_steps = 40 if surrogate.has_corners else max_iter
    start = SurrogateRisk(rows, surrogate, alpha).start
    if len(start) <= MOST_FOR_NEWTON:
        place, n_iter = start, 0
        for width in widths:
            risk = SurrogateRisk(rows, surrogate, alpha, width, place)
            found = newton(risk, flat=flat, max_iter=min(max_iter, most_steps))
            place, n_iter = found.place, n_iter + found.n_iter
        is_ordered = bool((np.diff(place[: risk.n_biases]) >= 0).all())
        # Free biases that come out in order are the best ordered ones, too.
        if (is_ordered or not surrogate.ordered) and not (surrogate.has_corners and found.trouble):
            return Minimum(place, found.point, n_iter, found.trouble)
        start = place
    return _minimise_within_bounds(rows, surrogate, alpha, flat, max_iter, start)


def _minimise_within_bounds(
    rows: OrdinalRows, surrogate: Surrogate, alpha: float, flat: float, max_iter: int, place: Floats
) -> Minimum[Point]:
    n_iter = 0
    for width in WIDTHS if surrogate.has_corners else (0.0,):
        gaps = Gaps(SurrogateRisk(rows, surrogate, alpha, width, place))
        found = lbfgs(gaps, flat=flat, max_iter=max_iter, lower_bounds=gaps.lower_bounds)
        place, n_iter = gaps.to_inner(found.place), n_iter + found.n_iter
    return Minimum(place, found.point, n_iter, found.trouble)
