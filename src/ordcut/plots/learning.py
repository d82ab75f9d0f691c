"""A learning curve: the value on rows left out, by the number of rows with labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ordcut._core.objectives import title_of
from ordcut._core.thresholds import percent
from ordcut.plots.style import (
    GREY,
    SMALL_TEXT,
    capitalised,
    dress,
    new_axes,
    ordered_colours,
    write_axis,
    write_title,
)

if TYPE_CHECKING:
    from ordcut.studies.learning import LearningCurve

#: Where the colour is on the map.
SHADE = 0.3


def draw_learning_curve(curve: LearningCurve, *, level: float = 0.95, ax: Any = None) -> Any:
    """Draw the means and the ranges of splits, and return the axes; see ``LearningCurve.plot``."""
    from matplotlib.ticker import NullLocator

    ax = new_axes("LearningCurve.plot") if ax is None else ax
    dress(ax)
    colour = ordered_colours(101, "viridis")[int(100 * SHADE)]
    low, high = curve.intervals(level).T
    ax.fill_between(curve.sizes, low, high, color=colour, alpha=0.2, linewidth=0)
    ax.plot(curve.sizes, curve.means, "o-", color=colour, markersize=4.5, linewidth=1.5)
    ax.set_xscale("log")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(curve.sizes, [f"{size:,}".replace(",", " ") for size in curve.sizes.tolist()])
    title = title_of(curve.objective)
    write_axis(ax.xaxis, "rows with labels")
    write_axis(ax.yaxis, f"{title} on rows left out")
    write_title(ax, f"{capitalised(title)} by the number of rows", pad=20)
    note = f"mean, and the range of {percent(level)} of {len(curve.values)} splits"
    ax.text(0, 1.03, note, fontsize=SMALL_TEXT, color=GREY, transform=ax.transAxes)
    return ax
