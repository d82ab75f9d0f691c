"""Scores, labels and weights that are arrays in memory."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from ordcut.arrays import Array, ArrayLike, Bools, Floats, Numbers
from ordcut.cells import Cells, cells_like
from ordcut.checks import as_scores, check_finite, check_weights
from ordcut.confusion import count_confusion
from ordcut.kernels import cells as kernels
from ordcut.labels import encode
from ordcut.sorting import SortedRows, sort_rows
from ordcut.sources.base import FinerCells
from ordcut.threads import run_all, split

#: How many scores are looked at to lay out cells.
SAMPLE_SIZE = 4096

#: A score that is so many times in the sample is worth counting instead of fetching.
TIMES_COMMON = 16

#: Rows are counted in pieces of at most so many, whatever the number of threads, so that sums of
#: fractional weights do not depend on it.
PIECE_SIZE = 1 << 24


#: What a source holds of each row; None where rows do not have it.
COLUMNS = ("scores", "codes", "soft", "weights")


class ArraySource:
    """Rows in memory, validated: finite scores, encoded labels, weights above 0.

    Rows of weight 0 are left out: they count as rows that are not there. That scores are finite is
    seen in the first pass over them, which counting makes anyway.

    Examples
    --------
    >>> source = ArraySource([0.5, 0.1], ["high", "low"], classes=["low", "high"])
    >>> source.scores, source.codes
    (array([0.5, 0.1]), array([1, 0]))
    """

    def __init__(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        *,
        classes: Sequence[Any] | Array | None = None,
        n_classes: int | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        self.scores = as_scores(scores)
        if len(self.scores) == 0:
            raise ValueError("scores must hold at least one row, got none.")
        encoded = encode(labels, classes, n_classes)
        if len(encoded) != len(self.scores):
            raise ValueError(
                "scores and labels must be of one length, "
                f"got {len(self.scores)} scores and {len(encoded)} labels."
            )
        self.classes = encoded.classes
        self.codes = encoded.codes
        self.soft = encoded.soft
        self.weights = check_weights(weights, len(self.scores))
        self._is_finite = False
        if self.weights is not None or self.soft is not None:
            self._require_finite()  # before rows without weight are gone, and positions with them
            self._leave_out_weightless_rows()

    @classmethod
    def of_checked(
        cls, scores: Array, codes: Array, weights: Numbers | None, classes: Array
    ) -> ArraySource:
        """Return a source of rows that somebody else has checked and encoded."""
        source = cls.__new__(cls)
        source.scores, source.codes, source.soft, source.weights = scores, codes, None, weights
        source.classes = classes
        source._is_finite = True
        return source

    def _require_finite(self) -> None:
        if not self._is_finite:
            check_finite(self.scores)
            self._is_finite = True

    def _leave_out_weightless_rows(self) -> None:
        keep: Array | None = None if self.weights is None else self.weights > 0
        if self.soft is not None:
            has_label = self.soft.any(axis=1)
            keep = np.asarray(has_label if keep is None else keep & has_label)
        if keep is None or keep.all():
            return
        if not keep.any():
            raise ValueError("labels must carry some weight, got 0 in every row.")
        self.__dict__ = self.only(keep).__dict__

    @property
    def precision(self) -> np.dtype[Any]:
        """The kind of float in which the scores came."""
        return self.scores.dtype

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.scores)

    @property
    def totals(self) -> Floats:
        """The weight of each class."""
        totals: Floats = self.confusion(np.full(len(self.classes) - 1, np.inf))[0]
        return totals

    def confusion(self, thresholds: Floats) -> Floats:
        """Return the weight between thresholds, however many, added up in the order of the rows."""
        self._require_finite()
        predicted = np.searchsorted(thresholds, self.scores, side="right")
        return count_confusion(
            predicted,
            len(self.classes),
            codes=self.codes,
            soft=self.soft,
            weights=self.weights,
            n_predicted=len(thresholds) + 1,
        )

    def sorted_rows(self) -> SortedRows:
        """Return all rows in the order of their scores."""
        self._require_finite()
        return sort_rows(self.scores, self.codes, self.soft, self.weights)

    def cells(self, n_cells: int) -> Cells:
        """Return about so many cells that follow a sample of the scores."""
        return cells_like(self._sample, n_cells)

    @cached_property
    def _sample(self) -> Array:
        """Some thousand scores, sorted; spread over the rows so that no period of theirs fits."""
        sample = self.scores
        if self.n_rows > SAMPLE_SIZE:
            spread = np.modf(np.arange(SAMPLE_SIZE) * 0.6180339887498949)[0]
            sample = sample[(spread * self.n_rows).astype(np.int64)]
        if not np.isfinite(sample).all():
            self._require_finite()
        return np.sort(sample)

    def count(self, cells: Cells, n_threads: int) -> Numbers:
        """Return the weight of each cell and class; threads share the rows."""
        n_classes = len(self.classes)
        base_of = (cells.cell_of * n_classes).astype(np.uint32)
        is_whole = self.soft is None and (self.weights is None or self.weights.dtype == np.int64)
        total_kind = np.int64 if is_whole else np.float64
        # Without weights, 32 bits hold the count of a piece and take half the cache.
        kind = np.int32 if is_whole and self.weights is None else total_kind
        weights = np.ones(1, kind) if self.weights is None else self.weights
        stride = int(self.weights is not None)
        pieces = self._pieces(n_threads if is_whole else 1)
        counts = np.zeros((len(pieces), cells.n_cells * n_classes + 1), kind)

        def count_piece(number: int) -> None:
            rows = slice(*pieces[number])
            some_weights = weights[rows] if stride else weights
            table = some_weights, stride, cells.low, cells.scale, base_of, counts[number]
            if self.codes is not None:
                kernels.count_rows(_for_kernels(self.scores[rows]), self.codes[rows], *table)
            elif self.soft is not None:
                kernels.count_soft_rows(_for_kernels(self.scores[rows]), self.soft[rows], *table)

        run_all(count_piece, range(len(pieces)), n_threads)
        if counts[:, -1].any():  # where the kernel counts scores that are not finite
            self._require_finite()
        self._is_finite = True
        total: Numbers = counts[:, :-1].sum(axis=0, dtype=total_kind)
        return total.reshape(cells.n_cells, n_classes)

    def finer(self, cells: Cells, chosen: Bools, counts: Numbers) -> None:
        """Return nothing: to fetch rows costs less than to count them once more."""
        del cells, chosen, counts

    def count_parts(self, cells: FinerCells, n_threads: int) -> tuple[Array, Numbers]:
        """Return the finer cell of each row, and the weight of each finer cell and class."""
        n_cells = len(cells.is_run)
        is_whole = self.soft is None and (self.weights is None or self.weights.dtype == np.int64)
        pieces = [self.only(slice(*piece)) for piece in self._pieces(n_threads if is_whole else 1)]
        parts: dict[int, tuple[Array, Numbers]] = {}

        def count(number: int) -> None:
            located = cells.locate(pieces[number].scores)
            parts[number] = located, pieces[number].count_located(located, n_cells)

        run_all(count, range(len(pieces)), n_threads)
        if len(pieces) == 1:
            return parts[0]
        located, counts = zip(*(parts[number] for number in range(len(pieces))), strict=True)
        return np.concatenate(located), np.sum(counts, axis=0)

    def count_located(self, located: Array, n_cells: int) -> Numbers:
        """Return the weight of each cell and class, given the cell of each row."""
        n_classes = len(self.classes)
        if self.codes is None:
            assert self.soft is not None
            soft = self.soft if self.weights is None else self.soft * self.weights[:, None]
            return np.stack([np.bincount(located, one, n_cells) for one in soft.T], axis=1)
        is_whole = self.weights is None or self.weights.dtype == np.int64
        counts = np.zeros((n_cells, n_classes), np.int64 if is_whole else np.float64)
        weights = np.ones(1, counts.dtype) if self.weights is None else self.weights
        kernels.count_located(located, self.codes, weights, int(self.weights is not None), counts)
        return counts

    def rows(self, cells: Cells, chosen: Bools, counts: Numbers, n_threads: int) -> ArraySource:
        """Return the rows of the chosen cells; those of a common score come as one a class."""
        commonest = self._commonest(cells, counts)
        commonest[~chosen] = np.nan
        part = self._fetch(cells, chosen, counts, commonest, n_threads)
        common = np.flatnonzero(commonest == commonest)
        if len(common) == 0 or part.codes is None:
            return part
        # What a cell holds of its commonest score is what it holds beyond the rows fetched.
        fetched = part.count_located(cells.locate(part.scores), cells.n_cells)[common]
        cell, code = np.nonzero(counts[common] - fetched)
        weights = np.ones(part.n_rows, np.int64) if part.weights is None else part.weights
        part.scores = np.append(part.scores, commonest[common[cell]])
        part.codes = np.append(part.codes, code.astype(part.codes.dtype))
        part.weights = np.append(weights, (counts[common] - fetched)[cell, code])
        return part

    def only(self, numbers: Array | slice) -> ArraySource:
        """Return a source of some of the rows."""
        part = copy(self)
        part.__dict__.pop("_sample", None)
        for name in COLUMNS:
            array = getattr(self, name)
            setattr(part, name, None if array is None else array[numbers])
        return part

    def with_rows(self, scores: Array, codes: Array, weights: Numbers | None) -> ArraySource:
        """Return a source of other rows with the same classes, given as codes."""
        other = ArraySource(scores, codes, classes=np.arange(len(self.classes)), weights=weights)
        other.classes = self.classes
        return other

    def class_weighted(self, factors: Floats) -> ArraySource:
        """Return a source whose rows are weighted by the factors of their classes.

        Examples
        --------
        >>> ArraySource([0.5, 0.1], [1, 0]).class_weighted(np.array([1.0, 3.0])).weights
        array([3, 1])
        """
        if (factors == 1).all():
            return self
        if self.codes is not None:
            weights = factors[self.codes]
            return self.with_rows(
                self.scores, self.codes, weights if self.weights is None else weights * self.weights
            )
        assert self.soft is not None
        other = ArraySource(self.scores, self.soft * factors, weights=self.weights)
        other.classes = self.classes
        return other

    def _taking(self, numbers: Array, scores: Array, codes: Array) -> ArraySource:
        """Return a source of some of the rows, whose scores and codes are at hand."""
        part = copy(self)
        part.__dict__.pop("_sample", None)
        part.scores = scores
        part.codes = None if self.codes is None else codes
        part.soft = None if self.soft is None else self.soft[numbers]
        part.weights = None if self.weights is None else self.weights[numbers]
        return part

    def _fetch(
        self, cells: Cells, chosen: Bools, counts: Numbers, commonest: Array, n_threads: int
    ) -> ArraySource:
        """Return the rows in chosen cells, but for those of a commonest score."""
        is_wanted = chosen[cells.cell_of].astype(np.uint8)
        is_any = (commonest == commonest).any()
        common = _for_kernels(commonest[cells.cell_of] if is_any else commonest[:0])
        is_plain = self.weights is None and self.soft is None
        most = int(counts[chosen].sum()) if is_plain else self.n_rows
        pieces = [self.only(slice(*bounds)) for bounds in self._pieces(n_threads)]

        def fetch(number: int) -> None:
            piece = pieces[number]
            all_scores = _for_kernels(piece.scores)
            codes = np.zeros(1, np.uint8) if piece.codes is None else piece.codes
            size = min(most, piece.n_rows)
            numbers = np.empty(0 if is_plain else size, np.uint32)
            scores, some_codes = np.empty(size, all_scores.dtype), np.empty(size, codes.dtype)
            n_found = np.zeros(1, np.int64)
            where = cells.low, cells.scale, is_wanted, common
            found = numbers, scores, some_codes, n_found
            kernels.fetch_rows(all_scores, codes, int(piece.codes is not None), *where, *found)
            pieces[number] = piece._taking(*(column[: n_found[0]] for column in found[:3]))

        run_all(fetch, range(len(pieces)), n_threads)
        if len(pieces) == 1:
            return pieces[0]
        part = copy(pieces[0])
        for name in COLUMNS:
            if getattr(part, name) is not None:
                setattr(part, name, np.concatenate([getattr(piece, name) for piece in pieces]))
        return part

    def _pieces(self, n_threads: int) -> list[tuple[int, int]]:
        n = len(self.scores)
        return split(n, max(n_threads, -(-n // PIECE_SIZE)))

    def _commonest(self, cells: Cells, counts: Numbers) -> Array:
        """Return the score that each cell holds most often in the sample, NaN if none is common.

        Only whole weights can be told by subtraction.
        """
        commonest = np.full(cells.n_cells, np.nan, self.scores.dtype)
        if counts.dtype == np.int64:
            # In the sorted sample, a common score is the same a few places on.
            repeats = self._sample[TIMES_COMMON:] == self._sample[:-TIMES_COMMON]
            if repeats.any():
                scores, times = np.unique(self._sample, return_counts=True)
                is_common = times > TIMES_COMMON
                by_times = np.argsort(times[is_common], kind="stable")
                common = scores[is_common][by_times]
                commonest[cells.locate(common)] = common  # of a cell's, the commonest comes last
        return commonest


def _for_kernels(scores: Array) -> Array:
    """Return scores as kernels take them: Numba knows no half precision."""
    return scores.astype(np.float32) if scores.dtype == np.float16 else scores
