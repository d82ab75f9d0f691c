"""scikit-learn classifiers for ordered classes, with optimal thresholds."""

from ordcut.estimators.cross_fitted import OrdinalThresholdClassifierCV
from ordcut.estimators.likelihood import ProportionalOddsModel as ProportionalOddsModel
from ordcut.estimators.linear import LinearThresholdClassifier
from ordcut.estimators.logistic import OrdinalLogisticRegression

__all__ = [
    "LinearThresholdClassifier",
    "OrdinalLogisticRegression",
    "OrdinalThresholdClassifierCV",
]
