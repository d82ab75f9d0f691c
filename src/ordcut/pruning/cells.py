"""Rows in memory as a source: cells that follow their scores, counted and fetched by kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ordcut.data import Rows
from ordcut.pruning import kernels
from ordcut.pruning.bounds import Verdict
from ordcut.pruning.pruned import count_located
from ordcut.pruning.source import Parts
from ordcut.threads import cached_property, run_all, split
from ordcut.typing import Array, Bools, Floats, Ints, Numbers, Real

#: The number of scores in the sample that determines the cells of arrays and of frames.
SAMPLE_SIZE = 4096

#: A score that occurs more often than this in the sample is counted instead of fetched.
TIMES_COMMON = 16

#: Rows are counted in pieces of at most this many, whatever the number of threads, so that sums of
#: fractional weights do not depend on that number.
PIECE_SIZE = 1 << 24

#: About how many counters the cells may take: what the second level of a cache holds.
N_COUNTERS = 1 << 16

#: The least number of cells with many classes.
LEAST_CELLS = 512

#: Cells with fewer rows on average than the first of these cost more to judge than they save. There
#: are at least the second number for each class, if they have the last number of rows on average.
ROWS_PER_CELL, CELLS_PER_CLASS, LEAST_ROWS_PER_CELL = 160, 100, 16

#: The table from scores to cells has the first number of slots for each cell, to follow the data,
#: and at most the second number in all, to stay in cache.
SLOTS_PER_CELL, MOST_SLOTS = 2, 1 << 16

#: Fetched rows are judged by parts of their slots, with about the first number of rows per part and
#: at most the second number of parts per slot; at most the third where thresholds are judged
#: together, since more rows are left then.
ROWS_PER_PART, MOST_PARTS, MOST_PARTS_TOGETHER = 24, 12, 32


@dataclass(frozen=True)
class Cells:
    """Ordered cells, given by a table over equal steps of the line.

    A score belongs to cell ``cell_of[s]``, where the slot ``s`` is ``(score - low) * scale``,
    rounded down and clipped to the table. ``cell_of`` starts at 0 and never falls. ``low`` and
    ``scale`` have the dtype to compute in.
    """

    low: Real
    scale: Real
    cell_of: Ints

    @property
    def n_cells(self) -> int:
        """The number of cells."""
        return int(self.cell_of[-1]) + 1

    def locate(self, scores: Array) -> Ints:
        """Return the cell of each score, by the same arithmetic as the kernels.

        Examples
        --------
        >>> cells_like(np.arange(100.0), 4).locate(np.array([-9.0, 20.0, 70.0, 999.0]))
        array([0, 0, 2, 3])
        """
        dtype = np.result_type(scores, self.low.dtype)
        with np.errstate(over="ignore"):
            slot = (scores.astype(dtype) - dtype.type(self.low)) * dtype.type(self.scale)
        slot = np.clip(slot, 0, len(self.cell_of) - 1)
        cells: Ints = self.cell_of[slot.astype(np.int64)]
        return cells


class SplitCells:
    """The slots of chosen cells in equal parts, and each run of cells between them as a cell.

    With ``split_runs``, every cell between them is a run of its own.

    Attributes
    ----------
    is_run : ndarray of shape (n_cells,)
        Which of the finer cells stand for a run of those that were not chosen.

    Examples
    --------
    >>> cells = Cells(np.float64(0), np.float64(1), np.arange(4))
    >>> finer = SplitCells(cells, np.array([False, True, False, False]), 2)
    >>> finer.is_run
    array([ True, False, False,  True])
    >>> finer.locate(np.array([1.2, 1.7]))
    array([1, 2], dtype=int32)
    """

    def __init__(
        self, cells: Cells, chosen: Bools, n_parts: int, *, split_runs: bool = False
    ) -> None:
        self.cells = cells
        self.n_parts = n_parts
        is_chosen = chosen[cells.cell_of]
        is_first = is_chosen[:-1]
        if split_runs:
            is_first = cells.cell_of[1:] != cells.cell_of[:-1]
        starts_run = ~is_chosen & np.append(True, is_first)
        n_finer = np.where(is_chosen, n_parts, starts_run)
        first_part = np.cumsum(n_finer) - n_finer
        self._first_part = first_part.astype(np.int32)
        self.is_run = np.zeros(int(n_finer.sum()), np.bool_)
        self.is_run[first_part[starts_run]] = True

    def locate(self, scores: Array) -> Array:
        """Return the finer cell of each score; every score must be in a chosen cell."""
        located = np.empty(len(scores), np.int32)
        table = self.cells.low, self.cells.scale, self._first_part, self.n_parts
        kernels.locate_parts(_for_kernels(scores), *table, located)
        return located


def cells_like(sample: Array, n_cells: int) -> Cells:
    """Return about ``n_cells`` cells that are narrow where a sorted sample is dense.

    Half of the cells are shared out by the sample's mass and half by length, over the middle 99.8 %
    of the sample, so that neither a heavy tail nor an outlier takes them all.
    """
    n_slots = min(SLOTS_PER_CELL * n_cells, MOST_SLOTS)
    rank = len(sample) // 1000
    low, high = sample[rank], sample[-1 - rank]
    if low == high:
        low, high = sample[0], sample[-1]
    with np.errstate(over="ignore", divide="ignore"):
        for dtype in (np.float32, np.float64)[int(sample.dtype == np.float64) :]:
            scale = dtype(n_slots - 2) / (dtype(high) - dtype(low))
            if np.isfinite(scale) and scale > 0:
                even = Cells(dtype(low) - 1 / scale, scale, np.arange(n_slots))
                break
        else:  # a single value, or a range beyond float64: below it, at it and above it
            scale = 1 / np.maximum(np.abs(dtype(low)), 1)
            return Cells(dtype(low) - dtype(1.5) / scale, scale, np.arange(3))
    mass = np.bincount(even.locate(sample), minlength=n_slots) / len(sample)
    share = 0.5 * mass + 0.5 / n_slots
    cell = ((np.cumsum(share) - share) * n_cells).astype(np.int64)
    return Cells(even.low, scale, np.cumsum(np.append(0, cell[1:] != cell[:-1])))


def spread_indices(n_rows: int) -> Ints:
    """Return the indices of ``SAMPLE_SIZE`` rows, spread so that they follow no period."""
    golden = np.modf(np.arange(SAMPLE_SIZE) * 0.6180339887498949)[0]
    indices: Ints = (golden * n_rows).astype(np.int64)
    return indices


@dataclass(frozen=True)
class Steps:
    """The weight of each class, and the lowest score, in equal steps of the scores."""

    counts: Numbers
    lowest: Floats


@dataclass(frozen=True)
class ArraySource:
    """Rows in memory, to be counted by cells.

    Examples
    --------
    >>> source = ArraySource(Rows.read(np.arange(100.0), np.repeat([0, 1], 50)))
    >>> source.count(4).counts.tolist()
    [[33, 0], [17, 0], [0, 33], [0, 17]]
    """

    rows: Rows
    n_threads: int = 1
    is_exact: ClassVar[bool] = True  # rows in memory can be added up without rounding

    @property
    def classes(self) -> Array:
        """The ordered classes."""
        return self.rows.classes

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """The dtype in which the scores came."""
        return self.rows.dtype

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.rows.scores)

    def all_rows(self) -> Rows:
        """Return every row."""
        return self.rows

    def confusion(self, thresholds: Floats) -> Floats:
        """Return the weight of each class between ascending thresholds."""
        return self.rows.confusion(thresholds)

    def count(self, n_cells: int | None = None) -> CountedRows:
        """Return the rows counted by about ``n_cells`` cells, by default the most useful number."""
        if n_cells is None:
            n_rows, n_classes = len(self.rows.scores), len(self.rows.classes)
            useful = max(CELLS_PER_CLASS * n_classes, n_rows // ROWS_PER_CELL)
            most = max(LEAST_CELLS, N_COUNTERS // n_classes)
            n_cells = min(useful, most, max(4, n_rows // LEAST_ROWS_PER_CELL))
        cells = cells_like(self.sample, n_cells)
        return CountedRows(self, cells, *self._count(cells))

    @cached_property
    def sample(self) -> Array:
        """About ``SAMPLE_SIZE`` scores spread over the rows, sorted."""
        sample = self.rows.scores
        if len(sample) > SAMPLE_SIZE:
            sample = sample[spread_indices(len(sample))]
        if not np.isfinite(sample).all():
            self.rows.require_finite()
        return np.sort(sample)

    def count_in_steps(self) -> Steps | None:
        """Return the rows counted by equal steps from the lowest to the highest score.

        None if all scores are equal, or their range is beyond float64.
        """
        low, high = self.rows.extent()
        with np.errstate(over="ignore", divide="ignore"):
            scale = np.float64(MOST_SLOTS - 1) / (np.float64(high) - np.float64(low))
        if not (np.isfinite(scale) and scale > 0):
            return None
        cells = Cells(np.float64(low), scale, np.arange(MOST_SLOTS))
        lowest = np.full(MOST_SLOTS, np.inf)
        table = cells.low, cells.scale, lowest
        kernels.lowest_in_slots(_for_kernels(self.rows.scores), *table)
        return Steps(self._count(cells)[0], lowest)

    def _count(self, cells: Cells) -> tuple[Numbers, Array]:
        """Return the weight of each cell and class, and the slot of each row where that pays.

        Threads share the rows.
        """
        rows, n_classes, is_whole = self.rows, len(self.rows.classes), self.rows.is_whole
        n_counters = cells.n_cells * n_classes
        # In 16 bits the table takes half the cache, too.
        narrow = np.uint16 if n_counters <= 1 << 16 else np.uint32
        base_of = (cells.cell_of * n_classes).astype(narrow)
        total_dtype = np.int64 if is_whole else np.float64
        # Without weights, 32 bits hold the count of a piece and take half the cache.
        dtype = np.int32 if is_whole and rows.weights is None else total_dtype
        weights = np.ones(1, dtype) if rows.weights is None else rows.weights
        stride = int(rows.weights is not None)
        pieces = _pieces(len(rows.scores), self.n_threads if is_whole else 1)
        counts = np.zeros((len(pieces), n_counters + 1), dtype)
        # Storing the slots saves locating the rows again; for narrow scores they would take half
        # as much memory as the scores.
        is_wide = rows.scores.dtype == np.float64
        located = np.empty(len(rows.scores) if is_wide else 0, np.uint16)

        def count_piece(index: int) -> None:
            piece = slice(*pieces[index])
            piece_weights = weights[piece] if stride else weights
            into = located[piece], counts[index]
            table = piece_weights, stride, cells.low, cells.scale, base_of, *into
            if rows.codes is not None:
                kernels.count_rows(_for_kernels(rows.scores[piece]), rows.codes[piece], *table)
            elif rows.soft is not None:
                kernels.count_soft_rows(_for_kernels(rows.scores[piece]), rows.soft[piece], *table)

        _run(count_piece, len(pieces), self.n_threads)
        if counts[:, -1].any():  # where the kernel counts scores that are not finite
            self.rows.require_finite()
        total: Numbers = counts[:, :-1].sum(axis=0, dtype=total_dtype)
        return total.reshape(cells.n_cells, n_classes), located


@dataclass(frozen=True)
class CountedRows:
    """Rows in memory, counted by cells."""

    source: ArraySource
    cells: Cells
    counts: Numbers
    located: Array
    is_lazy: ClassVar[bool] = True

    def at_or_after(self, scores: Array) -> Ints:
        """Return the cell of each score, rounded to the dtype that the rows have."""
        with np.errstate(over="ignore"):
            return self.cells.locate(scores.astype(self.cells.low.dtype))

    def narrowed(self, judge: Callable[[Numbers], Verdict]) -> tuple[CountedRows, Bools]:
        """Return the cells unchanged: fetching rows costs less than counting them once more."""
        return self, judge(self.counts).first

    def fetch(self, chosen: Bools) -> Rows:
        """Return the rows of the chosen cells; those of a common score are merged by class."""
        commonest = self._commonest()
        commonest[~chosen] = np.nan
        part = self._fetch(chosen, commonest)
        common = np.flatnonzero(commonest == commonest)
        if len(common) == 0:
            return part
        assert part.codes is not None  # soft labels have no whole weights
        # The weight of a cell's commonest score is that of the cell without the fetched rows.
        fetched = count_located(part, self.cells.locate(part.scores), self.cells.n_cells)[common]
        cell, code = np.nonzero(self.counts[common] - fetched)
        weights = np.ones(part.n_rows, np.int64) if part.weights is None else part.weights
        return replace(
            part,
            scores=np.append(part.scores, commonest[common[cell]]),
            codes=np.append(part.codes, code.astype(part.codes.dtype)),
            weights=np.append(weights, (self.counts[common] - fetched)[cell, code]),
        )

    def split(self, chosen: Bools, rows: Rows, *, is_last: bool) -> Parts:
        """Return the rows of the chosen cells located in parts of the cells' slots."""
        n_slots = int(chosen[self.cells.cell_of].sum())
        most = MOST_PARTS if is_last else MOST_PARTS_TOGETHER
        n_parts = max(1, min(most, len(rows.scores) // (ROWS_PER_PART * n_slots)))
        finer = SplitCells(self.cells, chosen, n_parts, split_runs=not is_last)
        return Parts(finer.locate(rows.scores), finer.is_run, finer.locate)

    def _fetch(self, chosen: Bools, commonest: Array) -> Rows:
        """Return the rows in chosen cells, except those of a commonest score."""
        rows, cells = self.source.rows, self.cells
        is_wanted = chosen[cells.cell_of].astype(np.uint8)
        is_any = (commonest == commonest).any()
        common = _for_kernels(commonest[cells.cell_of] if is_any else commonest[:0])
        is_plain = rows.weights is None and rows.soft is None
        most = int(self.counts[chosen].sum()) if is_plain else len(rows.scores)
        pieces = _pieces(len(rows.scores), self.source.n_threads)
        parts: list[Rows] = [rows] * len(pieces)

        def fetch(index: int) -> None:
            first, last = pieces[index]
            scores = _for_kernels(rows.scores[first:last])
            codes = np.zeros(1, np.uint8) if rows.codes is None else rows.codes[first:last]
            size = min(most, last - first)
            indices = np.empty(0 if is_plain else size, np.uint32)
            kept_scores, kept_codes = np.empty(size, scores.dtype), np.empty(size, codes.dtype)
            n_kept = np.zeros(1, np.int64)
            table = cells.low, cells.scale, self.located[first:last], is_wanted, common
            output = indices, kept_scores, kept_codes, n_kept
            kernels.fetch_rows(scores, codes, int(rows.codes is not None), *table, *output)
            kept = first + indices[: n_kept[0]].astype(np.int64)
            parts[index] = Rows(
                kept_scores[: n_kept[0]].astype(rows.scores.dtype, copy=False),
                rows.classes,
                None if rows.codes is None else kept_codes[: n_kept[0]],
                None if rows.soft is None else rows.soft[kept],
                None if rows.weights is None else rows.weights[kept],
            )

        _run(fetch, len(pieces), self.source.n_threads)
        return Rows.joined(parts)

    def _commonest(self) -> Array:
        """Return the score that each cell holds most often in the sample, NaN if none is common.

        Only whole weights can be told by subtraction.
        """
        sample = self.source.sample
        commonest = np.full(self.cells.n_cells, np.nan, sample.dtype)
        # In the sorted sample, a common score is the same a few positions on.
        if (
            self.counts.dtype == np.int64
            and (sample[TIMES_COMMON:] == sample[:-TIMES_COMMON]).any()
        ):
            scores, times = np.unique(sample, return_counts=True)
            is_common = times > TIMES_COMMON
            by_times = np.argsort(times[is_common], kind="stable")
            common = scores[is_common][by_times]
            commonest[self.cells.locate(common)] = common  # of a cell's, the commonest comes last
        return commonest


def _for_kernels(scores: Array) -> Array:
    """Return scores as kernels take them: Numba knows no half precision."""
    return scores.astype(np.float32) if scores.dtype == np.float16 else scores


def _pieces(n_rows: int, n_threads: int) -> list[tuple[int, int]]:
    """Return the ranges of rows that threads share."""
    n_pieces = max(n_threads, -(-n_rows // PIECE_SIZE))
    return [(0, n_rows)] if n_pieces == 1 else split(n_rows, n_pieces)


def _run(work: Callable[[int], None], n_pieces: int, n_threads: int) -> None:
    """Do the work on each piece, in threads if there are several."""
    if n_pieces == 1:
        work(0)
    else:
        run_all(work, range(n_pieces), n_threads)
