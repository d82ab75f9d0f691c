"""Exactly optimal thresholds that turn one-dimensional scores into ordered labels."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordcut import estimators, frames, onnx, plots, report, scorers, torch
    from ordcut.errors import (
        CrossedThresholdsError,
        ReversedScoresWarning,
        UnorderedLabelsWarning,
    )
    from ordcut.metrics import evaluate, judge
    from ordcut.objectives import Kappa, Objective, resolve_objective
    from ordcut.optimal import optimal_thresholds
    from ordcut.paths import ThresholdPath, asymmetry_path, class_weight_path
    from ordcut.solvers import ScoreTable
    from ordcut.thresholds import Thresholds
    from ordcut.uncertainty import Bootstrap

__version__ = "0.2.0"

__all__ = [
    "Bootstrap",
    "CrossedThresholdsError",
    "Kappa",
    "Objective",
    "ReversedScoresWarning",
    "ScoreTable",
    "ThresholdPath",
    "Thresholds",
    "UnorderedLabelsWarning",
    "asymmetry_path",
    "class_weight_path",
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
    "Bootstrap": "uncertainty",
    "CrossedThresholdsError": "errors",
    "Kappa": "objectives",
    "Objective": "objectives",
    "ReversedScoresWarning": "errors",
    "ScoreTable": "solvers",
    "ThresholdPath": "paths",
    "Thresholds": "thresholds",
    "UnorderedLabelsWarning": "errors",
    "asymmetry_path": "paths",
    "class_weight_path": "paths",
    "evaluate": "metrics",
    "judge": "metrics",
    "optimal_thresholds": "optimal",
    "resolve_objective": "objectives",
}

#: Public modules, which are imported when they are first used as well.
_MODULES = {"estimators", "frames", "onnx", "plots", "report", "scorers", "torch"}


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
