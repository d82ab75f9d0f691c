"""Exact thresholds for frames of any engine and size: pandas, Polars, DuckDB, Dask, Spark, ..."""

from ordcut.frames.engine import Nulls, Progress
from ordcut.frames.operations import (
    Evaluation,
    evaluate,
    optimal_thresholds,
    predict,
    thresholds_of,
)
from ordcut.frames.source import FrameSource

__all__ = [
    "Evaluation",
    "FrameSource",
    "Nulls",
    "Progress",
    "evaluate",
    "optimal_thresholds",
    "predict",
    "thresholds_of",
]
