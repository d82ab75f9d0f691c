"""Thresholds: the result, where they go between scores, JSON, and rules for other systems."""

from ordcut.thresholds.origin import (
    Origin,
    OriginalRows,
    given_thresholds,
    objective_for,
    original_rows,
)
from ordcut.thresholds.placing import place_cuts, result_between, scores_around
from ordcut.thresholds.result import Thresholds
from ordcut.thresholds.rules import class_literals
from ordcut.thresholds.storage import as_written, to_dict

__all__ = [
    "Origin",
    "OriginalRows",
    "Thresholds",
    "as_written",
    "class_literals",
    "given_thresholds",
    "objective_for",
    "original_rows",
    "place_cuts",
    "result_between",
    "scores_around",
    "to_dict",
]
