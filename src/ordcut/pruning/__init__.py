"""Pruned search: sort only the rows that can matter."""

from ordcut.pruning.cells import SAMPLE_SIZE, ArraySource, spread_indices
from ordcut.pruning.problem import PrunedProblem
from ordcut.pruning.source import CountedCells, Parts, Source

__all__ = [
    "SAMPLE_SIZE",
    "ArraySource",
    "CountedCells",
    "Parts",
    "PrunedProblem",
    "Source",
    "spread_indices",
]
