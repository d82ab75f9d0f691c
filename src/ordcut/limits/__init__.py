"""Limits: what is allowed of thresholds and decisions, and the best within that."""

from ordcut.limits.constraints import (
    Allowed,
    Between,
    Constraint,
    Count,
    Digits,
    Fixed,
    Gap,
    Over,
    Precision,
    Recall,
    Share,
    Under,
)
from ordcut.limits.listed import listed_values, lumped, rows_between_values
from ordcut.limits.moves import cuts_kept
from ordcut.limits.optimum import LimitedProblem
from ordcut.limits.outcomes import ConstraintOutcome
from ordcut.limits.scheme import Outcome, Scheme
from ordcut.limits.text import Constraints, read_constraints
from ordcut.limits.thresholds import limited_thresholds

__all__ = [
    "Allowed",
    "Between",
    "Constraint",
    "ConstraintOutcome",
    "Constraints",
    "Count",
    "Digits",
    "Fixed",
    "Gap",
    "LimitedProblem",
    "Outcome",
    "Over",
    "Precision",
    "Recall",
    "Scheme",
    "Share",
    "Under",
    "cuts_kept",
    "limited_thresholds",
    "listed_values",
    "lumped",
    "read_constraints",
    "rows_between_values",
]
