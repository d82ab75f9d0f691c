"""Rows in a frame of any engine, which stay there except for counts and a few candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import narwhals as nw
import numpy as np

from ordcut._core.data import (
    Rows,
    ScoreDistribution,
    WeightType,
    check_classes,
    check_plausible_classes,
    codes_of,
    encode,
    is_missing,
    levels_for,
    type_of_weights,
)
from ordcut._core.errors import TooManyRowsError
from ordcut._core.limits import Limits
from ordcut._core.numerics.limbs import AS_GIVEN
from ordcut._core.numerics.threads import cached_property
from ordcut._core.pruning import LumpedRows, Parts, Verdict, count_located, lumps_of
from ordcut._core.typing import Array, Bools, Floats, Ints, Numbers
from ordcut.frames.columns import Columns, n_at_or_below
from ordcut.frames.engine import Engine, Progress
from ordcut.frames.grid import NestedCells, first_cells, spread_cells
from ordcut.frames.validation import (
    Nulls,
    changed,
    check_between,
    check_sample,
    check_sums,
    warn_if_reversed,
)
from ordcut.frames.weights import Summands, weighted_count

#: About the number of cells at first.
N_CELLS = 1 << 13

#: About the number of parts that the remaining cells are split into in a pass; fewer if a part
#: would have less than ``ROWS_PER_PART`` rows.
N_PARTS, ROWS_PER_PART = 1 << 16, 64

#: Rows are fetched if they are at most this many, or at most this share of all rows.
FEW_ROWS, FEW_SHARE = 500_000, 1 / 250

#: Cells are split at most this many times to reach that; then only if ``max_rows`` requires it.
MOST_SPLITS = 2

#: The maximum number of values between which an engine counts rows, by a comparison for each.
MOST_VALUES = 500


class FrameSource:
    """Rows of a frame, counted and fetched by its engine.

    Rows are validated in the pass that counts them first.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"s": [0.5, 0.1], "y": ["high", "low"]})
    >>> source = FrameSource(frame, score="s", label="y", classes=["low", "high"])
    >>> source.n_rows, source.passes
    (2, 1)
    """

    def __init__(
        self,
        frame: Any,
        *,
        score: str,
        label: str,
        weight: str | None = None,
        weight_type: WeightType | None = None,
        classes: Sequence[Any] | Array | None = None,
        n_classes: int | None = None,
        nulls: Nulls = "raise",
        max_rows: int = 2_000_000,
        progress: Progress = False,
    ) -> None:
        if isinstance(max_rows, bool) or not isinstance(max_rows, int) or max_rows < 1:
            raise ValueError(f"max_rows must be a whole number, at least 1, got {max_rows!r}.")
        self.engine = Engine(frame, score, label, weight, nulls=nulls, progress=progress)
        self.max_rows = max_rows
        self.dtype = self.engine.dtype
        sample = self.engine.sample()
        self._sample = np.sort(sample["x"][np.isfinite(sample["x"])]).astype(np.float64)
        if classes is None and n_classes is None:
            check_sample(sample)
        self.engine.check_distinct()
        root = self.engine.widen(first_cells(sample["x"], N_CELLS))
        self._summands = Summands()
        if weight is None:
            counted, self.dropped = self.engine.count_first(root)
        else:
            counted, self.dropped, self._summands = weighted_count(self.engine, root, sample)
        self.n_rows = int(counted["rows"].sum())
        self.classes = self._find_classes(counted["label"], classes, n_classes, sample["x"])
        self.limbs, self.is_exact = self._summands.limbs, self._summands.is_exact
        self.unit = Fraction(1, self._summands.scale)
        stated = weight_type
        if weight is not None or weight_type is not None:
            is_whole = self.unit == 1 and self.is_exact and self.limbs.n_limbs == 0
            stated = type_of_weights(weight_type, is_whole)
        self.counts_rows = stated != "importance" or weight is None
        no_rows = np.zeros(0, self.dtype), self.classes, np.zeros(0, np.int64)
        # All rows that are in memory.
        unit = float(self.unit)
        self._fetched = Rows(*no_rows, unit=unit, weight_type=stated, limbs=self.limbs)
        self._located: tuple[NestedCells, Ints] | None = None
        codes = codes_of(counted["label"], self.classes, "labels", in_order=False)
        columns, sums = self.tabulate(counted, codes)
        no_zoom = NestedCells(root, (), np.zeros(len(sums), np.int64), **columns)
        self._counted = CountedFrame(self, no_zoom, sums, np.zeros(len(sums), np.bool_))
        warn_if_reversed(self._counted.counts, self.n_rows)

    @property
    def passes(self) -> int:
        """The number of passes over the frame."""
        return self.engine.passes

    def release(self) -> None:
        """Let the engine free the rows that it keeps."""
        self.engine.release()

    def count(self) -> CountedFrame:
        """Return the first cells, which were laid out and counted when the source was created."""
        return self._counted

    def all_rows(self) -> Rows:
        """Return every row, in memory."""
        counted = self._counted
        if not counted.is_fetched.all():
            every = np.ones(len(counted.counts), np.bool_)
            if self.n_rows > self.max_rows:
                return counted.fetch(every)
            self._keep(self.engine.fetch_all(), counted, every)
            counted.is_fetched[:] = True
        return self._as_given

    def known_rows(self) -> Rows | None:
        """Return every row if all have been fetched, or if the frame is in memory; else None."""
        if self._counted.is_fetched.all():
            return self._as_given
        if not self.engine.is_in_memory or self.n_rows > self.max_rows:
            return None
        try:
            return self.all_rows()
        except ValueError:  # they have changed since they were counted
            return None

    @property
    def _as_given(self) -> Rows:
        """The rows in memory without limbs, which new weights would not fit."""
        return replace(self._fetched, limbs=AS_GIVEN) if self.limbs.n_limbs else self._fetched

    def distribution(self) -> ScoreDistribution:
        """Return about how the scores are distributed, from the first cells and a sample.

        Quantiles lie between scores of the sample in neighbouring cells, whose weights are known.
        The lowest and the highest score come from the sample.
        """
        cell = self._counted.at_or_after(self._sample)
        below = np.cumsum(self._counted.counts.sum(axis=1), dtype=np.float64)
        shares = (below / below[-1])[cell.clip(0, len(below) - 1)]
        last = np.flatnonzero(cell[1:] != cell[:-1])  # of each cell with sampled scores
        between = self._sample[last] / 2 + self._sample[last + 1] / 2
        levels = levels_for(len(self._sample))[1:-1]
        nearest = [int(np.abs(shares[last] - level).argmin()) for level in levels if len(last)]
        scores, taken = np.unique(between[nearest], return_index=True)
        inner = shares[last][nearest][taken]
        low, high = self._sample[0], self._sample[-1]
        if low == high:
            return ScoreDistribution((float(low),), (1.0,))
        return ScoreDistribution(
            (float(low), *scores.tolist(), float(high)),
            (min(float(shares[0]), *inner.tolist()), *inner.tolist(), 1.0),
        )

    def confusion(self, thresholds: Floats) -> Floats:
        """Return the weight of each class between thresholds, in multiples of the unit."""
        sums = self._count_between(thresholds)[1]
        return np.asarray(self.limbs.rounded(sums).astype(np.float64))

    def between_values(self, limits: Limits) -> LumpedRows | None:
        """Return the rows lumped together between the values that limits allow, if any do."""
        if not self.is_exact:
            return None
        values = limits.listed_values(self.engine.extent, MOST_VALUES)
        if values is None:
            return None
        counted, sums = self._count_between(values, extremes=True)
        cells = counted["key"].astype(np.int64)
        lowest, highest = np.full(len(values) + 1, np.inf), np.full(len(values) + 1, -np.inf)
        np.minimum.at(lowest, cells, counted["low"])
        np.maximum.at(highest, cells, counted["high"])
        ends = lowest.astype(self.dtype), highest.astype(self.dtype)
        return lumps_of(self, limits.grid, sums, *ends, self.limbs)

    def _count_between(self, values: Floats, *, extremes: bool = False) -> tuple[Columns, Numbers]:
        """Count valid rows by label and by the number of values <= the score.

        Return columns, and the weight of each class between values, or its sums of limbs.
        """
        key = n_at_or_below(nw.col("x"), values.tolist())
        counted = self.engine.count_labels(key, extremes=extremes)
        is_in = (counted["key"] >= 0) & ~is_missing(counted["label"])
        counted = {name: column[is_in] for name, column in counted.items()}
        codes = self.codes_again(counted["label"])
        sums = self._add_up(counted, len(values) + 1, counted["key"], codes)
        first = self._counted
        table = self.limbs.rounded(sums)
        check_between(first.counts, first.at_or_after(values), table, self.n_rows)
        return counted, sums

    def _add_up(self, counted: Columns, n_cells: int, cell: Ints, codes: Array) -> Numbers:
        """Return the weight of each cell and class, or its sums of limbs."""
        weights = self._as_weights(self._summands.of(counted))
        sums = np.zeros((n_cells, len(self.classes), *weights.shape[1:]), weights.dtype)
        np.add.at(sums, (cell, codes), weights)
        return sums

    def codes_again(self, labels: Array) -> Array:
        """Return the codes of labels; an error if any was not among those counted first."""
        try:
            return codes_of(labels, self.classes, "labels", in_order=False)
        except (ValueError, TypeError) as error:
            raise changed("it returned labels that it had not returned before") from error

    def tabulate(self, counted: Columns, codes: Array) -> tuple[dict[str, Array], Numbers]:
        """Turn rows of key, code and sums into columns of cells, and sums of cell and class."""
        keys, index = np.unique(counted["key"], return_inverse=True)
        sums = self._add_up(counted, len(keys), index, codes)
        n_rows = np.bincount(index, counted["rows"]).astype(np.int64)
        low, high = np.full((2, len(keys)), np.nan)
        if "low" in counted:
            low[:], high[:] = np.inf, -np.inf
            np.minimum.at(low, index, counted["low"])
            np.maximum.at(high, index, counted["high"])
        return {"key": keys, "n_rows": n_rows, "low": low, "high": high}, sums

    def fetched(self, counted: CountedFrame, wanted: Bools) -> tuple[Rows, Ints]:
        """Return all rows in memory and their cells, after rows of wanted cells were added."""
        cells = counted.cells
        n_wanted = int(cells.n_rows[wanted].sum())
        merge = n_wanted > self.max_rows
        for depth in np.unique(cells.depth[wanted]).tolist():
            is_here = wanted & (cells.depth == depth)
            indices = np.flatnonzero(is_here)
            most = None
            if merge:
                # A part of the cells often shows that there are too many rows.
                few = spread_cells(cells.n_rows[indices], max(2 * self.max_rows, FEW_ROWS))
                if len(few):
                    self._refuse(self.engine.count_distinct(cells, indices[few]), n_wanted)
                most = self.max_rows + 1
            rows = self.engine.fetch(cells, indices, most)
            self._refuse(len(rows["score"]), n_wanted)
            self._keep(rows, counted, is_here)
        return self._fetched, self._located_in(cells)

    def _located_in(self, cells: NestedCells) -> Ints:
        """Return the cells of the rows in memory."""
        if self._located is None or self._located[0] is not cells:
            self._located = cells, cells.locate(self._fetched.scores)
        return self._located[1]

    def _refuse(self, n_rows: int, n_wanted: int) -> None:
        """Raise an error for more rows of wanted cells than may be fetched at once.

        The number in the message is enough: it counts all rows of these cells, without adding up
        equal rows.
        """
        if n_rows > self.max_rows:
            reason = (
                f"all {self.n_rows} rows are needed in memory"
                if n_wanted == self.n_rows
                else "this many rows can be next to a threshold, and constraints may need all "
                f"{self.n_rows}"
            )
            raise TooManyRowsError(
                f"max_rows must be at least {n_wanted} for these data, got {self.max_rows}: "
                f"{reason}."
            )

    def _keep(self, columns: Columns, counted: CountedFrame, wanted: Bools) -> None:
        """Add the rows of wanted cells to those in memory, after comparing them with the counts.

        They replace rows of these cells that are in memory already.
        """
        codes = self.codes_again(columns["label"])
        scores, weights = columns["score"], None
        if "weight" in columns:
            weights = columns["weight"]
            weights = weights if self.limbs.n_limbs else self._as_weights(weights)
        elif self.limbs.n_limbs:  # of equal rows
            parts = self.limbs.as_weights(self._as_weights(self._summands.of(columns)))
            row, part = np.nonzero(parts)
            scores, codes, weights = scores[row], codes[row], parts[row, part]
        rows = replace(self._fetched, scores=scores, codes=codes, weights=weights)
        rows = rows.by_score()  # which are located sooner
        located = counted.cells.locate(rows.scores)
        sums = count_located(rows, located, len(wanted))
        expected = np.where(wanted, counted.sums.T, 0).T
        if self.limbs.n_limbs:  # equal sums of other rows may have other limbs
            sums, expected = self.limbs.carried(sums), self.limbs.carried(expected)
        check_sums(expected, sums, counted.cells.n_rows)
        before = self._located_in(counted.cells)
        stay = ~wanted[before]
        self._fetched = Rows.joined([self._fetched.take(stay), rows])
        self._located = counted.cells, np.append(before[stay], located)

    def _as_weights(self, values: Array) -> Numbers:
        """Return weights, or sums of weights or limbs, as whole numbers where these are exact."""
        with np.errstate(invalid="ignore"):
            weights = values.astype(np.int64 if self.is_exact else np.float64)
        if (weights != values).any():
            raise changed("it returned fractional weights, which it had not returned before")
        return weights

    def _find_classes(
        self,
        labels: Array,
        classes: Sequence[Any] | Array | None,
        n_classes: int | None,
        sample: Array,
    ) -> Array:
        stated = self.engine.stated_order if classes is None else classes
        if stated is not None:
            return check_classes(stated)
        intervals = self.engine.intervals
        if intervals:
            occur = set(labels.tolist())
            return check_classes(sorted(intervals[text] for text in intervals if text in occur))
        occurring = encode(labels, None, n_classes).classes
        if n_classes is None:
            check_plausible_classes(occurring, sample[np.isfinite(sample)], self.n_rows)
        return occurring


class CountedFrame:
    """Rows of a frame, counted by nested cells.

    Attributes
    ----------
    cells : NestedCells
        The cells that hold rows.
    sums : ndarray of shape (n_cells, K) or (n_cells, K, n_limbs)
        The weight of each cell and class, or its sums of limbs.
    is_fetched : ndarray of shape (n_cells,)
        Which cells have their rows in memory.
    n_splits : int
        How many times cells have been split.
    """

    def __init__(
        self,
        source: FrameSource,
        cells: NestedCells,
        sums: Numbers,
        is_fetched: Bools,
        n_splits: int = 0,
    ) -> None:
        self._source = source
        #: How weights are added up.
        self.limbs = source.limbs
        self.cells = cells
        self.sums = sums
        self.is_fetched = is_fetched
        self.n_splits = n_splits
        # The rows that were fetched last, and their cells.
        self._located: tuple[Rows, Ints] | None = None

    is_lazy: ClassVar[bool] = False

    @cached_property
    def counts(self) -> Numbers:
        """The weight of each cell and class."""
        return self.limbs.rounded(self.sums)

    @property
    def is_single(self) -> Bools:
        """Which cells are known to have a single score."""
        return self.cells.is_one_score

    def at_or_after(self, scores: Array) -> Ints:
        """Return the cell of each score, or the next cell if it has none; before any split."""
        return self.cells.at_or_after(scores)

    def narrowed(self, judge: Callable[[Numbers, Bools], Verdict]) -> tuple[CountedFrame, Bools]:
        """Return cells that are split until few rows are left that can be next to a threshold."""
        counted, verdict = self, judge(self.counts, self.is_single)
        while counted._should_be_split(verdict.can_hold):
            counted = counted._with_splits(verdict)
            verdict = judge(counted.counts, counted.is_single)
        return counted, verdict.can_hold

    def completed(self, chosen: Bools) -> Bools:
        """Return the chosen cells: each can be fetched alone."""
        return chosen

    @property
    def _is_known(self) -> Bools:
        """Which cells have no rows that would still have to be fetched."""
        return self.is_fetched | self.cells.is_one_score

    def _should_be_split(self, chosen: Bools) -> bool:
        source, left = self._source, chosen & ~self._is_known
        n_left = int(self.cells.n_rows[left].sum())
        few = min(source.max_rows, max(FEW_ROWS, int(FEW_SHARE * source.n_rows)))
        is_enough = self.n_splits >= MOST_SPLITS and n_left <= source.max_rows
        return n_left > few and not is_enough and bool((chosen & self._can_split).any())

    @property
    def _can_split(self) -> Bools:
        """Which cells have rows that are not known, and can be split."""
        return np.asarray(~self._is_known & self.cells.can_split)

    def _with_splits(self, verdict: Verdict) -> CountedFrame:
        """Return the cells after a split of one depth, at which the heaviest to resolve lies."""
        cells, left = self.cells, verdict.first & self._can_split
        if not left.any():
            left = verdict.can_hold & self._can_split
        depth = cells.depth[np.where(left, cells.n_rows, -1).argmax()]
        if depth < len(cells.zooms):
            # Others of this depth were split before. The best thresholds have moved into cells that
            # were not; they would move on into their neighbours, so all of them are split at once.
            left = verdict.can_hold & self._can_split
        indices = np.flatnonzero(left & (cells.depth == depth))
        is_end = np.isin(cells.key[indices], cells.root.ends) & (cells.depth[indices] == 0)
        ends = indices[is_end & np.isnan(cells.low[indices])]
        if len(ends):  # it is not known where they end, and perhaps there is nothing to split
            return self._with_extremes(ends)
        return self._with_parts(indices)

    def _with_extremes(self, ends: Ints) -> CountedFrame:
        """Return the cells with the extreme scores of those below and above all windows."""
        cells = self.cells
        columns = self._counted_again(self._source.engine.extremes(cells, ends), ends, 1)[0]
        low, high = cells.low.copy(), cells.high.copy()
        low[ends], high[ends] = columns["low"], columns["high"]
        cells = replace(cells, low=low, high=high)
        return CountedFrame(self._source, cells, self.sums, self.is_fetched, self.n_splits + 1)

    def _with_parts(self, indices: Ints) -> CountedFrame:
        """Return the cells with those at the given indices split into parts."""
        n_splits = self.n_splits + 1
        n_rows = int(self.cells.n_rows[indices].sum())
        cells = self.cells.zoomed_into(indices, min(N_PARTS, n_rows // ROWS_PER_PART))
        zoom = cells.zooms[cells.depth[indices[0]]]
        # To know the extremes pays where few scores have many rows, or cells were split before.
        extremes = n_splits > 1 or len(zoom.special) > 0 or len(cells.root.spread.arms) > 0
        counted = self._source.engine.count_in_parts(cells, indices, zoom, extremes=extremes)
        columns, part_sums = self._counted_again(counted, indices, zoom.n_keys)
        depth = np.zeros(len(part_sums), np.int64)
        finer, order = cells.with_parts(indices, NestedCells(cells.root, (), depth, **columns))
        sums = np.concatenate([np.delete(self.sums, indices, axis=0), part_sums])[order]
        not_fetched = np.zeros(len(part_sums), np.bool_)
        is_fetched = np.append(np.delete(self.is_fetched, indices), not_fetched)[order]
        return CountedFrame(self._source, finer, sums, is_fetched, n_splits)

    def _counted_again(
        self, counted: Columns, indices: Ints, n_keys: int
    ) -> tuple[dict[str, Array], Numbers]:
        """Return columns and sums of parts of cells, after comparing them with the cells.

        ``n_keys`` is the number of keys of parts for each key of a cell.
        """
        columns, sums = self._source.tabulate(counted, self._source.codes_again(counted["label"]))
        keys = self.cells.key[indices]
        again = np.zeros((len(keys) + 1, *sums.shape[1:]), sums.dtype)
        parent = np.searchsorted(keys, columns["key"] // n_keys)
        np.add.at(again, parent, sums)
        check_sums(self.sums[indices], again[:-1], self.cells.n_rows[indices])
        return columns, sums

    def fetch(self, chosen: Bools) -> Rows:
        """Return the rows of the chosen cells, a row per class for a cell with a single score.

        Rows that have been fetched before are not fetched again.
        """
        cells, wanted = self.cells, chosen & ~self._is_known
        rows, located = self._source.fetched(self, wanted)
        self.is_fetched = self.is_fetched | wanted
        # Rows of the chosen cells may have been fetched with larger cells.
        is_chosen = (chosen & self.is_fetched)[located]
        if not is_chosen.all():
            rows, located = rows.take(is_chosen), located[is_chosen]
        alone = np.flatnonzero(chosen & cells.is_one_score & ~self.is_fetched)
        parts = self.limbs.as_weights(self.sums[alone])
        cell, code, term = np.nonzero(parts)
        if len(cell):
            scores = cells.low[alone[cell]].astype(rows.dtype)
            weights = parts[cell, code, term]
            rows = Rows.joined([rows, Rows(scores, rows.classes, code, weights=weights)])
            located = np.append(located, alone[cell])
        self._located = rows, located
        return rows

    def split(self, chosen: Bools, rows: Rows, *, is_last: bool = True) -> Parts:
        """Return the rows located in the chosen cells as they are: the engine has split enough."""
        del is_last  # unused: all cells that can hold a threshold were chosen
        is_first = chosen | np.append(True, chosen[:-1])  # others go on with a run
        index: Ints = np.cumsum(is_first) - 1

        def locate(scores: Array) -> Array:
            located: Ints = index[self.cells.locate(scores)]
            return located

        is_single = (chosen & self.cells.is_one_score)[is_first]
        if self._located is not None and self._located[0] is rows:
            return Parts(index[self._located[1]], ~chosen[is_first], is_single, locate)
        return Parts(locate(rows.scores), ~chosen[is_first], is_single, locate)
