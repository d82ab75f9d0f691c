"""A partition of the line into ordered cells that follow the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ordcut.arrays import Array, Bools, Ints, Numbers, Real
from ordcut.kernels.cells import locate_parts

#: The table from scores to cells has this many places for each cell, to follow the data, and at
#: the most so many in all, to stay in cache.
PLACES_PER_CELL, MOST_PLACES = 2, 1 << 16


class Locating(Protocol):
    """Ordered cells that tell where scores are."""

    def locate(self, scores: Array) -> Array:
        """Return the cell of each score."""


@dataclass(frozen=True)
class Cells:
    """Ordered cells, given by a table over equal steps of the line.

    A score belongs to cell ``cell_of[p]``, where ``p`` is ``(score - low) * scale`` without its
    fraction, cut off to the table. ``cell_of`` starts at 0 and never falls. ``low`` and ``scale``
    are of the kind of float to reckon in.
    """

    low: Real
    scale: Real
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
        kind = np.result_type(scores, self.low.dtype)
        with np.errstate(over="ignore"):
            place = (scores.astype(kind) - kind.type(self.low)) * kind.type(self.scale)
        place = np.clip(place, 0, len(self.cell_of) - 1)
        cells: Ints = self.cell_of[place.astype(np.int64)]
        return cells

    def at_or_after(self, scores: Array) -> Ints:
        """Return the cell of each score, rounded to the kind of float that the rows have."""
        with np.errstate(over="ignore"):
            return self.locate(scores.astype(self.low.dtype))

    def n_places(self, chosen: Bools) -> int:
        """Return how many places the chosen cells have, each of which can be split."""
        return int(chosen[self.cell_of].sum())

    def split(self, chosen: Bools, n_parts: int) -> SplitCells:
        """Return finer cells in place of the chosen ones, with the others joined into runs."""
        return SplitCells(self, chosen, n_parts)


class SplitCells:
    """The places of some chosen cells in equal parts, and each run of cells between them as one.

    Attributes
    ----------
    is_run : ndarray of shape (n_cells,)
        Which of the finer cells stand for a run of those that were not chosen.

    Examples
    --------
    >>> cells = Cells(np.float64(0), np.float64(1), np.arange(4))
    >>> finer = cells.split(np.array([False, True, False, False]), 2)
    >>> finer.is_run
    array([ True, False, False,  True])
    >>> finer.locate(np.array([1.2, 1.7]))
    array([1, 2], dtype=int32)
    """

    def __init__(self, cells: Cells, chosen: Bools, n_parts: int) -> None:
        self.cells = cells
        self.n_parts = n_parts
        is_chosen = chosen[cells.cell_of]
        starts_run = ~is_chosen & np.append(True, is_chosen[:-1])
        n_finer = np.where(is_chosen, n_parts, starts_run)
        first_part = np.cumsum(n_finer) - n_finer
        self._first_part = first_part.astype(np.int32)
        self.is_run = np.zeros(int(n_finer.sum()), np.bool_)
        self.is_run[first_part[starts_run]] = True

    def locate(self, scores: Array) -> Array:
        """Return the finer cell of each score; every score must be in a chosen cell."""
        located = np.empty(len(scores), np.int32)
        where = self.cells.low, self.cells.scale, self._first_part, self.n_parts
        locate_parts(scores, *where, located)
        return located


def sum_runs(counts: Numbers, chosen: Bools) -> Numbers:
    """Return the weights of each run of cells that are not chosen, one after the other.

    Examples
    --------
    >>> sum_runs(np.array([[1, 2], [3, 4], [5, 6], [7, 8]]), np.array([False, False, True, False]))
    array([[4, 6],
           [7, 8]])
    """
    turns = np.flatnonzero(np.diff(chosen, prepend=True, append=True))
    if len(turns) == 0:
        return counts[:0]
    # Between the turns lie, in turn, a run and what is chosen; there is nothing after the last.
    inner = turns[turns < len(counts)]
    runs: Numbers = np.add.reduceat(counts, inner, axis=0)[::2]
    return runs


def starts_in(cells: Locating, sorted_scores: Array, some_cells: Ints) -> Ints:
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
    low, high = sample[rank], sample[-1 - rank]
    if low == high:
        low, high = sample[0], sample[-1]
    with np.errstate(over="ignore", divide="ignore"):
        for kind in (np.float32, np.float64)[int(sample.dtype == np.float64) :]:
            scale = kind(n_places - 2) / (kind(high) - kind(low))
            if np.isfinite(scale) and scale > 0:
                even = Cells(kind(low) - 1 / scale, scale, np.arange(n_places))
                break
        else:  # one value, or a range beyond float64: below it, at it and above it
            scale = 1 / np.maximum(np.abs(kind(low)), 1)
            return Cells(kind(low) - kind(1.5) / scale, scale, np.arange(3))
    mass = np.bincount(even.locate(sample), minlength=n_places) / len(sample)
    share = 0.5 * mass + 0.5 / n_places
    cell = ((np.cumsum(share) - share) * n_cells).astype(np.int64)
    return Cells(even.low, scale, np.cumsum(np.append(0, cell[1:] != cell[:-1])))
