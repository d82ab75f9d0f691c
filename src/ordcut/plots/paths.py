"""A threshold path: thresholds, or their value, over what changes along the path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.objectives import is_maximised, title_of
from ordcut.plots.curves import threshold_colours
from ordcut.plots.style import capitalised, dress, new_axes, pair_names, write_axis, write_title

if TYPE_CHECKING:
    from ordcut.studies.paths import ThresholdPath


def draw_path(path: ThresholdPath, kind: str, ax: Any, cmap: str) -> Any:
    """Draw a path on given axes, or in a new figure; see ``ThresholdPath.plot``."""
    ax = new_axes("ThresholdPath.plot") if ax is None else ax
    dress(ax)
    order = np.argsort(path.grid)
    grid, title = path.grid[order], title_of(path.objective)
    best = "highest" if is_maximised(path.objective) else "lowest"
    if path.is_factor and grid.min() > 0:
        set_log_scale(ax)
    style = {"marker": "o", "markersize": 3, "linewidth": 1.4}
    if kind == "value":
        ax.plot(grid, path.values[order], color="0.15", **style)
        write_axis(ax.yaxis, title)
        write_title(ax, f"{capitalised(best)} {title}")
    else:
        _draw_thresholds(ax, path, order, cmap, style)
        write_axis(ax.yaxis, "threshold")
        write_title(ax, f"Thresholds for the {best} {title}")
    write_axis(ax.xaxis, name_of_parameter(path.parameter))
    return ax


def name_of_parameter(parameter: str) -> str:
    """Return what changes along a path, in words.

    Examples
    --------
    >>> name_of_parameter("asymmetry"), name_of_parameter("recall urgent >=")
    ('cost factor of predictions that are too high', 'recall urgent, at least')
    """
    if parameter == "asymmetry":
        return "cost factor of predictions that are too high"
    return parameter.replace(" >=", ", at least").replace(" <=", ", at most")


def _draw_thresholds(ax: Any, path: ThresholdPath, order: Any, cmap: str, style: Any) -> None:
    """Draw a line per threshold, and name it at its right end."""
    from ordcut.plots.labels import SpreadLabels

    lines = np.where(np.isfinite(path.thresholds), path.thresholds, np.nan)[order].T
    names = pair_names(path.points[0].decisions)
    colours = threshold_colours(len(names) + 1, cmap)
    ends, labels, shades = [], [], []
    for line, name, colour in zip(lines, names, colours, strict=True):
        ax.plot(path.grid[order], line, color=colour, **style)
        if not np.isnan(line).all():
            ends.append(line[~np.isnan(line)][-1])
            labels.append(name)
            shades.append(colour)
    by_height = np.argsort(ends, kind="stable")
    SpreadLabels(
        ax, np.array(ends)[by_height], [labels[k] for k in by_height],
        colours=np.array(shades)[by_height], side="right",
    )  # fmt: skip


def set_log_scale(axes: Any) -> None:
    """Give the x axis a log scale with plain numbers, such as 0.1, 0.2, 0.5, 1, 2, 5 and 10."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1e4 * low else (1,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
