"""Thresholds: the result, where they go between scores, JSON, and rules for other systems."""

from ordcut.thresholds.explanation import LEVEL, SMOOTHED, explained, how_sure, reason
from ordcut.thresholds.origin import (
    Origin,
    OriginalRows,
    given_thresholds,
    objective_for,
    original_rows,
)
from ordcut.thresholds.placing import (
    known_scores_around,
    place_between,
    place_cuts,
    result_between,
    result_of,
    scores_around,
)
from ordcut.thresholds.result import Thresholds
from ordcut.thresholds.rules import class_literals
from ordcut.thresholds.storage import as_written, to_dict

__all__ = [
    "LEVEL",
    "SMOOTHED",
    "Origin",
    "OriginalRows",
    "Thresholds",
    "as_written",
    "class_literals",
    "explained",
    "given_thresholds",
    "how_sure",
    "known_scores_around",
    "objective_for",
    "original_rows",
    "place_between",
    "place_cuts",
    "reason",
    "result_between",
    "result_of",
    "scores_around",
    "to_dict",
]
