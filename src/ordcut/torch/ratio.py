"""Kappas by Dinkelbach's method without waiting for the device: see ``ordcut.solvers.ratio``.

The ratio reached is a tensor, in whole numbers where they fit. A step after the last one changes
nothing, so that several can be asked for at once before looking whether the last one is behind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ordcut.arrays import Array, Floats
from ordcut.objectives import LARGEST_SUM, Objective, in_whole_numbers, is_convex, no_kappa
from ordcut.torch.scan import find_cuts
from ordcut.torch.tensors import TensorRows

#: Three to six steps are the rule.
STEPS_AT_ONCE = 6


@dataclass(frozen=True)
class Step:
    """Where the search is: a ratio ``top / bottom``, the best cuts, and whether it is over."""

    top: Tensor
    bottom: Tensor
    cuts: Tensor
    is_over: Tensor
    n_steps: Tensor


class KappaSearch:
    """The search for the cuts of the highest kappa over rows of known class totals.

    ``totals`` holds the weight of each true class, ``factors`` what each class counts.
    """

    def __init__(
        self, rows: TensorRows, objective: Objective, totals: Floats, factors: Floats
    ) -> None:
        self.rows = rows
        # Only their ratios count, and those of balanced classes are plain fractions.
        factors = in_whole_numbers(factors, float(totals.sum())).astype(np.float64)
        weighed = totals * factors
        n = float(weighed.sum())
        weights = in_whole_numbers(objective.cost, n).astype(np.float64)
        by_chance = weights @ weighed
        if (by_chance == 0).any():
            raise no_kappa(objective.name)
        most = by_chance.max()
        # The largest sum of differences of the costs below, and product of two ratios.
        largest = 2 * n * n * most * (n * weights.max() + most)
        are_whole = all((a == np.rint(a)).all() for a in (weights, factors))
        self.is_whole = rows.is_whole and are_whole and largest < LARGEST_SUM
        self.is_convex = is_convex(weights) and is_convex(weights - by_chance[:, None] / n)
        self.n = n
        self.weights, self.by_chance, self.factors = map(
            self._as_numbers, (weights, by_chance, factors)
        )

    def _as_numbers(self, values: Array) -> Tensor:
        kind = torch.int64 if self.is_whole else torch.float64
        return torch.as_tensor(values).to(self.rows.scores.device, kind)

    def start(self) -> Step:
        """Return a ratio of 1, which any constant prediction reaches."""
        one = torch.ones_like(self.by_chance[0])
        n_cuts = self.rows.n_classes - 1
        counter = torch.zeros((), dtype=torch.int64, device=one.device)
        cuts = counter.new_zeros(n_cuts)
        return Step(one, one, cuts, torch.zeros_like(counter, dtype=torch.bool), counter)

    def after(self, step: Step) -> Step:
        """Return the step after this one, or the same if the search is over."""
        cost = self.weights * (step.bottom * self._n) - step.top * self.by_chance[:, None]
        cuts = find_cuts(self.rows, cost * self.factors, self.is_convex)
        confusion = self.rows.confusion(cuts).to(cost.dtype) * self.factors
        top = (self.weights * confusion).sum() * self._n
        bottom = (confusion.sum(dim=1) * self.by_chance).sum()
        if self.is_whole:
            common = torch.gcd(top, bottom)
            top, bottom = top // common, bottom // common
        else:
            top, bottom = top / bottom, torch.ones_like(bottom)
        before, now = step.top * bottom, top * step.bottom
        improves = ~step.is_over & (now < before)
        # Cuts that reach the same ratio are the lowest optimal ones; greater only by rounding.
        is_better = improves | (~step.is_over & ((now == before) | (step.n_steps == 0)))
        return Step(
            torch.where(improves, top, step.top),
            torch.where(improves, bottom, step.bottom),
            torch.where(is_better, cuts, step.cuts),
            ~improves,
            step.n_steps + (~step.is_over).long(),
        )

    @property
    def _n(self) -> int | float:
        return int(self.n) if self.is_whole else self.n
