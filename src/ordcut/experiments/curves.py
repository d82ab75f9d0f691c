"""The learning curves of a run, as a picture."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from ordcut.experiments.files import write_aside
from ordcut.experiments.labelings import LABELINGS
from ordcut.experiments.stages import STAGES


def draw_curves(rows: list[dict[str, Any]], title: str, objective: str, file: Path) -> None:
    """Draw the error of each labeling and the time of each stage over the epochs."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(12, 4.5))
    left, right = figure.subplots(ncols=2)
    epochs = [row["epoch"] for row in rows]
    left.plot(epochs, [row["training_optimal"] for row in rows], "k:.", label="training, optimal")
    for labeling in LABELINGS:
        values = [row[f"validation_{labeling}"] for row in rows]
        if values[0] is not None:
            left.plot(epochs, values, ".-", label=f"validation, {labeling}")
    left.set_ylabel(objective)
    left.set_title(title)
    left.legend(loc="upper right")
    for stage, words in STAGES.items():
        seconds = [row[f"seconds_{stage}"] for row in rows]
        if any(seconds):
            right.semilogy(epochs, seconds, ".-", label=words)
    right.set_ylabel("seconds")
    right.set_title("Time by process")
    right.legend(loc="center right")
    for axes in (left, right):
        axes.set_xlabel("epoch")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=100)
    write_aside(file, lambda stream: stream.write(image.getvalue()))
