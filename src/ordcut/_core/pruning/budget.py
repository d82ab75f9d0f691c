"""How much a pruned search of arrays may do before sorting all rows would have been quicker.

Work is counted in steps of about a nanosecond each. It is never timed, so that the same rows are
always solved in the same way.
"""

from __future__ import annotations

import math

import numpy as np

from ordcut._core.data import Rows
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.objectives import SegmentTerms

#: Steps to sort a row, by a key of score and class (float32 scores without weights) or by score and
#: position.
STEPS_TO_SORT_BY_KEY, STEPS_TO_SORT_BY_POSITION = 6, 12

#: Steps to count a row by cells, to look whether it is to be fetched, to fetch it, to count it by
#: parts of its cell, and to sort it if it is left over.
STEPS_TO_COUNT, STEPS_TO_LOOK, STEPS_TO_FETCH, STEPS_TO_SPLIT, STEPS_TO_SORT_LEFT = 2, 1, 2, 5, 20

#: Steps that a round takes for any number of rows.
STEPS_OF_ROUND = 100_000


class Budget:
    """The steps that a search may still take; no limit by default.

    Examples
    --------
    >>> budget = Budget(100)
    >>> budget.spend(60), budget.spend(60), budget.n_left
    (True, False, -20)
    """

    def __init__(self, n_steps: float = math.inf) -> None:
        self.n_left = n_steps

    @classmethod
    def to_sort(cls, rows: Rows) -> Budget:
        """Return the steps that it takes to sort rows."""
        is_key = rows.scores.dtype != np.float64 and rows.weights is None and rows.soft is None
        steps = STEPS_TO_SORT_BY_KEY if is_key else STEPS_TO_SORT_BY_POSITION
        return cls(steps * len(rows.scores))

    def earn(self, n_steps: float) -> None:
        """Allow more steps."""
        self.n_left += n_steps

    def spend(self, n_steps: float) -> bool:
        """Take steps, and return whether the budget allows them."""
        self.n_left -= n_steps
        return self.n_left >= 0


def steps_to_solve(cost: ExactCost | SegmentTerms) -> float:
    """Return the steps per row that a solver takes on sorted rows."""
    if isinstance(cost, SegmentTerms):
        return 5 + 2 * cost.n_classes
    if cost.convexity != "no":
        return 1.5
    return 6 if cost.has_equal_errors else 2 * len(cost.integers)
