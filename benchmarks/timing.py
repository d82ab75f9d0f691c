"""How times are measured, as in ``ordcut bench``."""

from ordcut.bench import FULL, QUICK, Clock, Effort, best_of, clock, side_by_side, sorting

__all__ = ["FULL", "QUICK", "Clock", "Effort", "best_of", "clock", "side_by_side", "sorting"]
