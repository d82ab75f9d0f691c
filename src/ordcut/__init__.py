"""Exactly optimal thresholds that turn one-dimensional scores into ordered labels."""

from ordcut.api import optimal_thresholds
from ordcut.bootstrap import Bootstrap
from ordcut.errors import CrossedThresholdsError, UnorderedLabelsWarning
from ordcut.metrics import evaluate
from ordcut.objectives import Kappa, Objective, resolve_objective
from ordcut.paths import ThresholdPath, asymmetry_path, class_weight_path
from ordcut.table import ScoreTable
from ordcut.thresholds import Thresholds

__version__ = "0.1.0"

__all__ = [
    "Bootstrap",
    "CrossedThresholdsError",
    "Kappa",
    "Objective",
    "ScoreTable",
    "ThresholdPath",
    "Thresholds",
    "UnorderedLabelsWarning",
    "asymmetry_path",
    "class_weight_path",
    "evaluate",
    "optimal_thresholds",
    "resolve_objective",
]
