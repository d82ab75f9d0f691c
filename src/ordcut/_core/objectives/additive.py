"""Additive losses: a cost for each decision and true class, summed over rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from ordcut._core.data import as_matrix
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.numerics.threads import cached_property
from ordcut._core.objectives.objective import Kind, Objective, Steps, Totals
from ordcut._core.typing import Floats, Ints

#: Half the range of floats is kept free for the differences of sums.
LARGEST = float(np.finfo(np.float64).max) / 4


@dataclass(frozen=True, eq=False)
class CostObjective(Objective):
    """An objective with a cost matrix.

    Attributes
    ----------
    cost : ndarray of shape (D, K)
        ``cost[d, l]`` is the cost of decision ``d`` when the truth is class ``l``. Decisions are
        the classes themselves, D = K, unless they have names of their own.
    """

    cost: Floats = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", as_matrix(self.cost, "cost"))

    @cached_property
    def n_classes(self) -> int:
        """The number of classes, K."""
        return int(self.cost.shape[1])

    @cached_property
    def n_decisions(self) -> int:
        """The number of decisions, D."""
        return len(self.cost)

    @cached_property
    def largest_cost(self) -> float:
        """The largest cost, whatever its sign."""
        return float(np.abs(self.cost).max())

    @cached_property
    def exact_cost(self) -> ExactCost:
        """The cost in whole numbers, without class weights."""
        return ExactCost.of(self.cost)

    def asymmetric(self, factor: float) -> Self:
        """Return the objective with the cost of every prediction that is too high times a factor.

        Examples
        --------
        >>> import ordcut
        >>> ordcut.resolve_objective("absolute", 3).asymmetric(5).cost
        array([[ 0.,  1.,  2.],
               [ 5.,  0.,  1.],
               [10.,  5.,  0.]])
        """
        if not 0 <= factor < np.inf:
            raise ValueError(
                f"asymmetry must be a finite number that is not negative, got {factor!r}."
            )
        if self.decisions is not None:
            raise ValueError(
                "asymmetry needs predictions that are classes: of other decisions, it is not known "
                "which are too high. Put the costs that you want into the matrix itself."
            )
        cost = np.where(np.tri(self.n_classes, k=-1, dtype=np.bool_), self.cost * factor, self.cost)
        return replace(self, name=f"{self.name}, too high {factor:g}-fold", cost=cost)

    def check_sums(self, weight: float) -> None:
        """Raise an error if costs are too large to be added up over rows of a total weight."""
        if self.largest_cost > LARGEST / max(1.0, weight):
            raise ValueError(
                f"objective must have costs that can be added up over {weight:g} rows, got "
                f"{self.largest_cost:g}. Scale the costs down."
            )

    def fingerprint(self) -> bytes:
        """Return bytes that differ for objectives with different costs."""
        return self.cost.astype("<f8").tobytes() + bytes([self.is_maximised])

    def rule(self) -> dict[str, Any]:
        """Return how tables are valued as plain values, for scripts."""
        return {"kind": self.noun, "cost": self.cost.tolist()}

    def moved_values(self, table: Floats, moved: Floats, k: int) -> Floats:
        """Return the values if weights (P, K) of a table are moved from decision k + 1 to k."""
        paid, base = self.sums(table.sum(axis=0))
        tops = float((paid * table).sum()) + moved @ (paid[k] - paid[k + 1])
        bottoms = float((base * table).sum()) + moved @ (base[k] - base[k + 1])
        ratio = np.full(len(moved), np.nan)
        np.divide(tops, bottoms, out=ratio, where=bottoms > 0)
        return self.from_loss(ratio)

    def from_loss(self, loss: Floats) -> Floats:
        """Return the value for a ratio of ``sums``."""
        return loss


@dataclass(frozen=True, eq=False)
class Additive(CostObjective):
    """A loss that adds up over rows: the mean cost of decisions, to be minimised.

    Examples
    --------
    >>> table = np.array([[3.0, 1.0], [0.0, 4.0]])
    >>> Additive("mine", np.array([[0.0, 2.0], [1.0, 0.0]])).value(table)
    0.25
    """

    noun: ClassVar[str] = "cost"
    is_maximised: ClassVar[bool] = False

    @cached_property
    def is_convex(self) -> bool:
        """Whether every second difference over the predicted class is >= 0: Theorem 2's test.

        Examples
        --------
        >>> import ordcut
        >>> [ordcut.resolve_objective(name, 4).is_convex for name in ("squared", "zero_one")]
        [True, False]
        """
        return self.exact_cost.is_convex

    @property
    def kind(self) -> Kind:
        """The kind of objective by which "auto" chooses a method."""
        return self.exact_cost.kind

    def on(self, rows: Totals) -> ExactCost:
        """Return the exact cost, with the class weights for these rows."""
        exact, weight = self.fixed, rows.weight
        if self.class_weight is not None:
            factors = self.factors(rows.exact_totals if self.weighs_by_totals else rows.totals)
            assert factors is not None
            exact, weight = ExactCost.of(self.cost, factors), weight * float(factors.max())
        if self.largest_cost > LARGEST / max(1.0, weight):
            self.check_sums(weight)
        assert exact is not None
        return exact

    def optimise(self, steps: Steps) -> Any:
        """Return the cuts of least cost, which take a single search; None if none are allowed."""
        return steps.minimise(self.on(steps.rows))

    @cached_property
    def fixed(self) -> ExactCost | None:
        """The exact cost, if it is the same for all rows; None with balanced classes."""
        weights = self.class_weight
        if weights is None:
            return self.exact_cost
        return ExactCost.of(self.cost, weights) if isinstance(weights, np.ndarray) else None

    def sums(self, totals: Floats) -> tuple[Floats, Floats]:
        """Return the cost, and 1 for each row."""
        del totals
        return self.cost, np.ones_like(self.cost)

    def value(self, table: Floats) -> float:
        """Return the mean cost of a (predicted, true) table, with the class weights."""
        return self.unweighted_value(table if self.class_weight is None else self.weigh(table))

    def unweighted_value(self, table: Floats) -> float:
        """Return the mean cost of a (predicted, true) table."""
        return float((self.cost * table).sum() / table.sum())

    def has_value(self, totals: Floats) -> bool:
        """Return whether rows with these weights of the classes count at all."""
        return bool(totals.any())

    def entry_values(self, tables: Floats, decisions: Ints, classes: Ints) -> Floats:
        """Return the mean cost of each table, given by its entries (n, n_entries)."""
        return np.asarray(tables @ self.cost[decisions, classes] / tables.sum(axis=1))

    def values_with_row(self, table: Floats, row: Floats) -> Floats:
        """Return the mean costs of a table with an additional row in each of its entries."""
        paid, weight = (self.cost * table).sum() + self.cost * row, table.sum() + row
        return np.asarray(paid / weight)


@dataclass(frozen=True, eq=False)
class Accuracy(Additive):
    """The share of right rows: 1 minus a loss that is 1 for every wrong row.

    Values are shown by it; thresholds are found by ``optimised``, its loss.

    Examples
    --------
    >>> Accuracy("accuracy", 1 - np.eye(2)).value(np.array([[3.0, 1.0], [0.0, 4.0]]))
    0.875
    """

    noun: ClassVar[str] = "share"
    is_maximised: ClassVar[bool] = True

    @property
    def optimised(self) -> Additive:
        """The loss that has the same optimum."""
        return Additive(self.name, self.cost, class_weight=self.class_weight)

    def unweighted_value(self, table: Floats) -> float:
        """Return the share of right rows in a (predicted, true) table."""
        return 1 - super().unweighted_value(table)
