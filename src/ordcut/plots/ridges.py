"""Ridges: the scores of each class in a row of its own, with the thresholds across."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.thresholds import title_of_thresholds
from ordcut._core.typing import Array, Floats
from ordcut.plots.curves import draw_moves
from ordcut.plots.style import (
    CHARACTER,
    GREY,
    INK,
    SMALL_TEXT,
    TEXT,
    dress,
    never_predicted,
    numbers_over,
    ordered_colours,
    shortened,
    width_of,
    write_axis,
    write_title,
)

if TYPE_CHECKING:
    from ordcut.plots.display import ThresholdDisplay

#: The parts of the axes' height: the curves end, and the ridges start and end; the strip of
#: decisions is above.
CURVES_END, RIDGES_START, RIDGES_END, STRIP_START = 0.27, 0.40, 0.91, 0.935

#: The height of a ridge in rows, so that neighbours overlap.
OVERLAP = 1.3

#: The opacity where the decision is the class, and where it is another.
SOLID, PALE = 0.95, 0.22

#: The height of a row that has space for its name, in points, and the shortest part of a name.
NAMED_ROW, SHORTEST = 8.5, 4


def draw_ridges(axes: Any, display: ThresholdDisplay, cmap: str, score_name: str) -> None:
    """Draw a ridge for each class, the strip of decisions above and the objective below."""
    from ordcut.plots.labels import SpreadLabels

    thresholds = display.thresholds
    n_classes = len(thresholds.classes)
    dress(axes, left=False)
    axes.set_xlim(*display.xlim)
    row = (RIDGES_END - RIDGES_START) / (n_classes - 1 + OVERLAP)
    axes.set_ylim(-RIDGES_START / row, (1 - RIDGES_START) / row)
    colours = ordered_colours(n_classes, cmap)
    _draw_rows(axes, display, colours)
    _draw_strip(axes, display, cmap, (STRIP_START - RIDGES_START) / row)
    low, high = display.xlim
    finite = thresholds.thresholds[np.isfinite(thresholds.thresholds)]
    for bottom, top in ((0, CURVES_END), (RIDGES_START - 0.02, 1)):  # not across the text between
        across = axes.get_xaxis_transform()
        axes.vlines(finite, bottom, top, color=INK, linewidth=1.0, transform=across, zorder=4)
    labels = SpreadLabels(axes, finite, numbers_over(finite, high - low))
    longest = max(len(text.get_text()) for text in axes.get_yticklabels())
    beside = CHARACTER * longest + 20
    title = title_of_thresholds(thresholds, display.objective)
    write_title(axes, title, pad=labels.height + 8, beside=beside)
    write_axis(axes.xaxis, score_name)
    below = axes.inset_axes([0, 0, 1, CURVES_END], sharex=axes)
    below.patch.set_visible(False)
    draw_moves(below, display, cmap, width_of(axes))
    display.risk_ax_ = below


def _draw_rows(axes: Any, display: ThresholdDisplay, colours: Array) -> None:
    """Draw the distribution of each class, solid where the decision is right, with its recall."""
    thresholds, table = display.thresholds, display.confusion()
    positions, heights = ridge_outlines(display)
    n_classes = len(thresholds.classes)
    own = own_decisions(display)
    edges = np.concatenate([[-np.inf], thresholds.thresholds, [np.inf]])
    never = never_predicted(thresholds)
    height = 0.9 * 72 * axes.get_position().height * axes.figure.get_figheight()
    every = int(np.ceil(NAMED_ROW * n_classes / (height * (RIDGES_END - RIDGES_START))))
    names = []
    for k, (name, colour) in enumerate(zip(thresholds.classes, colours, strict=True)):
        order = 2 + (n_classes - k) / n_classes
        axes.axhline(k, color="0.8", linewidth=0.6, zorder=order)
        top = k + OVERLAP * heights[k]
        axes.fill_between(positions, k, top, color=colour, alpha=PALE, lw=0, zorder=order)
        decision = own[k]
        if decision is not None:
            inside = np.clip(positions, edges[decision], edges[decision + 1])
            solid = np.interp(inside, positions, top)
            axes.fill_between(inside, k, solid, color=colour, alpha=SOLID, lw=0, zorder=order)
            total = table[k].sum()
            if total > 0 and k % every == 0:
                axes.text(
                    1.01, k, f"{table[k, decision] / total:.0%}".replace("%", " %"), fontsize=TEXT,
                    color="0.25", transform=axes.get_yaxis_transform(),
                )  # fmt: skip
        is_never = decision is not None and never[decision]
        names.append(shortened(name) + (" (never)" if is_never else ""))
    if any(decision is not None for decision in own):
        axes.text(1.01, STRIP_START + 0.01, "recall", fontsize=SMALL_TEXT, color=GREY,
                  transform=axes.transAxes)  # fmt: skip
    axes.set_yticks(np.arange(0, n_classes, every), names[::every])
    axes.tick_params(axis="y", length=0)
    for text in axes.get_yticklabels():
        text.set(parse_math=False, va="bottom")


def ridge_outlines(display: ThresholdDisplay) -> tuple[Floats, Floats]:
    """Return positions, and the density of each class there, as a share of its highest density.

    The densities of the bins are smoothed over three neighbours.

    Returns
    -------
    positions : ndarray of shape (P,)
        Ascending: the middles of the bins, and the ends.
    heights : ndarray of shape (K, P)
        Between 0 and 1; all 0 for a class without rows.
    """
    edges, counts = display.histogram()
    low, high = display.xlim
    ends = np.clip(edges, low, high)
    is_seen = ends[1:] > ends[:-1]
    middles = (ends[:-1] + np.diff(ends) / 2)[is_seen]
    density = (counts[is_seen] / np.diff(edges)[is_seen, None]).T
    around = np.pad(density, ((0, 0), (1, 1)), mode="edge")
    smooth = (around[:, :-2] + 2 * density + around[:, 2:]) / 4
    tops = smooth.max(axis=1, keepdims=True, initial=0.0)
    heights = np.divide(smooth, tops, out=np.zeros_like(smooth), where=tops > 0)
    positions = np.concatenate([[low], middles, [high]])
    # At an end of the axes, a ridge falls to 0 unless there are scores beyond.
    first = heights[:, :1] * (display.extent[0] < low)
    last = heights[:, -1:] * (display.extent[1] > high)
    return positions, np.hstack([first, heights, last])


def own_decisions(display: ThresholdDisplay) -> list[int | None]:
    """Return the index of the decision that has the name of each class, or None."""
    thresholds = display.thresholds
    if not thresholds.decides_otherwise:
        return list(range(len(thresholds.classes)))
    names = [str(name) for name in thresholds.decisions.tolist()]
    classes = map(str, thresholds.classes.tolist())
    return [names.index(name) if name in names else None for name in classes]


def _draw_strip(axes: Any, display: ThresholdDisplay, cmap: str, base: float) -> None:
    """Draw the decisions along the top, each with its name where there is space for it."""
    thresholds, (low, high) = display.thresholds, display.xlim
    edges = np.clip(np.concatenate([[low], thresholds.thresholds, [high]]), low, high)
    height = axes.get_ylim()[1] - base
    colours = ordered_colours(len(thresholds.decisions), cmap)
    for d, name in enumerate(thresholds.decisions.tolist()):
        start, end = edges[d], edges[d + 1]
        if start == end:
            continue
        axes.fill_between([start, end], base, base + height, color=colours[d], lw=0)
        space = int((end - start) / (high - low) * width_of(axes) / CHARACTER)
        text = shortened(name, space) if space else ""
        if len(text) < min(SHORTEST, len(str(name))):
            continue
        luminance = colours[d][:3] ** 2.2 @ [0.2126, 0.7152, 0.0722]
        axes.text(
            (start + end) / 2, base + height / 2, text, ha="center", va="center_baseline",
            color="black" if luminance > 0.25 else "white", fontsize=SMALL_TEXT,
            clip_on=True,
        ).set_parse_math(False)  # fmt: skip
