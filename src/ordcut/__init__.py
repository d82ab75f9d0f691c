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
    from ordcut._core.errors import ColumnVectorWarning as ColumnVectorWarning
    from ordcut._core.errors import CrossedThresholdsError as CrossedThresholdsError
    from ordcut._core.errors import DifferentIndexWarning as DifferentIndexWarning
    from ordcut._core.errors import DifferentScaleWarning as DifferentScaleWarning
    from ordcut._core.errors import InfeasibleConstraintsError as InfeasibleConstraintsError
    from ordcut._core.errors import ReversedScoresWarning as ReversedScoresWarning
    from ordcut._core.errors import UnorderedLabelsWarning as UnorderedLabelsWarning
    from ordcut._core.errors import WeightTypeWarning as WeightTypeWarning
    from ordcut._core.limits import F1 as F1
    from ordcut._core.limits import Allowed as Allowed
    from ordcut._core.limits import Between as Between
    from ordcut._core.limits import Count as Count
    from ordcut._core.limits import Digits as Digits
    from ordcut._core.limits import Fixed as Fixed
    from ordcut._core.limits import Gap as Gap
    from ordcut._core.limits import Lift as Lift
    from ordcut._core.limits import Over as Over
    from ordcut._core.limits import Precision as Precision
    from ordcut._core.limits import Recall as Recall
    from ordcut._core.limits import Share as Share
    from ordcut._core.limits import Specificity as Specificity
    from ordcut._core.limits import Under as Under
    from ordcut._core.objectives import Kappa as Kappa
    from ordcut._core.objectives import Objective as Objective
    from ordcut._core.objectives import SegmentObjective as SegmentObjective
    from ordcut._core.objectives import resolve_objective as resolve_objective
    from ordcut._core.optimal import optimal_thresholds as optimal_thresholds
    from ordcut._core.table import ScoreTable as ScoreTable
    from ordcut._core.thresholds import Card as Card
    from ordcut._core.thresholds import Record as Record
    from ordcut._core.thresholds import Thresholds as Thresholds
    from ordcut._core.uncertainty import Bootstrap as Bootstrap
    from ordcut._core.uncertainty import Estimate as Estimate
    from ordcut.bands import BandBootstrap as BandBootstrap
    from ordcut.bands import BandPath as BandPath
    from ordcut.bands import Bands as Bands
    from ordcut.bands import optimal_bands as optimal_bands
    from ordcut.panels import Agreement as Agreement
    from ordcut.panels import Panel as Panel
    from ordcut.studies.batch import Batch as Batch
    from ordcut.studies.change import Change as Change
    from ordcut.studies.change import Verdict as Verdict
    from ordcut.studies.conformal import LabelSets as LabelSets
    from ordcut.studies.conformal import label_sets as label_sets
    from ordcut.studies.diff import Diff as Diff
    from ordcut.studies.diff import diff as diff
    from ordcut.studies.drift import Drift as Drift
    from ordcut.studies.expected_cost import expected_cost_labels as expected_cost_labels
    from ordcut.studies.gate import Gate as Gate
    from ordcut.studies.gate import gate as gate
    from ordcut.studies.learning import LearningCurve as LearningCurve
    from ordcut.studies.learning import learning_curve as learning_curve
    from ordcut.studies.metrics import evaluate as evaluate
    from ordcut.studies.metrics import judge as judge
    from ordcut.studies.paths import ThresholdPath as ThresholdPath
    from ordcut.studies.paths import asymmetry_path as asymmetry_path
    from ordcut.studies.paths import class_weight_path as class_weight_path
    from ordcut.studies.paths import constraint_path as constraint_path
    from ordcut.studies.update import Update as Update
    from ordcut.studies.update import update as update

__version__ = "0.2.0"

#: Public modules.
_MODULES = ("boosting", "estimators", "frames", "onnx", "plots", "report", "scorers", "torch")

#: Public names by the module that they come from.
_NAMES = {
    "bands": ("BandBootstrap", "BandPath", "Bands", "optimal_bands"),
    "studies.batch": ("Batch",),
    "studies.change": ("Change", "Verdict"),
    "studies.conformal": ("LabelSets", "label_sets"),
    "_core.errors": (
        "ColumnVectorWarning",
        "CrossedThresholdsError",
        "DifferentIndexWarning",
        "DifferentScaleWarning",
        "InfeasibleConstraintsError",
        "ReversedScoresWarning",
        "UnorderedLabelsWarning",
        "WeightTypeWarning",
    ),
    "studies.diff": ("Diff", "diff"),
    "studies.drift": ("Drift",),
    "studies.expected_cost": ("expected_cost_labels",),
    "studies.gate": ("Gate", "gate"),
    "studies.learning": ("LearningCurve", "learning_curve"),
    "_core.limits": (
        "Allowed",
        "Between",
        "Count",
        "Digits",
        "Fixed",
        "Gap",
        "Lift",
        "Over",
        "F1",
        "Precision",
        "Recall",
        "Share",
        "Specificity",
        "Under",
    ),
    "studies.metrics": ("evaluate", "judge"),
    "_core.objectives": ("Kappa", "Objective", "SegmentObjective", "resolve_objective"),
    "_core.optimal": ("optimal_thresholds",),
    "panels": ("Agreement", "Panel"),
    "studies.paths": ("ThresholdPath", "asymmetry_path", "class_weight_path", "constraint_path"),
    "studies.update": ("Update", "update"),
    "_core.table": ("ScoreTable",),
    "_core.thresholds": ("Card", "Record", "Thresholds"),
    "_core.uncertainty": ("Bootstrap", "Estimate"),
}

#: Where classes are that are often looked for here.
_ELSEWHERE = {
    "LinearThresholdClassifier": "estimators",
    "OrdinalBoostingClassifier": "estimators",
    "OrdinalLogisticRegression": "estimators",
    "OrdinalThresholdClassifierCV": "estimators",
    "ObjectiveScorer": "scorers",
    "ThresholdDisplay": "plots",
    "ThresholdTracker": "torch",
}

#: What has the answer to other names that are looked for here.
_INSTEAD = {
    "drift": "result.drift(scores)",
    "fit": "ordcut.optimal_thresholds(scores, labels)",
    "predict": "result.predict(scores)",
    "load": "ordcut.Thresholds.from_json(pathlib.Path(name))",
    "bootstrap": "result.bootstrap()",
    "plot": "result.plot()",
    "cohen_kappa": 'ordcut.evaluate(labels, predicted, "kappa")',
    "quadratic_weighted_kappa": 'ordcut.evaluate(labels, predicted, "quadratic_kappa")',
    "OptimizedRounder": 'ordcut.optimal_thresholds(scores, labels, objective="quadratic_kappa")',
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
    if name in _INSTEAD:
        return f" Use {_INSTEAD[name]}."
    from difflib import get_close_matches

    near = get_close_matches(name, __all__, n=1, cutoff=0.7)
    return f" Did you mean {near[0]!r}?" if near else ""


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
