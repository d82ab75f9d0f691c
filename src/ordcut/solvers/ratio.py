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
from functools import cached_property
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
        weights, exact_factors = objective.exact_cost.integers, as_integers(factors)
        totals = between(np.empty(0, np.int64))[0]
        total = sum(a * b for a, b in zip(totals.tolist(), exact_factors.tolist(), strict=True))
        # Whole numbers that are not too large are quicker in int64, with all sums of products.
        is_small = isinstance(total, int) and int(weights.max()) * total**2 < LARGEST_SUM
        dtype = np.dtype(np.int64 if is_small else object)
        weights, exact_factors, totals = (
            exact.astype(dtype, copy=False) for exact in (weights, exact_factors, totals)
        )
        by_chance = weights @ (totals * exact_factors)
        for k, cost in enumerate(by_chance.tolist()):
            if cost == 0:
                raise undefined_kappa(objective.name, k)
        return cls(weights, exact_factors, by_chance, total)

    def ratio_of(self, confusion: Array) -> Fraction:
        """Return the cost paid over the cost expected by chance, for a (predicted, true) table."""
        weighted = confusion.astype(self.weights.dtype, copy=False) * self.factors
        paid = self.weights.ravel() @ weighted.ravel()
        expected = weighted.sum(axis=1) @ self.by_chance
        if self.weights.dtype == np.int64:
            paid, expected = int(paid), int(expected)
        return Fraction(paid * self.total, expected)

    def cost_at(self, ratio: Fraction) -> Array:
        """Return ``w - ratio * g`` times the factors and a positive number, exactly."""
        top, bottom = ratio.numerator, ratio.denominator
        weights, by_chance, factors = self.weights, self.by_chance, self.factors
        if weights.dtype == np.int64:
            most_paid, most_by_chance, most = self._largest
            if (bottom * self.total * most_paid + top * most_by_chance) * most >= LARGEST_SUM:
                weights, by_chance, factors = (
                    whole.astype(object) for whole in (weights, by_chance, factors)
                )
        cost = weights * (bottom * self.total) - (top * by_chance)[:, None]
        return np.asarray(cost * factors)

    @cached_property
    def _largest(self) -> tuple[int, int, int]:
        """The largest weight, cost by chance and factor."""
        return int(self.weights.max()), int(self.by_chance.max()), int(self.factors.max())


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
