"""The best thresholds within limits: without them first, and again where they are broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from ordcut.data import SortedRows
from ordcut.errors import InfeasibleConstraintsError
from ordcut.exact import ExactCost
from ordcut.limits.constraints import Constraint
from ordcut.limits.curve_limits import curve_limits, cut_ranges
from ordcut.limits.infeasible import nearest_limits, smallest_conflict
from ordcut.limits.outcomes import ConstraintOutcome
from ordcut.limits.positions import Choices
from ordcut.limits.region import Region, region_of
from ordcut.limits.scheme import Outcome, Scheme
from ordcut.objectives import Objective
from ordcut.pruning import CurveLimit
from ordcut.solvers import (
    CERTIFICATES,
    ExactKappa,
    best_candidates,
    is_feasible,
    solve_in_windows,
    solve_nested_between,
    weighted_cost,
)
from ordcut.thresholds import scores_around
from ordcut.typing import Array, Floats

#: The method of thresholds that limits have moved.
WITHIN_LIMITS = "windows"


@dataclass(frozen=True)
class Limited:
    """Thresholds within limits, the scores around them, and the exact weights between them."""

    thresholds: Floats
    around: tuple[Array, Array]
    table: Array
    method: str
    certificate: str
    is_free: bool = False


@dataclass(frozen=True)
class LimitedProblem:
    """Rows, an objective and constraints.

    Attributes
    ----------
    sort : callable
        Takes a problem and returns rows in the order of their scores, among which lies every cut
        that can be optimal for it; called only where that is needed.
    sort_all : callable
        Returns all rows in the order of their scores.
    objective : Objective
        What is optimised.
    factors : ndarray of shape (K,)
        What the rows of each true class count in the objective. Limits are about rows as they are.
    scheme : Scheme
        The names of classes and decisions.
    constraints : tuple of Constraint
        What must hold.
    totals : callable
        Returns the weight of each class.
    count : callable
        Returns the weight of each class between thresholds, of all rows.
    sort_observed : callable, optional
        Returns the rows on which constraints must hold, where costs are those of other rows.
    observed_factors : ndarray of shape (K,), optional
        What the classes of the observed rows count, where that is not the same.
    """

    sort: Callable[[LimitedProblem], SortedRows]
    sort_all: Callable[[], SortedRows]
    objective: Objective
    factors: Floats
    scheme: Scheme
    constraints: tuple[Constraint, ...]
    totals: Callable[[], Array]
    count: Callable[[Floats], Array]
    sort_observed: Callable[[], SortedRows] | None = None
    observed_factors: Floats | None = None

    @cached_property
    def rows(self) -> SortedRows:
        """The rows in the order of their scores."""
        return self.sort(self)

    @cached_property
    def observed(self) -> SortedRows:
        """The rows on which constraints must hold."""
        return self.rows if self.sort_observed is None else self.sort_observed()

    def without(self, constraint: Constraint) -> LimitedProblem:
        """Return the problem with one constraint less."""
        kept = tuple(one for one in self.constraints if one is not constraint)
        return replace(self, constraints=kept)

    @cached_property
    def best(self) -> Limited:
        """The best thresholds within the limits; an error if there are none."""
        if self.found is None:
            raise self._infeasible()
        return self.found

    @cached_property
    def found(self) -> Limited | None:
        """The same, but None if there are none."""
        found = self.within_ranges or self._within_windows()
        if found is not None and not self._hold(Outcome(found.table, found.thresholds)):
            raise RuntimeError(  # never show thresholds that break a limit
                f"constraints {[str(one) for one in self.constraints]} came out broken, which must "
                "not happen. Please report this with your data."
            )
        return found

    def _within_windows(self) -> Limited | None:
        """Return the best thresholds by the dynamic programme for any constraints."""
        region = region_of(self.rows, self.constraints, self.scheme, self.observed)
        found = solve_in_windows(self.rows, self.objective, self.factors, region.windows)
        if found is None:
            return None
        chosen, why = found
        cuts, at = region.windows.cuts[chosen], region.thresholds(chosen)
        around = scores_around(self.rows.scores, cuts)
        table = self.rows.exact_between(cuts)
        if self.sort_observed is not None:
            cuts = np.searchsorted(self.observed.scores, at, "left")
            table = self.observed.exact_between(cuts)
        return Limited(at, around, table, WITHIN_LIMITS, why)

    @cached_property
    def within_ranges(self) -> Limited | None:
        """The best thresholds where every constraint is about one threshold; else None."""
        limits = self.single_limits
        if limits is None:
            return None
        whole = self.rows.in_whole_numbers
        if whole is None or self.rows.weight > self.cost.most_weight:
            return None
        ranges = cut_ranges(self.rows, limits, len(self.scheme.decisions) - 1)
        if ranges is None:
            return None
        cuts = solve_nested_between(whole, self.cost.integers, *ranges)
        around = scores_around(self.rows.scores, cuts)
        at, is_open = Choices.of(self.constraints, self.scheme).place_each(*around)
        why = f"{CERTIFICATES[self.cost.convexity]}, within the range of each threshold"
        if not is_open.all():
            return None
        return Limited(at, around, self.rows.exact_between(cuts), "nested", why)

    @cached_property
    def cost(self) -> ExactCost:
        """The exact cost of an additive objective."""
        return weighted_cost(self.objective, self.factors)

    @cached_property
    def single_limits(self) -> list[CurveLimit] | None:
        """The constraints as limits on single thresholds, if these can be solved alone."""
        is_other = self.sort_observed is not None or self.objective.is_kappa
        if is_other or not self.cost.is_convex:
            return None
        return curve_limits(self.constraints, self.scheme, self.totals, self.count)

    def _infeasible(self) -> InfeasibleConstraintsError:
        """Return why the constraints cannot hold, as an error to be raised."""
        try:
            rows = self.sort_all()
        except ValueError:  # there are more than may leave their engine
            rows = None
        observed = rows if self.sort_observed is None else self.observed

        def region(some: tuple[Constraint, ...]) -> Region:
            if rows is None:
                return region_of(replace(self, constraints=some).rows, some, self.scheme)
            return region_of(rows, some, self.scheme, observed)

        def can_hold(some: tuple[Constraint, ...]) -> bool:
            return is_feasible(region(some).windows)

        def least(cost: Array, some: tuple[Constraint, ...]) -> Array:
            assert observed is not None
            windows = region(some).counted
            found = best_candidates(
                observed, ExactCost.of(cost), windows, len(observed.codes), observed.exact_between
            )
            assert found is not None
            return observed.exact_between(windows.cuts[found])

        conflict = smallest_conflict(self.constraints, can_hold)
        nearest = {}
        if rows is not None:
            nearest = nearest_limits(conflict, self.scheme, can_hold, least)
        return InfeasibleConstraintsError([str(one) for one in conflict], nearest)

    def _hold(self, reached: Outcome) -> bool:
        return all(reached.holds(one, self.scheme) for one in self.constraints)

    def placed(
        self,
        around: tuple[Array, Array],
        count: Callable[[Floats], Array],
        method: str,
        why: str,
    ) -> Limited | None:
        """Return thresholds between given scores that keep the limits; None if some are broken.

        ``count`` returns the exact weight of each class between thresholds.
        """
        choices = Choices.of(self.constraints, self.scheme)
        at, is_open = choices.place_each(*around)
        if not is_open.all():
            return None
        table = count(at)
        if not self._hold(Outcome(table, at)):
            return None
        return Limited(at, around, table, method, why, is_free=True)

    def outcomes(self, found: Limited) -> tuple[ConstraintOutcome, ...]:
        """Return what each constraint has reached, and what it costs once somebody asks."""
        reached = Outcome(found.table, found.thresholds)

        def price(one: Constraint) -> float:
            if found.is_free:  # the best thresholds there are keep all limits
                return 0.0
            other = self.without(one).best.table
            if self._loss(found.table) <= self._loss(other):
                return 0.0
            return abs(self._value(found.table) - self._value(other))

        return tuple(
            ConstraintOutcome(one, reached.reached(one, self.scheme), partial(price, one))
            for one in self.constraints
        )

    @property
    def _judging_factors(self) -> Floats:
        """What classes count where thresholds are judged: on the observed rows."""
        return self.factors if self.observed_factors is None else self.observed_factors

    def _value(self, table: Array) -> float:
        return self.objective.value(table.astype(np.float64) * self._judging_factors)

    def _loss(self, table: Array) -> Fraction:
        """Return what a table of weights costs, in some unit; of a kappa, how far it is below 1."""
        if self.objective.is_kappa:
            kappa = ExactKappa.of(self.objective, table.sum(axis=0), self._judging_factors)
            return kappa.ratio_of(table)
        cost = weighted_cost(self.objective, self._judging_factors)
        return Fraction((cost.integers.astype(object) * table).sum())
