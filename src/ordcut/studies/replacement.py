"""The thresholds that may replace old ones: optimal, with a cost or a limit of changed labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ordcut._core.data import Groups, Rows
from ordcut._core.errors import check_number
from ordcut._core.limits import Constraint, Constraints, Names, Ratio, limits_for, read_constraints
from ordcut._core.numerics.exact import as_fraction
from ordcut._core.objectives import Additive, Objective
from ordcut._core.problem import Problem, Sample
from ordcut._core.smoothing import Smoothing
from ordcut._core.solve import optimum, result_at, smoothed_problem
from ordcut._core.thresholds import Thresholds


@dataclass(frozen=True, eq=False)
class Replacement:
    """Old thresholds, and what the thresholds that may replace them are optimal for.

    Attributes
    ----------
    old : Thresholds
        The thresholds in use.
    objective : Objective
        The objective, with its class weights.
    constraints : tuple of Constraint
        What new thresholds must keep.
    smoothing : float, "auto" or "bagging"
        How new thresholds are smoothed.
    cost_per_change : float
        What each row costs whose label changes.
    max_changed : float, optional
        The largest share of the rows between each old threshold and the new one.

    Examples
    --------
    >>> import ordcut
    >>> old = ordcut.Thresholds.from_values([1.5], [0, 1])
    >>> objective = ordcut.resolve_objective("zero_one", 2)
    >>> rows = Rows.read([1, 2, 3, 4], [0, 0, 0, 1])
    >>> for cost in (0, 0.8, 2):
    ...     replacement = Replacement.of(old, objective, (), 0, cost, None)
    ...     print(replacement.thresholds_for(rows).thresholds)
    [3.5]
    [3.5]
    [1.5]
    """

    old: Thresholds
    objective: Objective
    constraints: tuple[Constraint, ...]
    smoothing: Smoothing
    cost_per_change: float
    max_changed: float | None

    @classmethod
    def of(
        cls,
        old: Thresholds,
        objective: Objective,
        constraints: Constraints,
        smoothing: Smoothing | None,
        cost_per_change: float,
        max_changed: float | None,
    ) -> Replacement:
        """Return the replacement, after a check of the arguments."""
        if constraints is None:
            constraints = [outcome.limit for outcome in old.constraints]
        parsed = tuple(read_constraints(constraints))
        for constraint in parsed:
            if constraint.group is not None:
                raise ValueError(
                    f"constraint {str(constraint)!r} is about a group, which update does not know. "
                    "Pass constraints= without it."
                )
        check_not_negative("cost_per_change", cost_per_change)
        if max_changed is not None:
            check_number(
                "max_changed", max_changed, "a number from 0 to 1", lambda share: 0 <= share <= 1
            )
        if cost_per_change:
            if not isinstance(objective, Additive) or objective.class_weight is not None:
                raise ValueError(
                    "cost_per_change needs a loss that adds up over rows of equal weight, got "
                    f"{objective.name!r}. Limit the changed labels instead, with max_changed."
                )
            if smoothing not in (None, 0):
                raise ValueError(
                    "cost_per_change cannot be combined with smoothing: a changed label costs the "
                    "same for every row. Leave out one of them."
                )
        amount: Smoothing = (0.0 if cost_per_change else "auto") if smoothing is None else smoothing
        return cls(old, objective, parsed, amount, float(cost_per_change), max_changed)

    def thresholds_for(self, rows: Rows) -> Thresholds:
        """Return the new thresholds that rows lead to."""
        objective, groups = self.objective, None
        if self.cost_per_change:
            groups = Groups(self.old.decisions, self.old.codes(rows.scores))
        constraints = [*self.constraints, *self._limits_of_change(rows)]
        limits = limits_for(constraints, objective, rows.classes, groups)
        problem = Problem(Sample(rows), objective, limits)
        if groups is not None:
            problem = replace(
                problem,
                solved=Sample(groups.refine(rows, None)),
                objective=self._with_cost_of_change(len(groups.names)),
            )
        elif self.smoothing != 0:
            problem = smoothed_problem(problem, self.smoothing)
        result = optimum(problem)
        outcomes = result.constraints[: len(self.constraints)]
        if groups is not None:
            plain = Problem(Sample(rows), objective)
            result = result_at(plain, result.thresholds, result.method, result.proof)
        return replace(result, constraints=outcomes)

    def _limits_of_change(self, rows: Rows) -> Iterator[Constraint]:
        """Yield the share above each old threshold, give or take the share that may change."""
        if self.max_changed is None:
            return
        table, most = rows.confusion(self.old.thresholds), as_fraction(float(self.max_changed))
        heights = [Fraction(height) for height in np.cumsum(table.sum(axis=1)[::-1])[::-1]]
        most += 0 if rows.is_whole else Fraction(1, 10**9)  # sums of fractions are rounded
        for name, height in zip(self.old.decisions[1:].tolist(), heights[1:], strict=True):
            share = height / heights[0]
            yield ShareNear(name, max(share - most, Fraction(0)), min(share + most, Fraction(1)))

    def _with_cost_of_change(self, n_decisions: int) -> Additive:
        """Return the objective for classes that are refined by the old decision of the row."""
        assert isinstance(self.objective, Additive)
        cost = np.repeat(self.objective.cost, n_decisions, axis=1)
        is_old = np.tile(np.eye(n_decisions), len(self.old.classes))
        name = f"{self.objective.name}, {self.cost_per_change:g} per change"
        return Additive(
            name, cost + self.cost_per_change * (1 - is_old), decisions=self.old.decisions
        )


@dataclass(frozen=True, repr=False)
class ShareNear(Constraint):
    """The share of the rows that get a decision or a higher one, with exact limits."""

    decision: Any
    at_least: Fraction
    at_most: Fraction

    word = "share"

    def lower(self, names: Names) -> Ratio:
        """Return the share of the rows above a threshold."""
        decisions = slice(names.decisions.index(self.decision), None)
        part = names.cells(decisions=decisions)
        return Ratio(part, names.cells(), self.at_least, self.at_most)

    def __str__(self) -> str:
        limits = f">= {float(self.at_least):.6g} and <= {float(self.at_most):.6g}"
        return f"max_changed: share {self.decision} or higher {limits}"


def check_not_negative(name: str, value: object) -> None:
    """Raise an error unless an argument is a finite number that is not negative.

    Examples
    --------
    >>> check_not_negative("tolerance", 0.05)
    """
    check_number(name, value, "a number that is not negative", lambda v: 0 <= v < np.inf)
