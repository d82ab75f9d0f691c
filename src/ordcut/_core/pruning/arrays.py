"""Rows in memory as a source, counted and fetched by kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np

from ordcut._core.data import Rows, ScoreDistribution
from ordcut._core.numerics.jit import kernel
from ordcut._core.numerics.limbs import Limbs
from ordcut._core.numerics.threads import cached_property, run_all, split
from ordcut._core.pruning.bounds import Verdict
from ordcut._core.pruning.cells import (
    BLOCK,
    Cells,
    cells_like,
    for_kernels,
    locate_by_bits,
    slot_of,
    split_cells,
)
from ordcut._core.pruning.prefixes import bits_of
from ordcut._core.pruning.source import Parts
from ordcut._core.typing import Array, Bools, Floats, Ints, Numbers, Real

#: The number of scores in the sample that determines the cells of arrays and of frames.
SAMPLE_SIZE = 4096

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


def spread_indices(n_rows: int, size: int = SAMPLE_SIZE) -> Ints:
    """Return the indices of ``size`` rows, spread so that they follow no period."""
    indices: Ints = (spread_shares(size) * n_rows).astype(np.int64)
    return indices


@lru_cache(maxsize=4)
def spread_shares(size: int) -> Floats:
    """Return numbers from 0 up to 1 that follow no period, by the golden ratio."""
    shares: Floats = np.modf(np.arange(size) * 0.6180339887498949)[0]
    shares.flags.writeable = False
    return shares


def spread_sample(scores: Array, size: int) -> Array:
    """Return about ``size`` scores spread over the rows, sorted."""
    return np.sort(scores[spread_indices(len(scores), size)] if len(scores) > size else scores)


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
    unit: ClassVar[Fraction] = Fraction(1)

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

    @property
    def counts_rows(self) -> bool:
        """Whether weights are numbers of equal rows."""
        return self.rows.counts_rows

    def all_rows(self) -> Rows:
        """Return every row."""
        return self.rows

    def known_rows(self) -> Rows:
        """Return every row, which is in memory."""
        return self.rows

    def distribution(self) -> ScoreDistribution:
        """Return how the scores are distributed."""
        return ScoreDistribution.of(self.rows.scores, self.rows.weights)

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
        # Rows of a common score are merged, which needs exact sums.
        may_be_common = self.rows.soft is None and self.rows.has_exact_sums
        cells = cells_like(self.sample, n_cells, may_be_common=may_be_common)
        return CountedRows(self, cells, *self.count_by(cells))

    @cached_property
    def scores(self) -> Array:
        """The scores as kernels take them."""
        return for_kernels(self.rows.scores)

    @cached_property
    def sample(self) -> Array:
        """About ``SAMPLE_SIZE`` scores spread over the rows, sorted."""
        sample = spread_sample(self.rows.scores, SAMPLE_SIZE)
        if not np.isfinite(sample).all():
            self.rows.require_finite()
        return sample

    def count_by(self, cells: Cells) -> tuple[Numbers, Array]:
        """Return the weight of each cell and class, and the slot of each row where that pays.

        With limbs, weights are sums of limbs (n_cells, K, n_limbs). Threads share the rows.
        """
        rows, n_classes, limbs = self.rows, len(self.rows.classes), self.rows.limbs
        n_counters = cells.n_cells * n_classes
        # In 16 bits the table takes half the cache, too.
        narrow = np.uint16 if n_counters <= 1 << 16 else np.uint32
        base_of = (cells.cell_of * n_classes).astype(narrow)
        is_whole = rows.has_exact_sums
        total_dtype = np.int64 if is_whole else np.float64
        # Without weights, 32 bits hold the count of a piece and take half the cache.
        dtype = np.int32 if rows.is_whole and rows.weights is None else total_dtype
        weights = np.ones(1, dtype) if rows.weights is None else rows.weights
        stride = int(rows.weights is not None)
        split_by = limbs.n_limbs, *limbs.factors
        pieces = _pieces(len(rows.scores), self.n_threads if is_whole else 1)
        counts = np.zeros((len(pieces), n_counters * max(1, limbs.n_limbs) + 1), dtype)
        # Storing the slots saves locating the rows again; for narrow scores they would take half
        # as much memory as the scores, and equal steps are quick to locate.
        is_stored = rows.scores.dtype == np.float64 or cells.has_prefixes
        located = np.empty(len(rows.scores) if is_stored else 0, np.uint16)
        all_scores = self.scores

        def count_piece(index: int) -> None:
            piece = slice(*pieces[index])
            scores = all_scores[piece]
            if cells.has_prefixes:
                nodes, window, _ = cells.prefixes
                locate_by_bits(bits_of(scores), nodes, window, located[piece])
            own_weights = weights[piece] if stride else weights
            table = own_weights, stride, *split_by, cells.low, cells.scale, base_of
            slots = located[piece], cells.has_prefixes
            if rows.codes is not None:
                ties = cells.common, n_classes
                count_rows(scores, rows.codes[piece], *table, *ties, *slots, counts[index])
            elif rows.soft is not None:
                count_soft_rows(scores, rows.soft[piece], *table, *slots, counts[index])

        _run(count_piece, len(pieces), self.n_threads)
        if counts[:, -1].any():  # where the kernel counts scores that are not finite
            self.rows.require_finite()
        pieces_counts = counts[:, :-1].astype(total_dtype, copy=False)
        total: Numbers = pieces_counts[0] if len(pieces) == 1 else pieces_counts.sum(axis=0)
        shape = (cells.n_cells, n_classes, limbs.n_limbs) if limbs.n_limbs else (-1, n_classes)
        return total.reshape(shape), located


@dataclass(frozen=True)
class CountedRows:
    """Rows in memory, counted by cells."""

    source: ArraySource
    cells: Cells
    sums: Numbers
    located: Array
    is_lazy: ClassVar[bool] = True

    #: How weights are added up.
    limbs: Limbs = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.__dict__["limbs"] = self.source.rows.limbs

    @cached_property
    def counts(self) -> Numbers:
        """The weight of each cell and class."""
        return self.limbs.rounded(self.sums)

    @property
    def is_single(self) -> Bools:
        """Which cells have a single score."""
        return self.cells.is_single

    def at_or_after(self, scores: Array) -> Ints:
        """Return the cell of each score, rounded to the dtype that the rows have."""
        with np.errstate(over="ignore"):
            return self.cells.locate(scores.astype(self.cells.low.dtype))

    def narrowed(self, judge: Callable[[Numbers, Bools], Verdict]) -> tuple[CountedRows, Bools]:
        """Return the cells unchanged: fetching rows costs less than counting them once more."""
        return self, self.completed(judge(self.counts, self.is_single).first)

    def completed(self, chosen: Bools) -> Bools:
        """Return the chosen cells; all three of a slot with a common score are chosen, or none."""
        single = np.flatnonzero(self.is_single)
        if len(single):
            is_any = chosen[single - 1] | chosen[single] | chosen[single + 1]
            chosen = chosen.copy()
            chosen[single - 1] = chosen[single] = chosen[single + 1] = is_any
        return chosen

    def fetch(self, chosen: Bools) -> Rows:
        """Return the rows of the chosen cells; rows of a common score are merged by class."""
        part = self._fetch(chosen)
        slots = np.flatnonzero(self.cells.has_common & chosen[self.cells.cell_of])
        if len(slots) == 0:
            return part
        assert part.codes is not None  # soft labels have no whole weights
        merged = self.limbs.as_weights(self.sums[self.cells.cell_of[slots] + 1])
        score, code, term = np.nonzero(merged)
        weights = np.ones(part.n_rows, np.int64) if part.weights is None else part.weights
        common = self.cells.common[slots].astype(part.scores.dtype)
        return replace(
            part,
            scores=np.append(part.scores, common[score]),
            codes=np.append(part.codes, code.astype(part.codes.dtype)),
            weights=np.append(weights, merged[score, code, term]),
        )

    def split(self, chosen: Bools, rows: Rows, *, is_last: bool) -> Parts:
        """Return the rows of the chosen cells located in parts of the cells' slots."""
        finer = split_cells(self.cells, chosen, self.counts, len(rows.scores), is_last=is_last)
        located, is_single = finer.locate(rows.scores), finer.is_single
        if self.cells.has_prefixes or len(self.cells.common):  # else scores hardly repeat
            scores, is_part = for_kernels(rows.scores), ~finer.is_run
            known, is_mixed = np.full(len(is_part), np.nan, scores.dtype), ~is_part
            mark_mixed(scores, located, known, is_mixed)
            is_single = np.where(is_part, ~is_mixed, is_single)
        return Parts(located, finer.is_run, is_single, finer.locate)

    def _fetch(self, chosen: Bools) -> Rows:
        """Return the rows in chosen cells, except rows of a common score."""
        rows, cells = self.source.rows, self.cells
        is_wanted = chosen[cells.cell_of].astype(np.uint8)
        all_scores = self.source.scores
        is_plain = rows.weights is None and rows.soft is None
        most = int(self.counts[chosen].sum()) if is_plain else len(rows.scores)
        pieces = _pieces(len(rows.scores), self.source.n_threads)
        parts: list[Rows] = [rows] * len(pieces)

        def fetch(index: int) -> None:
            first, last = pieces[index]
            scores = all_scores[first:last]
            codes = np.zeros(1, np.uint8) if rows.codes is None else rows.codes[first:last]
            size = min(most, last - first)
            indices = np.empty(0 if is_plain else size, np.uint32)
            kept_scores, kept_codes = np.empty(size, scores.dtype), np.empty(size, codes.dtype)
            n_kept = np.zeros(1, np.int64)
            table = cells.low, cells.scale, self.located[first:last], is_wanted, cells.common
            output = indices, kept_scores, kept_codes, n_kept
            fetch_rows(scores, codes, int(rows.codes is not None), *table, *output)
            kept = first + indices[: n_kept[0]].astype(np.int64)
            parts[index] = Rows(
                kept_scores[: n_kept[0]].astype(rows.scores.dtype, copy=False),
                rows.classes,
                None if rows.codes is None else kept_codes[: n_kept[0]],
                None if rows.soft is None else rows.soft[kept],
                None if rows.weights is None else rows.weights[kept],
                limbs=rows.limbs,
            )

        _run(fetch, len(pieces), self.source.n_threads)
        return Rows.joined(parts)


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


@kernel("scores", steps=5)
def count_rows(
    scores: Array,
    codes: Array,
    weights: Numbers,
    stride: int,
    n_limbs: int,
    first: float,
    step: float,
    low: Real,
    scale: Real,
    base_of: Array,
    common: Array,
    n_classes: int,
    located: Array,
    is_located: bool,
    counts: Numbers,
) -> None:
    """Add the weight of each row to the count of its cell and class.

    ``base_of`` holds the first cell of each slot, multiplied by the number of classes. A slot with
    a ``common`` score has three cells: below that score, at it and above it. Other slots have a
    NaN there, and ``common`` is empty if all have. ``located`` holds the slots of the rows if
    ``is_located``; else it fills with them, unless it is empty. The last of ``counts`` is the
    number of scores that are not finite. Unless ``n_limbs`` is 0, each cell and class has that many
    counters, and weights are split by ``first`` and ``step``, which are ``Limbs.factors``.
    """
    zero = scale - scale
    top = zero + np.float32(len(base_of) - 1)
    n_bad = np.int32(0)
    slots = np.empty(BLOCK, np.int32)
    for start in range(0, len(scores), BLOCK):
        block_scores = scores[start : start + BLOCK]
        block_codes = codes[start : start + BLOCK]
        block_located = located[start : start + BLOCK]
        if is_located:
            for i in range(len(block_scores)):
                score = block_scores[i]
                n_bad += np.int32(0) if score - score == zero else np.int32(1)
                slots[i] = np.int32(block_located[i])
        else:
            for i in range(len(block_scores)):  # by themselves, these loops run in vectors
                score = block_scores[i]
                n_bad += np.int32(0) if score - score == zero else np.int32(1)
                slots[i] = np.int32(slot_of(score, low, scale, zero, top))
            for i in range(len(block_located)):
                block_located[i] = np.uint16(slots[i])
        if n_limbs > 0:
            for i in range(len(block_scores)):
                slot, score = np.uint32(slots[i]), block_scores[i]
                target = np.uint32(base_of[slot]) + np.uint32(block_codes[i])
                if len(common) > 0:
                    n_below = np.uint32(score >= common[slot]) + np.uint32(score > common[slot])
                    target += n_below * np.uint32(n_classes)
                target *= np.uint32(n_limbs)
                rest = weights[start + i] * first
                while rest > 0.0:
                    whole = np.int64(rest)
                    counts[target] += whole
                    rest = (rest - np.float64(whole)) * step
                    target += np.uint32(1)
        elif len(common) > 0:
            for i in range(len(block_scores)):
                slot, score = np.uint32(slots[i]), block_scores[i]
                n_below = np.uint32(score >= common[slot]) + np.uint32(score > common[slot])
                target = np.uint32(base_of[slot]) + np.uint32(block_codes[i])
                counts[target + n_below * np.uint32(n_classes)] += weights[(start + i) * stride]
        elif stride == 0:
            for i in range(len(block_scores)):
                counts[np.uint32(base_of[np.uint32(slots[i])]) + np.uint32(block_codes[i])] += 1
        else:
            block_weights = weights[start : start + BLOCK]
            for i in range(len(block_scores)):
                slot = np.uint32(base_of[np.uint32(slots[i])]) + np.uint32(block_codes[i])
                counts[slot] += block_weights[i]
    counts[-1] += n_bad


@kernel("located", steps=3)
def mark_mixed(scores: Array, located: Array, known: Array, is_mixed: Bools) -> None:
    """Mark the cells that have more than one score.

    ``known`` holds NaN for each cell, and fills with a score of the cell.
    """
    for i in range(len(located)):
        cell, score = np.uint32(located[i]), scores[i]
        if known[cell] != score:
            is_mixed[cell] |= known[cell] == known[cell]
            known[cell] = score


@kernel("scores", steps=9)
def count_soft_rows(
    scores: Array,
    soft: Numbers,
    weights: Numbers,
    stride: int,
    n_limbs: int,
    first: float,
    step: float,
    low: Real,
    scale: Real,
    base_of: Array,
    located: Array,
    is_located: bool,
    counts: Numbers,
) -> None:
    """Add the weights of each row's classes to the counts of its cell, as in ``count_rows``."""
    zero = scale - scale
    top = zero + np.float32(len(base_of) - 1)
    for i in range(len(scores)):
        slot = np.int32(slot_of(scores[i], low, scale, zero, top))
        if is_located:
            slot = np.int32(located[i])
        elif len(located) > 0:
            located[i] = np.uint16(slot)
        base = base_of[np.uint32(slot)]
        if n_limbs == 0:
            for code in range(soft.shape[1]):
                counts[base + np.uint32(code)] += weights[i * stride] * soft[i, code]
        else:
            for code in range(soft.shape[1]):
                target = (np.uint32(base) + np.uint32(code)) * np.uint32(n_limbs)
                rest = soft[i, code] * first
                while rest > 0.0:
                    whole = np.int64(rest)
                    counts[target] += whole
                    rest = (rest - np.float64(whole)) * step
                    target += np.uint32(1)


@kernel("scores", steps=5)
def fetch_rows(
    scores: Array,
    codes: Array,
    stride: int,
    low: Real,
    scale: Real,
    located: Array,
    is_wanted: Array,
    common: Array,
    indices: Array,
    kept_scores: Array,
    kept_codes: Array,
    n_kept: Ints,
) -> None:
    """Write the indices, scores and codes of the rows whose slot is wanted, in their order.

    ``located`` holds the slots of the rows, or is empty, and ``is_wanted`` 1 or 0 for each slot.
    Rows whose score is the ``common`` of their slot are left out; an empty ``common`` says
    that no score is common. Empty ``indices`` are not written; a ``stride`` of 0 says that rows
    have no codes. Fills ``n_kept[0]``.
    """
    zero = scale - scale
    top = zero + np.float32(len(is_wanted) - 1)
    buffer, wide = np.empty(BLOCK, np.uint16), np.empty(BLOCK, np.int32)
    wanted = np.empty(BLOCK, np.uint32)
    n = np.uint32(0)
    for start in range(0, len(scores), BLOCK):
        block = scores[start : start + BLOCK]
        slots = located[start : start + BLOCK]
        if len(located) == 0:
            slots = buffer[: len(block)]
            for i in range(len(block)):  # by themselves, these loops run in vectors
                wide[i] = np.int32(slot_of(block[i], low, scale, zero, top))
            for i in range(len(block)):
                slots[i] = np.uint16(wide[i])
        # Each index is written, and stays if its row is wanted: that costs less than a branch
        # which cannot be predicted.
        n_here = np.uint32(0)
        for i in range(len(slots)):
            wanted[n_here] = np.uint32(i)
            n_here = np.uint32(n_here + is_wanted[slots[i]])
        for j in range(n_here):
            i = wanted[np.uint32(j)]
            if len(common) == 0 or block[i] != common[slots[i]]:
                if len(indices) > 0:
                    indices[n] = np.uint32(start + i)
                kept_scores[n] = block[i]
                kept_codes[n] = codes[np.uint32(start + i) * np.uint32(stride)]
                n = np.uint32(n + np.uint32(1))
    n_kept[0] = n
