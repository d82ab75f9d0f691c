"""Why constraints cannot hold together, and which limits could."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from ordcut.exact import as_fraction
from ordcut.limits.constraints import (
    Constraint,
    Count,
    Digits,
    Gap,
    Precision,
    Recall,
    Share,
    Under,
)
from ordcut.limits.scheme import Outcome, Scheme
from ordcut.typing import Array

#: Says whether constraints can hold together.
Feasible: TypeAlias = Callable[[tuple[Constraint, ...]], bool]

#: Returns the weight of each decision and class at the least of a cost within constraints.
LeastCost: TypeAlias = Callable[[Array, tuple[Constraint, ...]], Array]

#: Up to so many constraints, every subset is tried for a smallest one that cannot hold.
MOST_TO_COMBINE = 10

#: How often an interval of gaps is halved, and how many more digits are tried.
N_HALVINGS, MOST_DIGITS_MORE = 50, 6


def smallest_conflict(constraints: Sequence[Constraint], can_hold: Feasible) -> list[Constraint]:
    """Return a smallest set of constraints that cannot hold together.

    Where there are many, it is one of which no part can be left out.
    """
    if len(constraints) <= MOST_TO_COMBINE:
        for size in range(1, len(constraints)):
            for some in combinations(constraints, size):
                if not can_hold(some):
                    return list(some)
        return list(constraints)
    kept = list(constraints)
    for one in constraints:
        fewer = [other for other in kept if other is not one]
        if not can_hold(tuple(fewer)):
            kept = fewer
    return kept


def nearest_limits(
    conflict: Sequence[Constraint], scheme: Scheme, can_hold: Feasible, least: LeastCost
) -> dict[str, float]:
    """Return, for each constraint with a limit, the nearest one that the others leave possible."""
    nearest = {}
    for one in conflict:
        others = tuple(other for other in conflict if other is not one)
        limit: float | None = None
        if not can_hold(others):  # the same constraint came twice
            continue
        if isinstance(one, Gap):
            limit = _widest_gap(one, others, can_hold)
        elif isinstance(one, Digits):
            more = (replace(one, n=one.n + i) for i in range(1, MOST_DIGITS_MORE + 1))
            limit = next((float(some.n) for some in more if can_hold((*others, some))), None)
        elif isinstance(one, Recall | Precision | Share | Count | Under):
            limit = _nearest_share(one, others, scheme, can_hold, least)
        if limit is not None:
            nearest[str(one)] = limit
    return nearest


def _widest_gap(one: Gap, others: tuple[Constraint, ...], can_hold: Feasible) -> float:
    possible, impossible = 0.0, float(one.at_least)
    for _ in range(N_HALVINGS):
        middle = (possible + impossible) / 2
        if can_hold((*others, Gap(middle))):
            possible = middle
        else:
            impossible = middle
    plain = float(Fraction(possible).limit_denominator(10**7))
    return plain if can_hold((*others, Gap(plain))) else possible


def _nearest_share(
    one: Any, others: tuple[Constraint, ...], scheme: Scheme, can_hold: Feasible, least: LeastCost
) -> float | None:
    """Return the nearest limit; of a constraint with two of them, the nearest of either."""
    found: list[tuple[Fraction, float]] = []
    sides = [side for side in ("at_least", "at_most") if getattr(one, side, None) is not None]
    for side in sides:
        kept = others
        if len(sides) == 2:
            kept = (*others, replace(one, **{side: None}))
            if not can_hold(kept):
                continue
        limit = as_fraction(getattr(one, side))
        reached = _extreme(one, kept, scheme, least, is_highest=side == "at_least")
        found.append((abs(reached - limit), _loosely(reached, is_floor=side == "at_least")))
    return min(found)[1] if found else None


def _extreme(
    one: Constraint,
    others: tuple[Constraint, ...],
    scheme: Scheme,
    least: LeastCost,
    *,
    is_highest: bool,
) -> Fraction:
    """Return the highest or lowest number that a constraint could reach within others.

    A share of a fixed whole is extreme where an additive cost is least. A precision is a ratio of
    two sums, for which Dinkelbach's method takes a few such steps.
    """
    shape = len(scheme.decisions), len(scheme.classes)
    part, whole = np.zeros((2, *shape), dtype=object)
    for entries, block in zip((part, whole), scheme.parts_of(one), strict=True):
        entries[block] = 1
    sign = -1 if is_highest else 1
    ratio = Fraction(0)
    while True:
        cost = part * ratio.denominator
        if isinstance(one, Precision):
            cost = cost - whole * ratio.numerator
        reached = Outcome(least(sign * cost, others), np.empty(0)).ratio(one, scheme)
        assert reached is not None  # limits on shares of nothing always hold
        if not isinstance(one, Precision) or reached <= ratio:
            return reached
        ratio = reached


def _loosely(limit: Fraction, *, is_floor: bool) -> float:
    """Return a limit as a float that is not stricter."""
    found, looser = float(limit), -np.inf if is_floor else np.inf
    while (as_fraction(found) > limit) if is_floor else (as_fraction(found) < limit):
        found = float(np.nextafter(found, looser))  # several floats can mean one fraction
    return found
