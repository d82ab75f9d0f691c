"""Uncertainty of thresholds: the bootstrap, and ranges of nearly optimal thresholds."""

from ordcut._core.uncertainty.bootstrap import Bootstrap
from ordcut._core.uncertainty.estimate import Estimate, estimate_of
from ordcut._core.uncertainty.near_optimal import near_optimal_ranges
from ordcut._core.uncertainty.replicates import bootstrap_thresholds
from ordcut._core.uncertainty.resampling import RandomState

__all__ = [
    "Bootstrap",
    "Estimate",
    "RandomState",
    "bootstrap_thresholds",
    "estimate_of",
    "near_optimal_ranges",
]
