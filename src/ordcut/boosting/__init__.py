"""Ordinal objectives and evaluation metrics for LightGBM, XGBoost and CatBoost.

:class:`CumulativeLink` is an objective that trees are trained with, :class:`ThresholdMetric` and
:class:`LikelihoodMetric` are evaluation metrics. None of the libraries is imported here: these are
callables with the arguments that the libraries pass.
"""

from ordcut.boosting.cumulative_link import CumulativeLink
from ordcut.boosting.metrics import LikelihoodMetric, ThresholdMetric

__all__ = ["CumulativeLink", "LikelihoodMetric", "ThresholdMetric"]
