"""Pruned search: count by cell and class, and sort only the rows of cells that can matter.

Everything is asked of a source, so it runs wherever data live, with no sort of all rows and no
copy of them. What is left is an ordinary table, in which the rows of the other cells stand as
lumps that no threshold can enter.
"""

from __future__ import annotations

import numpy as np

from ordcut.arrays import Array, Bools, Floats, Ints, Numbers
from ordcut.cells import starts_in, sum_runs
from ordcut.kernels.cells import number_kept
from ordcut.objectives import Objective, is_convex
from ordcut.solvers.bounds import cells_that_can_hold
from ordcut.sorting import SortedRows, insert_lumps
from ordcut.sources.arrays import ArraySource
from ordcut.sources.base import Source
from ordcut.table import ScoreTable

#: About how many counters the cells may take: what the second level of a cache holds.
N_COUNTERS = 1 << 16

#: With many classes there are still so many cells.
LEAST_CELLS = 512

#: Up to so many rows, and up to so many for each pair of classes, "auto" sorts them all for a
#: convex objective: measured where the two ways take the same time.
MOST_ROWS_TO_SORT, MOST_ROWS_PER_PAIR = 200_000, 1_000

#: From so many rows times classes on, "auto" prunes the others.
MOST_CHOICES = 1 << 28

#: Cells with fewer rows on average than this cost more to judge than they spare.
ROWS_PER_CELL = 16

#: The rows fetched are judged by parts of their places with about so many rows, and at most so many
#: parts a place.
ROWS_PER_PART, MOST_PARTS = 24, 12

#: The first steps towards a kappa cut at every so many borders of cells.
CELLS_PER_COARSE_CUT = 8


def is_worth_pruning(source: Source, objective: Objective) -> bool:
    """Return whether counting and fetching beats sorting all rows, from measured crossovers.

    Bounds are tight where curves can be judged one by one, as those of convex costs and of the
    quadratic kappa can; elsewhere, pruning is for what the dynamic programme has no memory for.
    """
    n_rows, n_classes = source.n_rows, objective.n_classes
    if n_rows <= MOST_ROWS_TO_SORT:
        return False
    if is_convex(objective.cost):
        return n_rows > MOST_ROWS_PER_PAIR * n_classes**2
    return n_rows * n_classes >= MOST_CHOICES


def rows_in(is_kept: Bools, located: Array) -> Array:
    """Return the numbers of the rows whose cell is kept."""
    numbers, n_found = np.empty(len(located) + 1, np.uint32), np.zeros(1, np.int64)
    number_kept(located, is_kept, numbers, n_found)
    return numbers[: n_found[0]]


class PrunedProblem:
    """A source counted by cells, from which a small table can be had for any cost matrix.

    Attributes
    ----------
    cells : Cells
        Ordered cells of the line.
    counts : ndarray of shape (n_cells, K)
        The weight of each cell and class.

    Examples
    --------
    >>> from ordcut.sources.arrays import ArraySource
    >>> labels = np.repeat([0, 1, 2], 1000)
    >>> problem = PrunedProblem(ArraySource(np.arange(3000.0), labels))
    >>> len(problem.table_for(1 - np.eye(3, dtype=np.int64)).rows.codes) < 100
    True
    """

    def __init__(self, source: Source, n_threads: int = 1) -> None:
        self.classes = source.classes
        self.precision = source.precision
        self._source = source
        self._n_threads = n_threads
        most = max(LEAST_CELLS, N_COUNTERS // len(self.classes))
        self.cells = source.cells(min(most, max(4, source.n_rows // ROWS_PER_CELL)))
        self.counts = source.count(self.cells, n_threads)
        self._fetched: tuple[Bools, ArraySource] | None = None
        self.totals: Floats = self.counts.sum(axis=0).astype(np.float64)
        self.weight = float(self.totals.sum())

    def table_for(self, cost: Numbers) -> ScoreTable:
        """Return a table that holds every cut which can be optimal for a cost matrix."""
        chosen, part = self._rows_of(self._narrowed_down(cost))
        if chosen.all():
            return ScoreTable.from_source(part)
        # Judge the rows fetched once more, by parts of their cells, before they are sorted.
        n_places = self.cells.n_places(chosen)
        n_parts = max(1, min(MOST_PARTS, part.n_rows // (ROWS_PER_PART * n_places)))
        cells = self.cells.split(chosen, n_parts)
        located, counts = part.count_parts(cells, self._n_threads)
        counts[cells.is_run] = sum_runs(self.counts, chosen)
        can_hold = cells_that_can_hold(counts, cost) & ~cells.is_run
        kept = rows_in(can_hold, located)
        rows = part.only(kept).sorted_rows()
        if part.soft is None and len(rows.codes) == len(kept):
            # No rows were merged: cells have as many as they had.
            n_rows = np.bincount(located[kept], minlength=len(can_hold))[can_hold]
            starts = np.cumsum(n_rows) - n_rows
        else:
            starts = starts_in(cells, rows.scores, np.flatnonzero(can_hold))
        return self._with_lumps(counts, can_hold, rows, starts)

    def _narrowed_down(self, cost: Numbers) -> Bools:
        """Return the cells that can matter, in cells as fine as the source wants them first."""
        chosen = cells_that_can_hold(self.counts, cost)
        while (finer := self._source.finer(self.cells, chosen, self.counts)) is not None:
            self.cells, self.counts = finer
            self._fetched = None  # it speaks of the cells before
            chosen = cells_that_can_hold(self.counts, cost)
        return chosen

    def _rows_of(self, chosen: Bools) -> tuple[Bools, ArraySource]:
        """Return the rows of the chosen cells; rows that were fetched before stay."""
        if self._fetched is None or (chosen & ~self._fetched[0]).any():
            if self._fetched is not None:
                chosen = chosen | self._fetched[0]
            part = self._source.rows(self.cells, chosen, self.counts, self._n_threads)
            self._fetched = chosen, part
        return self._fetched

    def _with_lumps(
        self, counts: Numbers, chosen: Bools, rows: SortedRows, starts: Ints
    ) -> ScoreTable:
        """Put what lies between the chosen cells back among the rows, as one lump each."""
        starts_run = ~chosen & np.append(True, chosen[:-1])
        n_before: Ints = np.cumsum(chosen)[starts_run]
        position = np.append(starts, len(rows.codes))[n_before]
        lumps = sum_runs(counts, chosen)
        return ScoreTable.from_rows(insert_lumps(rows, position, lumps), self._source)

    @property
    def source(self) -> Source:
        """Where the rows live."""
        return self._source

    @property
    def coarse(self) -> ScoreTable:
        """A table with cuts at some borders of cells only."""
        no_rows = SortedRows(
            np.zeros(0, self.precision),
            np.zeros(0, np.uint16),
            np.zeros(0, np.bool_),
            np.zeros(0, self.counts.dtype),
        )
        firsts = np.arange(0, len(self.counts), CELLS_PER_COARSE_CUT)
        lumps = np.add.reduceat(self.counts, firsts, axis=0)
        rows = insert_lumps(no_rows, np.zeros(len(lumps), np.int64), lumps)
        return ScoreTable.from_rows(rows, self._source)
