"""scikit-learn classifiers for ordered classes, with optimal thresholds."""

from ordcut.estimators.cross_fitted import OrdinalThresholdClassifierCV
from ordcut.estimators.linear import LinearThresholdClassifier
from ordcut.estimators.logistic import OrdinalLogisticRegression
from ordcut.estimators.proportional_odds import ProportionalOddsModel as ProportionalOddsModel

__all__ = [
    "LinearThresholdClassifier",
    "OrdinalLogisticRegression",
    "OrdinalThresholdClassifierCV",
]
