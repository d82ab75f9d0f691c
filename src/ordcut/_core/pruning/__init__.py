"""Pruned search: sort only the rows that can matter."""

from ordcut._core.pruning.arrays import SAMPLE_SIZE as SAMPLE_SIZE
from ordcut._core.pruning.arrays import ArraySource as ArraySource
from ordcut._core.pruning.arrays import spread_indices as spread_indices
from ordcut._core.pruning.bounds import CurveLimit as CurveLimit
from ordcut._core.pruning.bounds import Verdict as Verdict
from ordcut._core.pruning.bounds import halving_order as halving_order
from ordcut._core.pruning.budget import STEPS_TO_SORT as STEPS_TO_SORT
from ordcut._core.pruning.lumped import LumpedRows as LumpedRows
from ordcut._core.pruning.lumped import lump_rows as lump_rows
from ordcut._core.pruning.lumped import lumps_of as lumps_of
from ordcut._core.pruning.pruned import PrunedRows as PrunedRows
from ordcut._core.pruning.pruned import count_located as count_located
from ordcut._core.pruning.segment_bounds import SegmentBounds as SegmentBounds
from ordcut._core.pruning.segment_bounds import UnitBounds as UnitBounds
from ordcut._core.pruning.source import CountedCells as CountedCells
from ordcut._core.pruning.source import Parts as Parts
from ordcut._core.pruning.source import Source as Source
from ordcut._core.pruning.steps import count_equal_steps as count_equal_steps
