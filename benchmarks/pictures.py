"""Figures of the results: growth, the paper's Table 1, rivals, ranks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")  # no display is needed
import matplotlib.pyplot as plt

from experiments.ranks import draw_ranks

Row = dict[str, Any]


def draw_growth(rows: list[Row], file: Path) -> None:
    """Draw time and peak memory over n and over K, for the absolute loss."""
    figure, grid = plt.subplots(2, 2, figsize=(11, 8), layout="constrained", sharex="col")
    rows = [row for row in rows if row["objective"] == "absolute"]
    for column, grows in enumerate(("n", "K")):
        these = [row for row in rows if row["grows"] == grows]
        for axes, value in zip(grid[:, column], ("seconds", "peak MB"), strict=True):
            for method in dict.fromkeys(row["method"] for row in these):
                points = [(row[grows], row[value]) for row in these if row["method"] == method]
                style = {"linewidth": 2.5} if method == "auto" else {"linewidth": 1}
                axes.loglog(*zip(*points, strict=True), marker="o", label=method, **style)
            axes.set_ylabel(value)
        sort = sorted({(row[grows], row["sort seconds"]) for row in these})
        grid[0, column].loglog(*zip(*sort, strict=True), "k--", label="np.sort(scores)")
        fixed = "K" if grows == "n" else "n"
        grid[0, column].set_title(f"{fixed} = {these[0][fixed]}")
        grid[1, column].set_xlabel(grows)
    grid[0, 0].legend(loc="upper left")
    _save(figure, file)


def draw_table1(rows: list[Row], file: Path) -> None:
    """Draw the milliseconds of each process and implementation, one panel per data set."""
    names = list(dict.fromkeys(row["data set"] for row in rows))
    figure, panels = plt.subplots(
        1, len(names), figsize=(5 * len(names), 8), layout="constrained", sharex=True, sharey=True
    )
    ways = {"loops ms": "tab:gray", "NumPy ms": "tab:blue", "ordcut ms": "tab:orange"}
    for axes, name in zip(panels, names, strict=True):
        these = [row for row in rows if row["data set"] == name]
        rows_at = np.arange(len(these))
        for offset, (way, colour) in enumerate(ways.items()):
            heights = [row[way] or np.nan for row in these]
            axes.barh(rows_at + 0.27 * (offset - 1), heights, 0.27, color=colour, label=way[:-3])
        axes.set(xscale="log", xlabel="milliseconds", title=f"{name}, n = {these[0]['n']}")
        axes.set_yticks(rows_at, [row["process"] + " " + row["extrapolated"] for row in these])
    panels[0].set_xlim(left=0.1)  # bars on a logarithmic axis have no natural start
    panels[0].invert_yaxis()
    panels[-1].legend(loc="lower right")
    _save(figure, file)


def draw_rivals(rows: list[Row], file: Path) -> None:
    """Draw how far each rival falls short of ordcut, over its time relative to ordcut's."""
    rows = [row for row in rows if row["rival"] != "rounding"]  # not a search: no time to compare
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    figure, panels = plt.subplots(
        1, len(metrics), figsize=(5 * len(metrics), 5), layout="constrained"
    )
    for axes, metric in zip(panels, metrics, strict=True):
        these = [row for row in rows if row["metric"] == metric]
        for rival in dict.fromkeys(row["rival"] for row in these):
            points = [
                (row["time over ordcut"], row["short of ordcut"])
                for row in these
                if row["rival"] == rival
            ]
            marker = "*" if rival == "ordcut" else "o"
            axes.scatter(*zip(*points, strict=True), marker=marker, label=rival)
        axes.set(
            xscale="log",
            xlabel="time relative to ordcut",
            ylabel="metric below that of ordcut",
            title=metric.replace("_", " "),
        )
        axes.set_yscale("symlog", linthresh=1e-4)
        axes.set_ylim(-2e-5, 10)  # leaves space for the legend
        axes.legend(fontsize="small")
    _save(figure, file)


def _save(figure: plt.Figure, file: Path) -> None:
    figure.savefig(file, dpi=120)
    plt.close(figure)


DRAW: dict[str, Callable[[list[Row], Path], None]] = {
    "growth": draw_growth,
    "table1": draw_table1,
    "tabular": draw_ranks,
    "rivals": draw_rivals,
}
