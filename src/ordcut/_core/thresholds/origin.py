"""The rows and the objective of the problem that thresholds solve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ordcut._core.data import Rows, SortedRows
from ordcut._core.decisions import ReviewObjective
from ordcut._core.errors import listed
from ordcut._core.objectives import (
    Objective,
    ObjectiveLike,
    is_named,
    objective_of,
    resolve_objective,
)
from ordcut._core.typing import Array, Floats, Ints

if TYPE_CHECKING:
    from ordcut._core.problem import Problem
    from ordcut._core.thresholds.result import Thresholds


@dataclass(frozen=True)
class OriginalRows:
    """The rows of a result, as they are and sorted, with the cuts and labels that it leads to."""

    origin: Problem
    rows: Rows
    sorted: SortedRows
    cuts: Ints
    confusion: Floats


def original_rows(thresholds: Thresholds, method: str) -> OriginalRows:
    """Return the rows of a result, after a check that they are unchanged.

    ``method`` names the method that needs them, for error messages.

    Examples
    --------
    >>> from ordcut import optimal_thresholds
    >>> original_rows(optimal_thresholds([0.3, 0.1, 0.2], [1, 0, 0]), "bootstrap").cuts
    array([2])
    """
    origin = thresholds.origin
    if origin is None:
        raise ValueError(
            f"{method} needs the rows that thresholds were found on, and these have none: they "
            "were read from JSON or a pickle, or were not found on data at all. Find them again "
            f"with ordcut.optimal_thresholds(scores, labels, ...) and call {method} on the result; "
            "in a worker process, before the result is returned."
        )
    rows = origin.solved.data.all_rows()
    if rows.has_changed:
        raise ValueError(
            f"{method} needs scores, labels and weights as they were when the thresholds were "
            "found, and these arrays have changed since. Find the thresholds again."
        )
    ordered = rows.sorted()
    cuts: Ints = np.searchsorted(ordered.scores, thresholds.thresholds, side="left")
    confusion = ordered.between(cuts)
    value = origin.goal.value(confusion)
    if not np.isclose(value, thresholds.value, rtol=1e-9, atol=1e-12):
        raise ValueError(
            f"{method} needs scores, labels and weights as they were when the thresholds were "
            f"found; the value was {thresholds.value:g} and is {value:g} now. The arrays have "
            "changed since, or the value was judged on other labels. Find the thresholds again."
        )
    return OriginalRows(origin, rows, ordered, cuts, confusion)


def objective_for(
    thresholds: Thresholds | None, objective: ObjectiveLike | None, classes: Array
) -> Objective:
    """Return the given objective, or else the objective of the thresholds.

    Without thresholds, it is the absolute loss. Thresholds that were read from JSON have the name
    of their objective, and in their record the costs that the name does not say.

    Examples
    --------
    >>> import numpy as np
    >>> from ordcut import optimal_thresholds
    >>> result = optimal_thresholds([1, 2, 3], [0, 1, 1], objective=[[0, 1], [5, 0]])
    >>> objective_for(result, None, np.array([0, 1])).cost
    array([[0., 1.],
           [5., 0.]])
    """
    if thresholds is not None and thresholds.classes.tolist() != classes.tolist():
        raise ValueError(
            f"thresholds must have the classes of the labels, {listed(classes.tolist())}; "
            f"got {listed(thresholds.classes.tolist())}. "
            "Pass classes=thresholds.classes with the labels."
        )
    if objective is None:
        objective = "absolute" if thresholds is None else _optimised(thresholds)
    own = thresholds is not None and thresholds.decides_otherwise
    decisions = thresholds.decisions if thresholds is not None and own else None
    resolved = resolve_objective(objective, classes, decisions)
    if thresholds is None or thresholds.review_share is None:
        return resolved
    return ReviewObjective(
        resolved.name,
        resolved.cost,
        decisions=resolved.decisions,
        class_weight=resolved.class_weight,
    )


def _optimised(thresholds: Thresholds) -> ObjectiveLike:
    """Return what thresholds were optimised for."""
    if thresholds.origin is not None:
        if not thresholds.origin.objective.has_truth:
            raise ValueError(
                "objective must be given for thresholds that were found for costs of each row: new "
                "rows with labels have no such costs. The mean of new costs is "
                "costs[np.arange(len(scores)), thresholds.codes(scores)].mean()."
            )
        return thresholds.origin.objective.as_named
    record = thresholds.record
    if record is not None and record.outcomes is not None:
        raise ValueError(
            f"objective must be given for bands, which were found for {thresholds.objective!r} of "
            "an outcome and not for labels. Find the bands of new rows with ordcut.optimal_bands, "
            "compare both with ordcut.diff(old, new), or test new scores with drift."
        )
    if record is not None and record.cost is not None:
        return objective_of(thresholds.objective, record.cost, bool(record.is_kappa))
    if is_named(thresholds.objective):
        return thresholds.objective
    raise ValueError(
        f"objective must be given for thresholds that were found for {thresholds.objective!r}, "
        "since they have no record with its costs. Pass objective= with the costs."
    )
