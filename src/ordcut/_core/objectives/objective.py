"""What thresholds are judged by: the protocol that all three kinds of objective share.

An additive loss (``Additive``), a kappa, which is a ratio of two additive losses (``Ratio``), and a
score that adds up over decisions (``Segments``) are each a frozen type in a file of its own.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self

import numpy as np

from ordcut._core.data import (
    CheckedClassWeight,
    ClassShares,
    ClassWeight,
    checked_class_weight,
    factors_for,
)
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.objectives.tables import BALANCED
from ordcut._core.typing import Array, Floats, Ints

#: What "auto" chooses a method by.
Kind = Literal["convex", "equal errors", "other", "convex kappa", "other kappa", "segments"]


class Totals(Protocol):
    """The weight of each class in rows, which balanced classes and kappas depend on."""

    @property
    def totals(self) -> Floats:
        """The weight of each class, (K,)."""

    @property
    def exact_totals(self) -> Array:
        """The weight of each class without rounding."""

    @property
    def weight(self) -> float:
        """The weight of all rows."""


@dataclass(frozen=True)
class TableTotals:
    """The weight of each class in an exact (decision, class) table."""

    table: Array

    @property
    def exact_totals(self) -> Array:
        """The weight of each class without rounding."""
        return np.asarray(self.table.sum(axis=0))

    @property
    def totals(self) -> Floats:
        """The weight of each class."""
        return self.exact_totals.astype(np.float64)

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(self.table.sum())


class Steps(Protocol):
    """A search that can minimise a cost on rows, as often as an objective needs it."""

    @property
    def rows(self) -> Totals:
        """The rows."""

    @property
    def weight(self) -> float:
        """The weight for which whole costs must leave room in int64."""

    def minimise(self, cost: Any) -> Any:
        """Return the best cuts by a cost or by segment terms; None if no cuts are allowed."""

    def near_best(self, exact: Any) -> Array | None:
        """Return the table of cuts near the highest kappa of exact costs, if that saves steps."""


class ExactObjective(Protocol):
    """An objective in exact numbers, with the class weights for rows of known totals."""

    def exact_score(self, table: Array) -> Any:
        """Return a number without rounding that is the higher, the better an exact table is."""


class Front(ABCMeta):
    """Let ``Objective(name, cost, is_kappa)`` return the kind of objective that this describes."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Return an instance of the class, or for ``Objective`` itself of one of its kinds."""
        if cls is not Objective:
            return super().__call__(*args, **kwargs)
        from ordcut._core.objectives.named import objective_of  # which knows all kinds

        return objective_of(*args, **kwargs)


@dataclass(frozen=True, eq=False)
class Objective(metaclass=Front):
    """What thresholds are optimised for: a cost matrix to be minimised, or a kappa to be maximised.

    ``resolve_objective`` makes one of a name, a function, a :class:`ordcut.Kappa` or a
    :class:`ordcut.SegmentObjective`, too.

    Parameters
    ----------
    name : str
        The name shown in results.
    cost : array-like of shape (D, K)
        ``cost[d, l]`` is the cost of decision ``d`` when the truth is class ``l``. Decisions are
        the classes themselves, D = K, unless they have names of their own.
    is_kappa : bool, default=False
        Whether the objective is the kappa ``1 - cost / (cost expected by chance)``.
    decisions : array-like of shape (D,), optional
        The names of the decisions, lowest first, where they are not the classes.

    Examples
    --------
    >>> import ordcut
    >>> mine = ordcut.Objective("mine", [[0, 1], [5, 0]])
    >>> ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 0, 1], objective=mine)
    Thresholds([3.5], classes=[0, 1], mine=0.25, method='nested')
    """

    name: str
    decisions: Array | None = field(default=None, repr=False, kw_only=True)
    class_weight: CheckedClassWeight = field(default=None, repr=False, kw_only=True)

    #: What values of the objective are called.
    noun: ClassVar[str]

    #: Whether higher values are better.
    is_maximised: ClassVar[bool]

    #: Whether every second decision hands rows over for review, and whether rows have a true class.
    has_reviews: ClassVar[bool] = False
    has_truth: ClassVar[bool] = True

    #: How the optimum is found, if by several searches: a function of the problem.
    outer_search: ClassVar[Any] = None

    @property
    @abstractmethod
    def n_classes(self) -> int:
        """The number of classes, K."""

    @property
    @abstractmethod
    def n_decisions(self) -> int:
        """The number of decisions, D."""

    if TYPE_CHECKING:  # a field of objectives that have costs, and an error for others

        @property
        def cost(self) -> Floats:
            """The cost of decision ``d`` when the truth is class ``l``, (D, K)."""

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """The kind of objective by which "auto" chooses a method."""

    @abstractmethod
    def on(self, rows: Totals) -> ExactObjective:
        """Return the objective in exact numbers, with the class weights for these rows."""

    @abstractmethod
    def optimise(self, steps: Steps) -> Any:
        """Return the best cuts, by the steps that this takes; None if no cuts are allowed."""

    @property
    def fixed(self) -> ExactCost | None:
        """The exact cost, if it is the same for all rows; otherwise None."""
        return None

    @abstractmethod
    def unweighted_value(self, table: Floats) -> float:
        """Return the value of a (predicted, true) table whose classes are weighted already."""

    @abstractmethod
    def has_value(self, totals: Floats) -> bool:
        """Return whether all thresholds have a value on rows with these weights of the classes."""

    @abstractmethod
    def moved_values(self, table: Floats, moved: Floats, k: int) -> Floats:
        """Return the values if weights (P, K) of a table are moved from decision k + 1 to k."""

    @abstractmethod
    def fingerprint(self) -> bytes:
        """Return bytes that differ for objectives with different costs."""

    @abstractmethod
    def rule(self) -> dict[str, Any]:
        """Return how tables are valued as plain values, for scripts."""

    @property
    def optimised(self) -> Objective:
        """The objective that thresholds are found by, which has the same optimum."""
        return self

    @property
    def weighs_by_totals(self) -> bool:
        """Whether class weights depend on the number of rows of each class."""
        return isinstance(self.class_weight, str | ClassShares)

    @property
    def unweighted(self) -> Self:
        """The objective for rows whose classes are weighted already."""
        return self if self.class_weight is None else replace(self, class_weight=None)

    def weighted(
        self, class_weight: ClassWeight | None, classes: Array, class_shares: Any = None
    ) -> Self:
        """Return the objective with class weights: ``"balanced"``, a dict or a number per class.

        Or for a population in which the classes have given shares.

        Examples
        --------
        >>> import numpy as np, ordcut
        >>> absolute = ordcut.resolve_objective("absolute", 2)
        >>> absolute.weighted({1: 3}, np.array([0, 1])).value(np.array([[2.0, 1.0], [0.0, 1.0]]))
        0.375
        """
        if class_shares is not None:
            return self._for_population(class_weight, ClassShares.read(class_shares, classes))
        if class_weight is None:
            return self
        if self._named_loss in BALANCED:
            raise ValueError(
                f"class_weight must be None for objective {self.name!r}, in which every class "
                f"counts the same already; got {class_weight!r}. For other weights, use "
                f"objective={BALANCED[self._named_loss]!r}."
            )
        return replace(self, class_weight=checked_class_weight(class_weight, classes))

    def _for_population(self, class_weight: ClassWeight | None, shares: ClassShares) -> Self:
        if class_weight is not None or self.class_weight is not None:
            own = f"class_weight={class_weight!r}" if class_weight is not None else repr(self.name)
            raise ValueError(
                f"class_shares says how much the rows of each class count, and so does {own}. "
                "Leave out one of them."
            )
        return replace(self, class_weight=shares)

    @property
    def as_named(self) -> Self:
        """The objective without class weights that were passed beside its name."""
        return self if self._named_loss in BALANCED else self.unweighted

    @property
    def _named_loss(self) -> str:
        """The name of the loss, without what reviews or asymmetry have added to it."""
        return self.name.partition(",")[0]

    def with_weights_of(self, other: Objective) -> Self:
        """Return the objective with the class weights of another objective."""
        return replace(self, class_weight=other.class_weight)

    def settled(self, totals: Array) -> Self:
        """Return the objective with the class weights for these totals, whatever rows it is for."""
        if not self.weighs_by_totals:
            return self
        return replace(self, class_weight=factors_for(self.class_weight, totals))

    def factors(self, totals: Array) -> Array | None:
        """Return what the rows of each true class count; None if all count the same."""
        return factors_for(self.class_weight, totals)

    def value(self, table: Floats) -> float:
        """Return the value of a (predicted, true) table, with the class weights of its totals.

        Examples
        --------
        >>> import numpy as np, ordcut
        >>> table = np.array([[3.0, 1.0], [0.0, 4.0]])
        >>> ordcut.resolve_objective("absolute", 2).value(table)
        0.125
        >>> ordcut.resolve_objective("macro_mae", 2).value(table)
        0.1
        """
        return self.unweighted_value(self.weigh(table))

    def weigh(self, table: Floats) -> Floats:
        """Return a (predicted, true) table times the class weights of its totals."""
        factors = self.factors(table.sum(axis=0))
        return table if factors is None else table * factors

    @abstractmethod
    def sums(self, totals: Floats) -> tuple[Floats, Floats]:
        """Return two matrices (D, K) whose sums over the rows have the loss as their ratio.

        ``totals`` are the weights of the classes, times what the classes count.
        """

    @abstractmethod
    def entry_values(self, tables: Floats, decisions: Ints, classes: Ints) -> Floats:
        """Return the value of each table, given by its entries (n, n_entries)."""

    @abstractmethod
    def values_with_row(self, table: Floats, row: Floats) -> Floats:
        """Return the values of a table with an additional row in each of its entries, (D, K).

        ``row`` is the weight of a row of each true class.
        """

    def row_weight(self, totals: Floats) -> float:
        """Return the weight of all rows, given the weights of the classes."""
        return float(totals.sum())

    @abstractmethod
    def asymmetric(self, factor: float) -> Self:
        """Return the objective with costs of predictions that are too high times a factor."""

    def review_share(self, table: Floats) -> float | None:
        """Return the share of the rows that are handed over for review; None without review."""
        del table
        return None
