"""Exactly optimal thresholds that turn one-dimensional scores into ordered labels."""

from ordcut.api import optimal_thresholds
from ordcut.errors import CrossedThresholdsError, UnorderedLabelsWarning
from ordcut.metrics import evaluate
from ordcut.objectives import Kappa, Objective, resolve_objective
from ordcut.table import ScoreTable
from ordcut.thresholds import Thresholds

__version__ = "0.1.0"

__all__ = [
    "CrossedThresholdsError",
    "Kappa",
    "Objective",
    "ScoreTable",
    "Thresholds",
    "UnorderedLabelsWarning",
    "evaluate",
    "optimal_thresholds",
    "resolve_objective",
]
