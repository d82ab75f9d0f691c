"""The best thresholds within limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from operator import getitem
from typing import Any

import numpy as np

from ordcut._core.cuts import Cuts
from ordcut._core.data import SortedRows, place_known
from ordcut._core.errors import InfeasibleConstraintsError, TooManyRowsError
from ordcut._core.limits.choices import all_candidates, place_each
from ordcut._core.limits.conflicts import Conflict
from ordcut._core.limits.forms import Limits, Outcome
from ordcut._core.limits.region import Region, region_among, region_of
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.numerics.threads import cached_property
from ordcut._core.objectives import Objective, SegmentTerms
from ordcut._core.pruning import CurveLimit
from ordcut._core.solvers import (
    FreeSteps,
    Plan,
    Store,
    best_candidates,
    best_segments,
    cut_ranges,
    solve_nested_between,
)
from ordcut._core.thresholds import Certificate
from ordcut._core.typing import Array, Floats, Ints

#: The method of thresholds that limits have moved.
WITHIN_LIMITS = "windows"


@dataclass(frozen=True, eq=False)
class LimitedSearch:
    """The search for the best thresholds that keep limits.

    Attributes
    ----------
    store : Store
        The rows that are solved.
    objective : Objective
        What is optimised. Limits are about rows as they are, without its class weights.
    limits : Limits
        What must hold.
    observed : Store, optional
        The rows on which the limits must hold; ``store`` by default.
    unit : Fraction
        What a weight of 1 stands for on the rows on which the limits must hold.
    plan : Plan
        How to search without limits.
    """

    store: Store
    objective: Objective
    limits: Limits
    observed: SortedRows | None = None
    unit: Fraction = Fraction(1)
    plan: Plan = Plan()  # noqa: RUF009 (frozen)

    def best(self) -> Cuts:
        """Return the best thresholds within the limits; an error if there are none."""
        solution = self.solve()
        if solution is None:
            raise self.infeasible()
        return solution

    def solve(self, free: Cuts | None = None) -> Cuts | None:
        """Return the best thresholds within the limits, or None if the limits cannot hold.

        ``free`` is the best solution without limits, or within looser limits, if it is known.
        """
        cuts, table = self._within_ranges(), None
        # An engine with fractional weights has pruned its rows for limits on single thresholds.
        if cuts is None and (self.curve_limits is None or self.store.is_exact):
            if free is None:
                free = self.objective.optimise(FreeSteps(self._store, self.plan))
            cuts = self._moved_into_limits(free)
            table = free.weigh() if self.observed is None else None
        if cuts is not None:
            return cuts
        cuts = self.objective.optimise(self._steps(table))
        return None if cuts is None else self._with_observed(cuts)

    def _moved_into_limits(self, free: Cuts) -> Cuts | None:
        """Return a solution with its thresholds where limits allow them; None if a limit breaks."""
        if self.limits.promised:  # a cut that passes its own test may come after a failed one
            return None
        placed = free.place()
        at, is_open = place_each(self.limits, placed)
        if not is_open.all():
            return None
        # Labels are the same wherever thresholds are between their scores.
        table = free.weigh() if self.observed is None else _exact_table(self.observed, at)
        if not self._plain.hold(Outcome(table, at, self.unit)):
            return None
        # Lumps of rows have no information on values that are not on their grid.
        is_free = free.is_free and self._store.has_every_cut
        return replace(free, weigh=_known(table), place=_known(placed), at=at, is_free=is_free)

    def _checked(self, cuts: Cuts) -> Cuts:
        """Return a solution, or raise an error if it breaks a limit, which would be a bug."""
        assert cuts.at is not None
        if not self._plain.hold(Outcome(cuts.weigh(), cuts.at, self.unit)):
            raise RuntimeError(
                f"constraints {[str(limit) for limit in self.limits.constraints]} came out "
                "broken, which must not happen. Please report this with your data."
            )
        return cuts

    def _within_ranges(self) -> Cuts | None:
        """Return the best thresholds if every limit is on a single threshold, otherwise None.

        This is quick. None also if the scores around a cut leave no allowed value for a threshold.
        """
        if self.curve_limits is None:
            return None
        try:
            rows = self._rows
        except TooManyRowsError:  # without limits, fewer rows may be needed
            return None
        whole, cost = rows.whole_kernel_rows, self._cost
        if whole is None or rows.weight > cost.most_weight:
            return None
        ranges = cut_ranges(rows, self.curve_limits, self.limits.n_thresholds)
        if ranges is None:
            return None
        cuts = solve_nested_between(whole, cost.integers, *ranges)
        placed = place_known(rows.scores, cuts, has_lumps=False)
        at, is_open = place_each(self.limits, placed)
        if not is_open.all():
            return None
        assert cost.convexity != "no"
        certificate = Certificate(cost.convexity, in_ranges=True)
        weigh = _known(rows.exact_between(cuts))
        best = Cuts(cuts, "nested", certificate, weigh, _known(placed), at, is_free=False)
        return self._checked(best)

    def _steps(self, first: Array | None) -> StepsWithin:
        """Return the search for the best thresholds by the dynamic programme for any limits.

        ``first`` is the table of cuts near the best, if it is known.
        """
        rows = self._rows
        candidates = all_candidates(rows.scores, rows.ends, self._plain)
        region = region_among(candidates, rows, self._plain, self.observed, self.unit)
        return StepsWithin(self.store, region, rows, first)

    def _with_observed(self, cuts: Cuts) -> Cuts:
        """Return the best cuts within limits, checked, with the table of the observed rows."""
        at = cuts.at
        if self.limits.distance is not None and self.limits.grid is None:
            # Candidates are as low as they can be.
            at, _ = place_each(self.limits, cuts.place())
        assert at is not None
        table = cuts.weigh() if self.observed is None else _exact_table(self.observed, at)
        return self._checked(replace(cuts, weigh=_known(table), at=at))

    @cached_property
    def _plain(self) -> Limits:
        """The limits on rows with these weights of the classes."""
        if self.limits.are_plain:
            return self.limits
        rows = self.store if self.observed is None else self.observed
        return self.limits.on(rows.exact_totals, self.unit)

    @cached_property
    def _store(self) -> Store:
        """The store for the grid of the limits."""
        return self.store.on_grid(self.limits.grid)

    @cached_property
    def _rows(self) -> SortedRows:
        """Rows among which is every cut that can be optimal within the limits."""
        store = self._store
        if self.curve_limits is not None:
            rows = store.rows_for(self._cost, self.curve_limits)
            if rows.is_whole or not store.is_exact:
                return rows
        return store.all_rows()

    @cached_property
    def _cost(self) -> ExactCost:
        """The exact cost of an additive loss."""
        cost = self.objective.on(self.store)
        assert isinstance(cost, ExactCost)
        return cost

    @cached_property
    def curve_limits(self) -> list[CurveLimit] | None:
        """The limits as limits on single thresholds, if each threshold can be solved alone."""
        if self.observed is not None or self.objective.is_maximised or not self._cost.is_convex:
            return None
        values = self.limits.grid, self.limits.distance
        if values != (None, None) or self.limits.promised:
            return None
        return curve_limits(self._plain, self._store, self.unit)

    def infeasible(self) -> InfeasibleConstraintsError:
        """Return the error that explains why the limits cannot hold."""
        rows: SortedRows | None
        try:
            rows = self.store.on_grid(None).all_rows()
        except TooManyRowsError:
            rows = None

        def region(limits: Limits) -> Region:
            if rows is None:
                return region_of(replace(self, limits=limits)._rows, limits, None, self.unit)
            return region_of(rows, limits, self.observed or rows, self.unit)

        observed = self.observed or rows
        totals = self.store.totals if observed is None else observed.exact_totals
        conflict = Conflict(self.limits, region, observed, totals, self.unit)
        return InfeasibleConstraintsError(*conflict.explained())


@dataclass(frozen=True)
class StepsWithin:
    """A search within a region, as often as an objective needs it.

    ``rows`` have the weights of the classes, and ``sorted_rows`` are cut. ``first`` is the table of
    cuts near the best, if it is known.
    """

    rows: Store
    region: Region
    sorted_rows: SortedRows
    first: Array | None = None

    @property
    def weight(self) -> float:
        """The weight for which whole costs must leave room in int64."""
        return self.sorted_rows.weight

    def minimise(self, cost: ExactCost | SegmentTerms) -> Cuts | None:
        """Return the best thresholds in the region, or None if it is empty."""
        rows, windows = self.sorted_rows, self.region.windows
        between = partial(rows.exact_between, inside=True)
        choose: Any = best_segments if isinstance(cost, SegmentTerms) else best_candidates
        chosen: Ints | None = choose(rows, cost, windows, len(rows.codes), between)
        if chosen is None:
            return None
        cuts, at = windows.cuts[chosen], self.region.values[np.arange(len(chosen)), chosen]
        return Cuts(
            cuts,
            WITHIN_LIMITS,
            Certificate("constraints"),
            weigh=partial(rows.exact_between, cuts),
            place=partial(place_known, rows.scores, cuts, has_lumps=False),
            at=at,
            is_whole=rows.is_whole,
            is_free=False,
        )

    def near_best(self, exact: object) -> Array | None:
        """Return the table of cuts near the best, if it is known."""
        del exact
        return self.first


def _known(value: Any) -> Callable[[], Any]:
    """Return a function that returns a value, for what is computed already."""
    return partial(getitem, (value,), 0)


def _exact_table(rows: SortedRows, thresholds: Floats) -> Array:
    return rows.exact_between(np.searchsorted(rows.scores, thresholds, "left"))


def curve_limits(limits: Limits, store: Store, unit: Fraction) -> list[CurveLimit] | None:
    """Return ratios and intervals as limits on weights below thresholds.

    None if a ratio is not about a single threshold, or is not monotone in it.
    """
    bounds = []
    for ratio in limits.ratios:
        kind, k = ratio.reach.kind, ratio.reach.index
        if kind == "segment" or not ratio.has_fixed_whole:
            return None
        for step, at_least in ratio.demands(store.totals, unit):
            if kind == "nothing":
                if at_least > 0:
                    return None
            elif (step >= 0).all():
                bounds.append(CurveLimit(k, step, at_least=at_least))
            elif (step <= 0).all():
                bounds.append(CurveLimit(k, -step, at_most=-at_least))
            else:
                return None
    return bounds + _intervals_as_weights(limits, store)


def _intervals_as_weights(limits: Limits, store: Store) -> list[CurveLimit]:
    """Return intervals of thresholds as limits on the weight of all rows below them."""
    ends = [end for interval in limits.intervals for end in (interval.low, interval.high)]
    if not ends:
        return []
    values = np.unique([end for end in ends if np.isfinite(end)])
    # The weight below -inf, below each value, and below inf.
    inner = np.cumsum(store.confusion(values).sum(axis=1))[:-1] if len(values) else np.empty(0)
    below = dict(zip([-np.inf, *values, np.inf], [0.0, *inner, store.totals.sum()], strict=True))
    every = np.ones(len(store.totals), np.int64)
    return [
        CurveLimit(
            interval.k,
            every,
            None if interval.low == -np.inf else float(below[interval.low]),
            None if interval.high == np.inf else float(below[interval.high]),
        )
        for interval in limits.intervals
    ]
