"""Rows in a frame of any engine: they stay there, but for counts and a few candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ordcut.arrays import Array, Bools, Floats, Ints, Numbers
from ordcut.labels import check_classes, codes_of, encode
from ordcut.objectives import EXACT
from ordcut.sources.arrays import ArraySource
from ordcut.sources.asking import Columns, Progress
from ordcut.sources.engine import Engine
from ordcut.sources.expressions import n_at_or_below
from ordcut.sources.missing import Nulls, check_nulls, is_missing, leave_out
from ordcut.sources.nested import NestedCells
from ordcut.sources.zooming import first_cells

#: How many scores are looked at to lay out the first cells, and about how many cells these are.
SAMPLE_SIZE, N_CELLS = 4096, 1 << 13

#: About how many parts the cells that are left are cut into in one pass: as many as this, or fewer
#: if so many rows for each part are enough of them.
N_PARTS, ROWS_PER_PART = 1 << 16, 64

#: Up to so many rows are fetched without more ado, and up to such a share of all rows.
FEW_ROWS, FEW_SHARE = 100_000, 1 / 250

#: So many times cells are cut to reach that; then only if ``max_rows`` asks for it.
MOST_CUTS = 2


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
        classes: Sequence[Any] | Array | None = None,
        n_classes: int | None = None,
        nulls: Nulls = "raise",
        max_rows: int = 2_000_000,
        progress: Progress = False,
    ) -> None:
        check_nulls(nulls)
        if isinstance(max_rows, bool) or not isinstance(max_rows, int) or max_rows < 1:
            raise ValueError(f"max_rows must be a whole number, at least 1, got {max_rows!r}.")
        self._engine = Engine(frame, score, label, weight, progress=progress)
        self._max_rows = max_rows
        root = first_cells(self._engine.look(SAMPLE_SIZE), N_CELLS)
        self._root = self._engine.widen(root)
        self._n_cuts = 0
        counted = self._engine.count_in_root(self._root)
        counted, self.dropped = leave_out(self._engine, counted, nulls)
        self.n_rows = int(counted["rows"].sum())
        self.classes = self._find_classes(counted["label"], classes, n_classes)
        self._is_whole = _is_whole(counted)
        self._counts, self._cells = self._tabulate(counted)
        self._fetched: tuple[Array, Array, Numbers | None] = (
            np.zeros(0, self.precision),
            np.zeros(0, np.int64),
            None,
        )

    @property
    def precision(self) -> np.dtype[Any]:
        """The kind of float in which the scores came."""
        return self._engine.precision

    @property
    def _number_kind(self) -> type[np.int64] | type[np.float64]:
        return np.int64 if self._is_whole else np.float64

    @property
    def passes(self) -> int:
        """How many times the engine has gone through the frame."""
        return self._engine.passes

    def release(self) -> None:
        """Let the engine forget the rows that it was told to keep at hand."""
        self._engine.release()

    def cells(self, n_cells: int) -> NestedCells:
        """Return the first cells, which were laid out and counted when the source was made."""
        del n_cells
        return self._cells

    def count(self, cells: NestedCells, n_threads: int) -> Numbers:
        """Return the weight of each cell and class."""
        del cells, n_threads
        return self._counts

    def finer(
        self, cells: NestedCells, chosen: Bools, counts: Numbers
    ) -> tuple[NestedCells, Numbers] | None:
        """Return cells with some of the chosen ones cut into parts, if too many rows are left."""
        left = chosen & ~cells.is_known
        n_left = int(cells.n_rows[left].sum())
        few = min(self._max_rows, max(FEW_ROWS, int(FEW_SHARE * self.n_rows)))
        is_enough = self._n_cuts >= MOST_CUTS and n_left <= self._max_rows
        left &= cells.can_split
        if n_left <= few or is_enough or not left.any():
            return None
        # One depth at a time: that with the most rows.
        by_depth = np.bincount(cells.depth[left], cells.n_rows[left])
        numbers = np.flatnonzero(left & (cells.depth == by_depth.argmax()))
        self._n_cuts += 1
        if self._ask_for_ends(cells, numbers):
            return cells, counts  # perhaps there is nothing to split any more
        return self._split(cells, counts, numbers)

    def _ask_for_ends(self, cells: NestedCells, numbers: Ints) -> bool:
        """Find out where the first and the last cell end, if they are among those to be split."""
        is_end = np.isin(cells.key[numbers], cells.root.ends) & (cells.depth[numbers] == 0)
        ends = numbers[is_end & np.isnan(cells.low[numbers])]
        if len(ends) == 0:
            return False
        found = self._engine.extremes(cells, ends)
        order = np.searchsorted(cells.key[ends], found["key"])
        cells.low[ends[order]], cells.high[ends[order]] = found["low"], found["high"]
        return True

    def _split(
        self, cells: NestedCells, counts: Numbers, numbers: Ints
    ) -> tuple[NestedCells, Numbers]:
        """Return the cells, and their counts, with those of some numbers cut into parts."""
        n_rows = int(cells.n_rows[numbers].sum())
        cells = cells.zoomed_into(numbers, min(N_PARTS, n_rows // ROWS_PER_PART))
        zoom = cells.zooms[cells.depth[numbers[0]]]
        # To know the extremes pays where few scores have many rows, or cells have been cut before.
        extremes = self._n_cuts > 1 or len(zoom.special) > 0
        found = self._engine.count_in_parts(cells, numbers, zoom, extremes=extremes)
        part_counts, parts = self._tabulate(found)
        if int(parts.n_rows.sum()) != n_rows:
            raise _changed(n_rows, int(parts.n_rows.sum()))
        finer, order = cells.with_parts(numbers, parts)
        kept = np.delete(counts, numbers, axis=0)
        return finer, np.concatenate([kept, part_counts])[order]

    def rows(
        self, cells: NestedCells, chosen: Bools, counts: Numbers, n_threads: int
    ) -> ArraySource:
        """Return the rows of the chosen cells; those of a cell with one score come as one a class.

        Rows that have been fetched before are not fetched again.
        """
        del n_threads
        self._fetch(cells, chosen & ~cells.is_known)
        scores, codes, weights = self._fetched
        # Rows may also be there from other cells, of which these hold only some.
        kept = np.flatnonzero((chosen & cells.is_fetched)[cells.locate(scores)])
        alone = np.flatnonzero(chosen & cells.is_one_score & ~cells.is_fetched)
        cell, code = np.nonzero(counts[alone])
        if len(cell) == 0 and weights is None:
            return ArraySource.of_checked(scores[kept], codes[kept], None, self.classes)
        if weights is None:
            weights = np.ones(len(scores), np.int64)
        return ArraySource.of_checked(
            np.append(scores[kept], cells.low[alone[cell]].astype(self.precision)),
            np.append(codes[kept], code),
            np.append(weights[kept], counts[alone[cell], code]),
            self.classes,
        )

    def all_rows(self) -> ArraySource:
        """Return every row, for what needs them all, if they are not too many."""
        if self.n_rows > self._max_rows:
            raise ValueError(
                f"smoothing must be 0 for more than max_rows ({self._max_rows}) rows, got "
                f"{self.n_rows}. Plain thresholds are as good for so many; or raise max_rows, if "
                "they fit in memory."
            )
        if not self._cells.is_fetched.all():
            found = self._engine.fetch_all()
            if len(found["score"]) != self.n_rows:
                raise _changed(self.n_rows, len(found["score"]))
            self._forget(np.ones(len(self._fetched[0]), np.bool_))
            self._keep(found)
            self._cells.is_fetched[:] = True
        return ArraySource.of_checked(*self._fetched, self.classes)

    def _fetch(self, cells: NestedCells, wanted: Bools) -> None:
        """Add the rows of wanted cells to those in memory."""
        n_rows = int(cells.n_rows[wanted].sum())
        merge = n_rows > self._max_rows
        for depth in np.unique(cells.depth[wanted]).tolist():
            numbers = np.flatnonzero(wanted & (cells.depth == depth))
            found = self._engine.fetch(cells, numbers, merge=merge)
            if len(found["score"]) > self._max_rows:
                raise ValueError(
                    f"max_rows must be at least {len(found['score'])} for these data, "
                    f"got {self._max_rows}: so many rows could hold a threshold."
                )
            expected = int(cells.n_rows[numbers].sum())
            if not merge and len(found["score"]) != expected:
                raise _changed(expected, len(found["score"]))
            if len(self._fetched[0]) > 0:  # some of these rows may be there, from other cells
                self._forget(np.isin(cells.locate(self._fetched[0]), numbers))
            self._keep(found)
            cells.is_fetched[numbers] = True

    def _forget(self, which: Bools) -> None:
        """Drop some of the rows in memory."""
        scores, codes, weights = self._fetched
        left = ~which
        self._fetched = scores[left], codes[left], None if weights is None else weights[left]

    def _keep(self, found: Columns) -> None:
        scores, codes, weights = self._fetched
        new_codes = codes_of(found["label"], self.classes, "labels")
        if "weight" in found:
            new = found["weight"].astype(np.int64 if self._is_whole else np.float64)
            old = np.ones(len(scores), np.int64) if weights is None else weights
            weights = np.append(old, new)
        elif weights is not None:
            weights = np.append(weights, np.ones(len(new_codes), weights.dtype))
        self._fetched = np.append(scores, found["score"]), np.append(codes, new_codes), weights

    def confusion(self, thresholds: Floats) -> Floats:
        """Return the (predicted, true) table of weights; sums of fractions are the engine's."""
        found = self._engine.count_labels(n_at_or_below(thresholds))
        is_in = (found["key"] >= 0) & ~is_missing(found["label"])
        counted = {name: found[name][is_in] for name in found}
        return confusion_of(counted, self.classes, len(thresholds) + 1)

    def _find_classes(
        self, labels: Array, classes: Sequence[Any] | Array | None, n_classes: int | None
    ) -> Array:
        stated = self._engine.stated_order if classes is None else classes
        if stated is None:
            return encode(labels, None, n_classes).classes
        return check_classes(stated)

    def _tabulate(self, found: Columns) -> tuple[Numbers, NestedCells]:
        """Turn rows of key, label and sums into counts, and the cells they are of."""
        keys, number = np.unique(found["key"], return_inverse=True)
        codes = codes_of(found["label"], self.classes, "labels")
        counts = np.zeros((len(keys), len(self.classes)), self._number_kind)
        weights = found["weight"] if "weight" in found else found["rows"]
        np.add.at(counts, (number, codes), weights.astype(self._number_kind))
        n_rows = np.bincount(number, found["rows"]).astype(np.int64)
        low, high = np.full((2, len(keys)), np.nan)
        if "low" in found:
            low[:], high[:] = np.inf, -np.inf
            np.minimum.at(low, number, found["low"])
            np.maximum.at(high, number, found["high"])
        return counts, NestedCells(
            self._root,
            (),
            np.zeros(len(keys), np.int64),
            keys,
            n_rows,
            low,
            high,
            np.zeros(len(keys), np.bool_),
        )


def confusion_of(found: Columns, classes: Array, n_predicted: int) -> Floats:
    """Return the (predicted, true) table of what was counted by predicted class and label."""
    codes = codes_of(found["label"], classes, "labels")
    confusion = np.zeros((n_predicted, len(classes)))
    np.add.at(confusion, (found["key"], codes), found["weight" if "weight" in found else "rows"])
    return confusion


def _is_whole(found: Columns) -> bool:
    """Return whether all weights are whole numbers whose sum is exact."""
    if "weight" not in found:
        return True
    total = found["weight"].sum()
    if not np.isfinite(total):
        raise ValueError("weight must have a finite sum, got inf. Scale the weights down.")
    return bool(total < EXACT and not found["fractions"].any())


def _changed(expected: int, came: int) -> RuntimeError:
    return RuntimeError(
        f"the frame must hold the same rows whenever it is asked, got {came} rows where "
        f"{expected} had been counted. Write it to a file or a table first."
    )
