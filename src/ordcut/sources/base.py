"""What a solver may ask of data, wherever they live."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ordcut.arrays import Array, Bools, Floats, Ints, Numbers
from ordcut.cells import Locating

if TYPE_CHECKING:
    from ordcut.sources.arrays import ArraySource


class AnyCells(Locating, Protocol):
    """Ordered cells of the line, as a source lays them out."""

    @property
    def n_cells(self) -> int:
        """The number of cells."""

    def at_or_after(self, scores: Array) -> Ints:
        """Return the cell of each score, or the next one where no cell has it."""

    def n_places(self, chosen: Bools) -> int:
        """Return how many places the chosen cells have, each of which can be split."""

    def split(self, chosen: Bools, n_parts: int) -> FinerCells:
        """Return finer cells in place of the chosen ones, with the others joined into runs."""


class FinerCells(Locating, Protocol):
    """Parts of chosen cells, and each run of cells between them as one."""

    is_run: Bools


class Source(Protocol):
    """Validated rows with a score, a class and a weight, which stay where they are.

    Only counts and the rows of a few cells ever leave a source, so that a solver written against
    it works on every engine.
    """

    classes: Array

    @property
    def precision(self) -> np.dtype[Any]:
        """The kind of float in which the scores came."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""

    def cells(self, n_cells: int) -> AnyCells:
        """Return about so many ordered cells that follow the scores."""

    def count(self, cells: Any, n_threads: int) -> Numbers:
        """Return the weight of each cell and class, (n_cells, K); int64 if all are whole."""

    def finer(self, cells: Any, chosen: Bools, counts: Numbers) -> tuple[AnyCells, Numbers] | None:
        """Return cells with some of the chosen ones split, and their counts.

        None if the rows of the chosen cells should be fetched instead.
        """

    def rows(self, cells: Any, chosen: Bools, counts: Numbers, n_threads: int) -> ArraySource:
        """Return the rows of the chosen cells, in memory; equal rows may come as one."""

    def confusion(self, thresholds: Floats) -> Floats:
        """Return the (predicted, true) table of weights, added up in the order of the rows.

        Any number of ascending thresholds will do: row ``j`` of the table holds the weight of each
        class between thresholds ``j - 1`` and ``j``.
        """
