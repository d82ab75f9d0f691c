"""Uncertainty of thresholds: the bootstrap, and ranges of nearly optimal thresholds."""

from ordcut.uncertainty.bootstrap import Bootstrap
from ordcut.uncertainty.near_optimal import near_optimal_ranges
from ordcut.uncertainty.replicates import bootstrap_thresholds
from ordcut.uncertainty.resampling import RandomState

__all__ = ["Bootstrap", "RandomState", "bootstrap_thresholds", "near_optimal_ranges"]
