"""Intervals that a page shows by default, by a bootstrap of about a second at most."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordcut._core.data import Rows
from ordcut._core.thresholds import Thresholds

#: A bootstrap is quick up to this many rows and decisions.
MOST_ROWS, MOST_DECISIONS = 20_000, 30

#: The number of replicates.
REPLICATES = 200

#: With fewer rows than this, intervals say little.
FEWEST_ROWS = 30


def quick_intervals(start: Thresholds, optimum: Thresholds) -> dict[str, Any] | None:
    """Return the intervals of the initial thresholds of a page, if a bootstrap of them is quick.

    They must be the optimum of the rows of the page, which are in memory and count the same. Other
    thresholds have intervals if the user passes a bootstrap.

    Examples
    --------
    >>> import ordcut
    >>> result = ordcut.optimal_thresholds([*range(50)], [0, 1] * 5 + [0] * 10 + [1] * 30)
    >>> quick_intervals(result, result)["replicates"]
    200
    """
    problem = optimum.origin
    if problem is None or not np.array_equal(start.thresholds, optimum.thresholds):
        return None
    rows, objective = problem.judged.data, problem.objective
    is_plain = not problem.smoothing and problem.limits is None and objective.kind != "segments"
    if not isinstance(rows, Rows) or rows.codes is None or rows.weights is not None:
        return None
    is_quick = FEWEST_ROWS <= rows.n_rows <= MOST_ROWS and objective.n_decisions <= MOST_DECISIONS
    if not (is_plain and is_quick and objective.factors(rows.totals) is None):
        return None
    try:
        return optimum.bootstrap(REPLICATES).as_dict()
    except ValueError:  # such as a kappa that is undefined in some replicates
        return None
