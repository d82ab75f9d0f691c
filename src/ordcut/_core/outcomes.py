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
    table : ndarray of shape (D, K) or (D, K * G)
        The exact weight of each decision and class, refined by groups if there are any, with all
        constraints.
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
        tables = [
            each.reshape(len(each), objective.n_classes, -1).sum(axis=2)
            for each in (self.table, table)
        ]
        exact = objective.on(TableTotals(tables[1]))  # both tables are of the same rows
        if exact.exact_score(tables[0]) >= exact.exact_score(tables[1]):
            return 0.0
        with_limit, without = (objective.value(each.astype(np.float64)) for each in tables)
        return abs(with_limit - without)
