"""An exact model of thresholds within limits for CP-SAT, the solver of OR-Tools."""

from importlib.util import find_spec
from typing import Any

import numpy as np


def is_installed() -> bool:
    return find_spec("ortools") is not None


def least_loss(
    scores: Any,
    labels: Any,
    recall: dict[int, float] | None = None,
    share: dict[int, float] | None = None,
    precision: dict[int, float] | None = None,
) -> float:
    """Return the least mean absolute loss with floors on recall and precision, ceilings on shares.

    A variable for each distinct score and threshold says whether the score is below it.
    """
    from ortools.sat.python import cp_model

    n_classes = int(labels.max()) + 1
    distinct, index = np.unique(scores, return_inverse=True)
    counts = np.zeros((len(distinct), n_classes), int)
    np.add.at(counts, (index, labels), 1)
    model = cp_model.CpModel()
    below = [
        [model.new_bool_var(f"{j} {k}") for k in range(n_classes - 1)] for j in range(len(distinct))
    ]
    for j in range(len(distinct)):
        for k in range(n_classes - 1):
            if j:
                model.add(below[j][k] <= below[j - 1][k])
            if k:
                model.add(below[j][k - 1] <= below[j][k])

    def decided(j: int, k: int) -> Any:
        """Whether score ``j`` gets class ``k``."""
        upto = below[j][k] if k < n_classes - 1 else 1
        return upto - (below[j][k - 1] if k else 0)

    every = range(len(distinct))
    own = [sum(int(counts[j, k]) * decided(j, k) for j in every) for k in range(n_classes)]
    some = [sum(int(counts[j].sum()) * decided(j, k) for j in every) for k in range(n_classes)]
    for k, least in (recall or {}).items():
        model.add(1000 * own[k] >= round(1000 * least) * int(counts[:, k].sum()))
    for k, most in (share or {}).items():
        model.add(1000 * some[k] <= round(1000 * most) * int(counts.sum()))
    for k, least in (precision or {}).items():
        model.add(1000 * own[k] >= round(1000 * least) * some[k])
    cost = np.abs(np.arange(n_classes)[:, None] - np.arange(n_classes))
    paid = counts @ cost.T
    model.minimize(sum(int(paid[j, k]) * decided(j, k) for j in every for k in range(n_classes)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return float(solver.objective_value / counts.sum())
