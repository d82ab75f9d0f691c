"""What thresholds are judged by: named objectives, which can be added to, and your own."""

from ordcut._core.objectives import (
    COSTS,
    KAPPAS,
    TERMS,
    Kappa,
    Objective,
    SegmentObjective,
    resolve_objective,
)

__all__ = [
    "COSTS",
    "KAPPAS",
    "TERMS",
    "Kappa",
    "Objective",
    "SegmentObjective",
    "resolve_objective",
]
