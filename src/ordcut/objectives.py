"""What thresholds are judged by: named objectives, which can be added to, and your own."""

from ordcut._core.objectives.custom import Kappa, SegmentObjective
from ordcut._core.objectives.named import COSTS, KAPPAS, Objective, resolve_objective
from ordcut._core.objectives.terms import TERMS

__all__ = [
    "COSTS",
    "KAPPAS",
    "TERMS",
    "Kappa",
    "Objective",
    "SegmentObjective",
    "resolve_objective",
]
