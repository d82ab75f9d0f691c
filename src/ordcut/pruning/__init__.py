"""Pruned search: sort only the rows that can matter."""

from ordcut.pruning.bounds import CurveLimit, Verdict, halving_order
from ordcut.pruning.cells import SAMPLE_SIZE, ArraySource, spread_indices
from ordcut.pruning.lumped import LumpedRows, lump_rows, lumps_of
from ordcut.pruning.pruned import PrunedRows
from ordcut.pruning.source import CountedCells, Parts, Source

__all__ = [
    "SAMPLE_SIZE",
    "ArraySource",
    "CountedCells",
    "CurveLimit",
    "LumpedRows",
    "Parts",
    "PrunedRows",
    "Source",
    "Verdict",
    "halving_order",
    "lump_rows",
    "lumps_of",
    "spread_indices",
]
