"""Kappas by Dinkelbach's method: a ratio of two additive losses, solved by a few additive losses.

With the true shares fixed, ``kappa = 1 - ratio``, where ``ratio`` is the cost paid over the cost
expected by chance, ``sum of w[p, y] / sum of g[p]`` with ``g[k] = sum_l w[k, l] share[l]``. For a
guess of the ratio, minimise ``w[k, l] - ratio * g[k]``; the ratio that the minimiser reaches is the
next guess. It falls at every step but the last, where it is the least possible. All of this is in
exact fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ordcut._core.errors import undefined_kappa
from ordcut._core.numerics.exact import LARGEST_SUM, ExactCost, as_integers
from ordcut._core.objectives.named import Objective
from ordcut._core.typing import Array, Floats


@dataclass(frozen=True)
class ExactKappa:
    """The two costs of a kappa over rows of known class totals, in exact numbers.

    Attributes
    ----------
    costs : ndarray of shape (2, K, K)
        The cost of a row by its predicted and true class, and the cost by chance of predicting that
        class for every row, each times the factor of the true class, in multiples of a unit.
    total : int or Fraction
        The weight of all rows.
    largest : tuple of two numbers
        Upper bounds of the costs of both kinds.
    """

    costs: Array
    total: int | Fraction
    largest: tuple[int | Fraction, int | Fraction]

    @classmethod
    def of(cls, objective: Objective, totals: Array, factors: Floats | None) -> ExactKappa:
        """Return the costs of an objective, for rows with exact weights of the classes."""
        weights = objective.exact_cost.integers
        counts = np.ones(1, object)
        if factors is not None:
            counts = as_integers(factors)
            totals = totals.astype(object) * counts
        total, most, highest = sum(totals.tolist()), int(weights.max()), max(counts.tolist())
        # Whole numbers that are not too large are quicker in int64, with all sums of products.
        is_small = isinstance(total, int) and most * total * max(total, highest) < LARGEST_SUM
        dtype = np.dtype(np.int64 if is_small else object)
        weights = weights.astype(dtype, copy=False)
        by_chance = weights @ totals.astype(dtype, copy=False)
        costs_by_chance = by_chance.tolist()
        if 0 in costs_by_chance:
            raise undefined_kappa(objective.name, costs_by_chance.index(0))
        costs = np.empty((2, *weights.shape), dtype)
        costs[0], costs[1] = weights, by_chance[:, None]
        if factors is not None:
            costs *= counts.astype(dtype)
        return cls(costs, total, (most * highest, max(costs_by_chance) * highest))

    def ratio_of(self, confusion: Array) -> Fraction:
        """Return the cost paid over the cost expected by chance, for a (predicted, true) table."""
        paid, expected = (self.costs.reshape(2, -1) @ confusion.ravel()).tolist()
        return Fraction(paid * self.total, expected)

    def cost_at(self, ratio: Fraction, weight: float) -> ExactCost:
        """Return ``w - ratio * g`` times the factors, exactly, for rows of a total weight."""
        top, bottom = ratio.numerator, ratio.denominator * self.total
        paid, by_chance = self.costs
        largest = bottom * self.largest[0] + top * self.largest[1]
        if largest >= LARGEST_SUM:
            paid, by_chance = self.costs.astype(object)
        cost = np.asarray(paid * bottom - by_chance * top)
        if cost.dtype.kind == "i" and largest * weight < LARGEST_SUM:
            return ExactCost(cost, (LARGEST_SUM - 1) // largest)
        return ExactCost.of(cost)
