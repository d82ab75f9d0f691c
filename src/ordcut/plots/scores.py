"""The scores that a fitted estimator, pipeline or search gives rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordcut._core.typing import Array


def estimator_scores(estimator: Any, X: Any) -> tuple[Array, Any | None]:  # noqa: N803
    """Return the scores of rows, and the estimator of ordcut that gave them; None if it is another.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> estimator_scores(LinearRegression().fit([[0], [1]], [0, 2]), [[0.5]])
    (array([1.]), None)
    """
    from sklearn.base import is_regressor

    if hasattr(estimator, "best_estimator_"):  # a search
        return estimator_scores(estimator.best_estimator_, X)
    if hasattr(estimator, "named_steps"):  # a pipeline
        inputs = estimator[:-1].transform(X) if len(estimator) > 1 else X
        return estimator_scores(estimator[-1], inputs)
    if hasattr(estimator, "predict_score"):
        return estimator.predict_score(X), estimator
    if is_regressor(estimator):
        return np.asarray(estimator.predict(X)), None
    if hasattr(estimator, "predict_proba"):
        probabilities = np.asarray(estimator.predict_proba(X))
        return probabilities @ np.arange(probabilities.shape[1]), None
    raise TypeError(
        "estimator must be an estimator of ordcut, a regressor or a classifier with predict_proba, "
        f"or a pipeline or search with one, got {type(estimator).__name__}. Fit it first, or pass "
        "scores of your own to from_predictions(y_true, scores)."
    )
