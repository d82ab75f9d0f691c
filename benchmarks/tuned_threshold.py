"""scikit-learn's tuned threshold for two classes: a grid search on given scores."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import TunedThresholdClassifierCV

from benchmarks.data import Problem


class GivenScores(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose decision function is its only feature."""

    def fit(self, X, y):  # noqa: N803 (scikit-learn's letters)
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        return self

    def decision_function(self, X):  # noqa: N803
        return X[:, 0]

    def predict(self, X):  # noqa: N803
        return self.classes_[(X[:, 0] > 0).astype(int)]


def tune(metric: str, n_thresholds: int, problem: Problem) -> np.ndarray:
    """Return the threshold that the grid search finds for a metric on the rows."""
    features = problem.scores[:, None]
    tuned = TunedThresholdClassifierCV(
        GivenScores().fit(features, problem.labels),
        scoring=metric,
        thresholds=n_thresholds,
        cv="prefit",
        refit=False,
        response_method="decision_function",
    )
    return np.array([tuned.fit(features, problem.labels).best_threshold_])
