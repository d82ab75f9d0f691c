"""Exactly optimal thresholds that turn one-dimensional scores into ordered labels."""

from __future__ import annotations

import os
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordcut import boosting as boosting
    from ordcut import estimators as estimators
    from ordcut import frames as frames
    from ordcut import onnx as onnx
    from ordcut import plots as plots
    from ordcut import report as report
    from ordcut import scorers as scorers
    from ordcut import torch as torch
    from ordcut.conformal import LabelSets as LabelSets
    from ordcut.conformal import label_sets as label_sets
    from ordcut.custom import Kappa as Kappa
    from ordcut.custom import SegmentObjective as SegmentObjective
    from ordcut.errors import CrossedThresholdsError as CrossedThresholdsError
    from ordcut.errors import DifferentIndexWarning as DifferentIndexWarning
    from ordcut.errors import InfeasibleConstraintsError as InfeasibleConstraintsError
    from ordcut.errors import ReversedScoresWarning as ReversedScoresWarning
    from ordcut.errors import UnorderedLabelsWarning as UnorderedLabelsWarning
    from ordcut.errors import WeightTypeWarning as WeightTypeWarning
    from ordcut.learning import LearningCurve as LearningCurve
    from ordcut.learning import learning_curve as learning_curve
    from ordcut.limits import F1 as F1
    from ordcut.limits import Allowed as Allowed
    from ordcut.limits import Between as Between
    from ordcut.limits import Count as Count
    from ordcut.limits import Digits as Digits
    from ordcut.limits import Fixed as Fixed
    from ordcut.limits import Gap as Gap
    from ordcut.limits import Over as Over
    from ordcut.limits import Precision as Precision
    from ordcut.limits import Recall as Recall
    from ordcut.limits import Share as Share
    from ordcut.limits import Under as Under
    from ordcut.metrics import evaluate as evaluate
    from ordcut.metrics import judge as judge
    from ordcut.objectives import Objective as Objective
    from ordcut.objectives import resolve_objective as resolve_objective
    from ordcut.optimal import optimal_thresholds as optimal_thresholds
    from ordcut.panels import Agreement as Agreement
    from ordcut.panels import Panel as Panel
    from ordcut.paths import ThresholdPath as ThresholdPath
    from ordcut.paths import asymmetry_path as asymmetry_path
    from ordcut.paths import class_weight_path as class_weight_path
    from ordcut.paths import constraint_path as constraint_path
    from ordcut.table import ScoreTable as ScoreTable
    from ordcut.thresholds import Thresholds as Thresholds
    from ordcut.uncertainty import Bootstrap as Bootstrap

__version__ = "0.2.0"

#: Public modules.
_MODULES = ("boosting", "estimators", "frames", "onnx", "plots", "report", "scorers", "torch")

#: Public names by the module that they come from.
_NAMES = {
    "conformal": ("LabelSets", "label_sets"),
    "custom": ("Kappa", "SegmentObjective"),
    "errors": (
        "CrossedThresholdsError",
        "DifferentIndexWarning",
        "InfeasibleConstraintsError",
        "ReversedScoresWarning",
        "UnorderedLabelsWarning",
        "WeightTypeWarning",
    ),
    "learning": ("LearningCurve", "learning_curve"),
    "limits": (
        "Allowed",
        "Between",
        "Count",
        "Digits",
        "Fixed",
        "Gap",
        "Over",
        "F1",
        "Precision",
        "Recall",
        "Share",
        "Under",
    ),
    "metrics": ("evaluate", "judge"),
    "objectives": ("Objective", "resolve_objective"),
    "optimal": ("optimal_thresholds",),
    "panels": ("Agreement", "Panel"),
    "paths": ("ThresholdPath", "asymmetry_path", "class_weight_path", "constraint_path"),
    "table": ("ScoreTable",),
    "thresholds": ("Thresholds",),
    "uncertainty": ("Bootstrap",),
}

#: Where classes are that are often looked for here.
_ELSEWHERE = {
    "LinearThresholdClassifier": "estimators",
    "OrdinalLogisticRegression": "estimators",
    "OrdinalThresholdClassifierCV": "estimators",
    "ObjectiveScorer": "scorers",
    "ThresholdDisplay": "plots",
    "ThresholdTracker": "torch",
}

#: Modules are imported when they, or their names, are first used, so that the command line can show
#: its help without waiting for NumPy.
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted([*_MODULES, *_MODULE_OF])

#: Held while modules are imported. A process that is forked meanwhile would have locks of a thread
#: that it does not have, and wait forever.
_importing = RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_importing.acquire,
        after_in_parent=_importing.release,
        after_in_child=_importing.release,
    )


def __getattr__(name: str) -> Any:
    if name not in _MODULES and name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}.{_hint(name)}")
    with _importing:
        module = import_module(f"ordcut.{_MODULE_OF.get(name, name)}")
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value  # so that the next time costs nothing
    return value


def _hint(name: str) -> str:
    """Return where an unknown name is, or the most similar name."""
    if name in _ELSEWHERE:
        return f" It is in ordcut.{_ELSEWHERE[name]}."
    from difflib import get_close_matches

    near = get_close_matches(name, __all__, n=1, cutoff=0.7)
    return f" Did you mean {near[0]!r}?" if near else ""


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
