"""The confusion matrix: counts, and shares of each true class."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ordcut._core.objectives import title_of
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, Floats
from ordcut.plots.style import (
    SMALL_TEXT,
    TEXT,
    capitalised,
    never_predicted,
    shortened,
    write_axis,
    write_title,
)

#: With more classes than this, cells have no text, and a bar explains their colours.
MOST_CLASSES = 10

#: The longest name at an axis that is written horizontally.
LONGEST_UPRIGHT = 8


def draw_confusion(
    axes: Any, counts: Floats, thresholds: Thresholds, objective: str, value: float
) -> None:
    """Draw a (true, decided) table: a cell for each pair, shaded by its share of the true class.

    ``value`` belongs to the table, whose rows may differ from the rows of the thresholds.
    """
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    image = axes.imshow(
        shares, cmap="Blues", vmin=0, vmax=max(1e-12, min(1.0, 1.15 * shares.max()))
    )
    axes.spines[:].set_visible(False)
    axes.tick_params(labelsize=TEXT, length=0, labelcolor="0.25")
    decided = "decided" if thresholds.decides_otherwise else "predicted"
    _name(axes.yaxis, "true", thresholds.classes)
    _name(axes.xaxis, decided + _never(thresholds), thresholds.decisions)
    if max(len(text.get_text()) for text in axes.get_xticklabels()) > LONGEST_UPRIGHT:
        axes.tick_params(axis="x", labelrotation=40)
        for text in axes.get_xticklabels():
            text.set(ha="right", rotation_mode="anchor")
    if max(counts.shape) <= MOST_CLASSES:
        _write_cells(axes, counts, shares, image)
    else:
        bar = axes.figure.colorbar(image, ax=axes)
        bar.set_label("share of the true class", fontsize=TEXT)
        bar.ax.tick_params(labelsize=TEXT)
        bar.outline.set_visible(False)
    write_title(axes, f"{capitalised(title_of(objective))}: {value:.4g}")


def _name(axis: Any, what: str, names: Array) -> None:
    """Name an axis, and its classes or as many of them as have space."""
    step = -(-len(names) // (2 * MOST_CLASSES))
    axis.set_ticks(np.arange(0, len(names), step), [shortened(name) for name in names[::step]])
    for text in axis.get_ticklabels():
        text.set_parse_math(False)
    write_axis(axis, what)


def _never(thresholds: Thresholds) -> str:
    """Return which decisions are never made, for the name of an axis."""
    is_never = never_predicted(thresholds)
    never = [
        shortened(name)
        for name, is_unused in zip(thresholds.decisions, is_never, strict=True)
        if is_unused
    ]
    if not never:
        return ""
    more = f" and {len(never) - 3} more" if len(never) > 4 else ""
    return f" (never: {', '.join(never[:3] if more else never)}{more})"


def _write_cells(axes: Any, counts: Floats, shares: Floats, image: Any) -> None:
    """Write the count and the share of the true class into each cell that has rows."""
    for true, decided in product(*map(range, counts.shape)):
        count, share = counts[true, decided], shares[true, decided]
        percent = f"{100 * share:.0f}" if share >= 0.005 else "<1"
        text = f"{count:g}\n{percent} %" if count else "0"
        colour = "white" if image.norm(share) > 0.55 else "0.15"
        size = TEXT if max(counts.shape) <= 5 else SMALL_TEXT
        axes.text(decided, true, text, color=colour if count else "0.6", fontsize=size,
                  ha="center", va="center", linespacing=1.1)  # fmt: skip
