"""Pruned search: sort only the rows that can matter."""

from ordcut.pruning.bounds import CurveLimit, Verdict, halving_order
from ordcut.pruning.cells import SAMPLE_SIZE, ArraySource, spread_indices
from ordcut.pruning.problem import PrunedProblem
from ordcut.pruning.source import CountedCells, Parts, Source

__all__ = [
    "SAMPLE_SIZE",
    "ArraySource",
    "CountedCells",
    "CurveLimit",
    "Parts",
    "PrunedProblem",
    "Source",
    "Verdict",
    "halving_order",
    "spread_indices",
]
