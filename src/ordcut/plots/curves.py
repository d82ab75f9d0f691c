"""Curves of an objective over the positions of each threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.objectives import title_of
from ordcut._core.typing import Array, Floats
from ordcut.plots.style import (
    CHARACTER,
    GREY,
    INK,
    SMALL_TEXT,
    TEXT,
    capitalised,
    dress,
    numbers_over,
    ordered_colours,
    pair_names,
    shortened,
    width_of,
    write_axis,
    write_title,
)

if TYPE_CHECKING:
    from ordcut.plots.display import ThresholdDisplay
    from ordcut.report import Curves

#: A curve is shown up to this much more of the least error, or of its distance from the others.
HEADROOM, DISTANCE = 0.3, 1.6

#: The greatest number of thresholds that a legend names.
MOST_NAMES = 10

#: How far the legend is below the axes, in points.
LEGEND = 33


def threshold_colours(n_decisions: int, cmap: str) -> Array:
    """Return a colour per threshold, between the colours of the decisions at its sides."""
    return ordered_colours(2 * n_decisions - 1, cmap)[1::2]


def draw_moves(axes: Any, display: ThresholdDisplay, cmap: str, width: float) -> None:
    """Draw the value of the objective as one threshold moves, with the others where they are.

    The axes are about ``width`` points wide.
    """
    thresholds, value = display.thresholds, display.value
    curves = display.curves()
    dress(axes)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="x", bottom=False, labelbottom=False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    colours = threshold_colours(len(thresholds.decisions), cmap)
    _draw_curves(axes, curves, colours, display.extent)
    low, high = value_range(curves, value)
    axes.set_ylim(low, high)
    axes.locator_params(axis="y", nbins=3)
    what = f"{title_of(display.objective.name)} if one threshold moves"
    fits = int(1.15 * width / (0.85 * CHARACTER))
    axes.text(
        0, 1.04, shortened(what, fits), transform=axes.transAxes, fontsize=SMALL_TEXT, color=GREY,
        parse_math=False,
    )  # fmt: skip
    if np.isnan(value):
        return
    for threshold, colour in zip(thresholds.thresholds, colours, strict=True):
        if np.isfinite(threshold):
            axes.plot(threshold, value, "o", color=colour, markersize=4.5, markeredgecolor="white",
                      markeredgewidth=0.6, zorder=4)  # fmt: skip
    axes.text(1.01, value, numbers_over(np.array([value]), high - low)[0], fontsize=TEXT,
              color=INK, va="center", transform=axes.get_yaxis_transform())  # fmt: skip


def _draw_curves(axes: Any, curves: Curves, colours: Array, extent: tuple[float, float]) -> None:
    for curve, colour in zip(curves, colours, strict=True):
        axes.plot(np.clip(curve.positions, *extent), curve.values, color=colour, linewidth=1.4)


def value_range(curves: Curves, value: float) -> tuple[float, float]:
    """Return the values to show: from just beyond the best value to some distance on the bad side.

    Examples
    --------
    >>> import ordcut
    >>> curves = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 0, 1]).curves()
    >>> low, high = value_range(curves, 0.25)
    >>> low < 0.25 < high
    True
    """
    values: Floats = np.concatenate([curve.values for curve in curves])
    errors = 1 - values if curves.is_maximised else values
    errors = errors[np.isfinite(errors)]
    if not len(errors):
        return 0.0, 1.0
    now = 1 - value if curves.is_maximised else value
    least, most = float(errors.min()), float(errors.max())
    distance = max(HEADROOM * least, DISTANCE * (now - least) if now > least else 0.0)
    worst = min(least + distance, max(most, 1.02 * least)) if least > 0 else most
    worst = worst if worst > least else least + 1
    best = least - 0.15 * (worst - least)
    return (1 - worst, 1 - best) if curves.is_maximised else (best, worst)


def draw_risk(axes: Any, display: ThresholdDisplay, cmap: str, score_name: str) -> None:
    """Draw the objective over all positions of each threshold, with its best position.

    A loss is the loss that each threshold decides by itself. A kappa or another score is not a sum
    over thresholds: it is drawn as one threshold moves between its neighbours.
    """
    from ordcut.plots.labels import SpreadLabels

    thresholds, objective = display.thresholds, display.objective
    colours = threshold_colours(len(thresholds.decisions), cmap)
    dress(axes)
    axes.set_xlim(*display.xlim)
    title = title_of(objective.name)
    if objective.is_maximised:
        lines = [(curve.positions, curve.values) for curve in display.curves()]
        heading = f"{capitalised(title)} as one threshold moves"
    else:
        positions, risks = display.risk_curves()
        lines = [(positions, risk) for risk in risks]
        heading = f"{capitalised(title)} that each threshold decides by itself"
    names = pair_names(thresholds.decisions)
    for (positions, values), colour, name in zip(lines, colours, names, strict=True):
        finite = np.clip(positions, *display.extent)
        axes.plot(finite, values, color=colour, linewidth=1.5, label=name)
        if not np.isnan(values).all():
            best = int(np.nanargmax(values) if objective.is_maximised else np.nanargmin(values))
            axes.plot(finite[best], values[best], "o", color=colour, markersize=5,
                      markeredgecolor="white", markeredgewidth=0.6, zorder=4)  # fmt: skip
    finite = thresholds.thresholds[np.isfinite(thresholds.thresholds)]
    for threshold in finite:
        axes.axvline(threshold, color="0.6", linewidth=0.8, zorder=0)
    low, high = display.xlim
    labels = SpreadLabels(axes, finite, numbers_over(finite, high - low))
    write_axis(axes.xaxis, score_name)
    write_axis(axes.yaxis, title)
    write_title(axes, heading, pad=labels.height + 8)
    _explain(axes, names)


def _explain(axes: Any, names: list[str]) -> None:
    """Add a legend below the axes; many colours are in the order of the thresholds."""
    if len(names) > MOST_NAMES:
        return
    from matplotlib.transforms import ScaledTranslation

    longest = max(map(len, names))
    columns = max(1, int(1.1 * width_of(axes) / (CHARACTER * longest + 28)))
    below = axes.transAxes + ScaledTranslation(0, -LEGEND / 72, axes.figure.dpi_scale_trans)
    legend = axes.legend(
        loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=below, fontsize=TEXT,
        ncols=min(columns, len(names)), frameon=False, handlelength=1.4, borderaxespad=0,
        columnspacing=1.2,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)  # a dollar in a name is a dollar
