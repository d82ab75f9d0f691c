"""scikit-learn classifiers for ordered classes, with optimal thresholds.

A class is imported when it is first used: the proportional odds model, which pages and boosting
need as well, does not wait for scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordcut.estimators.checks import expected_failed_checks
    from ordcut.estimators.cross_fitted import OrdinalThresholdClassifierCV
    from ordcut.estimators.likelihood import ProportionalOddsModel as ProportionalOddsModel
    from ordcut.estimators.linear import LinearThresholdClassifier
    from ordcut.estimators.logistic import OrdinalLogisticRegression
    from ordcut.estimators.skops import SKOPS_TYPES

__all__ = [
    "SKOPS_TYPES",
    "LinearThresholdClassifier",
    "OrdinalLogisticRegression",
    "OrdinalThresholdClassifierCV",
    "expected_failed_checks",
]

#: The module of each class.
_MODULE_OF = {
    "LinearThresholdClassifier": "linear",
    "OrdinalLogisticRegression": "logistic",
    "OrdinalThresholdClassifierCV": "cross_fitted",
    "ProportionalOddsModel": "likelihood",
    "SKOPS_TYPES": "skops",
    "expected_failed_checks": "checks",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value  # so that the next time costs nothing
    return value
