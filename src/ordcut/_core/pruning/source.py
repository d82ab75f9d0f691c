"""The protocols of a source: the questions that the pruned search asks, wherever rows are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol

import numpy as np

from ordcut._core.data import Rows, ScoreDistribution
from ordcut._core.numerics.limbs import Limbs
from ordcut._core.pruning.bounds import Verdict
from ordcut._core.typing import Array, Bools, Floats, Ints, Numbers


@dataclass(frozen=True)
class Parts:
    """Fetched rows, located in finer cells.

    Attributes
    ----------
    located : ndarray of shape (n,)
        The finer cell of each row.
    is_run : ndarray of shape (n_cells,)
        Which of the finer cells stand for a run of cells whose rows were not fetched.
    is_single : ndarray of shape (n_cells,)
        Which of the finer cells are known to have a single score.
    locate : callable
        Returns the finer cell of each score of an array.
    """

    located: Array
    is_run: Bools
    is_single: Bools
    locate: Callable[[Array], Array]


class CountedCells(Protocol):
    """Ordered cells of the line, with the weight of each class in each of them."""

    is_lazy: ClassVar[bool]
    """Whether ``narrowed`` may leave out cells that could still have to be fetched."""

    @property
    def counts(self) -> Numbers:
        """The weight of each cell and class, (n_cells, K); int64 if all are whole."""

    @property
    def sums(self) -> Numbers:
        """The same weights as sums of limbs, (n_cells, K, n_limbs); ``counts`` without limbs."""

    @property
    def limbs(self) -> Limbs:
        """How weights are added up."""

    @property
    def is_single(self) -> Bools:
        """Which cells are known to have a single score."""

    def at_or_after(self, scores: Array) -> Ints:
        """Return the cell of each score, or the next cell where no cell has the score."""

    def narrowed(self, judge: Callable[[Numbers, Bools], Verdict]) -> tuple[CountedCells, Bools]:
        """Return cells that are fine enough for rows to be fetched, and which cells to fetch.

        ``judge`` returns which cells can hold a threshold, given the counts of all cells and which
        of them have a single score.
        """

    def completed(self, chosen: Bools) -> Bools:
        """Return the chosen cells together with cells that can only be fetched along with them."""

    def fetch(self, chosen: Bools) -> Rows:
        """Return the rows of the chosen cells, in memory; equal rows may be merged."""

    def split(self, chosen: Bools, rows: Rows, *, is_last: bool) -> Parts:
        """Return the rows of the chosen cells located in parts of these cells.

        The other cells form runs. Unless ``is_last``, more cells may be chosen later, and each run
        is a single cell.
        """


class Source(Protocol):
    """Validated rows with a score, a class and a weight each, which stay where they are.

    Only counts and the rows of a few cells ever leave a source, so that a search written against
    it works in every engine.
    """

    @property
    def classes(self) -> Array:
        """The ordered classes."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The floating-point dtype in which the scores came."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""

    @property
    def is_exact(self) -> bool:
        """Whether sums of weights are available without rounding."""

    @property
    def counts_rows(self) -> bool:
        """Whether weights are numbers of equal rows."""

    @property
    def unit(self) -> Fraction:
        """What a weight of 1 stands for."""

    def count(self) -> CountedCells:
        """Return the rows counted by cells that are narrow where scores are dense."""

    def all_rows(self) -> Rows:
        """Return every row, in memory."""

    def known_rows(self) -> Rows | None:
        """Return every row if all are in memory already and as they were counted, else None."""

    def distribution(self) -> ScoreDistribution:
        """Return about how the scores are distributed, from what has been counted already."""

    def confusion(self, thresholds: Floats) -> Floats:
        """Return the weight of each class between any number of ascending thresholds.

        Row ``j`` of the table is for scores from threshold ``j - 1`` up to below threshold ``j``.
        Weights are added up in the order of the rows.
        """
