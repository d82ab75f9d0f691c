"""Scorers for scikit-learn's searches and cross-validation, for every objective.

Higher is better, as scikit-learn expects: the score of a loss is its negative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED

from ordcut._core.errors import unknown_name
from ordcut._core.objectives import (
    ALIASES,
    BALANCED,
    COSTS,
    KAPPAS,
    TERMS,
    ObjectiveLike,
    canonical_name,
    is_accuracy,
    is_maximised,
    is_named,
)
from ordcut._core.typing import Array, ArrayLike
from ordcut.studies.metrics import evaluate

__all__ = ["ObjectiveScorer", "get_scorer", "get_scorer_names"]


class ObjectiveScorer(BaseEstimator):
    """Score a fitted classifier by the kappa, or by the negative of the loss, of its predictions.

    Parameters
    ----------
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, default=None
        What predictions are judged by, as in :func:`ordcut.optimal_thresholds`. None is the
        objective, and the class weights, of the estimator itself if it is one of
        :mod:`ordcut.estimators`, or a pipeline or search with one; otherwise ``"absolute"``.
    classes : sequence, default=None
        All classes, lowest first. By default the classes that the classifier was fitted on, so that
        a fold in which a class is missing is judged by the same costs as the others.
    class_weight : "balanced", dict or array-like of shape (n_classes,), default=None
        How much the rows of each true class count.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from ordcut.scorers import ObjectiveScorer
    >>> constant = DummyClassifier(strategy="constant", constant=1).fit([[0]] * 3, [0, 1, 2])
    >>> ObjectiveScorer("squared")(constant, [[0]] * 2, [1, 2])
    -0.5
    """

    # The estimator to score is not metadata.
    __metadata_request__score = {"estimator": UNUSED}  # noqa: RUF012 (read by scikit-learn)

    def __init__(
        self,
        objective: ObjectiveLike | None = None,
        *,
        classes: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.objective = objective
        self.classes = classes
        self.class_weight = class_weight

    def score(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the score of an estimator on rows and their true classes.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier.
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The true classes.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        float
            Higher is better.
        """
        predictions = estimator.predict(X)
        classes = _known_classes(estimator, y) if self.classes is None else self.classes
        objective, class_weight = self.objective, self.class_weight
        if objective is None:
            objective, own_weight = _own_objective(estimator)
            class_weight = own_weight if class_weight is None else class_weight
        value: float = evaluate(
            y,
            predictions,
            objective,
            classes=classes,
            sample_weight=sample_weight,
            class_weight=class_weight,
        )
        return value if is_accuracy(objective) or is_maximised(objective) else -value

    __call__ = score


def get_scorer(name: str) -> ObjectiveScorer:
    """Return the scorer of a given name.

    Parameters
    ----------
    name : str
        ``"ordcut"``, for the objective of the estimator itself;
        ``"ordcut_neg_absolute"``, ``"ordcut_neg_squared"``, ``"ordcut_neg_zero_one"``,
        ``"ordcut_neg_macro_mae"``, ``"ordcut_neg_balanced_zero_one"``,
        ``"ordcut_kappa"``, ``"ordcut_linear_kappa"``, ``"ordcut_quadratic_kappa"``,
        ``"ordcut_macro_f1"``, ``"ordcut_weighted_f1"``, ``"ordcut_geometric_recall"``,
        ``"ordcut_min_recall"``; or any other name of an objective, such as ``"qwk"``.

    Returns
    -------
    ObjectiveScorer
        To be passed as ``scoring`` to scikit-learn.

    Examples
    --------
    >>> get_scorer("ordcut_quadratic_kappa")
    ObjectiveScorer(objective='quadratic_kappa')
    """
    if name in _OBJECTIVES:
        return ObjectiveScorer(_OBJECTIVES[name])
    plain = str(name).removeprefix("ordcut_")
    if is_accuracy(plain):
        return ObjectiveScorer(plain)
    objective = canonical_name(plain.removeprefix("neg_"))
    if not is_named(objective) or (plain.startswith("neg_") and is_maximised(objective)):
        raise unknown_name("name", name, _OBJECTIVES, ALIASES)
    return ObjectiveScorer(objective)


def get_scorer_names() -> list[str]:
    """Return the names of all scorers.

    Examples
    --------
    >>> get_scorer_names()[:2]
    ['ordcut', 'ordcut_neg_absolute']
    """
    return list(_OBJECTIVES)


_OBJECTIVES: dict[str, str | None] = {
    "ordcut": None,
    **{f"ordcut_neg_{cost}": cost for cost in (*COSTS, *BALANCED)},
    **{f"ordcut_{score}": score for score in (*KAPPAS, *TERMS)},
}


def _own_objective(estimator: Any) -> tuple[ObjectiveLike, Any]:
    """Return the objective and the class weights of an estimator or of the one inside it."""
    while not hasattr(estimator, "labeling"):
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "named_steps"):
            estimator = estimator[-1]
        else:
            return "absolute", None
    return estimator.objective, estimator.class_weight


def _known_classes(estimator: Any, y: Any) -> Array | None:
    """Return the classes of a fitted classifier, and numbers in y that it was not fitted on."""
    known = getattr(estimator, "classes_", None)
    if known is None:
        return None
    known, labels = np.asarray(known), np.asarray(y)
    if known.dtype.kind in "biuf" and labels.dtype.kind in "biuf":
        new = np.setdiff1d(labels, known)
        return known if not len(new) else np.union1d(known, new)
    return known
