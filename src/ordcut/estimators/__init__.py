"""scikit-learn classifiers for ordered classes, with optimal thresholds.

A class is imported when it is first used: the proportional odds model, which pages and boosting
need as well, does not wait for scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordcut.boosting.classifier import OrdinalBoostingClassifier
    from ordcut.estimators.checks import expected_failed_checks
    from ordcut.estimators.cross_fitted import OrdinalThresholdClassifierCV
    from ordcut.estimators.likelihood import ProportionalOddsModel as ProportionalOddsModel
    from ordcut.estimators.linear import LinearThresholdClassifier
    from ordcut.estimators.link_classifier import CumulativeLinkClassifier
    from ordcut.estimators.logistic import OrdinalLogisticRegression
    from ordcut.estimators.mean_class import MeanClassRegressor
    from ordcut.estimators.skops import SKOPS_TYPES

__all__ = [
    "SKOPS_TYPES",
    "CumulativeLinkClassifier",
    "LinearThresholdClassifier",
    "MeanClassRegressor",
    "OrdinalBoostingClassifier",
    "OrdinalLogisticRegression",
    "OrdinalThresholdClassifierCV",
    "expected_failed_checks",
]

#: The module of each class. Boosted models are in ``ordcut.boosting``, which needs this package.
_MODULE_OF = {
    "CumulativeLinkClassifier": "ordcut.estimators.link_classifier",
    "LinearThresholdClassifier": "ordcut.estimators.linear",
    "MeanClassRegressor": "ordcut.estimators.mean_class",
    "OrdinalBoostingClassifier": "ordcut.boosting.classifier",
    "OrdinalLogisticRegression": "ordcut.estimators.logistic",
    "OrdinalThresholdClassifierCV": "ordcut.estimators.cross_fitted",
    "ProportionalOddsModel": "ordcut.estimators.likelihood",
    "SKOPS_TYPES": "ordcut.estimators.skops",
    "expected_failed_checks": "ordcut.estimators.checks",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value  # so that the next time costs nothing
    return value
