"""Limits: constraints, the forms they are lowered to, and the best thresholds within them."""

from ordcut.limits.constraints import Constraint, Count, Over, Precision, Recall, Share, Under
from ordcut.limits.forms import Distance, Form, Interval, Limits, Outcome, Ratio
from ordcut.limits.grid import Grid
from ordcut.limits.names import Names
from ordcut.limits.region import region_of
from ordcut.limits.search import LimitedSearch
from ordcut.limits.text import Constraints, read_constraints
from ordcut.limits.values import Allowed, Between, Digits, Fixed, Gap

__all__ = [
    "Allowed",
    "Between",
    "Constraint",
    "Constraints",
    "Count",
    "Digits",
    "Distance",
    "Fixed",
    "Form",
    "Gap",
    "Grid",
    "Interval",
    "LimitedSearch",
    "Limits",
    "Names",
    "Outcome",
    "Over",
    "Precision",
    "Ratio",
    "Recall",
    "Share",
    "Under",
    "read_constraints",
    "region_of",
]
