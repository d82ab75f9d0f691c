"""The protocol of a store: what solvers need of rows, however the rows are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ordcut._core.data import SortedRows
from ordcut._core.numerics.exact import ExactCost
from ordcut._core.objectives import SegmentTerms
from ordcut._core.pruning import CurveLimit
from ordcut._core.typing import Array, Floats, Ints


class Store(Protocol):
    """Rows as solvers need them, with all caches.

    Rows are sorted (``SortedRows``), counted by cells and sorted in part (``PrunedRows``), or
    lumped together between listed values (``LumpedRows``).
    """

    @property
    def totals(self) -> Floats:
        """The weight of each class."""

    @property
    def exact_totals(self) -> Array:
        """The weight of each class without rounding."""

    @property
    def weight(self) -> float:
        """The weight of all rows."""

    @property
    def n_rows(self) -> int:
        """The number of rows that were added up."""

    @property
    def is_exact(self) -> bool:
        """Whether sums of weights are available without rounding."""

    @property
    def has_every_cut(self) -> bool:
        """Whether thresholds can be anywhere, and not only on a grid."""

    @property
    def searched_by(self) -> str | None:
        """The method that the store itself is part of; None if a solver alone is the method."""

    @property
    def cost_weight(self) -> float:
        """The weight for which whole costs must leave room in int64."""

    def rows_for(
        self, cost: ExactCost | SegmentTerms, limits: Sequence[CurveLimit] = ()
    ) -> SortedRows:
        """Return sorted rows among which is every cut that can be optimal for a cost matrix.

        Limits on single thresholds may be given for a convex cost.
        """

    def exact_weights(self, rows: SortedRows, cuts: Ints, *, inside: bool = False) -> Array:
        """Return the weight of each class between cuts of rows that the store returned, exactly.

        With ``inside``, the weights before the first and after the last cut may be left out.
        """

    def all_rows(self) -> SortedRows:
        """Return all rows in the order of their scores."""

    def on_grid(self, grid: Any) -> Store:
        """Return a store with every cut that thresholds on a grid need; None is no grid."""

    def confusion(self, thresholds: Floats) -> Floats:
        """Return the weight of each class between ascending thresholds."""

    def coarse(self) -> SortedRows:
        """Return the rows themselves, or as few lumps, for quick steps towards the best cuts."""
