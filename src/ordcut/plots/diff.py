"""Two sets of thresholds in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.typing import ArrayLike
from ordcut.plots.display import ThresholdDisplay
from ordcut.plots.ridges import RIDGES_START, STRIP_START
from ordcut.plots.style import INK, SMALL_TEXT

if TYPE_CHECKING:
    from ordcut.studies.diff import Diff


def plot_diff(diff: Diff, scores: ArrayLike, labels: ArrayLike, **options: Any) -> ThresholdDisplay:
    """Plot the new thresholds on rows, with the old ones as dashed lines."""
    display = ThresholdDisplay.from_predictions(labels, scores, thresholds=diff.new, **options)
    draw_old(display, diff.old.thresholds)
    return display


def draw_old(display: ThresholdDisplay, thresholds: ArrayLike) -> None:
    """Draw old thresholds across the ridges of a display as dashed lines."""
    axes = display.ax_
    low, high = display.xlim
    values = np.unique(np.asarray(thresholds))
    for value in values[(values > low) & (values < high)]:
        axes.axvline(
            value, RIDGES_START, STRIP_START, color=INK, linewidth=1.2, dashes=(4, 3), zorder=6
        )
    axes.text(
        1.0, RIDGES_START - 0.02, "dashed: old thresholds", transform=axes.transAxes,
        fontsize=SMALL_TEXT, ha="right", va="top", color=INK,
    )  # fmt: skip
