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

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import torch
from torch import Tensor

from ordcut._core.cuts import Cuts
from ordcut._core.data import place_between
from ordcut._core.errors import undefined_kappa
from ordcut._core.numerics.exact import LARGEST_SUM, ExactCost, as_exact, in_whole_numbers
from ordcut._core.numerics.limbs import AS_GIVEN
from ordcut._core.objectives import Additive, Objective, Ratio, TableTotals
from ordcut._core.solve import valued
from ordcut._core.thresholds import Certificate, Sums, Thresholds, Verified
from ordcut._core.typing import Array, Floats
from ordcut.torch.tensors import TensorRows, on_host

#: Sums of limbs are below two to the power of the first number; sums of gains of costs below
#: about ``2**19`` then fit into int64. More limbs than the second number are added up in float64.
BITS_OF_LIMBS, MOST_LIMBS = 41, 8

#: Three to six steps are usual.
STEPS_AT_ONCE = 6


def scan(rows: TensorRows, classes: Array, objective: Objective) -> Thresholds:
    """Return the optimal thresholds of sorted rows, computed on their device."""
    if not rows.is_whole:
        rows = rows.in_multiples()
    if isinstance(objective, Ratio):
        weights = TableTotals(on_host(rows.totals()).astype(np.float64)[None])
        cuts, certificate = _highest_ratio(rows, objective, weights)
        table = on_host(rows.confusion(cuts)).astype(np.float64)
    elif isinstance(objective, Additive):
        cuts, certificate, table = _least_cost(rows, objective)
    else:
        raise ValueError(
            'method="scan" needs costs of rows or a kappa, got the score '
            f'{objective.name!r}. Use method="auto", which runs on the CPU.'
        )
    table = table * rows.unit
    around = _scores_around(rows.scores, cuts)
    placed = around, place_between(*around)
    best = Cuts(on_host(cuts), "scan", certificate, lambda: table, lambda: placed)
    return valued(objective, classes, best, table)


def _least_cost(rows: TensorRows, objective: Additive) -> tuple[Tensor, Certificate, Floats]:
    """Return the cuts of least cost, why they are optimal, and the table that they lead to."""
    limbs = AS_GIVEN if rows.is_whole else rows.limbs(BITS_OF_LIMBS)
    parts = [rows]
    if 0 < limbs.n_limbs <= MOST_LIMBS:
        parts = rows.split(limbs)
    else:
        limbs = AS_GIVEN

    def add_up(sums: list[Tensor]) -> Array:
        """Return sums over the parts, without rounding if these are limbs."""
        each = np.stack([on_host(value) for value in sums], axis=-1)
        return np.asarray(limbs.exact(each) if limbs.n_limbs else each[..., 0])

    weights = TableTotals(add_up([part.totals() for part in parts])[None])
    factors = objective.factors(weights.totals)
    exact = objective.on(weights)
    # Scans add up differences of costs, which can be twice as large.
    most = 2.0**BITS_OF_LIMBS if limbs.n_limbs else weights.weight
    is_exact = parts[0].is_whole and 2 * most <= exact.most_weight
    cost = exact.integers
    if not is_exact:
        parts, limbs = [rows], AS_GIVEN
        cost = objective.cost if factors is None else objective.cost * factors
    given = torch.tensor(cost).to(rows.scores.device)
    cuts = find_cuts(parts, given, exact.is_convex, limbs.step)
    table = add_up([part.confusion(cuts) for part in parts]).astype(np.float64)
    verified: Verified = "nothing" if exact.convexity == "no" else exact.convexity
    return cuts, Certificate(verified, sums="exact" if is_exact else "float64"), table


def _highest_ratio(
    rows: TensorRows, objective: Ratio, weights: TableTotals
) -> tuple[Tensor, Certificate]:
    """Return the cuts of the highest kappa, and why they are optimal."""
    objective.check_sums(weights.weight)
    factors = objective.factors(weights.totals)
    factors = np.ones(rows.n_classes) if factors is None else factors
    search = KappaSearch(rows, objective, weights.totals, factors)
    step = search.start()
    while not bool(step.is_over):
        for _ in range(STEPS_AT_ONCE):
            step = search.after(step)
    verified: Verified = "convex" if search.is_convex else "nothing"
    sums: Sums = "exact" if search.is_whole else "float64"
    return step.cuts, Certificate(verified, int(step.n_steps), sums=sums)


def _scores_around(scores: Tensor, cuts: Tensor) -> tuple[Array, Array]:
    """Return the sorted scores on both sides of each cut, infinite at the ends."""
    end = scores.new_full((1,), torch.inf)
    padded = torch.cat([-end, scores, end])
    around = torch.stack([padded.index_select(0, cuts), padded.index_select(0, cuts + 1)])
    lower, upper = on_host(around)
    return lower, upper


def find_cuts(parts: list[TensorRows], cost: Tensor, convex: bool, step: int = 0) -> Tensor:
    """Return the lowest optimal cuts, (K - 1,): how many sorted rows have class k or lower.

    Several parts are the rows with each limb of their weights, of ``step`` bits. O(n K) time.
    Memory is O(n) for a convex cost, and 8 bytes for each row, class and limb otherwise.
    """
    steps = cost[1:] - cost[:-1]
    gains = Gains(parts, cost, step)
    return _independent(gains, steps) if convex else _ordered(gains, steps)


class Gains:
    """The gain of each of the n + 1 cuts over having all rows above it, in limbs.

    All steps share a buffer: to allocate memory for each would cost as much as the scans.
    """

    def __init__(self, parts: list[TensorRows], like: Tensor, step: int) -> None:
        self._parts, self._step, n = parts, step, len(parts[0].scores)
        self.n_cuts = n + 1
        self._changes = like.new_empty(n)
        self._gains = [like.new_empty(n + 1) for _ in parts]
        # A cut below all rows gains nothing, so that a gain below 0 is never the best.
        lowest = -torch.inf if like.is_floating_point() else -int(LARGEST_SUM)
        self._penalty = torch.where(parts[0].is_cut, like.new_zeros(()), lowest)

    def at(self, step: Tensor, before: list[Tensor] | None = None) -> list[Tensor]:
        """Return the gains of moving rows of class ``l`` down for ``step[l]`` each.

        ``before`` are gains to add. All limbs but the first are not negative, and have up to
        ``step`` bits, so that gains are in the order of their limbs.
        """
        for i, part in enumerate(self._parts):
            gains = self._gains[i]
            part.changes(step, out=self._changes)
            torch.cumsum(self._changes, 0, out=gains[1:])
            gains[0] = 0
            if before is not None:
                gains += before[i]
        for i in range(len(self._parts) - 1, 0, -1):
            self._gains[i - 1] += self._gains[i] >> self._step
            self._gains[i] &= (1 << self._step) - 1
        self._gains[0] += self._penalty
        return self._gains

    def running_highest(self, gains: list[Tensor]) -> tuple[list[Tensor], Tensor]:
        """Return the highest gains up to each cut, and numbers that rise where these rise."""
        highest = torch.cummax(gains[0], 0).values
        limbs, order, is_highest = [highest], highest, gains[0] == highest
        for gain in gains[1:]:
            # The next limb of the highest starts anew wherever the limbs before it rise.
            rank = torch.cumsum(order.diff(prepend=order[:1]) != 0, 0)
            own = (rank << self._step) + torch.where(is_highest, gain, 0)
            order = torch.cummax(own, 0).values
            is_highest &= own == order
            limbs.append(order & ((1 << self._step) - 1))
        return limbs, order


def _independent(gains: Gains, steps: Tensor) -> Tensor:
    cuts = torch.stack([_first_highest(gains.at(step)) for step in steps])
    # In exact arithmetic this changes nothing; after rounding it keeps the lower of two cuts.
    return torch.cummin(cuts.flip(0), 0).values.flip(0)


def _first_highest(gains: list[Tensor]) -> Tensor:
    """Return the first of the cuts with the highest gain."""
    left = gains[0]
    for gain in gains[1:]:
        left = torch.where(left == left.max(), gain, -1)
    return left.argmax()  # of equal gains, the first


def _ordered(gains: Gains, steps: Tensor) -> Tensor:
    orders: list[Tensor] = []
    best: list[Tensor] | None = None
    for step in steps:
        best, order = gains.running_highest(gains.at(step, best))
        orders.append(order)
    cut = torch.full_like(steps[0, :1], gains.n_cuts - 1, dtype=torch.int64)
    cuts = []
    for order in orders[::-1]:
        # The first index at which the running maximum is what it is at the cut above.
        cut = torch.searchsorted(order, order.index_select(0, cut))
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

    def __init__(self, rows: TensorRows, objective: Ratio, totals: Floats, factors: Floats) -> None:
        self.rows = rows
        # Only the ratios of the factors matter, which for balanced classes are plain fractions.
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
        cuts = find_cuts([self.rows], cost * self.factors, self.is_convex)
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
