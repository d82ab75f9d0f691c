"""A classifier for ordered classes to start with: boosted trees and optimal thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn

from ordcut._core.limits import Constraints
from ordcut._core.objectives import ObjectiveLike
from ordcut._core.smoothing import Smoothing
from ordcut._core.typing import Floats
from ordcut.boosting.libraries import COMMITTEES, Trees, choose_library, default_leaves
from ordcut.estimators import OrdinalThresholdClassifierCV
from ordcut.estimators.base import Targets
from ordcut.estimators.committee import Committee, best_share
from ordcut.estimators.cross_validation import Fitted, Splits, take_rows


class OrdinalBoostingClassifier(OrdinalThresholdClassifierCV):
    """Boosted trees for ordered classes, with optimal thresholds for a given objective.

    A model to start with for tabular data. It averages the probabilities of two boosted models,
    one with the ordinal objective :class:`~ordcut.boosting.CumulativeLink` and one for unordered
    classes, and cuts the mean class by thresholds that are found on cross-validated scores. The
    weights of the two are those of least squared error on the cross-validated scores.

    Parameters
    ----------
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, default="absolute"
        The objective, as in :func:`ordcut.optimal_thresholds`.
    labeling : {"optimal", "biases", "likelihood", "rounding", "expected_cost"}, default="optimal"
        How scores become labels, as in :class:`OrdinalThresholdClassifierCV`.
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
    library : {"auto", "lightgbm", "xgboost", "sklearn"}, default="auto"
        What trains the trees. ``"auto"`` is the first of these that is installed. ``"sklearn"``
        has no ordinal objective: histogram trees with the squared error take its place.
    n_estimators : int, default=100
        The number of rounds of boosting of the ordinal model. The other one has 40 % of them, each
        with a tree for each class.
    learning_rate : float, default=0.2
        The learning rate of the ordinal model. The other one has half of it.
    max_leaf_nodes : int, default=None
        The most leaves of a tree. By default 8 for fewer than 5000 rows, and 31 for more.
    min_samples_leaf : int, default=20
        The fewest rows in a leaf. XGBoost has no such limit.
    cv : int, float, splitter or iterable, default=5
        A number of stratified folds, the share of a stratified hold-out, or anything that
        scikit-learn accepts as ``cv``.
    calibration : float between 0 and 1, default=None
        The share of rows that are held out: the models are fitted once, to the other rows, and
        thresholds are found on the held-out rows alone. It replaces ``cv`` and ``refit``.
    refit : bool, default=True
        Whether to fit the models on all rows at the end. False keeps the models that were
        fitted on the training rows of the splits, and averages their scores. Of folds, this is
        often a little better for new rows and saves the refit, but takes as many times the memory
        and the time of a prediction as there are folds.
    class_weight : "balanced", dict or array-like of shape (n_classes,), default=None
        How much the rows of each class count for the thresholds. This does not affect the
        models.
    weight_type : {"repeats", "importance"}, default=None
        Whether weights of rows say how often a row occurs or how much it matters, as in
        :func:`ordcut.optimal_thresholds`. The models get the weights as they are.
    classes : sequence, default=None
        All classes, lowest first, also if they do not occur.
    n_jobs : int, default=None
        The number of folds that are fitted in parallel.
    random_state : int, RandomState instance or None, default=None
        Determines the rows of a hold-out, and the random numbers of the libraries.
    store_cv_results : bool, default=False
        Whether to keep the scores that determined the thresholds, as ``cv_results_``.
    probabilities : bool, default=True
        Whether the estimator has ``predict_proba``: the mean of the probabilities of both models,
        calibrated on out-of-fold rows. Labels are optimal for the objective, and can
        differ from the most probable class.

    Attributes
    ----------
    estimator_ : estimator
        The fitted models, ``estimator_.ordered_`` and ``estimator_.unordered_``, if there is only
        one pair of them, and the weight of the ordinal one, ``estimator_.share``.
    estimators_ : list of estimator
        All of them: those of all folds with ``refit=False``.
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
        The number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, where all are text.

    Examples
    --------
    >>> import numpy as np
    >>> from ordcut.estimators import OrdinalBoostingClassifier
    >>> X, y = np.linspace(0, 1, 200)[:, None], np.repeat(["low", "mid", "high", "top"], 50)
    >>> model = OrdinalBoostingClassifier(classes=["low", "mid", "high", "top"], n_estimators=20)
    >>> model.fit(X, y).predict([[0.1], [0.4], [0.9]]).tolist()
    ['low', 'mid', 'top']
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
        library: str = "auto",
        n_estimators: int = 100,
        learning_rate: float = 0.2,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int = 20,
        cv: Any = 5,
        calibration: float | None = None,
        refit: bool = True,
        class_weight: Any = None,
        weight_type: Any = None,
        classes: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        store_cv_results: bool = False,
        probabilities: bool = True,
    ) -> None:
        self.objective = objective
        self.labeling = labeling
        self.smoothing = smoothing
        self.constraints = constraints
        self.review = review
        self.review_share = review_share
        self.library = library
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.cv = cv
        self.calibration = calibration
        self.refit = refit
        self.class_weight = class_weight
        self.weight_type = weight_type
        self.classes = classes
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.store_cv_results = store_cv_results
        self.probabilities = probabilities

    response_method = "auto"

    def _unfitted(self, n_rows: int = 0) -> Committee:
        leaves = self.max_leaf_nodes
        committee = COMMITTEES[choose_library(self.library)](
            Trees(
                self.n_estimators,
                self.learning_rate,
                default_leaves(n_rows) if leaves is None else leaves,
                self.min_samples_leaf,
                self.random_state,
            )
        )
        if sklearn.get_config()["enable_metadata_routing"]:
            committee.set_fit_request(sample_weight=True)
        return committee

    def _combine(
        self, inner: Any, fitted: Fitted, features: Any, splits: Splits, targets: Targets
    ) -> list[Floats]:
        """Set the weights of the models to those of least squared error on the rows held out."""
        held_out = [take_rows(features, test) for _, test in splits]
        rows = np.concatenate([np.asarray(test) for _, test in splits])
        models = [model for model, _ in fitted]
        scores = [model.scores(each) for model, each in zip(models, held_out, strict=True)]
        positions = self._encode_inner(targets.codes)[rows]
        share = best_share(np.concatenate(scores), positions, targets.row_weights[rows])
        for model in (inner, *models):
            model.set_params(share=share)
        return [
            self._response.outputs(model, each, self._code_of, len(targets.classes))
            for model, each in zip(models, held_out, strict=True)
        ]
