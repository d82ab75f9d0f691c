"""A threshold path: thresholds, or their value, over what changes along the path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut.plots.drawing import add_legend, new_axes, ordered_colours, pair_names, set_log_scale

if TYPE_CHECKING:
    from ordcut.studies.paths import ThresholdPath


def draw_path(path: ThresholdPath, kind: str, ax: Any, cmap: str) -> Any:
    """Draw a path on given axes, or in a new figure; see ``ThresholdPath.plot``."""
    ax = new_axes("ThresholdPath.plot") if ax is None else ax
    order = np.argsort(path.grid)
    if kind == "value":
        ax.plot(path.grid[order], path.values[order], marker="o", markersize=3, color="black")
        ax.set_ylabel(path.objective)
    else:
        lines = np.where(np.isfinite(path.thresholds), path.thresholds, np.nan)[order].T
        names = pair_names(path.points[0].decisions)
        for k, colour in enumerate(ordered_colours(len(lines), cmap)):
            style = {"marker": "o", "markersize": 3, "color": colour}
            ax.plot(path.grid[order], lines[k], label=names[k], **style)
        ax.set_ylabel("threshold")
        add_legend(ax)
    if path.is_factor and path.grid.min() > 0:
        set_log_scale(ax)
    ax.set_xlabel(path.parameter).set_parse_math(False)
    return ax
