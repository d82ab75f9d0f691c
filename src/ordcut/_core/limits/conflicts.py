"""Why limits cannot hold together, and which limits could."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from ordcut._core.data import SortedRows
from ordcut._core.errors import Shortage
from ordcut._core.limits.form import Form
from ordcut._core.limits.forms import Distance, Limits, Outcome, Ratio
from ordcut._core.limits.grid import Grid
from ordcut._core.limits.region import PrefixSums, Region
from ordcut._core.limits.sequence import PromisedPrecision
from ordcut._core.numerics.exact import ExactCost, as_fraction
from ordcut._core.solvers import best_candidates, is_feasible
from ordcut._core.typing import Array

#: Up to this many limits, every subset is tried, smallest first, for a conflict.
MOST_TO_COMBINE = 10

#: How often an interval of distances is halved, and how many additional digits are tried.
N_HALVINGS, MOST_DIGITS_MORE = 50, 6

#: How often an interval of promised precisions is halved.
N_HALVINGS_OF_PRECISION = 12


@dataclass(frozen=True)
class Conflict:
    """Limits that cannot hold together on the observed rows.

    ``region`` returns the cuts that limits allow, ``totals`` are the weights of the classes, and
    ``unit`` is what a weight of 1 stands for. ``observed`` is None if the rows cannot leave their
    engine.
    """

    limits: Limits
    region: Callable[[Limits], Region]
    observed: SortedRows | None
    totals: Array
    unit: Fraction

    def explained(self) -> tuple[list[str], dict[str, float], dict[str, Shortage]]:
        """Return a smallest conflict, the nearest limits that could hold, and missing rows."""
        conflict = self.smallest()
        texts = [str(constraint) for constraint in conflict.constraints]
        nearest = {}
        shortages = {
            text: shortage
            for text, form in zip(texts, conflict.forms, strict=True)
            if (shortage := self._shortage(form)) is not None
        }
        for i, text in enumerate(texts if self.observed is not None else ()):
            limit = self._nearest(conflict, i)
            if limit is not None:
                nearest[text] = limit
        return texts, nearest, shortages

    def _shortage(self, form: Form) -> Shortage | None:
        """Return how many rows a promise takes; None if there are enough or there is no promise."""
        search = _SHORTAGES.get(form.kind)
        return search(self, form) if search is not None else None

    def shortage_of_ratio(self, ratio: Ratio) -> Shortage | None:
        """Return how many rows the guarantee of a ratio takes; None if there are enough."""
        if ratio.confidence is None or not ratio.part.any():
            return None
        guarantee = ratio.guarantee(self.totals, self.unit)
        if guarantee.n_rows >= guarantee.rows_needed:
            return None
        assert self.limits.names is not None
        kind = self.limits.names.rows_text(ratio.counted)
        return Shortage(guarantee.rows_needed, guarantee.n_rows, kind)

    def shortage_of_precision(self, form: PromisedPrecision) -> Shortage | None:
        """Return about how many rows could promise a precision; None if they can."""
        if self.observed is None:
            return None
        assert self.limits.names is not None
        assert form.ratio.whole is not None
        sums = PrefixSums(self.observed, None, self.unit)
        kind = self.limits.names.rows_text(np.asarray(form.ratio.whole.any(axis=0)))
        return form.shortage(*sums.beyond(form), sums.unit, kind.replace("rows", "rows like these"))

    def possible(self, ratio: Ratio, reached: Fraction, *, is_floor: bool) -> float:
        """Return the limit that can hold, or be promised, where a ratio is reached."""
        if ratio.confidence is None:
            return _loosely(reached, is_floor=is_floor)
        guarantee = ratio.guarantee(self.totals, self.unit)
        scale = guarantee.n_rows if ratio.whole is None else 1
        least, most = guarantee.best_promise(int(reached * guarantee.n_rows / scale))
        return scale * (least if is_floor else most)

    def can_hold(self, limits: Limits) -> bool:
        """Return whether limits can hold together."""
        return is_feasible(self.region(limits).windows)

    def smallest(self) -> Limits:
        """Return a smallest set of limits that cannot hold together.

        If there are more than ``MOST_TO_COMBINE`` limits, the set is minimal: without any of its
        limits, the others can hold.
        """
        n_limits = len(self.limits.forms)
        if n_limits <= MOST_TO_COMBINE:
            for size in range(1, n_limits):
                for indices in combinations(range(n_limits), size):
                    if not self.can_hold(self.limits.only(indices)):
                        return self.limits.only(indices)
            return self.limits
        kept = list(range(n_limits))
        for index in range(n_limits):
            fewer = [i for i in kept if i != index]
            if not self.can_hold(self.limits.only(fewer)):
                kept = fewer
        return self.limits.only(kept)

    def _nearest(self, conflict: Limits, index: int) -> float | None:
        """Return the nearest limit that the others leave possible; None if there is none."""
        form = conflict.forms[index]
        search = _NEAREST.get(form.kind)
        if search is None or not self.can_hold(conflict.without(index)):  # or it came twice
            return None
        return search(self, form, partial(conflict.replaced, index))

    def extreme(self, ratio: Ratio, limits: Limits, *, is_highest: bool) -> Fraction | None:
        """Return the highest or lowest ratio that can be reached within limits.

        None for a share of nothing, which only a guarantee limits.

        A share of a fixed whole is extreme where an additive cost is least. A ratio of two sums
        that both move takes a few such steps by Dinkelbach's method.
        """
        sign = -1 if is_highest else 1
        ratio = replace(ratio, confidence=None).on(self.totals, self.unit)
        part = ratio.part.astype(object)
        whole = part * 0 if ratio.whole is None else ratio.whole.astype(object)
        reached = Fraction(0)
        while True:
            before, cost = reached, part * reached.denominator
            if not ratio.has_fixed_whole:
                cost = cost - whole * reached.numerator
            table = self._least_cost(sign * cost, limits)
            now = ratio.ratio(Outcome(table, np.empty(0), self.unit))
            if now is None or ratio.has_fixed_whole or now <= before:
                return now
            reached = now

    def _least_cost(self, cost: Array, limits: Limits) -> Array:
        """Return the weight of each decision and class at the least of a cost within limits."""
        rows = self.observed
        assert rows is not None
        windows = self.region(limits).counted
        weigh = partial(rows.exact_between, inside=True)
        chosen = best_candidates(rows, ExactCost.of(cost), windows, len(rows.codes), weigh)
        assert chosen is not None
        return rows.exact_between(windows.cuts[chosen])


#: Returns the limits of a conflict with another form at a given index.
Replaced = Callable[[Form], Limits]


def _nearest_distance(conflict: Conflict, form: Distance, replaced: Replaced) -> float:
    possible, impossible = 0.0, float(form.at_least)
    for _ in range(N_HALVINGS):
        middle = (possible + impossible) / 2
        if conflict.can_hold(replaced(Distance(middle))):
            possible = middle
        else:
            impossible = middle
    plain = float(Fraction(possible).limit_denominator(10**7))
    return plain if conflict.can_hold(replaced(Distance(plain))) else possible


def _nearest_digits(conflict: Conflict, form: Grid, replaced: Replaced) -> float | None:
    if form.n_digits is not None:
        for n_digits in range(form.n_digits + 1, form.n_digits + MOST_DIGITS_MORE + 1):
            if conflict.can_hold(replaced(Grid(n_digits=n_digits))):
                return float(n_digits)
    return None


def _nearest_precision(
    conflict: Conflict, form: PromisedPrecision, replaced: Replaced
) -> float | None:
    possible, impossible = Fraction(0), form.ratio.exact_limits[0]
    assert impossible is not None
    for _ in range(N_HALVINGS_OF_PRECISION):
        middle = (possible + impossible) / 2
        weaker = replace(form, ratio=replace(form.ratio, at_least=middle))
        if conflict.can_hold(replaced(weaker)):
            possible = middle
        else:
            impossible = middle
    return float(possible) if possible else None


def _nearest_ratio(conflict: Conflict, form: Ratio, replaced: Replaced) -> float | None:
    """Return the nearest limit; of a ratio with two of them, the nearest of either."""
    nearest: list[tuple[Fraction, float]] = []
    is_two_sided = form.at_least is not None and form.at_most is not None
    least, most = form.exact_limits
    floor = least, replace(form, at_least=None), True
    ceiling = most, replace(form, at_most=None), False
    for limit, other, is_floor in (floor, ceiling):
        if limit is not None and (not is_two_sided or conflict.can_hold(replaced(other))):
            reached = conflict.extreme(form, replaced(other), is_highest=is_floor)
            if reached is not None:
                possible = conflict.possible(form, reached, is_floor=is_floor)
                nearest.append((abs(as_fraction(possible) - limit), possible))
    return min(nearest)[1] if nearest else None


#: How to find the nearest limit that is possible, by the kind of form.
_NEAREST: dict[str, Callable[[Conflict, object, Replaced], float | None]] = {
    "distance": _nearest_distance,  # type: ignore[dict-item]
    "grid": _nearest_digits,  # type: ignore[dict-item]
    "ratio": _nearest_ratio,  # type: ignore[dict-item]
    "promised precision": _nearest_precision,  # type: ignore[dict-item]
}

#: How to find the number of rows that would be enough, by the kind of form.
_SHORTAGES: dict[str, Callable[[Conflict, Any], Shortage | None]] = {
    "ratio": Conflict.shortage_of_ratio,
    "promised precision": Conflict.shortage_of_precision,
}


def _loosely(limit: Fraction, *, is_floor: bool) -> float:
    """Return a limit as a float that is not stricter."""
    number, looser = float(limit), -np.inf if is_floor else np.inf
    while (as_fraction(number) > limit) if is_floor else (as_fraction(number) < limit):
        number = float(np.nextafter(number, looser))  # several floats can mean the same fraction
    return number
