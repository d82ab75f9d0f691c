"""What thresholds were found on, kept with them to say how sure they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordcut.arrays import Bools, Floats
from ordcut.checks import ClassWeight, class_factors
from ordcut.objectives import Objective
from ordcut.sources.arrays import ArraySource
from ordcut.sources.base import Source


@dataclass(frozen=True)
class Origin:
    """The rows that thresholds were found on, where they live, and what they were found for.

    Rows are not copied: it holds on to what the user passed.
    """

    source: Source
    objective: Objective
    class_weight: ClassWeight | None
    smoothing: float = 0.0

    def rows_in_memory(self) -> ArraySource:
        """Return all rows as arrays, fetched from an engine if that is where they live."""
        if isinstance(self.source, ArraySource):
            return self.source
        cells = self.source.cells(4)
        every: Bools = np.ones(cells.n_cells, np.bool_)
        return self.source.rows(cells, every, self.source.count(cells, 1), 1)

    def factors(self, totals: Floats) -> Floats:
        """Return the factor of each class, for rows with such weights of the classes."""
        return class_factors(self.class_weight, self.source.classes, totals)

    def value(self, confusion: Floats) -> float:
        """Return the mean loss, or the kappa, of a (predicted, true) table of weights."""
        return self.objective.value(confusion * self.factors(confusion.sum(axis=0)))
