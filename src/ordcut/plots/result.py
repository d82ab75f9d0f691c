"""The plot of a result, on the rows that it was found on or on others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ordcut._core.data import Rows
from ordcut._core.pruning import ArraySource
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import ArrayLike
from ordcut.plots.display import ThresholdDisplay


def plot_thresholds(
    thresholds: Thresholds, scores: ArrayLike | None, labels: ArrayLike | None, **options: Any
) -> ThresholdDisplay:
    """Plot thresholds on rows; without rows, on the rows that they were found on."""
    if isinstance(scores, str | Path):
        raise TypeError(
            "scores must be numbers, one per row, got a path. To save the plot: "
            "result.plot().figure_.savefig(path)."
        )
    if (scores is None) != (labels is None):
        raise TypeError("scores and labels must be passed together, or neither of them.")
    if scores is not None:
        return ThresholdDisplay.from_predictions(labels, scores, thresholds=thresholds, **options)
    origin = thresholds.origin
    if origin is None or not origin.objective.has_truth:
        raise ValueError(
            "scores and labels must be passed to plot thresholds without rows: thresholds that "
            "were read from JSON or a pickle, given, or found for costs of each row."
        )
    sample = origin.judged
    source = ArraySource(sample.data) if isinstance(sample.data, Rows) else sample.data
    return ThresholdDisplay._from_source(
        source, thresholds=thresholds, objective=origin.objective, **options
    )
