"""Bands: the rate of each over the scores, and the loss on rows left out by their number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut.plots.style import (
    GREY,
    INK,
    SMALL_TEXT,
    dress,
    new_axes,
    ordered_colours,
    shortened,
    write_axis,
    write_title,
)

if TYPE_CHECKING:
    from ordcut.bands import BandPath, Bands

#: The most bands that are named.
MOST_NAMES = 12


def draw_bands(
    bands: Bands,
    *,
    ax: Any = None,
    level: float = 0.95,
    cmap: str = "viridis",
    score_name: str = "score",
    outcome_name: str = "the outcome",
) -> Any:
    """Draw the rate of each band with its interval over the scores; see ``Bands.plot``."""
    ax = new_axes("Bands.plot") if ax is None else ax
    dress(ax)
    record = bands.record
    assert record is not None
    assert record.scores is not None
    inner = bands.thresholds
    low, high = min(record.scores.low, *inner), max(record.scores.high, *inner)
    edges = np.concatenate([[low], inner, [high]])
    intervals, names = bands.rate_intervals(level), bands.classes.tolist()
    for k, colour in enumerate(ordered_colours(len(names), cmap)):
        start, end = edges[k : k + 2]
        bottom, top = np.where(np.isfinite(intervals[k]), intervals[k], bands.rates[k])
        ax.fill_between([start, end], bottom, top, color=colour, alpha=0.25, linewidth=0)
        ax.plot([start, end], [bands.rates[k]] * 2, color=colour, linewidth=2.5)
        if len(names) <= MOST_NAMES:
            ax.text(
                (start + end) / 2, top, f"{shortened(names[k])}\n{record.shares[k]:.0%}",
                ha="center", va="bottom", fontsize=SMALL_TEXT, color=INK, parse_math=False,
            )  # fmt: skip
    for edge in inner:
        ax.axvline(edge, color=GREY, linewidth=0.6, linestyle=":")
    ax.margins(y=0.15)
    what = "mean" if bands.kind == "numbers" else "rate"
    write_axis(ax.xaxis, score_name)
    write_axis(ax.yaxis, f"{what} of {outcome_name}")
    write_title(ax, f"{len(names)} bands, with {level:.0%} intervals and shares of the rows")
    return ax


def draw_band_path(path: BandPath, ax: Any = None) -> Any:
    """Draw the loss on rows left out by the number of bands; see ``BandPath.plot``."""
    ax = new_axes("BandPath.plot") if ax is None else ax
    dress(ax)
    ax.errorbar(
        path.n_bands, path.excess, yerr=path.standard_errors, color=INK, marker="o", markersize=4,
        linewidth=1.2, elinewidth=0.8, capsize=2,
    )  # fmt: skip
    ax.plot(path.best, path.excess[path.n_bands == path.best], "o", markersize=9, color="tab:red")
    ax.set_xticks(path.n_bands)
    write_axis(ax.xaxis, "number of bands")
    write_axis(ax.yaxis, "loss on rows left out, over the lowest")
    write_title(ax, f"{path.best} bands: the fewest within a standard error")
    return ax
