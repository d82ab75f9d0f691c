"""Thresholds: the result, where they go between scores, JSON, and rules for other systems."""

from ordcut.thresholds.certificate import Certificate, Verified, reason
from ordcut.thresholds.explanation import LEVEL, explained, how_sure
from ordcut.thresholds.origin import OriginalRows, objective_for, original_rows
from ordcut.thresholds.outcomes import ConstraintOutcome, as_written
from ordcut.thresholds.placing import (
    known_scores_around,
    place_between,
    place_cuts,
    place_known,
    scores_around,
)
from ordcut.thresholds.result import UNKNOWN, Thresholds
from ordcut.thresholds.rules import class_literals
from ordcut.thresholds.storage import to_dict

__all__ = [
    "LEVEL",
    "UNKNOWN",
    "Certificate",
    "ConstraintOutcome",
    "OriginalRows",
    "Thresholds",
    "Verified",
    "as_written",
    "class_literals",
    "explained",
    "how_sure",
    "known_scores_around",
    "objective_for",
    "original_rows",
    "place_between",
    "place_cuts",
    "place_known",
    "reason",
    "scores_around",
    "to_dict",
]
