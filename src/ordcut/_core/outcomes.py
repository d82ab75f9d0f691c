"""What each constraint has reached, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ordcut._core.limits import LimitedSearch
from ordcut._core.objectives import Objective, TableTotals
from ordcut._core.typing import Array


@dataclass(frozen=True, eq=False)
class Prices:
    """The cost of each constraint: how much better the value would be without it.

    Attributes
    ----------
    search : callable
        Returns the search within all limits; its rows are prepared again when a price is computed.
    objective : Objective
        What is optimised.
    table : ndarray of shape (D, K)
        The exact weight of each decision and class with all constraints.
    is_free : bool
        Whether the thresholds are optimal without any constraints.
    """

    search: Callable[[], LimitedSearch]
    objective: Objective
    table: Array
    is_free: bool

    def price(self, index: int) -> float:
        """Return how much better the value would be without the constraint at an index."""
        if self.is_free:
            return 0.0
        search, objective = self.search(), self.objective
        table = replace(search, limits=search.limits.without(index)).best().weigh()
        exact = objective.on(TableTotals(table))  # both tables are of the same rows
        if exact.exact_score(self.table) >= exact.exact_score(table):
            return 0.0
        with_limit, without = (
            objective.value(each.astype(np.float64)) for each in (self.table, table)
        )
        return abs(with_limit - without)
