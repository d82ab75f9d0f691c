"""The protocol of every time, which ships with ordcut for ``ordcut bench``."""

from ordcut.bench.timing import FULL, QUICK, Clock, Effort, best_of, clock, side_by_side

__all__ = ["FULL", "QUICK", "Clock", "Effort", "best_of", "clock", "side_by_side"]
