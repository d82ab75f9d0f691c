"""Cells of the line that follow a sample of scores.

The cell of a score comes from a table of slots. Slots are equal steps of the line, ``(score - low)
* scale``, clipped to the table's length; or they follow the leading bits of the scores, as
``Prefixes`` describes. Each step keeps the order of the scores, so cells are in order too.
In kernels, comparisons are written so that a NaN lands in an end slot, never outside.

``low`` and ``scale`` have the dtype to compute in: with scores and both in single precision, a
vectorised loop does twice as many at once. ``scale`` is finite.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ordcut._core.data import ordered_bits
from ordcut._core.numerics.jit import inlined, kernel
from ordcut._core.numerics.threads import cached_property
from ordcut._core.pruning.bounds import totals_of_cells
from ordcut._core.pruning.prefixes import (
    NO_PREFIXES,
    Prefixes,
    bits_of,
    n_equal_pairs,
    prefixes_like,
)
from ordcut._core.typing import Array, Bools, Floats, Ints, Keys, Numbers, Real

#: The table from scores to cells has the first number of slots for each cell, to follow the data,
#: and at most the second number in all, to stay in cache.
SLOTS_PER_CELL, MOST_SLOTS = 2, 1 << 16

#: Equal steps of the line are used if pairs of different scores of the sample share a slot at most
#: this many times as often as with equally filled slots.
MOST_UNEVEN = 4

#: A score gets a cell of its own if it occurs more often in the sample than this number of cells
#: hold on average, and more than this number of times; if all of them together are at least the
#: first share of the sample; and if they take at most the second share of the cells.
CELLS_COMMON, TIMES_COMMON = 2, 2
LEAST_SHARE_COMMON, MOST_CELLS_COMMON = 0.03, 0.5

#: Fetched rows are judged by parts of their slots, with about the first number of rows per part and
#: at most the second number of parts per slot; at most the third where thresholds are judged
#: together, since more rows are left then.
ROWS_PER_PART, MOST_PARTS, MOST_PARTS_TOGETHER = 24, 12, 32

#: How many rows are located before they are counted. Slots are kept in 16 bits.
BLOCK = 512


@dataclass(frozen=True)
class Cells:
    """Ordered cells, given by a table of slots; these follow ``prefixes``, if there are any.

    Attributes
    ----------
    cell_of : ndarray of shape (n_slots,)
        The first cell of each slot. It starts at 0 and never falls.
    common : ndarray of shape (n_slots,)
        A score that is common in the slot, or NaN: such a slot has three cells, for scores below
        it, equal to it and above it. Empty if no score is common.
    """

    low: Real
    scale: Real
    cell_of: Ints
    prefixes: Prefixes = NO_PREFIXES
    common: Array = field(default_factory=lambda: np.empty(0))

    #: Whether slots follow the leading bits of the scores.
    has_prefixes: bool = field(init=False, repr=False)

    #: Whether each slot has a common score.
    has_common: Bools = field(init=False, repr=False)

    #: The number of cells.
    n_cells: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        has_common = np.zeros(len(self.cell_of), np.bool_)
        if len(self.common):
            has_common = np.asarray(self.common == self.common)
        self.__dict__.update(
            has_prefixes=len(self.prefixes.nodes) > 0,
            has_common=has_common,
            n_cells=int(self.cell_of[-1]) + 1 + 2 * int(has_common[-1]),
        )

    @cached_property
    def is_single(self) -> Bools:
        """Which cells have a single score."""
        is_single = np.zeros(self.n_cells, np.bool_)
        is_single[self.cell_of[self.has_common] + 1] = True
        return is_single

    def shares_of_slots(self, chosen: Bools, counts: Numbers) -> Floats:
        """Return about what share of the rows in chosen cells is in each of their slots."""
        if not self.has_prefixes and len(self.common) == 0:
            n_chosen = int(chosen[self.cell_of].sum())
            return np.full(len(self.cell_of), 1 / max(1, n_chosen))
        weight = np.where(chosen, totals_of_cells(counts), 0)
        single = np.flatnonzero(self.is_single)
        weight[single] = 0  # rows of a common score are merged
        weight[single - 1] += weight[single + 1]  # a slot is known by its first cell
        n_slots = np.bincount(self.cell_of, minlength=len(weight)).clip(1)
        return np.asarray((weight / n_slots / max(weight.sum(), 1))[self.cell_of])

    def slots(self, scores: Array) -> Ints:
        """Return the slot of each score, by the same arithmetic as the kernels."""
        if self.has_prefixes:
            return self.prefixes.locate(scores).astype(np.int64)
        dtype = np.result_type(scores, self.low.dtype)
        with np.errstate(over="ignore"):
            slot = (scores.astype(dtype) - dtype.type(self.low)) * dtype.type(self.scale)
        slots: Ints = np.clip(slot, 0, len(self.cell_of) - 1).astype(np.int64)
        return slots

    def locate(self, scores: Array) -> Ints:
        """Return the cell of each score.

        Examples
        --------
        >>> cells_like(np.arange(100.0), 4).locate(np.array([-9.0, 20.0, 70.0, 999.0]))
        array([0, 0, 2, 3])
        """
        scores = for_kernels(scores)
        slots = self.slots(scores)
        cells: Ints = self.cell_of[slots]
        if len(self.common):
            value = self.common[slots]
            cells = cells + (scores >= value) + (scores > value)
        return cells


class SplitCells:
    """The slots of chosen cells in equal parts, and each run of cells between them as a cell.

    With ``split_runs``, every cell between them is a run of its own. All cells of a slot are
    chosen, or none. A slot with a common score has equal parts below it, the score itself, and as
    many equal parts above it.

    Attributes
    ----------
    is_run : ndarray of shape (n_cells,)
        Which of the finer cells stand for a run of cells that were not chosen.
    is_single : ndarray of shape (n_cells,)
        Which of the finer cells are known to have a single score.

    Examples
    --------
    >>> cells = Cells(np.float64(0), np.float64(1), np.arange(4))
    >>> finer = SplitCells(cells, np.array([False, True, False, False]), np.full(4, 2))
    >>> finer.is_run
    array([ True, False, False,  True])
    >>> finer.locate(np.array([1.2, 1.7]))
    array([1, 2], dtype=int32)
    """

    def __init__(
        self, cells: Cells, chosen: Bools, n_parts: Array, *, split_runs: bool = False
    ) -> None:
        self.cells = cells
        is_chosen = chosen[cells.cell_of]
        is_first = is_chosen[:-1]
        if split_runs:
            is_first = cells.cell_of[1:] != cells.cell_of[:-1]
        starts_run = ~is_chosen & np.append(True, is_first)
        n_runs = np.where(cells.has_common, 3, 1) if split_runs else 1
        n_finer = np.where(cells.has_common, 2 * n_parts + 1, n_parts)
        n_finer = np.where(is_chosen, n_finer, starts_run * n_runs)
        self._first_part = (np.cumsum(n_finer) - n_finer).astype(np.int32)
        self._n_parts = n_parts.astype(np.int32, copy=False)
        self.is_run = np.repeat(~is_chosen, n_finer)
        self.is_single = np.zeros(len(self.is_run), np.bool_)
        if len(cells.common):
            is_common = is_chosen & cells.has_common
            self.is_single[self._first_part[is_common] + self._n_parts[is_common]] = True
            if split_runs:
                self.is_single[self.is_run] = cells.is_single[~chosen]

    def locate(self, scores: Array) -> Array:
        """Return the finer cell of each score; every score must be in a chosen cell."""
        scores = for_kernels(scores)
        located = np.empty(len(scores), np.int32)
        cells = self.cells
        parts = cells.common, self._first_part, self._n_parts, located
        if cells.has_prefixes:
            locate_parts_by_bits(scores, bits_of(scores), *cells.prefixes, *parts)
        else:
            locate_parts(scores, cells.low, cells.scale, *parts)
        return located


def split_cells(
    cells: Cells, chosen: Bools, counts: Numbers, n_rows: int, *, is_last: bool
) -> SplitCells:
    """Return the slots of chosen cells, which have ``n_rows`` rows, in parts with few rows each."""
    n_parts = n_rows / ROWS_PER_PART * cells.shares_of_slots(chosen, counts)
    n_parts = n_parts.clip(1, MOST_PARTS if is_last else MOST_PARTS_TOGETHER).astype(np.int32)
    return SplitCells(cells, chosen, n_parts, split_runs=not is_last)


def cells_like(sample: Array, n_cells: int, *, may_be_common: bool = False) -> Cells:
    """Return about ``n_cells`` cells that are narrow where a sorted sample is dense.

    Slots are equal steps of the line over the middle 99.8 % of the sample, so that an outlier does
    not take them all, if that spreads the sample; else they follow the leading bits of its scores.
    If ``may_be_common``, a score that is heavier than a few cells gets a cell of its own.
    """
    sample = for_kernels(sample)
    common = _common_scores(sample, n_cells) if may_be_common else sample[:0]
    n_shared = n_cells - 3 * len(common)
    slots = _equal_steps(sample, min(SLOTS_PER_CELL * n_shared, MOST_SLOTS))
    times = np.bincount(slots.slots(sample), minlength=len(slots.cell_of))
    by_mass = 0.5
    if _is_uneven(times, sample):
        prefixes, zero = prefixes_like(sample, SLOTS_PER_CELL * n_shared), sample.dtype.type(0)
        slots = Cells(zero, zero, np.arange(len(prefixes.widths)), prefixes)
        times = np.bincount(slots.slots(sample), minlength=len(slots.cell_of))
        by_mass = 0.75
    if len(slots.cell_of) > n_shared:
        share = by_mass / len(sample) * times + (1 - by_mass) / len(times)
        cell = ((np.cumsum(share) - share) * n_shared).astype(np.int64)
        slots = replace(slots, cell_of=np.cumsum(np.append(0, cell[1:] != cell[:-1])))
    return with_common(slots, common)


def _equal_steps(sample: Array, n_slots: int) -> Cells:
    """Return slots that are equal steps of the line, each a cell."""
    rank = len(sample) // 1000
    low, high = sample[rank], sample[-1 - rank]
    if low == high:
        low, high = sample[0], sample[-1]
    with np.errstate(over="ignore", divide="ignore"):
        for dtype in (np.float32, np.float64)[int(sample.dtype == np.float64) :]:
            scale = dtype(n_slots - 2) / (dtype(high) - dtype(low))
            if np.isfinite(scale) and scale > 0:
                return Cells(dtype(low) - 1 / scale, scale, np.arange(n_slots))
        # A single value, or a range beyond float64: below it, at it and above it.
        scale = 1 / np.maximum(np.abs(dtype(low)), 1)
        return Cells(dtype(low) - dtype(1.5) / scale, scale, np.arange(3))


def _is_uneven(times: Ints, sample: Array) -> bool:
    """Return whether pairs of different scores of a sample share slots too often."""
    even = MOST_UNEVEN * len(sample) ** 2 / len(times)
    n_pairs = int(times @ times) - len(sample)
    return n_pairs > even and n_pairs - (n_equal_pairs(sample) - len(sample)) > even


def _common_scores(sample: Array, n_cells: int) -> Array:
    """Return the scores that are heavier than a few cells, in the order of how common they are."""
    least = int(max(TIMES_COMMON, CELLS_COMMON * len(sample) / n_cells))
    # In the sorted sample, a common score is the same a few positions on.
    if not (sample[least:] == sample[:-least]).any():
        return sample[:0]
    scores, times = np.unique(sample, return_counts=True)
    by_times = np.argsort(times, kind="stable")
    n_common = min(int((times > least).sum()), int(MOST_CELLS_COMMON * n_cells / 3))
    common = by_times[len(by_times) - n_common :]
    return scores[common[:0] if times[common].sum() < LEAST_SHARE_COMMON * len(sample) else common]


def with_common(cells: Cells, scores: Array) -> Cells:
    """Return cells in which common scores have cells of their own."""
    if len(scores) == 0:
        return replace(cells, common=scores)
    common = np.full(len(cells.cell_of), np.nan, scores.dtype)
    common[cells.slots(scores)] = scores  # of a slot's scores, the commonest comes last
    has_common = common == common
    starts = np.append(False, cells.cell_of[1:] != cells.cell_of[:-1]) | has_common
    starts[1:] |= has_common[:-1]
    starts[0] = False
    n_more = starts + 2 * np.append(0, has_common[:-1])
    return replace(cells, cell_of=np.cumsum(n_more), common=common)


def for_kernels(scores: Array) -> Array:
    """Return scores as kernels take them: Numba knows no half precision."""
    return scores.astype(np.float32) if scores.dtype == np.float16 else scores


@inlined
def slot_of(score: Real, low: Real, scale: Real, zero: Real, top: Real) -> Real:
    """Return the slot of a score, with its fraction; ``zero`` and ``top`` are the end slots."""
    slot = (score - low) * scale
    slot = slot if slot > zero else zero
    return slot if slot < top else top


@inlined
def fill_by_bits(bits: Array, nodes: Keys, window: Keys, integers: Keys, slots: Array) -> None:
    """Fill in the integers and the slots of up to ``BLOCK`` scores, as ``Prefixes`` describes."""
    sign = np.uint64(1) << np.uint64(8 * bits.itemsize - 1)
    drop, half, most = np.uint64(bits.itemsize >> 3), np.uint64(32), np.uint64(63)
    low_bits = np.uint64(0xFFFFFFFF)
    first, last, shift = window[0], window[1], window[2]
    for i in range(len(bits)):  # by themselves, these loops run in vectors
        integer = ordered_bits(np.uint64(bits[i]), sign) >> drop
        integer = integer if integer > first else first
        integers[i] = (integer if integer < last else last) - first
    for i in range(len(bits)):
        slots[i] = np.uint32(integers[i] >> shift)
    for _ in range(window[3]):
        for i in range(len(bits)):
            node = nodes[slots[i]]
            slots[i] = np.uint32(((node >> half) + (integers[i] >> (node & most))) & low_bits)


@inlined
def around_common(part: np.int32, n_parts: np.int32, score: Real, common: Real) -> np.int32:
    """Return the part of a score in a slot that may have a common score, else NaN."""
    if score == common:
        return n_parts
    return np.int32(part + n_parts + np.int32(1)) if score > common else part


@kernel("bits", steps=9)
def locate_by_bits(bits: Array, nodes: Keys, window: Keys, located: Array) -> None:
    """Fill in the slot of each score, given the bits of the scores."""
    integers, slots = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint32)
    for start in range(0, len(bits), BLOCK):
        block = located[start : start + BLOCK]
        fill_by_bits(bits[start : start + BLOCK], nodes, window, integers, slots)
        for i in range(len(block)):
            block[i] = np.uint16(slots[i])


@kernel("scores", steps=6)
def locate_parts(
    scores: Array,
    low: Real,
    scale: Real,
    common: Array,
    first_part: Array,
    n_parts: Array,
    located: Array,
) -> None:
    """Fill in the part of its slot that each score lies in, counted from the slot's first part.

    ``common`` is ``Cells.common``.
    """
    zero = scale - scale
    top = zero + np.float32(len(first_part) - 1)
    for i in range(len(scores)):
        slot = slot_of(scores[i], low, scale, zero, top)
        whole = np.uint32(np.int32(slot))
        part = np.int32((slot - np.float32(whole)) * np.float32(n_parts[whole]))
        if len(common) > 0:
            part = around_common(part, n_parts[whole], scores[i], common[whole])
        located[i] = first_part[whole] + part


@kernel("bits", steps=12)
def locate_parts_by_bits(
    scores: Array,
    bits: Array,
    nodes: Keys,
    window: Keys,
    widths: Keys,
    common: Array,
    first_part: Array,
    n_parts: Array,
    located: Array,
) -> None:
    """Fill in the part of its slot that each score lies in, given the bits of the scores.

    The parts of a slot are equal ranges of the ``widths[slot]`` bits by which its scores differ.
    """
    integers, slots = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint32)
    half = np.uint64(32)
    for start in range(0, len(bits), BLOCK):
        block = located[start : start + BLOCK]
        fill_by_bits(bits[start : start + BLOCK], nodes, window, integers, slots)
        for i in range(len(block)):
            slot = slots[i]
            width = widths[slot]
            differ = integers[i] & ((np.uint64(1) << width) - np.uint64(1))
            drop = width - half if width > half else np.uint64(0)  # 32 bits are enough
            part = np.int32((differ >> drop) * np.uint64(n_parts[slot]) >> (width - drop))
            if len(common) > 0:
                part = around_common(part, n_parts[slot], scores[start + i], common[slot])
            block[i] = first_part[slot] + part
