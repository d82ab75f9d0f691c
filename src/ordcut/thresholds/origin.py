"""The rows that thresholds were found on, and what they were found for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ordcut.data import ClassWeight, Rows, SortedRows
from ordcut.decisions import ReviewObjective, RowCosts
from ordcut.objectives import Objective, ObjectiveLike, is_named, resolve_objective
from ordcut.thresholds.placing import result_between, scores_around
from ordcut.typing import Array, Floats, Ints

if TYPE_CHECKING:
    from ordcut.limits import Constraint
    from ordcut.pruning import Source
    from ordcut.thresholds.result import Thresholds


@dataclass(frozen=True)
class Origin:
    """Where thresholds come from. Rows are not copied: it refers to what the user passed.

    ``observed`` are the rows that constraints and shares are about, where those of ``source`` are
    weighted by class.
    """

    source: Rows | Source
    objective: Objective
    class_weight: ClassWeight | None
    smoothing: float = 0.0
    constraints: tuple[Constraint, ...] = ()
    observed: Rows | None = None

    def factors(self, totals: Floats) -> Floats:
        """Return the factor of each class, for rows with such weights of the classes."""
        return self.objective.class_factors(self.class_weight, self.source.classes, totals)

    def review_share(self, thresholds: Floats) -> float | None:
        """Return the share of the rows that thresholds hand over for review, if any do."""
        if isinstance(self.objective, ReviewObjective):
            rows = self.source if self.observed is None else self.observed
            return self.objective.review_share(rows.confusion(thresholds))
        return None

    def value(self, confusion: Floats) -> float:
        """Return the mean loss, or the kappa, of a (predicted, true) table of weights."""
        return self.objective.value(confusion * self.factors(confusion.sum(axis=0)))


@dataclass(frozen=True)
class OriginalRows:
    """The rows of a result, as they are and sorted, with the cuts and labels that it leads to."""

    origin: Origin
    rows: Rows
    sorted: SortedRows
    cuts: Ints
    confusion: Floats


def original_rows(found: Thresholds, method: str) -> OriginalRows:
    """Return the rows of a result, for one of its methods, after a check that they are the same.

    Examples
    --------
    >>> from ordcut import optimal_thresholds
    >>> original_rows(optimal_thresholds([0.3, 0.1, 0.2], [1, 0, 0]), "bootstrap").cuts
    array([2])
    """
    if found.origin is None:
        raise ValueError(
            f"{method} needs the rows that thresholds were found on, and these have none: they "
            "were read from JSON or a pickle, or were not found on data at all. Find them again "
            f"with ordcut.optimal_thresholds(scores, labels, ...) and call {method} on the result."
        )
    rows = found.origin.source.all_rows()
    ordered = rows.sorted()
    cuts: Ints = np.searchsorted(ordered.scores, found.thresholds, side="left")
    confusion = ordered.between(cuts)
    value = found.origin.value(confusion)
    if not np.isclose(value, found.value, rtol=1e-9, atol=1e-12):
        raise ValueError(
            f"{method} needs scores, labels and weights as they were when the thresholds were "
            f"found; the value was {found.value:g} and is {value:g} now. The arrays have changed "
            "since, or the value was judged on other labels. Find the thresholds again."
        )
    return OriginalRows(found.origin, rows, ordered, cuts, confusion)


def objective_for(
    thresholds: Thresholds | None, objective: ObjectiveLike | None, classes: Array
) -> Objective:
    """Return the given objective, or else the one that thresholds were found for.

    Without thresholds, it is the absolute loss. Thresholds that were read from JSON have the name
    of their objective only, which is not enough for costs of the user's own.

    Examples
    --------
    >>> import numpy as np
    >>> from ordcut import optimal_thresholds
    >>> found = optimal_thresholds([1, 2, 3], [0, 1, 1], objective=[[0, 1], [5, 0]])
    >>> objective_for(found, None, np.array([0, 1])).cost
    array([[0., 1.],
           [5., 0.]])
    """
    if thresholds is not None and thresholds.classes.tolist() != classes.tolist():
        raise ValueError(
            f"thresholds must have the classes of the labels, {classes.tolist()}, "
            f"got {thresholds.classes.tolist()}. Pass classes=thresholds.classes with the labels."
        )
    if objective is None:
        objective = "absolute" if thresholds is None else _found_for(thresholds)
    own = thresholds is not None and thresholds.decides_otherwise
    decisions = thresholds.decisions if thresholds is not None and own else None
    return resolve_objective(objective, classes, decisions)


def _found_for(thresholds: Thresholds) -> ObjectiveLike:
    if thresholds.origin is not None:
        if isinstance(thresholds.origin.objective, RowCosts):
            raise ValueError(
                "objective must be given for thresholds that were found for costs of each row: new "
                "rows with labels have no such costs. For the mean of new costs, take that of "
                "costs[np.arange(len(scores)), thresholds.codes(scores)]."
            )
        return thresholds.origin.objective
    if is_named(thresholds.objective):
        return thresholds.objective
    raise ValueError(
        f"objective must be given for thresholds that were found for {thresholds.objective!r}: "
        "they were read from JSON or a pickle, which keep the name of an objective but not its "
        "costs. Pass objective= with the costs."
    )


def moved_thresholds(found: Thresholds, k: int, to: float) -> Thresholds:
    """Return thresholds with one moved, and their value on the rows they were found on."""
    known = original_rows(found, "moved")
    values = np.array(found.thresholds)
    if not -len(values) <= k < len(values):
        raise ValueError(f"k must be a position from 0 to {len(values) - 1}, got {k!r}.")
    values[k] = to
    if np.isnan(to) or (values[1:] < values[:-1]).any():
        raise ValueError(
            f"to must keep the thresholds in ascending order, got {to!r} for position {k} of "
            f"{found.thresholds.tolist()}."
        )
    before = known.origin
    moved = given_thresholds(known.rows, values, before.objective, before.class_weight)
    assert moved.origin is not None
    origin = replace(moved.origin, observed=before.observed)
    return replace(moved, review_share=origin.review_share(values), origin=origin)


def given_thresholds(
    rows: Rows,
    thresholds: Floats,
    objective: Objective,
    class_weight: ClassWeight | None = None,
    *,
    method: str = "given",
    certificate: str = "none: thresholds were given",
) -> Thresholds:
    """Return given thresholds as a result, with the value that they reach on rows."""
    factors = objective.class_factors(class_weight, rows.classes, rows.totals)
    distinct = rows.distinct_scores()
    return result_between(
        scores_around(distinct, np.searchsorted(distinct, thresholds, side="left")),
        lambda given: objective.value(rows.confusion(given) * factors),
        classes=objective.known_classes(rows.classes),
        objective=objective.name,
        method=method,
        certificate=certificate,
        thresholds=thresholds,
        decisions=objective.decisions,
        origin=Origin(rows, objective, class_weight),
    )
