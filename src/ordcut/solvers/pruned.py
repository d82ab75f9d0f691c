"""Pruned search: count by cell and class, and sort only the rows of cells that can matter.

Everything is asked of a source, so it runs wherever data live, with no sort of all rows and no
copy of them. What is left is an ordinary table, in which the rows of the other cells stand as
lumps that no threshold can enter.
"""

from __future__ import annotations

import numpy as np

from ordcut.arrays import Bools, Floats, Ints, Numbers
from ordcut.cells import Cells
from ordcut.objectives import Objective, is_convex
from ordcut.solvers.bounds import cells_that_can_hold
from ordcut.sorting import SortedRows, insert_lumps
from ordcut.sources.base import Source
from ordcut.table import ScoreTable

#: About how many counters the cells may take: what the second level of a cache holds.
N_COUNTERS = 1 << 17

#: With many classes there are still so many cells.
LEAST_CELLS = 512

#: From so many rows on, "auto" prunes convex objectives.
MOST_ROWS_TO_SORT = 200_000

#: From so many rows times classes on, "auto" prunes the others.
MOST_CHOICES = 1 << 28

#: Cells with fewer rows on average than this cost more to judge than they spare.
ROWS_PER_CELL = 16

#: Where more than this share of the weight is left, splitting the cells again is quicker.
SHARE_WORTH_SPLITTING = 0.25


def is_worth_pruning(source: Source, objective: Objective) -> bool:
    """Return whether counting and fetching beats sorting all rows, from measured crossovers.

    Bounds are tight where curves can be judged one by one, as those of convex costs and of the
    quadratic kappa can; elsewhere, pruning is for what the dynamic programme has no memory for.
    """
    n_rows, n_classes = source.n_rows, objective.n_classes
    if is_convex(objective.cost):
        return n_rows >= MOST_ROWS_TO_SORT
    return n_rows * n_classes >= MOST_CHOICES


class PrunedProblem:
    """A source counted by cells, from which a small table can be had for any cost matrix.

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
        self._n_cells = min(most, max(4, source.n_rows // ROWS_PER_CELL))
        self._use(source.cells(self._n_cells))
        self.totals: Floats = self._counts.sum(axis=0).astype(np.float64)

    def _use(self, cells: Cells) -> None:
        self._cells = cells
        self._counts = self._source.count(cells, self._n_threads)
        self._fetched: tuple[Bools, SortedRows, Ints] | None = None

    def table_for(self, cost: Numbers) -> ScoreTable:
        """Return a table that holds every cut which can be optimal for a cost matrix."""
        chosen = cells_that_can_hold(self._counts, cost)
        if self._share(chosen) > SHARE_WORTH_SPLITTING:
            finer = self._cells.split(chosen, self._n_cells)
            if finer is not None:
                self._use(finer)
                chosen = cells_that_can_hold(self._counts, cost)
        chosen, rows, starts = self._rows_of(chosen)
        # The cells between two chosen ones stand as one lump, before the rows of the second.
        n_before: Ints = np.cumsum(chosen) - chosen
        others = np.flatnonzero(~chosen)
        if len(others) == 0:
            return ScoreTable.from_rows(rows, self._source)
        firsts = np.flatnonzero(np.append(True, np.diff(n_before[others]) != 0))
        position = np.append(starts, len(rows.codes))[n_before[others[firsts]]]
        lumps = np.add.reduceat(self._counts[others], firsts, axis=0)
        return ScoreTable.from_rows(insert_lumps(rows, position, lumps), self._source)

    @property
    def coarse(self) -> ScoreTable:
        """A table with cuts at the borders of cells only."""
        no_rows = SortedRows(
            np.zeros(0, self.precision),
            np.zeros(0, np.uint16),
            np.zeros(0, np.bool_),
            np.zeros(0, self._counts.dtype),
        )
        at_start = np.zeros(len(self._counts), np.int64)
        rows = insert_lumps(no_rows, at_start, self._counts)
        return ScoreTable.from_rows(rows, self._source)

    def _share(self, chosen: Bools) -> float:
        return float(self._counts[chosen].sum() / self._counts.sum())

    def _rows_of(self, chosen: Bools) -> tuple[Bools, SortedRows, Ints]:
        """Return the rows of the chosen cells; rows that were fetched before stay."""
        if self._fetched is None or (chosen & ~self._fetched[0]).any():
            if self._fetched is not None:
                chosen = chosen | self._fetched[0]
            rows, starts = self._source.rows(self._cells, chosen, self._counts, self._n_threads)
            self._fetched = chosen, rows, starts
        return self._fetched
