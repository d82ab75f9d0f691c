"""Kappas by Dinkelbach's method: a ratio of two additive losses, solved as a few additive ones.

With the true shares fixed, ``kappa = 1 - ratio``, where ``ratio`` is the cost paid over the cost
expected by chance, ``sum of w[p, y] / sum of g[p]`` with ``g[k] = sum_l w[k, l] share[l]``. For a
guess of the ratio, minimise ``w[k, l] - ratio * g[k]``; the ratio that the minimiser reaches is the
next guess. It falls at every step but the last, where it is the least there is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Generic, TypeVar

import numpy as np

from ordcut.exact import EXACT, LARGEST_SUM, in_whole_numbers
from ordcut.objectives import Objective, no_kappa
from ordcut.typing import Floats

Found = TypeVar("Found")


@dataclass(frozen=True)
class Optimum(Generic[Found]):
    """The solution at the fixed point and the number of additive problems solved on the way."""

    last: Found
    ratio: Fraction
    n_steps: int


def maximise_kappa(
    objective: Objective,
    totals: Floats,
    minimise: Callable[[Floats], tuple[Found, Floats]],
    start: Fraction = Fraction(1),
    first: Floats | None = None,
) -> Optimum[Found]:
    """Return what maximises a kappa, given a way to minimise any additive cost.

    ``totals`` is the weight of each true class; ``minimise`` returns a solution, and its
    (predicted, true) table of weights. ``start`` is a ratio that some cuts reach; any constant
    prediction reaches 1. ``first`` is the table of weights of cuts that are likely to be near the
    best.
    """
    weights = in_whole_numbers(objective.cost, float(totals.sum())).astype(np.float64)
    by_chance = weights @ totals  # what predicting class k for every row would cost
    if (by_chance == 0).any():
        raise no_kappa(objective.name)
    problem = _Problem(weights, totals, by_chance)
    ratio, best = start, None
    if first is not None:
        ratio = min(ratio, problem.ratio_of(first))
    for n_steps in count(1):
        found, confusion = minimise(problem.cost_at(ratio))
        reached = problem.ratio_of(confusion)
        if reached >= ratio:
            # Greater only by rounding; then nothing beats the step before.
            last = found if best is None or reached == ratio else best
            return Optimum(last, ratio, n_steps)
        ratio, best = reached, found
    raise AssertionError("unreachable: every step but the last lowers the ratio")


@dataclass(frozen=True)
class _Problem:
    weights: Floats
    totals: Floats
    by_chance: Floats

    def ratio_of(self, confusion: Floats) -> Fraction:
        """Return the cost paid over the cost expected by chance; exact for whole weights."""
        paid = Fraction(float((self.weights * confusion).sum()))
        expected = Fraction(float(confusion.sum(axis=1) @ self.by_chance))
        return paid * Fraction(float(self.totals.sum())) / expected

    def cost_at(self, ratio: Fraction) -> Floats:
        """Return ``w - ratio * g`` times a positive factor that makes it whole where it can."""
        n = float(self.totals.sum())
        if all((values == np.rint(values)).all() for values in (self.weights, self.totals)):
            top, bottom = ratio.numerator, ratio.denominator
            largest = bottom * n * self.weights.max() + top * self.by_chance.max()
            if largest < EXACT and largest * n < LARGEST_SUM:
                cost = self.weights * (bottom * n) - top * self.by_chance[:, None]
                common = int(np.gcd.reduce(cost.astype(np.int64), axis=None))
                return cost / max(1, common)
        return self.weights - float(ratio) * self.by_chance[:, None] / n
