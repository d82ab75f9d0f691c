"""Arithmetic without rounding: when sums are exact, and costs scaled so that they are."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from ordcut.typing import Floats, Numbers

#: Whole numbers below this are exact in float64.
EXACT = 2.0**53

#: Sums of whole numbers below this, and their differences, are exact in int64.
LARGEST_SUM = 2.0**62


def in_whole_numbers(cost: Floats, weight: float) -> Numbers:
    """Scale a cost matrix to whole numbers, int64, where its entries are plain fractions.

    Sums of whole numbers have no rounding, so every method then breaks ties alike. The matrix
    comes back as it is where no small multiple of it is whole, or where sums over rows of total
    ``weight`` could leave the range of int64.

    Examples
    --------
    >>> in_whole_numbers(np.array([[0.0, 0.1], [0.3, 0.0]]), weight=10)
    array([[0, 1],
           [3, 0]])
    """
    largest = max(1.0, np.abs(cost).max())
    if largest >= EXACT or largest * weight >= LARGEST_SUM:
        return cost
    if (cost == np.rint(cost)).all():
        return cost.astype(np.int64)
    values = np.unique(cost)
    if len(values) > 10_000:
        return cost
    scale = 1
    for value in values.tolist():
        fraction = Fraction(value).limit_denominator(1_000_000)
        # A cost computed as 3 * 0.1 is a hair off 3 / 10; it means 3 / 10.
        if abs(fraction - Fraction(value)) > 4 * np.finfo(np.float64).eps * abs(value):
            return cost
        scale = lcm(scale, fraction.denominator)
        if scale * largest >= EXACT or scale * largest * weight >= LARGEST_SUM:
            return cost
    return np.rint(cost * scale).astype(np.int64)


def is_convex(cost: Numbers) -> bool:
    """Return whether a cost matrix is convex in the predicted class, up to rounding if any."""
    second = np.diff(cost, n=2, axis=0)
    is_whole = cost.dtype == np.int64
    rounding = 0 if is_whole else 8 * np.finfo(np.float64).eps * np.abs(cost).max()
    return bool((second >= -rounding).all())


@dataclass(frozen=True)
class ExactCost:
    """A cost matrix as solvers add it up, and whether it is convex."""

    values: Numbers
    is_convex: bool

    @classmethod
    def of(cls, cost: Floats, weight: float) -> ExactCost:
        """Return costs in whole numbers where sums up to a weight of rows allow it."""
        values = in_whole_numbers(cost, weight)
        return cls(values, is_convex(values))
