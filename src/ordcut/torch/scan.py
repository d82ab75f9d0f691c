"""The solver that runs on a tensor's device: prefix scans for costs, Dinkelbach steps for kappas.

Moving the rows below a cut from class ``k + 1`` to class ``k`` gains a prefix sum. For a convex
cost each cut goes where its own gain is highest (Theorem 2). For any other cost, the best gain of
the cuts ``0..k`` with cut ``k`` at an index is the gain of cut ``k`` there plus the best gain of
the cuts before it at that index or below, a running maximum: K - 1 passes of two scans.

A kappa is maximised by Dinkelbach's method, as in the core. The ratio reached is a
tensor, in whole numbers where they fit. A step after the last changes nothing, so that several
steps can be queued before checking whether the search is over. ``find_cuts`` and the steps of
``KappaSearch`` never wait for the device.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from ordcut._core.data import ClassWeight
from ordcut._core.errors import undefined_kappa
from ordcut._core.numerics.exact import LARGEST_SUM, ExactCost, as_exact, in_whole_numbers
from ordcut._core.objectives.named import Objective
from ordcut._core.problem import Problem, Sample, result_of
from ordcut._core.solvers import Solution, check_costs
from ordcut._core.thresholds import Certificate, Thresholds, Verified
from ordcut._core.typing import Array, Floats, Ints
from ordcut.torch.tensors import TensorRows, on_host

#: Three to six steps are usual.
STEPS_AT_ONCE = 6


def scan(
    rows: TensorRows, classes: Array, objective: Objective, class_weight: ClassWeight | None
) -> Thresholds:
    """Return the optimal thresholds of sorted rows, computed on their device."""
    totals = on_host(rows.totals()).astype(np.float64)
    factors = objective.class_factors(class_weight, classes, totals)
    check_costs(objective, float(totals.sum() * factors.max()))
    n_steps: int | None = None
    verified: Verified = "nothing"
    if objective.is_kappa:
        search = KappaSearch(rows, objective, totals, factors)
        step = search.start()
        while not bool(step.is_over):
            for _ in range(STEPS_AT_ONCE):
                step = search.after(step)
        cuts, is_exact, n_steps = step.cuts, search.is_whole, int(step.n_steps)
        verified = "convex" if search.is_convex else "nothing"
    else:
        exact = ExactCost.of(objective.cost, factors)
        # Scans add up differences of costs, which can be twice as large.
        is_exact = rows.is_whole and 2 * float(totals.sum()) <= exact.most_weight
        cost = exact.integers if is_exact else objective.cost * factors
        cuts = find_cuts(rows, torch.as_tensor(cost).to(rows.scores.device), exact.is_convex)
        if exact.convexity != "no":
            verified = exact.convexity
    rows_on_host: Any = HostRows(
        _scores_around(rows.scores, cuts),
        on_host(rows.confusion(cuts)).astype(np.float64),
        classes,
        totals,
    )
    certificate = Certificate(verified, n_steps, sums="exact" if is_exact else "float64")
    solution = Solution(rows_on_host, rows_on_host.cuts, "scan", certificate)
    sample = Sample(rows_on_host, class_weight, rows_on_host)
    return replace(result_of(Problem(sample, objective), solution), origin=None)


@dataclass(frozen=True)
class HostRows:
    """What a result needs of rows that stay on their device.

    Attributes
    ----------
    around : tuple of two ndarrays of shape (K - 1,)
        The scores on both sides of each cut.
    table : ndarray of shape (K, K)
        The weight of each class between the cuts.
    classes : ndarray of shape (K,)
        The ordered classes.
    totals : ndarray of shape (K,)
        The weight of each class.
    """

    around: tuple[Array, Array]
    table: Floats
    classes: Array
    totals: Floats
    is_whole: ClassVar[bool] = True
    searched_by: ClassVar[str | None] = None

    @property
    def scores(self) -> Array:
        """The scores below and above each cut, pair by pair."""
        return np.stack(self.around, axis=1).ravel()

    @property
    def cuts(self) -> Ints:
        """The cuts of these scores."""
        return np.arange(1, 2 * len(self.around[0]), 2)

    def between(self, cuts: Ints, n_threads: int) -> Floats:
        """Return the weight of each class between the cuts, as it was added up on the device."""
        del cuts, n_threads
        return self.table


def _scores_around(scores: Tensor, cuts: Tensor) -> tuple[Array, Array]:
    """Return the sorted scores on both sides of each cut, infinite at the ends."""
    end = scores.new_full((1,), torch.inf)
    padded = torch.cat([-end, scores, end])
    around = torch.stack([padded.index_select(0, cuts), padded.index_select(0, cuts + 1)])
    lower, upper = on_host(around)
    return lower, upper


def find_cuts(rows: TensorRows, cost: Tensor, convex: bool) -> Tensor:
    """Return the lowest optimal cuts, (K - 1,): how many sorted rows have class k or lower.

    O(n K) time. Memory is O(n) for a convex cost, and 8 bytes for each row and class otherwise.
    """
    steps = cost[1:] - cost[:-1]
    gains = Gains(rows, cost)
    return _independent(gains, steps) if convex else _ordered(gains, steps)


class Gains:
    """The gain of each of the n + 1 cuts over having all rows above it.

    All steps share a buffer: to allocate memory for each would cost as much as the scans.
    """

    def __init__(self, rows: TensorRows, like: Tensor) -> None:
        self.rows, n = rows, len(rows.scores)
        self.n_cuts = n + 1
        self._changes, self._gains = like.new_empty(n), like.new_empty(n + 1)
        # A cut below all rows gains nothing, so that a gain below 0 is never the best.
        lowest = -torch.inf if like.is_floating_point() else -int(LARGEST_SUM)
        self._penalty = torch.where(rows.is_cut, like.new_zeros(()), lowest)

    def at(self, step: Tensor) -> Tensor:
        """Return the gains of moving rows of class ``l`` down for ``step[l]`` each."""
        self.rows.changes(step, out=self._changes)
        torch.cumsum(self._changes, 0, out=self._gains[1:])
        self._gains[0] = 0
        return self._gains.add_(self._penalty)


def _independent(gains: Gains, steps: Tensor) -> Tensor:
    # Of equal gains, argmax takes the first.
    cuts = torch.stack([gains.at(step).argmax() for step in steps])
    # In exact arithmetic this changes nothing; after rounding it keeps the lower of two cuts.
    return torch.cummin(cuts.flip(0), 0).values.flip(0)


def _ordered(gains: Gains, steps: Tensor) -> Tensor:
    best = steps.new_empty(len(steps), gains.n_cuts)
    where = best.new_empty(gains.n_cuts, dtype=torch.int64)
    for k, step in enumerate(steps):
        total = gains.at(step)
        if k > 0:
            total += best[k - 1]
        torch.cummax(total, 0, out=(best[k], where))
    cut = where.new_full((1,), gains.n_cuts - 1)
    cuts = []
    for running in best.unbind()[::-1]:
        # The first index at which the running maximum is what it is at the cut above.
        cut = torch.searchsorted(running, running.index_select(0, cut))
        cuts.append(cut)
    return torch.cat(cuts[::-1])


@dataclass(frozen=True)
class Step:
    """An iterate of the search: a ratio ``top / bottom``, the best cuts, and whether it is over."""

    top: Tensor
    bottom: Tensor
    cuts: Tensor
    is_over: Tensor
    n_steps: Tensor


class KappaSearch:
    """The search for the cuts of the highest kappa.

    ``totals`` are the weights of the true classes, and ``factors`` the factors of ``class_weight``.
    """

    def __init__(
        self, rows: TensorRows, objective: Objective, totals: Floats, factors: Floats
    ) -> None:
        self.rows = rows
        # Only the ratios of the factors matter, and those of balanced classes are plain fractions.
        factors = in_whole_numbers(factors[None, :], float(totals.sum()))[0].astype(np.float64)
        weighed = totals * factors
        n = float(weighed.sum())
        weights = in_whole_numbers(objective.cost, n).astype(np.float64)
        by_chance = weights @ weighed
        if (by_chance == 0).any():
            raise undefined_kappa(objective.name, int((by_chance == 0).argmax()))
        most = by_chance.max()
        # A bound on sums of differences of the costs below, and on products of two ratios.
        largest = 2 * n * n * most * (n * weights.max() + most)
        are_whole = all((a == np.rint(a)).all() for a in (weights, factors))
        self.is_whole = rows.is_whole and are_whole and largest < LARGEST_SUM
        # Of the costs at a ratio from 0 to 1, judged at its ends without rounding. Costs that are
        # convex only up to scale at both ends need not be so between them.
        at_one = as_exact(weights) * Fraction(n) - as_exact(by_chance)[:, None]
        self.is_convex = all(ExactCost.of(c).convexity == "convex" for c in (weights, at_one))
        self.n = n
        self.weights, self.by_chance, self.factors = map(
            self._on_device, (weights, by_chance, factors)
        )

    def _on_device(self, values: Array) -> Tensor:
        dtype = torch.int64 if self.is_whole else torch.float64
        return torch.as_tensor(values).to(self.rows.scores.device, dtype)

    def start(self) -> Step:
        """Return a ratio of 1, which any constant prediction reaches."""
        ratio = torch.ones_like(self.by_chance[0])
        n_cuts = self.rows.n_classes - 1
        counter = torch.zeros((), dtype=torch.int64, device=ratio.device)
        cuts = counter.new_zeros(n_cuts)
        return Step(ratio, ratio, cuts, torch.zeros_like(counter, dtype=torch.bool), counter)

    def after(self, step: Step) -> Step:
        """Return the next step, or ``step`` itself if the search is over."""
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
