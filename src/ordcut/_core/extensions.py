"""Functions by which results reach other packages, imported when they are first used.

The core imports no other package of the library. What a result offers beyond the core is listed
here, by the module that has it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

#: The module of each function.
MODULES = {
    "bootstrap_thresholds": "ordcut._core.uncertainty",
    "near_optimal_ranges": "ordcut._core.uncertainty",
    "moved_thresholds": "ordcut._core.moved",
    "plot_thresholds": "ordcut.plots",
    "plot_diff": "ordcut.plots",
    "draw_band_path": "ordcut.plots",
    "draw_bands": "ordcut.plots",
    "draw_bootstrap": "ordcut.plots",
    "draw_learning_curve": "ordcut.plots",
    "draw_path": "ordcut.plots",
    "curves": "ordcut.report",
    "drift": "ordcut.studies.drift",
    "rule_to_onnx": "ordcut.onnx",
}


def extension(name: str) -> Callable[..., Any]:
    """Return a function of another package.

    Examples
    --------
    >>> extension("near_optimal_ranges").__module__
    'ordcut._core.uncertainty.near_optimal'
    """
    function: Callable[..., Any] = getattr(import_module(MODULES[name]), name)
    return function
