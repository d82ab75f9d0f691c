"""How fast ordcut is on a machine: the problems to solve, and times relative to a sort."""

from ordcut.bench.problems import Problem, normal, normal_share, on_label_scale
from ordcut.bench.timing import (
    FULL,
    QUICK,
    Clock,
    Effort,
    best_of,
    clock,
    describe_machine,
    side_by_side,
    sorting,
)

__all__ = [
    "FULL",
    "QUICK",
    "Clock",
    "Effort",
    "Problem",
    "best_of",
    "clock",
    "describe_machine",
    "normal",
    "normal_share",
    "on_label_scale",
    "side_by_side",
    "sorting",
]
