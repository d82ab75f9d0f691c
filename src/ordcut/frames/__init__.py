"""Exact thresholds for frames of any engine and size: pandas, Polars, DuckDB, Dask, Spark, ..."""

from ordcut.frames.bands import optimal_bands
from ordcut.frames.grouped import GroupedFrame as GroupedFrame
from ordcut.frames.operations import Evaluation, evaluate, optimal_thresholds, predict
from ordcut.frames.operations import thresholds_of as thresholds_of
from ordcut.frames.rated import RatedItems as RatedItems
from ordcut.frames.scale import check_scale as check_scale
from ordcut.frames.scale import score_counts as score_counts
from ordcut.frames.source import FrameSource as FrameSource
from ordcut.frames.validation import Nulls as Nulls

# The other names are for the report, plots and the command line.
__all__ = ["Evaluation", "evaluate", "optimal_bands", "optimal_thresholds", "predict"]
