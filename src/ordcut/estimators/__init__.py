"""Ordinal classifiers for scikit-learn that label by optimal thresholds."""

from ordcut.estimators.logistic import OrdinalLogisticRegression

__all__ = ["OrdinalLogisticRegression"]
