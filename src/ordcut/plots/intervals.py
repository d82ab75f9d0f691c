"""Bootstrap intervals of thresholds as error bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.objectives import title_of
from ordcut._core.thresholds import percent
from ordcut._core.typing import Floats
from ordcut.plots.curves import threshold_colours
from ordcut.plots.style import (
    INK,
    SIZE,
    SMALL_TEXT,
    TEXT,
    capitalised,
    dress,
    new_axes,
    numbers_over,
    pair_names,
    write_axis,
    write_title,
)

if TYPE_CHECKING:
    from ordcut._core.uncertainty import Bootstrap

#: The level of the thick part of an interval.
INNER_LEVEL = 0.5

#: The height of a row in inches, and of everything else.
ROW, REST = 0.42, 1.3

#: How far an interval is below its name, in rows.
BELOW = 0.16

#: With more thresholds than this, not all are named, and none has its numbers.
MOST_ROWS = 26


def draw_bootstrap(
    boot: Bootstrap,
    *,
    level: float = 0.95,
    ax: Any = None,
    cmap: str = "viridis",
    score_name: str = "score",
) -> Any:
    """Draw each threshold with its interval, and return the axes; see ``Bootstrap.plot``."""
    outer, inner = boot.intervals(level), boot.intervals(min(INNER_LEVEL, level))
    thresholds = boot.result.thresholds
    n_rows = len(thresholds)
    if ax is None:
        ax = new_axes("Bootstrap.plot", (SIZE[0], REST + ROW * min(n_rows, MOST_ROWS)))
    dress(ax, left=False)
    known = np.concatenate([thresholds, outer.ravel()])
    known = known[np.isfinite(known)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    margin = 0.06 * (high - low) or 0.5
    low, high = low - margin, high + margin
    for k, colour in enumerate(threshold_colours(n_rows + 1, cmap)):
        at = k - BELOW
        for (start, end), width in ((outer[k], 1.5), (inner[k], 5.0)):
            ends = np.clip([start, end], low, high)
            ax.plot(ends, [at, at], color=colour, linewidth=width, solid_capstyle="butt")
        if np.isfinite(thresholds[k]):
            ax.plot(thresholds[k], at, "o", color=INK, markersize=4.5, zorder=4)
        for end, border, marker in ((outer[k, 0], low, "<"), (outer[k, 1], high, ">")):
            if np.isinf(end):
                ax.plot(border, at, marker, color=colour, clip_on=False)
    every = -(-n_rows // MOST_ROWS)
    size = TEXT if n_rows <= MOST_ROWS / 2 else SMALL_TEXT
    names = pair_names(boot.result.decisions)[::every]
    ax.set_yticks(range(0, n_rows, every), names)
    ax.tick_params(axis="y", length=0, pad=0)
    for text in ax.get_yticklabels():  # above the lines, inside the axes
        text.set(parse_math=False, ha="left", va="bottom", fontsize=size)
    if every == 1:
        _write_numbers(ax, thresholds, outer, high - low, size)
    ax.set_xlim(low, high)
    ax.set_ylim(-0.6, n_rows - 0.3)
    write_axis(ax.xaxis, score_name)
    least, most = boot.value_interval(level)
    value = f"{title_of(boot.result.objective)} on new rows: {least:.3g} to {most:.3g}"
    title = f"Thresholds with {percent(level)} intervals\n{capitalised(value)}"
    write_title(ax, title, beside=0)
    return ax


def _write_numbers(ax: Any, thresholds: Floats, intervals: Floats, span: float, size: str) -> None:
    """Write each threshold with the ends of its interval above its line, at the right."""
    for k, (threshold, (start, end)) in enumerate(zip(thresholds, intervals, strict=True)):
        at, first, last = numbers_over(np.array([threshold, start, end]), span)
        ax.text(
            1, k, f"{at} [{first}, {last}]", transform=ax.get_yaxis_transform(), fontsize=size,
            color="0.25", ha="right", va="bottom",
        )  # fmt: skip
