"""Pruned search: sort only the rows that can matter."""

from ordcut.pruning.arrays import SAMPLE_SIZE as SAMPLE_SIZE
from ordcut.pruning.arrays import ArraySource as ArraySource
from ordcut.pruning.arrays import spread_indices as spread_indices
from ordcut.pruning.bounds import CurveLimit as CurveLimit
from ordcut.pruning.bounds import Verdict as Verdict
from ordcut.pruning.bounds import halving_order as halving_order
from ordcut.pruning.lumped import LumpedRows as LumpedRows
from ordcut.pruning.lumped import lump_rows as lump_rows
from ordcut.pruning.lumped import lumps_of as lumps_of
from ordcut.pruning.pruned import PrunedRows as PrunedRows
from ordcut.pruning.pruned import count_located as count_located
from ordcut.pruning.segment_bounds import SegmentBounds as SegmentBounds
from ordcut.pruning.source import CountedCells as CountedCells
from ordcut.pruning.source import Parts as Parts
from ordcut.pruning.source import Source as Source
from ordcut.pruning.steps import count_equal_steps as count_equal_steps
