"""The solvers: functions that turn sorted rows and a cost matrix into cuts."""

from ordcut.solvers.choose import (
    CERTIFICATES,
    METHODS,
    SOLVERS,
    UP_TO_ROUNDING,
    Method,
    Minimiser,
    Plan,
    Problem,
    Solution,
    SortedBy,
    certify_kappa,
    check_costs,
    choose_method,
    exact_between,
    solve,
    solve_in_windows,
    weighted_cost,
)
from ordcut.solvers.nested import solve_nested_between
from ordcut.solvers.ratio import ExactKappa
from ordcut.solvers.table import ScoreTable
from ordcut.solvers.windows import Window, Windows, best_candidates, is_feasible, sums_at

__all__ = [
    "CERTIFICATES",
    "METHODS",
    "SOLVERS",
    "UP_TO_ROUNDING",
    "ExactKappa",
    "Method",
    "Minimiser",
    "Plan",
    "Problem",
    "ScoreTable",
    "Solution",
    "SortedBy",
    "Window",
    "Windows",
    "best_candidates",
    "certify_kappa",
    "check_costs",
    "choose_method",
    "exact_between",
    "is_feasible",
    "solve",
    "solve_in_windows",
    "solve_nested_between",
    "sums_at",
    "weighted_cost",
]
