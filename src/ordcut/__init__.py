"""Exactly optimal thresholds that turn one-dimensional scores into ordered labels."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordcut.api import optimal_thresholds
    from ordcut.errors import CrossedThresholdsError, UnorderedLabelsWarning
    from ordcut.metrics import evaluate
    from ordcut.objectives import Kappa, Objective, resolve_objective
    from ordcut.paths import ThresholdPath, asymmetry_path, class_weight_path
    from ordcut.table import ScoreTable
    from ordcut.thresholds import Thresholds
    from ordcut.uncertainty.bootstrap import Bootstrap

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

#: Where each public name lives. A room is imported when a name of it is first used, so that the
#: command line can show its help without waiting for NumPy.
_ROOM_OF = {
    "Bootstrap": "uncertainty.bootstrap",
    "CrossedThresholdsError": "errors",
    "Kappa": "objectives",
    "Objective": "objectives",
    "ScoreTable": "table",
    "ThresholdPath": "paths",
    "Thresholds": "thresholds",
    "UnorderedLabelsWarning": "errors",
    "asymmetry_path": "paths",
    "class_weight_path": "paths",
    "evaluate": "metrics",
    "optimal_thresholds": "api",
    "resolve_objective": "objectives",
}


def __getattr__(name: str) -> Any:
    if name in _ROOM_OF:
        value = getattr(import_module(f"ordcut.{_ROOM_OF[name]}"), name)
    elif name in _ROOM_OF.values():
        value = import_module(f"ordcut.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # so that the next time costs nothing
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_ROOM_OF.values(), *(name for name in globals() if "__" in name)})
