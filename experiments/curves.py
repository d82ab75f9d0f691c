"""The learning curves of a run."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.files import write_atomically
from experiments.settings import LABELINGS
from experiments.stages import STAGES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The line widths of the labelings. Curves of biases and likelihood often agree; a wide line is
#: visible on both sides of a narrow one above it.
WIDTHS = (6.5, 5.0, 3.5, 2.0, 1.0)


def draw_curves(rows: list[dict[str, Any]], title: str, objective: str, file: Path) -> None:
    """Write a PNG file with the value of each labeling and the time of each stage by epoch."""
    image = io.BytesIO()
    curves_figure(rows, title, objective).savefig(image, format="png", dpi=100)
    write_atomically(file, lambda stream: stream.write(image.getvalue()))


def curves_figure(rows: list[dict[str, Any]], title: str, objective: str) -> Figure:
    """Return a figure of the learning curves, with legends next to the axes that hide no curve."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(14, 4.5), layout="constrained")
    left, right = figure.subplots(ncols=2)
    epochs = [row["epoch"] for row in rows]
    left.plot(epochs, [row["training_optimal"] for row in rows], "k:.", label="training, optimal")
    for width, labeling in zip(WIDTHS, LABELINGS, strict=True):
        values = [row[f"validation_{labeling}"] for row in rows]
        if values[0] is not None:
            left.plot(epochs, values, ".-", linewidth=width, label=f"validation, {labeling}")
    left.set_ylabel(objective)
    left.set_title(title)
    for stage, title_of_stage in STAGES.items():
        seconds = [row[f"seconds_{stage}"] for row in rows]
        if any(seconds):
            right.semilogy(epochs, seconds, ".-", label=title_of_stage)
    right.set_ylabel("seconds")
    right.set_title("Time by process")
    for axes in (left, right):
        axes.set_xlabel("epoch")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return figure
