"""Pruned search: count by cell and class, and sort only the rows of cells that can matter.

It needs nothing but a source, so it runs wherever the data are, with no sort of all rows and no
copy of them. What is left are ordinary sorted rows, in which the rows of the other cells are
aggregated into lumps that no threshold can enter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from ordcut._core.data import Rows, SortedRows, insert_lumps
from ordcut._core.numerics.exact import ENOUGH_WEIGHT, ExactCost, as_exact
from ordcut._core.numerics.jit import kernel
from ordcut._core.numerics.limbs import add_limbs
from ordcut._core.numerics.threads import cached_property
from ordcut._core.objectives import SegmentTerms
from ordcut._core.pruning.bounds import CurveLimit, Verdict, judge_cells
from ordcut._core.pruning.budget import (
    STEPS_OF_ROUND,
    STEPS_TO_COUNT,
    STEPS_TO_FETCH,
    STEPS_TO_LOOK,
    STEPS_TO_SOLVE,
    STEPS_TO_SOLVE_EXACTLY,
    STEPS_TO_SORT_LEFT,
    STEPS_TO_SPLIT,
)
from ordcut._core.pruning.source import CountedCells, Parts, Source
from ordcut._core.typing import Array, Bools, Floats, Ints, Numbers

#: The first steps towards a kappa may cut only where a multiple of this many cells ends.
CELLS_PER_COARSE_CUT = 8

#: Cells that are left to resolve are resolved together if they have at most this share of the rows:
#: one more pass over all rows takes longer than to sort that many.
FEW_SHARE = 1 / 16


class PrunedRows:
    """Rows counted by cells, of which few are left to sort for a cost matrix.

    Once a search has taken ``most_steps``, of about a nanosecond each, it gives up and all rows are
    sorted. The methods of a store are described in ``ordcut._core.solvers.store``.

    Attributes
    ----------
    cells : CountedCells
        Ordered cells of the line, with the weight of each class in each of them.
    totals : ndarray of shape (K,)
        The weight of each class.
    searched_by : str or None
        The name of the search; None if all rows were sorted instead.

    Examples
    --------
    >>> from ordcut._core.data import Rows
    >>> from ordcut._core.pruning import ArraySource
    >>> rows = Rows.read(np.arange(3000.0), np.repeat([0, 1, 2], 1000))
    >>> pruned = PrunedRows(ArraySource(rows))
    >>> len(pruned.rows_for(ExactCost.of(1 - np.eye(3))).codes) < 100
    True
    """

    has_every_cut: ClassVar[bool] = True

    #: Bounds of cells are the closer, the smaller the costs are.
    cost_weight: ClassVar[float] = ENOUGH_WEIGHT

    def __init__(self, source: Source, most_steps: float = np.inf) -> None:
        self._source, self.n_rows = source, source.n_rows
        self._n_left = most_steps - STEPS_TO_COUNT * self.n_rows
        # All rows, once no steps are left.
        self._every: SortedRows | None = None
        self.searched_by: str | None = "pruned"
        self.cells: CountedCells = source.count()
        self.totals: Floats = np.einsum("ij->j", self.cells.counts).astype(np.float64)
        self.weight = float(self.totals.sum())
        self.is_exact = source.is_exact
        # The rows for the last cost matrix: the next step of a kappa often needs the same rows.
        self._fetched: tuple[Bools, Rows] | None = None
        self._split: tuple[Rows, bool, Parts, Numbers, Numbers] | None = None
        self._left: tuple[Parts, Bools, SortedRows] | None = None

    def rows_for(
        self, cost: ExactCost | SegmentTerms, limits: Sequence[CurveLimit] = ()
    ) -> SortedRows:
        """Return sorted rows among which lies every cut that can be optimal for a cost matrix.

        Limits on single thresholds may be given for a convex cost.
        """
        if self._every is None:
            fits = self.cells.counts.dtype == np.int64 and self.weight <= cost.most_weight
            least, per_class = (STEPS_TO_SOLVE if fits else STEPS_TO_SOLVE_EXACTLY)[cost.kind]
            n_to_solve = least + per_class * len(self.totals)
            self._n_left += n_to_solve * self.n_rows  # which sorted rows would take
            rows = self._rows_in_time(cost, limits, n_to_solve)
            if rows is not None:
                return rows
            self._every, self.searched_by = self.all_rows(), None
        return self._every

    def _rows_in_time(
        self, cost: ExactCost | SegmentTerms, limits: Sequence[CurveLimit], n_to_solve: float
    ) -> SortedRows | None:
        """Return what ``rows_for`` returns, or None if that takes too many steps.

        ``n_to_solve`` is the number of steps per row that a solver takes afterwards.
        """
        singles: list[Bools] = []

        def judge(counts: Numbers, is_single: Bools, is_closed: Bools | None = None) -> Verdict:
            singles.append(is_single)
            n_steps = max(0.0, self._n_left)
            verdict = judge_cells(
                counts, cost, self.n_rows, limits, is_closed, is_single, n_steps,
                is_rounded_once=self.cells.limbs.n_limbs > 0,
            )  # fmt: skip
            self._n_left -= verdict.n_steps + STEPS_OF_ROUND
            return verdict

        cells, chosen = self.cells.narrowed(judge)
        is_single = singles[-1]  # of the cells that are left, which were judged last
        if cells is not self.cells:
            self.cells, self._fetched = cells, None  # fetched rows belong to the former cells
        # Else cells that are left out may have to be fetched later.
        is_judged_alone = cost.kind in ("convex", "segments")
        while True:
            self._n_left -= self._steps_to_fetch(chosen, is_single)
            if self._n_left < 0:
                return None
            chosen, rows = self._rows_of(chosen)
            if chosen.all():
                return rows.sorted()
            # Judge the fetched rows once more, by parts of their cells, before they are sorted.
            is_last = is_judged_alone or not cells.is_lazy
            parts, sums, counts = self._parts_of(chosen, rows, is_last)
            is_closed = parts.is_run if is_last else None
            verdict = judge(counts, parts.is_single, is_closed)
            if not (verdict.can_hold & parts.is_run).any():
                break
            more = verdict.first & parts.is_run
            left = float(counts[verdict.can_hold & parts.is_run].sum())
            if left <= FEW_SHARE * self.weight or not more.any():
                more = verdict.can_hold
            chosen = chosen.copy()
            chosen[np.flatnonzero(~chosen)[more[parts.is_run]]] = True
            chosen = cells.completed(chosen)
        can_hold = verdict.can_hold
        kept = rows_in(can_hold, parts.located)
        self._n_left -= (STEPS_TO_SORT_LEFT + n_to_solve) * len(kept)
        if self._n_left < 0:
            return None
        if self._left is None or self._left[0] is not parts or (self._left[1] != can_hold).any():
            self._left = parts, can_hold, _sorted_rows_of(rows, kept, parts, sums, can_hold)
        return self._left[2]

    def _parts_of(self, chosen: Bools, rows: Rows, is_last: bool) -> tuple[Parts, Numbers, Numbers]:
        """Return parts of the chosen cells, and the weight of each class in all cells.

        Weights are as ``CountedCells.sums`` and as ``CountedCells.counts``.
        """
        if self._split is None or self._split[0] is not rows or self._split[1] != is_last:
            parts = self.cells.split(chosen, rows, is_last=is_last)
            sums = count_located(rows, parts.located, len(parts.is_run))
            every = self.cells.sums
            sums[parts.is_run] = sum_runs(every, chosen) if is_last else every[~chosen]
            self._split = rows, is_last, parts, sums, self.cells.limbs.rounded(sums)
        return self._split[2:]

    def _steps_to_fetch(self, chosen: Bools, is_single: Bools) -> float:
        """Return about how many steps it takes to fetch the rows of cells and split the cells."""
        more = chosen if self._fetched is None else chosen & ~self._fetched[0]
        if not more.any():
            return 0.0
        # Rows of a common score are merged.
        weight = np.where(is_single, 0, np.einsum("ij->i", self.cells.counts))
        n_more, n_chosen = (self.n_rows / self.weight * weight[own].sum() for own in (more, chosen))
        to_fetch = STEPS_TO_LOOK * self.n_rows + STEPS_TO_FETCH * n_more
        return float(to_fetch + STEPS_TO_SPLIT * n_chosen)

    def _rows_of(self, chosen: Bools) -> tuple[Bools, Rows]:
        """Return the rows of the chosen cells; rows that were fetched before stay."""
        if self._fetched is None:
            self._fetched = chosen, self.cells.fetch(chosen)
        elif (chosen & ~self._fetched[0]).any():
            before, rows = self._fetched
            more = self.cells.fetch(chosen & ~before)
            self._fetched = chosen | before, Rows.joined([rows, more])
        return self._fetched

    @property
    def exact_totals(self) -> Array:
        """The weight of each class without rounding."""
        if self.cells.sums.dtype == np.int64:
            return np.asarray(self.cells.limbs.exact(self.cells.sums.sum(axis=0)))
        if not self.is_exact:
            return as_exact(self.totals)
        return np.asarray(self._source.all_rows().exact_between(np.empty(0))[0])

    def exact_weights(self, rows: SortedRows, cuts: Ints, *, inside: bool = False) -> Array:
        """Return the weight of each class between cuts of pruned rows, without rounding.

        Lumps of fractional weights without limbs are rounded sums, so that the rows are added up
        again. With ``inside``, only rows from the first to the last cut need be added up.
        """
        if rows.is_whole or rows.limbs.n_limbs or rows is self._every:
            return rows.exact_between(cuts, inside=inside)
        if not self.is_exact:
            return as_exact(rows.between(cuts))
        return self._source.all_rows().exact_between(_borders(rows.scores, cuts), inside=inside)

    @cached_property
    def _sorted(self) -> SortedRows:
        return replace(self._source.all_rows(), limbs=self.cells.limbs).sorted()

    def all_rows(self) -> SortedRows:
        """Return all rows in the order of their scores."""
        return self._sorted

    def on_grid(self, grid: object) -> PrunedRows:
        """Return the rows themselves, which serve thresholds of any value."""
        del grid
        return self

    def confusion(self, thresholds: Floats) -> Floats:
        """Return the weight of each class between ascending thresholds."""
        return self._source.confusion(thresholds)

    def coarse(self) -> SortedRows:
        """Return all rows as lumps of ``CELLS_PER_COARSE_CUT`` cells, with cuts between them."""
        sums, limbs = self.cells.sums, self.cells.limbs
        no_rows = SortedRows(
            np.zeros(0, self._source.dtype),
            np.zeros(0, np.uint16),
            np.zeros(0, np.bool_),
            np.zeros(0, self.cells.counts.dtype),
            sums.shape[1],
            limbs=limbs,
        )
        firsts = np.arange(0, len(sums), CELLS_PER_COARSE_CUT)
        lumps = limbs.as_weights(np.add.reduceat(sums, firsts, axis=0))
        return insert_lumps(no_rows, np.zeros(len(lumps), np.int64), lumps)


def count_located(rows: Rows, located: Array, n_cells: int) -> Numbers:
    """Return the weight of each cell and class, given the cell of each row.

    They are sums of limbs (n_cells, K, n_limbs) if rows have limbs.

    Examples
    --------
    >>> count_located(Rows.read([0.1, 0.2, 0.9], [0, 1, 1]), np.array([0, 0, 1]), 2)
    array([[1, 1],
           [0, 1]])
    """
    if rows.limbs.n_limbs:
        return _limbs_located(rows, located, n_cells)
    if rows.codes is None:
        assert rows.soft is not None
        soft = rows.soft if rows.weights is None else rows.soft * rows.weights[:, None]
        return np.stack([np.bincount(located, column, n_cells) for column in soft.T], axis=1)
    weights = np.ones(1, np.int64) if rows.weights is None else rows.weights
    counts = np.zeros((n_cells, len(rows.classes)), weights.dtype)
    add_weights(located, rows.codes, weights, int(rows.weights is not None), counts)
    return counts


def _limbs_located(rows: Rows, located: Array, n_cells: int) -> Ints:
    """Return the sums of limbs of each cell and class, given the cell of each row."""
    n_classes = len(rows.classes)
    sums = np.zeros((n_cells, n_classes, rows.limbs.n_limbs), np.int64)
    if rows.soft is None:
        assert rows.codes is not None
        assert rows.weights is not None
        add_limbs(located, rows.codes, rows.weights, *rows.limbs.factors, sums)
        return sums
    codes = np.empty(len(located), np.uint16)
    for code, column in enumerate(rows.soft.T):
        codes[:] = code
        add_limbs(located, codes, column, *rows.limbs.factors, sums)
    return sums


def rows_in(is_kept: Bools, located: Array) -> Array:
    """Return the indices of the rows whose cell is kept."""
    indices, n_kept = np.empty(len(located) + 1, np.uint32), np.zeros(1, np.int64)
    index_kept(located, is_kept, indices, n_kept)
    return indices[: n_kept[0]]


def sum_runs(counts: Numbers, chosen: Bools) -> Numbers:
    """Return the total weight of each class in each run of cells that are not chosen.

    Examples
    --------
    >>> sum_runs(np.array([[1, 2], [3, 4], [5, 6], [7, 8]]), np.array([False, False, True, False]))
    array([[4, 6],
           [7, 8]])
    """
    if chosen.all():
        return counts[:0]
    # Runs and chosen cells take turns.
    starts = np.flatnonzero(chosen[1:] != chosen[:-1]) + 1
    starts = starts if chosen[0] else np.append(0, starts)
    runs: Numbers = np.add.reduceat(counts, starts, axis=0)[::2]
    return runs


def starts_in(locate: Callable[[Array], Array], sorted_scores: Array, cells: Ints) -> Ints:
    """Return where the scores of the given cells begin among sorted scores.

    Examples
    --------
    >>> starts_in(lambda scores: scores // 25, np.arange(100.0), np.array([0, 2]))
    array([ 0, 50])
    """
    first = np.zeros(len(cells), np.int64)
    last = np.full(len(cells), len(sorted_scores))
    while (first < last).any():  # halve the ranges of all cells at once; empty ranges stay
        middle = np.minimum((first + last) // 2, len(sorted_scores) - 1)
        is_before = (locate(sorted_scores[middle]) < cells) & (first < last)
        first, last = np.where(is_before, middle + 1, first), np.where(is_before, last, middle)
        last = np.maximum(first, last)
    return first


def _sorted_rows_of(
    rows: Rows, kept: Ints, parts: Parts, sums: Numbers, can_hold: Bools
) -> SortedRows:
    """Return the rows of the parts that can hold a threshold, sorted, and the others as lumps."""
    left = rows.take(kept).sorted()
    if rows.soft is None:
        # Sorting neither splits nor merges rows, so cells keep their numbers of rows.
        n_rows = np.bincount(parts.located[kept], minlength=len(can_hold))[can_hold]
        starts = np.cumsum(n_rows) - n_rows
    else:
        starts = starts_in(parts.locate, left.scores, np.flatnonzero(can_hold))
    return _with_lumps(sums, can_hold, left, starts)


def _with_lumps(sums: Numbers, chosen: Bools, rows: SortedRows, starts: Ints) -> SortedRows:
    """Insert a lump for each run of cells between the chosen cells."""
    starts_run = ~chosen & np.append(True, chosen[:-1])
    n_before: Ints = np.cumsum(chosen)[starts_run]
    position = np.append(starts, len(rows.codes))[n_before]
    return insert_lumps(rows, position, rows.limbs.as_weights(sum_runs(sums, chosen)))


def _borders(scores: Array, cuts: Ints) -> Floats:
    """Return a value that separates the scores at each cut; next to a lump, scores are NaN."""
    lower = np.where(cuts > 0, scores[np.maximum(cuts, 1) - 1], -np.inf).astype(scores.dtype)
    upper = np.where(cuts < len(scores), scores[np.minimum(cuts, len(scores) - 1)], np.inf)
    above = np.where(cuts > 0, np.nextafter(lower, scores.dtype.type(np.inf)), -np.inf)
    return np.where(np.isnan(lower), upper, above)


@kernel("located", steps=2)
def add_weights(
    located: Array, codes: Array, weights: Numbers, stride: int, counts: Numbers
) -> None:
    """Add the weight of each row to the count of its cell and class, given its cell."""
    for i in range(len(located)):
        counts[np.uint32(located[i]), np.uint32(codes[i])] += weights[i * stride]


@kernel("located", steps=2)
def index_kept(located: Array, is_kept: Bools, indices: Array, n_kept: Ints) -> None:
    """Write the indices of the rows in cells that are kept, given the cell of each row.

    ``indices`` must be longer than the number of these rows. Fills ``n_kept[0]``.
    """
    n = np.uint32(0)
    for i in range(len(located)):
        indices[n] = i
        n = np.uint32(n + np.uint32(is_kept[np.uint32(located[i])]))
    n_kept[0] = n
