"""Kappas by Dinkelbach's method: a ratio of two additive losses, solved as a few additive ones.

With the true shares fixed, ``kappa = 1 - ratio``, where ``ratio`` is the cost paid over the cost
expected by chance, ``sum of w[p, y] / sum of g[p]`` with ``g[k] = sum_l w[k, l] share[l]``. For a
guess of the ratio, minimise ``w[k, l] - ratio * g[k]``; the ratio that the minimiser reaches is the
next guess. It falls at every step but the last, where it is the least there is. All of that is done
in exact fractions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Generic, TypeVar

import numpy as np

from ordcut.errors import undefined_kappa
from ordcut.exact import LARGEST_SUM, as_integers
from ordcut.objectives import Objective
from ordcut.typing import Array, Floats, Ints

Found = TypeVar("Found")


@dataclass(frozen=True)
class Optimum(Generic[Found]):
    """The solution at the fixed point and the number of additive problems solved on the way."""

    last: Found
    ratio: Fraction
    n_steps: int


@dataclass(frozen=True)
class ExactKappa:
    """The two costs of a kappa over rows of known class totals, in exact numbers.

    Attributes
    ----------
    weights : ndarray of shape (K, K)
        The disagreement weights, in multiples of a unit.
    factors : ndarray of shape (K,)
        What each true class counts, in multiples of a unit.
    by_chance : ndarray of shape (K,)
        What predicting class ``k`` for every row would cost.
    total : int or Fraction
        The weight of all rows.
    """

    weights: Array
    factors: Array
    by_chance: Array
    total: int | Fraction

    @classmethod
    def of(
        cls, objective: Objective, between: Callable[[Ints], Array], factors: Floats
    ) -> ExactKappa:
        """Return the costs of an objective, for rows whose weights can be added up exactly."""
        weights, exact_factors = as_integers(objective.cost), as_integers(factors)
        totals = between(np.empty(0, np.int64))[0] * exact_factors
        by_chance = weights @ totals
        free = [k for k, cost in enumerate(by_chance.tolist()) if cost == 0]
        if free:
            raise undefined_kappa(objective.name, free[0])
        total = sum(totals.tolist())
        # Whole numbers that are not too large are quicker in int64, with all sums of products.
        if isinstance(total, int) and int(weights.max()) * total**2 < LARGEST_SUM:
            weights, exact_factors, by_chance = (
                exact.astype(np.int64) for exact in (weights, exact_factors, by_chance)
            )
        return cls(weights, exact_factors, by_chance, total)

    def ratio_of(self, confusion: Array) -> Fraction:
        """Return the cost paid over the cost expected by chance, for a (predicted, true) table."""
        weighted = confusion.astype(self.weights.dtype) * self.factors
        paid = (self.weights * weighted).sum()
        expected = (weighted.sum(axis=1) * self.by_chance).sum()
        if self.weights.dtype == np.int64:
            paid, expected = int(paid), int(expected)
        ratio: Fraction = Fraction(paid * self.total) / expected
        return ratio

    def cost_at(self, ratio: Fraction) -> Array:
        """Return ``w - ratio * g`` times the factors and a positive number, exactly."""
        top, bottom = ratio.numerator, ratio.denominator
        weights, by_chance, factors = self.weights, self.by_chance, self.factors
        if weights.dtype == np.int64:
            scale = bottom * self.total * int(weights.max()) + top * int(by_chance.max())
            if scale * int(factors.max()) >= LARGEST_SUM:
                weights, by_chance, factors = (
                    whole.astype(object) for whole in (weights, by_chance, factors)
                )
        cost = weights * (bottom * self.total) - (top * by_chance)[:, None]
        return np.asarray(cost * factors)


def maximise_kappa(
    kappa: ExactKappa, minimise: Callable[[Array], tuple[Found, Array]], ratio: Fraction
) -> Optimum[Found]:
    """Return what maximises a kappa, given a way to minimise any additive cost.

    ``minimise`` returns a solution, and its (predicted, true) table of weights. ``ratio`` is any
    guess: after the first step it is one that is reached, and falls from there.
    """
    best: Found | None = None
    for n_steps in count(1):
        found, confusion = minimise(kappa.cost_at(ratio))
        reached = kappa.ratio_of(confusion)
        if best is not None and reached > ratio:  # only where the table was rounded
            return Optimum(best, ratio, n_steps)
        if reached == ratio:
            return Optimum(found, ratio, n_steps)
        ratio, best = reached, found
    raise AssertionError("unreachable: every step but the last lowers the ratio")
