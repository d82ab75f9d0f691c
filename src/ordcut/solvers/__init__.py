"""The solvers: functions that turn sorted rows and a cost matrix into cuts."""

from ordcut.solvers.choose import (
    METHODS,
    SOLVERS,
    Method,
    Minimiser,
    Plan,
    Solution,
    SortedBy,
    Task,
    check_costs,
    choose_method,
    optimise,
    solve_freely,
    weighted_cost,
)
from ordcut.solvers.nested import cut_ranges, solve_nested_between
from ordcut.solvers.ratio import ExactKappa
from ordcut.solvers.segments import SegmentLimit, SegmentLimits, segment_windows
from ordcut.solvers.store import Store
from ordcut.solvers.windows import SegmentWindow, Windows, best_candidates, is_feasible, sums_at

__all__ = [
    "METHODS",
    "SOLVERS",
    "ExactKappa",
    "Method",
    "Minimiser",
    "Plan",
    "SegmentLimit",
    "SegmentLimits",
    "SegmentWindow",
    "Solution",
    "SortedBy",
    "Store",
    "Task",
    "Windows",
    "best_candidates",
    "check_costs",
    "choose_method",
    "cut_ranges",
    "is_feasible",
    "optimise",
    "segment_windows",
    "solve_freely",
    "solve_nested_between",
    "sums_at",
    "weighted_cost",
]
