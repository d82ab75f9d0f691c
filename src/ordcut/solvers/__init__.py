"""The solvers: functions that turn sorted rows and a cost matrix into cuts."""

from ordcut.solvers.choose import (
    METHODS,
    SOLVERS,
    Method,
    Minimiser,
    Plan,
    Problem,
    Solution,
    check_costs,
    choose_method,
    solve,
)
from ordcut.solvers.table import ScoreTable

__all__ = [
    "METHODS",
    "SOLVERS",
    "Method",
    "Minimiser",
    "Plan",
    "Problem",
    "ScoreTable",
    "Solution",
    "check_costs",
    "choose_method",
    "solve",
]
