"""A partition of the line into ordered cells that follow the data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ordcut.arrays import Array, Bools, Floats, Ints, Numbers
from ordcut.kernels.cells import locate_parts

#: The table from scores to cells has this many places for each cell, to follow the data, and at
#: the most so many in all, to stay in cache.
PLACES_PER_CELL, MOST_PLACES = 2, 1 << 16


@dataclass(frozen=True)
class Cells:
    """Ordered cells, given by a table over equal steps of the line.

    A score belongs to cell ``cell_of[p]``, where ``p`` is ``(score - low) * scale`` without its
    fraction, cut off to the table. ``cell_of`` starts at 0 and never falls.
    """

    low: float
    scale: float
    cell_of: Ints

    @property
    def n_cells(self) -> int:
        """The number of cells."""
        return int(self.cell_of[-1]) + 1

    def locate(self, scores: Array) -> Ints:
        """Return the cell of each score, by the same arithmetic as the kernels.

        Examples
        --------
        >>> cells_like(np.arange(100.0), 4).locate(np.array([-9.0, 20.0, 70.0, 999.0]))
        array([0, 0, 2, 3])
        """
        with np.errstate(over="ignore"):
            place = (scores.astype(np.float64) - self.low) * self.scale
        place = np.clip(place, 0, len(self.cell_of) - 1)
        cells: Ints = self.cell_of[place.astype(np.int64)]
        return cells

    def split(self, chosen: Bools, n_parts: int) -> SplitCells:
        """Return finer cells in place of the chosen ones, with the others joined into runs."""
        return SplitCells(self, np.flatnonzero(chosen), n_parts)


@dataclass(frozen=True)
class SplitCells:
    """Each of some chosen cells in equal parts, and each run of cells between them as one.

    Cell 0 is what lies below the first chosen cell, then come its parts, then what lies between it
    and the next, and so on; the last cell is what lies above all.
    """

    cells: Cells
    chosen: Ints
    n_parts: int

    @property
    def n_cells(self) -> int:
        """The number of cells: parts, and a run before, between and after."""
        return len(self.chosen) * (self.n_parts + 1) + 1

    @property
    def is_run(self) -> Bools:
        """Which cells stand for those that were not chosen."""
        number = np.arange(self.n_cells)
        return np.asarray(number % (self.n_parts + 1) == 0)

    @cached_property
    def _table(self) -> tuple[Array, Floats, Floats]:
        first = np.searchsorted(self.cells.cell_of, self.chosen, side="left")
        last = np.searchsorted(self.cells.cell_of, self.chosen, side="right")
        slot = np.zeros(self.cells.n_cells, np.int32)
        slot[self.chosen] = np.arange(len(self.chosen))
        return slot[self.cells.cell_of], first.astype(np.float64), self.n_parts / (last - first)

    def locate(self, scores: Array) -> Ints:
        """Return the cell of each score; every score must be in a chosen cell."""
        located = np.empty(len(scores), np.int64)
        where = self.cells.low, self.cells.scale, *self._table, self.n_parts
        locate_parts(scores, *where, located)
        return located

    def join_runs(self, counts: Numbers) -> Numbers:
        """Return the counts of the runs, from those of the cells that were split and joined."""
        is_chosen = np.zeros(len(counts), np.bool_)
        is_chosen[self.chosen] = True
        # A run starts with a cell that is not chosen, after one that is or at the very start.
        is_start = ~is_chosen & np.append(True, is_chosen[:-1])
        runs = np.zeros((len(self.chosen) + 1, counts.shape[1]), counts.dtype)
        starts = np.flatnonzero(is_start)
        if len(starts):
            others = np.flatnonzero(~is_chosen)
            sums = np.add.reduceat(counts[others], np.searchsorted(others, starts), axis=0)
            runs[np.searchsorted(self.chosen, starts)] = sums
        return runs


def starts_in(cells: Cells | SplitCells, sorted_scores: Array, some_cells: Ints) -> Ints:
    """Return where the scores of some cells begin among sorted scores, all cells at once.

    Examples
    --------
    >>> starts_in(cells_like(np.arange(100.0), 4), np.arange(100.0), np.array([0, 2]))
    array([ 0, 50])
    """
    first = np.zeros(len(some_cells), np.int64)
    last = np.full(len(some_cells), len(sorted_scores))
    while (first < last).any():  # halve every range; a range that is empty stays
        middle = np.minimum((first + last) // 2, len(sorted_scores) - 1)
        is_before = (cells.locate(sorted_scores[middle]) < some_cells) & (first < last)
        first, last = np.where(is_before, middle + 1, first), np.where(is_before, last, middle)
        last = np.maximum(first, last)
    return first


def cells_like(sample: Array, n_cells: int) -> Cells:
    """Return about ``n_cells`` cells that are narrow where a sorted sample is dense.

    Half of the cells are shared out by the sample's mass and half by length, over the middle 99.8 %
    of the sample, so that neither a heavy tail nor an outlier takes them all.
    """
    n_places = min(PLACES_PER_CELL * n_cells, MOST_PLACES)
    rank = len(sample) // 1000
    low, high = float(sample[rank]), float(sample[-1 - rank])
    if low == high:
        low, high = float(sample[0]), float(sample[-1])
    with np.errstate(over="ignore", divide="ignore"):
        scale = float(np.float64(n_places - 2) / (np.float64(high) - np.float64(low)))
    if not (np.isfinite(scale) and scale > 0):
        # One value, or a range beyond float64: below it, at it and above it.
        return _around_one_value(low)
    even = Cells(low - 1 / scale, scale, np.arange(n_places))
    mass = np.bincount(even.locate(sample), minlength=n_places) / len(sample)
    share = 0.5 * mass + 0.5 / n_places
    cell = ((np.cumsum(share) - share) * n_cells).astype(np.int64)
    return Cells(even.low, scale, np.cumsum(np.append(0, cell[1:] != cell[:-1])))


def _around_one_value(value: float) -> Cells:
    """Return three cells, the middle one for a value and its neighbourhood."""
    scale = 1 / max(abs(value), 1.0)
    return Cells(value - 1.5 / scale, scale, np.arange(3))
