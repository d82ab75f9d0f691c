"""Exact sums of weights over the table of decisions and classes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ordcut._core.numerics.exact import LARGEST_SUM
from ordcut._core.numerics.threads import cached_property
from ordcut._core.typing import Array, Floats, Ints


@dataclass(frozen=True)
class Outcome:
    """The exact weight of each decision and class, and the thresholds that lead to it.

    ``unit`` is what a weight of 1 stands for in the weights that the user gave.
    """

    table: Array
    thresholds: Floats
    unit: Fraction = Fraction(1)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all weights are whole numbers whose sums fit into int64."""
        if self.table.dtype == np.int64:
            return True
        is_int = set(map(type, self.table.flat)) <= {int}
        return is_int and sum(self.table.flat) < LARGEST_SUM

    def weights_of(self, *coefficients: Ints) -> list[Any]:
        """Return the sums of the weights times each array of coefficients, exactly."""
        cells = [np.nonzero(each) for each in coefficients]
        totals = [
            (self.table[at] * each[at]).sum() for each, at in zip(coefficients, cells, strict=True)
        ]
        return [int(total) for total in totals] if self.is_whole else totals


@dataclass(frozen=True)
class Demand:
    """A sum over the table of decisions and classes that must be at least a number.

    ``coefficients`` (D, K) say what a row of each class adds to the sum with each decision.
    """

    coefficients: Array
    at_least: int | float

    def step(self, k: int) -> Array:
        """Return what a row of each class adds by falling below threshold ``k``, (K,)."""
        return np.asarray(self.coefficients[k] - self.coefficients[k + 1])

    def rest(self, row: int, totals: Array) -> Any:
        """Return the least sum of steps that meets the demand, if all rows start in ``row``.

        Sums beyond ``LARGEST_SUM`` are clipped to it, so that they fit into int64.
        """
        at_start = (self.coefficients[row] * totals).sum()
        if isinstance(self.at_least, float):
            return self.at_least - at_start
        rest = self.at_least - int(at_start)
        if isinstance(at_start, int):  # of numbers of any size
            return rest
        return max(-LARGEST_SUM, min(rest, LARGEST_SUM))
