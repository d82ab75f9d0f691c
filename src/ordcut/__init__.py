"""Exactly optimal thresholds that turn one-dimensional scores into ordered labels."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordcut import boosting, estimators, frames, onnx, plots, report, scorers, torch
    from ordcut.errors import (
        CrossedThresholdsError,
        DifferentIndexWarning,
        InfeasibleConstraintsError,
        ReversedScoresWarning,
        UnorderedLabelsWarning,
    )
    from ordcut.limits import (
        Allowed,
        Between,
        Count,
        Digits,
        Fixed,
        Gap,
        Over,
        Precision,
        Recall,
        Share,
        Under,
    )
    from ordcut.metrics import evaluate, judge
    from ordcut.objectives import Kappa, Objective, resolve_objective
    from ordcut.optimal import optimal_thresholds
    from ordcut.paths import (
        ThresholdPath,
        asymmetry_path,
        class_weight_path,
        constraint_path,
    )
    from ordcut.table import ScoreTable
    from ordcut.thresholds import Thresholds
    from ordcut.uncertainty import Bootstrap

__version__ = "0.2.0"

__all__ = [
    "Allowed",
    "Between",
    "Bootstrap",
    "Count",
    "CrossedThresholdsError",
    "DifferentIndexWarning",
    "Digits",
    "Fixed",
    "Gap",
    "InfeasibleConstraintsError",
    "Kappa",
    "Objective",
    "Over",
    "Precision",
    "Recall",
    "ReversedScoresWarning",
    "ScoreTable",
    "Share",
    "ThresholdPath",
    "Thresholds",
    "Under",
    "UnorderedLabelsWarning",
    "asymmetry_path",
    "boosting",
    "class_weight_path",
    "constraint_path",
    "estimators",
    "evaluate",
    "frames",
    "judge",
    "onnx",
    "optimal_thresholds",
    "plots",
    "report",
    "resolve_objective",
    "scorers",
    "torch",
]

#: The module that each public name comes from. It is imported when the name is first used, so that
#: the command line can show its help without waiting for NumPy.
_MODULE_OF = {
    "Allowed": "limits",
    "Between": "limits",
    "Bootstrap": "uncertainty",
    "Count": "limits",
    "CrossedThresholdsError": "errors",
    "DifferentIndexWarning": "errors",
    "Digits": "limits",
    "Fixed": "limits",
    "Gap": "limits",
    "InfeasibleConstraintsError": "errors",
    "Kappa": "objectives",
    "Objective": "objectives",
    "Over": "limits",
    "Precision": "limits",
    "Recall": "limits",
    "ReversedScoresWarning": "errors",
    "ScoreTable": "table",
    "Share": "limits",
    "ThresholdPath": "paths",
    "Thresholds": "thresholds",
    "Under": "limits",
    "UnorderedLabelsWarning": "errors",
    "asymmetry_path": "paths",
    "class_weight_path": "paths",
    "constraint_path": "paths",
    "evaluate": "metrics",
    "judge": "metrics",
    "optimal_thresholds": "optimal",
    "resolve_objective": "objectives",
}

#: Public modules, which are imported when they are first used as well.
_MODULES = {"boosting", "estimators", "frames", "onnx", "plots", "report", "scorers", "torch"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"ordcut.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"ordcut.{_MODULE_OF[name]}"), name)
    globals()[name] = value  # so that the next time costs nothing
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
