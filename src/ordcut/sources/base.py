"""What a solver may ask of data, wherever they live."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ordcut.arrays import Array, Bools, Floats, Numbers
from ordcut.cells import Cells

if TYPE_CHECKING:
    from ordcut.sources.arrays import ArraySource


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

    def cells(self, n_cells: int) -> Cells:
        """Return about so many ordered cells that follow the scores."""

    def count(self, cells: Cells, n_threads: int) -> Numbers:
        """Return the weight of each cell and class, (n_cells, K); int64 if all are whole."""

    def rows(self, cells: Cells, chosen: Bools, counts: Numbers, n_threads: int) -> ArraySource:
        """Return the rows of the chosen cells, in memory; equal rows may come as one."""

    def confusion(self, thresholds: Floats) -> Floats:
        """Return the (predicted, true) table of weights, added up in the order of the rows.

        Any number of ascending thresholds will do: row ``j`` of the table holds the weight of each
        class between thresholds ``j - 1`` and ``j``.
        """
