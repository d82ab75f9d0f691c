"""Kappas by Dinkelbach's method: a ratio of two additive losses, solved by a few additive losses.

With the true shares fixed, ``kappa = 1 - ratio``, where ``ratio`` is the cost paid over the cost
expected by chance, ``sum of w[p, y] / sum of g[p]`` with ``g[k] = sum_l w[k, l] share[l]``. For a
guess of the ratio, minimise ``w[k, l] - ratio * g[k]``; the ratio that the minimiser reaches is the
next guess. It falls at every step but the last, where it is the least possible. All of this is in
exact fractions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import count
from operator import getitem
from typing import Any, ClassVar

import numpy as np

from ordcut._core.errors import undefined_kappa
from ordcut._core.numerics.exact import (
    LARGEST_SUM,
    ExactCost,
    as_exact,
    as_integers,
    in_common_unit,
)
from ordcut._core.numerics.threads import cached_property
from ordcut._core.objectives.additive import LARGEST, CostObjective
from ordcut._core.objectives.objective import Kind, Steps, Totals
from ordcut._core.typing import Array, Floats, Ints


@dataclass(frozen=True, eq=False)
class Ratio(CostObjective):
    """A kappa: ``1 - cost / (cost expected by chance)``, to be maximised.

    Examples
    --------
    >>> weights = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> Ratio("mine", weights).value(np.array([[3.0, 1.0], [0.0, 4.0]]))
    0.75
    """

    noun: ClassVar[str] = "kappa"
    is_maximised: ClassVar[bool] = True

    #: A ratio of two costs is no cost, and so is not convex in the sense of Theorem 2.
    is_convex: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = self.cost
        if weights.shape[0] != weights.shape[1]:
            raise ValueError(
                f"weights of a Kappa must be a square matrix, got shape {weights.shape}."
            )
        if (weights < 0).any():
            raise ValueError(f"weights of a Kappa must not be negative, got {weights.min()}.")
        if np.diag(weights).any():
            raise ValueError(
                "weights of a Kappa must be 0 on the diagonal, where prediction and truth agree, "
                f"got {np.diag(weights).tolist()}. If yours say how well two classes agree, "
                "pass their largest value minus them."
            )

    @cached_property
    def has_convex_steps(self) -> bool:
        """Whether all additive costs to be minimised are convex.

        The steps of a kappa subtract a multiple, at most 1, of the mean cost over truths. They are
        convex if all truths have the same second differences.

        Examples
        --------
        >>> import ordcut
        >>> names = "linear_kappa", "quadratic_kappa"
        >>> [ordcut.resolve_objective(name, 4).has_convex_steps for name in names]
        [False, True]
        """
        gain = self.exact_cost.gain
        bends = gain[:-1] - gain[1:]
        return bool((bends == bends[:, :1]).all() and (bends >= 0).all())

    @cached_property
    def most(self) -> int:
        """The largest weight, as a whole number."""
        return int(self.exact_cost.integers.max())

    @property
    def kind(self) -> Kind:
        """The kind of objective by which "auto" chooses a method."""
        return "convex kappa" if self.has_convex_steps else "other kappa"

    def on(self, rows: Totals) -> ExactRatio:
        """Return the two costs of the kappa for rows with these weights of the classes."""
        totals, weight = rows.exact_totals, rows.weight
        totals = in_common_unit(totals) if totals.dtype == object else totals
        weights, counts, most, highest = self.exact_cost.integers, None, self.most, 1
        if self.class_weight is not None:
            factors = self.factors(totals if self.weighs_by_totals else rows.totals)
            assert factors is not None
            weight *= float(factors.max())
            if (factors != 1).any():
                counts = as_integers(factors)
                totals, highest = totals.astype(object) * counts, max(counts.tolist())
        if self.largest_cost > LARGEST / max(1.0, weight):
            self.check_sums(weight)
        total = sum(totals.tolist())
        # Whole numbers that are not too large are quicker in int64, with all sums of products.
        is_small = isinstance(total, int) and most * total * max(total, highest) < LARGEST_SUM
        dtype = np.dtype(np.int64 if is_small else object)
        weights = weights.astype(dtype, copy=False)
        by_chance = weights.dot(totals.astype(dtype, copy=False))
        costs_by_chance = by_chance.tolist()
        if 0 in costs_by_chance:
            raise undefined_kappa(self.name, costs_by_chance.index(0))
        costs = np.empty((2, *weights.shape), dtype)
        costs[0], costs[1] = weights, by_chance[:, None]
        if counts is not None:
            costs *= counts.astype(dtype)
        return ExactRatio(costs, total, (most * highest, max(costs_by_chance) * highest))

    def optimise(self, steps: Steps) -> Any:
        """Return the cuts of the highest kappa; None if no cuts are allowed."""
        exact, ratio = self.on(steps.rows), Fraction(1)
        table = steps.near_best(exact)
        if table is not None:
            ratio = min(ratio, exact.ratio_of(table))
        return exact.highest(steps, ratio)

    def value(self, table: Floats) -> float:
        """Return the kappa of a (predicted, true) table, with the class weights."""
        return self.unweighted_value(table if self.class_weight is None else self.weigh(table))

    def sums(self, totals: Floats) -> tuple[Floats, Floats]:
        """Return the cost times the weight of all rows, and the cost by chance of a decision."""
        by_chance = np.broadcast_to((self.cost @ totals)[:, None], self.cost.shape)
        return self.cost * totals.sum(), by_chance

    def from_loss(self, loss: Floats) -> Floats:
        """Return the kappa for a cost over the cost expected by chance."""
        return np.asarray(1 - loss)

    def unweighted_value(self, table: Floats) -> float:
        """Return the kappa of a (predicted, true) table."""
        with np.errstate(over="ignore", invalid="ignore"):
            paid = (self.cost * table).sum() * table.sum()
            by_chance = table.sum(axis=1) @ self.cost @ table.sum(axis=0)
        if 0 < by_chance < np.inf and paid < np.inf:
            return float(1 - paid / by_chance)
        # Beyond the range of floats, or undefined: exact fractions tell.
        cost, exact = as_exact(self.cost), as_exact(table)
        predicted, true = exact.sum(axis=1), exact.sum(axis=0)
        expected = predicted @ cost @ true
        if expected == 0:
            raise undefined_kappa(self.name, int(table.sum(axis=1).argmax()))
        return float(1 - (cost * exact).sum() * exact.sum() / expected)

    def has_value(self, totals: Floats) -> bool:
        """Return whether the kappa is defined for all thresholds on rows with these totals."""
        return bool((self.cost @ totals > 0).all())

    def entry_values(self, tables: Floats, decisions: Ints, classes: Ints) -> Floats:
        """Return the kappa of each table, given by its entries (n, n_entries)."""
        paid, weight = tables @ self.cost[decisions, classes], tables.sum(axis=1)
        by_chance = tables @ np.eye(len(self.cost))[decisions] @ self.cost
        expected = np.einsum("nk,nk->n", by_chance, tables @ np.eye(len(self.cost))[classes])
        return np.asarray(1 - paid * weight / expected)

    def values_with_row(self, table: Floats, row: Floats) -> Floats:
        """Return the kappas of a table with an additional row in each of its entries."""
        cost = self.cost
        paid, weight = (cost * table).sum() + cost * row, table.sum() + row
        predicted, true = table.sum(axis=1), table.sum(axis=0)
        by_true, by_predicted = cost @ true, predicted @ cost
        expected = by_true @ predicted + row * (by_true[:, None] + by_predicted + row * cost)
        return np.asarray(1 - paid * weight / expected)


@dataclass(frozen=True)
class ExactRatio:
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

    def ratio_of(self, table: Array) -> Fraction:
        """Return the cost paid over the cost expected by chance, for a (predicted, true) table."""
        whole = in_common_unit(table) if table.dtype == object else table
        paid, expected = self.costs.reshape(2, -1).dot(whole.ravel()).tolist()
        return Fraction(paid * self.total, expected)

    def exact_score(self, table: Array) -> Fraction:
        """Return minus the ratio of an exact table, which is the higher, the higher the kappa."""
        return -self.ratio_of(table)

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

    def highest(self, steps: Steps, ratio: Fraction) -> Any:
        """Return the cuts of the highest kappa, by Dinkelbach's steps; None if none are allowed.

        ``ratio`` is any guess: after the first step it is a ratio that cuts reach, and then it
        falls.
        """
        best: Any = None
        best_table: Any = None
        weight = steps.weight
        for n_steps in count(1):
            cuts = steps.minimise(self.cost_at(ratio, weight))
            if cuts is None:
                return None
            table = cuts.weigh()
            reached = self.ratio_of(table)
            is_fixed = reached == ratio
            if is_fixed or (best is not None and reached > ratio):
                # Above the last ratio only where a table was rounded.
                best, table = (cuts, table) if is_fixed else (best, best_table)
                proof = replace(best.certificate, n_steps=n_steps)
                # The table is known: nobody need add up the rows again.
                return replace(best, certificate=proof, weigh=partial(getitem, (table,), 0))
            ratio, best, best_table = reached, cuts, table
        raise AssertionError("unreachable: every step but the last lowers the ratio")
