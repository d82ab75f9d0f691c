"""Ordinal logistic regression by maximum likelihood."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from ordcut._core.data import is_unclear, warn_unclear
from ordcut._core.errors import check_number, unknown_name
from ordcut._core.limits import Constraints
from ordcut._core.objectives import ObjectiveLike
from ordcut._core.smoothing import Smoothing
from ordcut._core.typing import ArrayLike, Floats
from ordcut.estimators.base import Targets, check_search, read_targets
from ordcut.estimators.design import Design, few_threads
from ordcut.estimators.inference import (
    Summary,
    collinear_features,
    covariance_of,
    fit_statistics,
    leave_one_out_changes,
    score_test_of_odds,
    summarise,
)
from ordcut.estimators.likelihood import (
    MOST_FOR_NEWTON,
    LikelihoodPoint,
    ProportionalOddsModel,
    fit_proportional_odds,
    occurring_rows,
)
from ordcut.estimators.linear import LinearClassifier
from ordcut.estimators.links import LINKS
from ordcut.estimators.minimisers import CurvedPoint, Minimum

SOLVERS = ("auto", "newton", "lbfgs")


#: Attributes of results of statsmodels and R that the summary has.
IN_SUMMARY = ("pvalues", "params", "bse", "tvalues", "zvalues", "conf_int", "aic", "bic", "llf")


class OrdinalLogisticRegression(LinearClassifier):
    """Ordinal logistic regression by maximum likelihood, with labels for a given objective.

    The probability of a class of at most ``k`` is ``F(biases_[k] - X @ coef_)``, where ``F``
    depends on the link. Features are standardised internally, so the result does not depend on
    their scales.

    Parameters
    ----------
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, default="absolute"
        The objective, as in :func:`ordcut.optimal_thresholds`.
    labeling : {"optimal", "biases", "likelihood", "rounding"}, default="optimal"
        How scores become labels: by the thresholds that are optimal for the objective on the
        training rows, by the biases, by the least expected cost (the best expected kappa) under
        the model's probabilities, or by rounding a line through the labels. For the most probable
        class, pass ``objective="zero_one"`` and ``labeling="likelihood"``.
    smoothing : float from 0 to 1, "auto" or "bagging", default="auto"
        The amount of smoothing by a model of the labels given the scores, as in
        :func:`ordcut.optimal_thresholds`: 0 is the optimum for the training rows, ``"auto"``
        generalises better. Unless it is 0, thresholds are found on leave-one-out scores, by a
        Newton step per row and no further fit (not after ``"lbfgs"``, which has no Hessian).
    constraints : sequence of constraints or str, default=None
        Constraints on the scores that determine the thresholds, as in
        :func:`ordcut.optimal_thresholds`. Needs optimal thresholds.
    review : float, default=None
        Adds a decision between any two neighbouring classes, which hands the row over for review
        at this cost, as in :func:`ordcut.optimal_thresholds`. ``decide`` returns these decisions.
        ``predict`` still returns classes: the decision where a row is not reviewed, and the best
        class for the objective where it is.
    review_share : float from 0 to 1, default=None
        Instead of the cost of a review, the largest share of the rows to hand over. Of smoothing,
        it takes only 0 and ``"auto"``, which is then 0 for decisions.
    link : {"logit", "probit", "cloglog", "loglog", "cauchit"}, default="logit"
        The link; ``cloglog`` has ``F(z) = 1 - exp(-exp(z))``, ``loglog`` ``exp(-exp(-z))``.
    alpha : float, default=1.0
        Half of ``alpha`` times the squared coefficients of the standardised features is added to
        the negative log-likelihood. 0 is plain maximum likelihood.
    solver : {"auto", "newton", "lbfgs"}, default="auto"
        Newton's method needs memory for the square of the number of parameters; ``"auto"`` uses
        it for up to 400 parameters.
    tol : float, default=1e-8
        The search ends where no derivative of the log-likelihood is above ``tol`` times the
        weight of all rows.
    max_iter : int, default=1000
        The maximum number of steps.
    classes : sequence, default=None
        All classes, lowest first, also if they do not occur.
    class_weight : "balanced", dict or array-like of shape (n_classes,), default=None
        How much the rows of each class count, in the likelihood and in the thresholds.
    weight_type : {"repeats", "importance"}, default=None
        Whether weights of rows say how often a row occurs or how much it matters, as in
        :func:`ordcut.optimal_thresholds`. ``"importance"`` is scaled to add up to the effective
        number of rows, in the likelihood and for standard errors, AIC and BIC; by default, these
        use weights as they are.
    probabilities : bool, default=True
        Whether the estimator has ``predict_proba``. Labels are optimal for the objective, and can
        differ from the most probable class, which a check of scikit-learn expects: see
        :func:`ordcut.estimators.expected_failed_checks`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients; a positive coefficient raises the class.
    biases_ : ndarray of shape (n_classes - 1,)
        The ascending biases of the model.
    thresholds_ : ndarray of shape (n_classes - 1,)
        The thresholds between scores.
    labeler_ : Thresholds
        The thresholds with their value and the reason for the choice.
    decider_ : Thresholds
        The thresholds between decisions, if there are reviews; else as in ``labeler_``.
    classes_ : ndarray of shape (n_classes,)
        The ordered classes.
    log_likelihood_ : float
        Of the training rows, weighted, without the penalty.
    covariance_ : ndarray or None
        Of biases and coefficients, in this order; None after ``"lbfgs"``. NaN for what the rows
        do not determine.
    rank_ : int or None
        How many of the features are linearly independent of the others and of a constant; None
        after ``"lbfgs"``. AIC and BIC count these, and the biases.
    collinear_ : list of str
        The names of the collinear features, constant ones among them.
    n_iter_ : int
        The number of steps of the search.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, where all are text.

    Examples
    --------
    >>> from ordcut.estimators import OrdinalLogisticRegression
    >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
    >>> y = ["bad", "bad", "fair", "bad", "good", "good"]
    >>> model = OrdinalLogisticRegression(classes=["bad", "fair", "good"])
    >>> model.fit(X, y).predict([[0.0], [9.0]]).tolist()
    ['bad', 'good']
    >>> model.predict_proba([[9.0]]).round(2)
    array([[0.02, 0.04, 0.94]])
    """

    def __init__(
        self,
        *,
        objective: ObjectiveLike = "absolute",
        labeling: str = "optimal",
        smoothing: Smoothing = "auto",
        constraints: Constraints = None,
        review: float | None = None,
        review_share: float | None = None,
        link: str = "logit",
        alpha: float = 1.0,
        solver: str = "auto",
        tol: float = 1e-8,
        max_iter: int = 1000,
        classes: Any = None,
        class_weight: Any = None,
        weight_type: Any = None,
        probabilities: bool = True,
    ) -> None:
        self.objective = objective
        self.labeling = labeling
        self.smoothing = smoothing
        self.constraints = constraints
        self.review = review
        self.review_share = review_share
        self.link = link
        self.alpha = alpha
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.classes = classes
        self.class_weight = class_weight
        self.weight_type = weight_type
        self.probabilities = probabilities

    def _check_parameters(self) -> None:
        if self.link not in LINKS:
            raise unknown_name("link", self.link, LINKS)
        if self.solver not in SOLVERS:
            raise unknown_name("solver", self.solver, SOLVERS)
        check_search(self.alpha, self.tol, self.max_iter)

    def _learn(self, features: Any, targets: Targets) -> None:
        n_classes = len(targets.classes)
        self.rank_: int | None = None
        self.collinear_: list[str] = []
        self._has_unclear_weights = is_unclear(targets.sample_weight, targets.weight_type)
        rows, occurring = occurring_rows(features, targets.codes, targets.counts, n_classes)
        if len(occurring) == 1:  # among the rows that carry weight: the class is certain
            model = ProportionalOddsModel(self.link, np.empty(0), 1.0, occurring, n_classes)
            self.coef_, self.biases_ = np.zeros(features.shape[1]), model.biases
            self.n_iter_, self.log_likelihood_, self.covariance_ = 1, 0.0, None
            self._set_labels(np.zeros(features.shape[0]), targets, model=model)
            return
        minimum = fit_proportional_odds(
            rows, LINKS[self.link],
            alpha=float(self.alpha), tol=float(self.tol), max_iter=int(self.max_iter),
            solver=self.solver,
        )  # fmt: skip
        minimum.warn("Pass alpha > 0, or a larger max_iter or tol.")
        m = len(occurring) - 1
        self.coef_, shift = rows.design.to_features(minimum.iterate[m:])
        biases = minimum.iterate[:m] + shift
        model = ProportionalOddsModel(self.link, biases, 1.0, occurring, n_classes)
        self.biases_ = model.biases
        self.n_iter_ = minimum.n_iter
        assert isinstance(minimum.point, LikelihoodPoint)
        self.log_likelihood_ = minimum.point.log_likelihood
        shares = rows.by_class(np.ones(len(rows.codes)))
        self._total_weight = float(shares.sum())
        self._null_log_likelihood = float(shares @ np.log(shares / shares.sum()))
        self.covariance_ = self._covariance(minimum, rows.design, model)
        if self.covariance_ is not None:
            self.rank_, indices = collinear_features(rows)
            names = self._feature_names()
            self.collinear_ = [names[index] for index in indices]
        scores = np.asarray(features @ self.coef_)
        if self.labeling == "optimal" and self.smoothing != 0 and self.covariance_ is not None:
            kept = np.flatnonzero(targets.weights > 0)
            scores[kept] += leave_one_out_changes(rows, minimum.point)
        self._set_labels(scores, targets, model=model)

    def _covariance(
        self, minimum: Minimum[CurvedPoint], design: Design, model: ProportionalOddsModel
    ) -> Floats | None:
        n_parameters = len(minimum.iterate)
        if self.solver == "lbfgs" or (self.solver == "auto" and n_parameters > MOST_FOR_NEWTON):
            return None
        return covariance_of(minimum.point.hessian(), design, model)

    if not TYPE_CHECKING:  # so that type checkers still report unknown names

        def __getattr__(self, name: str) -> Any:
            hint = f" Use summary(), which has {name}." if name in IN_SUMMARY else ""
            kind = type(self).__name__
            raise AttributeError(f"{kind!r} object has no attribute {name!r}.{hint}")

    def summary(
        self,
        X: Any = None,  # noqa: N803
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        level: float = 0.95,
    ) -> Summary:
        """Return estimates with standard errors and intervals, and how well the model fits.

        ``statistics`` of the result has n, the log-likelihood, AIC, BIC and McFadden's pseudo R2.
        AIC and BIC count the parameters that the rows determine. Collinear features are named, and
        without a penalty they have no standard errors.
        They are maximum-likelihood values if ``alpha`` is 0; otherwise they, and the standard
        errors, are taken at the penalised estimates, which are shrunk towards 0: p values and
        intervals are then not valid tests, and a note says so.

        Parameters
        ----------
        X, y, sample_weight : optional
            The rows passed to ``fit``, which the estimator does not store. If they are given, the
            summary contains ``odds_test``, the result of :meth:`proportional_odds_test`.
        level : float, default=0.95
            The level of the confidence intervals.

        Returns
        -------
        Summary
            A table that prints as text, shows as HTML and turns into a dataframe.

        Examples
        --------
        >>> from ordcut.estimators import OrdinalLogisticRegression
        >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0, 0, 1, 0, 2, 2]
        >>> model = OrdinalLogisticRegression().fit(X, y)
        >>> model.summary().statistics["n"]
        6.0
        """
        check_is_fitted(self)
        check_number("level", level, "a number between 0 and 1", lambda v: 0 < v < 1)
        if (X is None) != (y is None) or isinstance(X, Real):
            raise TypeError(
                "summary takes the rows passed to fit, summary(X, y), or none. Pass the level of "
                "the intervals by name: summary(level=0.9)."
            )
        if self.covariance_ is None:
            raise ValueError(
                "summary needs the Hessian, which L-BFGS does not compute. "
                'Fit with solver="newton", on rows of at least two classes.'
            )
        if self._has_unclear_weights:
            warn_unclear()
        variance = np.diag(self.covariance_)
        has_test = X is not None and len(self._fitted_model().occurring) > 2
        return summarise(
            f"Ordinal {self.link} regression, log-likelihood {self.log_likelihood_:.6g}, "
            f"alpha {self.alpha:g}",
            self._term_names(),
            np.concatenate([self.biases_, self.coef_]),
            np.sqrt(np.where(variance > 0, variance, np.nan)),
            n_biases=len(self.biases_),
            level=level,
            odds=self.link == "logit",
            statistics=fit_statistics(
                self._total_weight,
                self.log_likelihood_,
                self._null_log_likelihood,
                len(self._fitted_model().inner_biases) + (self.rank_ or 0),
            ),
            note="\n".join(filter(None, [self._note_on_penalty(), self._note_on_rank()])),
            odds_test=self.proportional_odds_test(X, y, sample_weight) if has_test else None,
        )

    def proportional_odds_test(
        self,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: ArrayLike | None = None,
    ) -> Summary:
        """Test whether a feature has the same effect on all thresholds: a score test.

        A small p value means that a feature has different effects on different thresholds. The
        first line is for all features together, each other line for a single feature. The test
        needs many rows of every class; with few rows it rejects too often.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows passed to ``fit``, of at least three classes.
        y : array-like of shape (n_samples,)
            Their true classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights, if ``fit`` had them.

        Returns
        -------
        Summary
            With the columns ``term``, ``chi2``, ``df`` and ``p_value``.

        Examples
        --------
        >>> from ordcut.estimators import OrdinalLogisticRegression
        >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0, 1, 0, 2, 1, 2]
        >>> OrdinalLogisticRegression(alpha=0).fit(X, y).proportional_odds_test(X, y)["df"]
        array([1, 1])
        """
        check_is_fitted(self)
        features = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        targets = read_targets(
            y,
            classes=self.classes_,
            objective=self.objective,
            sample_weight=sample_weight,
            weight_type=self.weight_type,
            class_weight=self.class_weight,
        )
        check_consistent_length(features, targets.codes)
        rows, occurring = occurring_rows(
            features, targets.codes, targets.counts, len(self.classes_)
        )
        if not np.array_equal(occurring, self._fitted_model().occurring) or len(occurring) < 3:
            raise ValueError(
                "the test needs the rows that were passed to fit, of at least three classes; got "
                f"rows of the classes {self.classes_[occurring].tolist()} after a fit on "
                f"{self.classes_[self._fitted_model().occurring].tolist()}."
            )
        biases = self._fitted_model().inner_biases - rows.design.centre @ self.coef_
        names = self._feature_names()
        with few_threads(features.shape[1]):
            return score_test_of_odds(
                rows, LINKS[self.link], biases, self.coef_ * rows.design.scale, names
            )

    def _fitted_model(self) -> ProportionalOddsModel:
        model = super()._fitted_model()
        assert isinstance(model, ProportionalOddsModel)
        return model

    def _note_on_penalty(self) -> str:
        if self.alpha == 0:
            return ""
        return (
            f"Coefficients are shrunk by alpha={self.alpha:g}: p values and intervals are not "
            "maximum-likelihood values. Fit with alpha=0 to test effects."
        )

    def _note_on_rank(self) -> str:
        if not self.collinear_:
            return ""
        shown = ", ".join(self.collinear_[:10]) + (", ..." if len(self.collinear_) > 10 else "")
        return f"rank {self.rank_} of {self.n_features_in_} features, collinear: {shown}"

    def _term_names(self) -> list[str]:
        names = [f"{a} | {b}" for a, b in zip(self.classes_[:-1], self.classes_[1:], strict=True)]
        return [*names, *self._feature_names()]

    def _feature_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            return [f"x{index}" for index in range(self.n_features_in_)]
        return list(map(str, names))
