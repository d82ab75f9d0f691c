"""The questions that are put to an engine, as narwhals expressions: one code for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from ordcut.arrays import Array, Ints
from ordcut.sources import habits
from ordcut.sources.asking import Asking, Columns, Progress
from ordcut.sources.expressions import (
    Expressions,
    as_columns,
    as_narwhals,
    as_number,
    columns_of,
    place_columns,
)
from ordcut.sources.keeping import Kept, Shelf
from ordcut.sources.nested import NestedCells
from ordcut.sources.pairs import LEAST, pair_of, taken_apart
from ordcut.sources.zooming import NOWHERE, WEIGHTLESS, Place, Root, Zoom, descend, enter

#: More classes than this are not predicted.
MOST_PREDICTIONS = 1 << 16

Frame: TypeAlias = Any


_EXTREMES = [nw.col("x").min().alias("low"), nw.col("x").max().alias("high")]


class Engine:
    """A frame with the columns of a problem, wherever it lives.

    Parameters
    ----------
    frame
        Any frame that narwhals knows.
    score, label, weight
        The names of its columns.
    progress
        Whether to write a line to standard error after each pass; or what to call before each, with
        words on what it is about.
    """

    def __init__(
        self,
        frame: Any,
        score: str,
        label: str,
        weight: str | None,
        *,
        progress: Progress = False,
    ) -> None:
        some = as_narwhals(frame)
        self.names = {"score": score, "label": label, "weight": weight}
        schema = columns_of(some, self.names)
        self.score_kind, self.label_kind = schema[score], schema[label]
        self.is_weighted = weight is not None
        self._score = as_number(score, schema, "score").alias("x")
        is_category = isinstance(self.label_kind, nw.Categorical | nw.Enum)
        a_label = nw.col(label).cast(nw.String) if is_category else nw.col(label)
        columns = [self._score, a_label.alias("label")]
        if weight is not None:
            columns.append(as_number(weight, schema, "weight").alias("weight"))
        self._least_label = LEAST.get(type(self.label_kind))
        self._eager = some if isinstance(some, nw.DataFrame) else None
        self._frame: Frame = some.lazy().select(*columns)
        self._shelf = Shelf()
        self._asking = Asking(some.implementation.name.lower(), progress)
        self.all_rows_count = False  # until it is known that no row is to be left out

    @property
    def passes(self) -> int:
        """How many times the engine has gone through the frame."""
        return self._asking.passes

    @property
    def stated_order(self) -> Sequence[str] | None:
        """The order of the classes, where the type of the labels states one."""
        return list(self.label_kind.categories) if isinstance(self.label_kind, nw.Enum) else None

    @property
    def precision(self) -> np.dtype[Any]:
        """The kind of float that the scores are, or become."""
        return np.dtype(np.float32 if self.score_kind == nw.Float32 else np.float64)

    def look(self, n_rows: int) -> Array:
        """Return some scores: of a lazy frame the first ones, else some from everywhere."""
        about = "a look at some scores"
        some = habits.first_rows(self._frame.select("x"), n_rows)
        if self._eager is not None and len(self._eager) > n_rows:
            spread = np.modf(np.arange(n_rows) * 0.6180339887498949)[0]
            numbers = (spread * len(self._eager)).astype(np.int64)
            some = self._eager[numbers.tolist()].lazy().select(self._score)
        found = self._asking.collect(some, about, is_pass=False)["x"]
        if len(found) == 0:  # perhaps in the first part only
            found = self._asking.collect(
                self._frame.select("x").head(n_rows), about, is_pass=False
            )["x"]
        return found

    def widen(self, root: Root) -> Root:
        """Return wider cells, beyond which there is no score, if that saves time.

        DuckDB knows from the statistics of files whether there is one.
        """
        wide = root.widened()
        if wide is None or self.is_weighted or not habits.is_slow_at_conditions(self._frame):
            return root
        window = wide.windows[0]
        beyond = (nw.col("x") < window.low) | (nw.col("x") > window.high)
        frame = self._frame.filter(beyond).select("x").head(1)
        found = self._asking.collect(frame, "a score that lies far out", is_pass=False)
        return root if len(found["x"]) else wide

    def drop_rows_without_label(self) -> None:
        """Leave out the rows whose label is missing, from now on."""
        self._frame = self._frame.filter(~self._is_missing("label"))

    def count_in_root(self, root: Root) -> Columns:
        """Return the number of rows and their weight for each of the root's cells and label."""
        about = "the rows of each cell and label"
        key = self._place(root).key
        return self._count(self._frame, key, self._sums, about, int(root.ends[1]) + 1)

    def keep(self, cells: NestedCells, chosen: Ints) -> None:
        """Have the engine hold the rows of chosen cells of one depth, if it can and should."""
        n_rows = int(cells.n_rows[chosen].sum())
        if not self._shelf.has_room_for(n_rows) or self._shelf.holding(cells, chosen):
            return
        frame, _ = self._in_cells(cells, chosen)
        depth = int(cells.depth[chosen[0]])
        if depth > 0:  # there are columns with the place of the rows
            frame = frame.select(*self._frame.collect_schema().names())
        way = habits.way_to_hold(frame)
        if way is not None:
            frame = self._asking.ask(way, f"the rows of {len(chosen)} cells, to keep them at hand")
            self._shelf.put(Kept(frame, n_rows, depth, cells.key[chosen]))

    def release(self) -> None:
        """Let the engine forget what it was told to keep."""
        self._shelf.clear()

    def count_in_parts(
        self, cells: NestedCells, chosen: Ints, zoom: Zoom, *, extremes: bool
    ) -> Columns:
        """Return the same for parts of chosen cells of one depth, if asked with extreme scores."""
        self.keep(cells, chosen)
        frame, place = self._zoomed(*self._in_cells(cells, chosen), zoom)
        sums = [*self._sums, *(_EXTREMES if extremes else [])]
        about = f"the rows of each part of {len(chosen)} cells and label"
        most_keys = (int(cells.key[chosen].max()) + 1) * zoom.n_keys
        is_pass = self._shelf.holding(cells, chosen) is None
        return self._count(frame, place.key, sums, about, most_keys, is_pass=is_pass)

    def extremes(self, cells: NestedCells, chosen: Ints) -> Columns:
        """Return the lowest and the highest score of chosen cells of one depth."""
        frame, place = self._in_cells(cells, chosen)
        frame = frame.with_columns(place.key.alias("key")).group_by("key").agg(*_EXTREMES)
        is_pass = self._shelf.holding(cells, chosen) is None
        return self._asking.collect(frame, f"the extremes of {len(chosen)} cells", is_pass=is_pass)

    def fetch(self, cells: NestedCells, chosen: Ints, *, merge: bool) -> Columns:
        """Return the rows of chosen cells of one depth; with ``merge``, equal ones as one."""
        frame, _ = self._in_cells(cells, chosen)
        if merge:
            weight = nw.col("weight").sum() if self.is_weighted else nw.len().alias("weight")
            frame = frame.group_by("x", "label").agg(weight)
        is_pass = self._shelf.holding(cells, chosen) is None
        return self._take(frame, f"the rows of {len(chosen)} cells", is_pass=is_pass)

    def fetch_all(self) -> Columns:
        """Return every row that counts."""
        frame = self._frame if self.all_rows_count else self._frame.filter(self._is_valid)
        return self._take(frame, "all rows")

    def _take(self, frame: Frame, about: str, *, is_pass: bool = True) -> Columns:
        """Return the score, the label and the weight of rows."""
        found = self._asking.collect(frame, about, is_pass=is_pass)
        names = [name for name in ("label", "weight") if name in found]
        return {"score": found["x"].astype(self.precision)} | {name: found[name] for name in names}

    def count_labels(self, predicted: Any) -> Columns:
        """Return the rows and the weight by an expression over the score ``x``, and by label."""
        key = nw.when(self._is_valid).then(predicted).otherwise(self._no_cell)
        about = "the rows of each prediction and label"
        return self._count(self._frame, key, self._sums, about, MOST_PREDICTIONS)

    def _count(
        self,
        frame: Frame,
        key: Any,
        sums: list[Any],
        about: str,
        most_keys: int,
        *,
        is_pass: bool = True,
    ) -> Columns:
        """Return sums by key and label."""
        if self._least_label is None:
            frame = frame.with_columns(key.alias("key"), *self._fractions)
            groups = frame.group_by("key", "label")
            return self._asking.collect(groups.agg(*sums), about, is_pass=is_pass)
        pair = pair_of(frame, key, most_keys).alias("pair")
        groups = frame.with_columns(pair, *self._fractions).group_by("pair")
        found = self._asking.collect(groups.agg(*sums), about, is_pass=is_pass)
        return taken_apart(found, self._least_label)

    def troubles(self) -> dict[str, int]:
        """Return how many rows have something missing, or a number that cannot be used."""
        names = ["x", "label", "weight"] if self.is_weighted else ["x", "label"]
        is_missing = {name: self._is_missing(name) for name in names}
        told = dict(is_missing)
        told["any"] = nw.any_horizontal(*is_missing.values(), ignore_nulls=True)
        told["infinite"] = ~is_missing["x"] & ~nw.col("x").is_finite()
        if self.is_weighted:
            weight = nw.col("weight")
            told["bad weight"] = ~is_missing["weight"] & (~weight.is_finite() | (weight < 0))
        frame = self._frame.select(
            *(is_it.cast(nw.Int64).sum().alias(name) for name, is_it in told.items())
        )
        found = self._asking.collect(frame, "what is missing")
        return {name: int(counts[0] or 0) for name, counts in found.items()}

    def _is_missing(self, name: str) -> Any:
        is_null = nw.col(name).is_null()
        is_float = name != "label" or self.label_kind.is_float()
        return is_null | nw.col(name).is_nan() if is_float else is_null

    @property
    def _is_valid(self) -> Any:
        is_valid = nw.col("x").is_finite()
        if self.is_weighted:
            is_valid = is_valid & nw.col("weight").is_finite() & (nw.col("weight") > 0)
        return is_valid

    @property
    def _no_cell(self) -> Any:
        """The key of a row that is in no cell."""
        if not self.is_weighted:
            return NOWHERE
        weighs_nothing = nw.col("x").is_finite() & (nw.col("weight") == 0)
        return nw.when(weighs_nothing).then(WEIGHTLESS).otherwise(NOWHERE)

    @property
    def _fractions(self) -> list[Any]:
        if not self.is_weighted:
            return []
        weight = nw.col("weight")
        return [(weight != weight.floor()).cast(nw.Int64).alias("fractions")]

    @property
    def _sums(self) -> list[Any]:
        weighted = [nw.col("weight").sum(), nw.col("fractions").sum()] if self.is_weighted else []
        return [nw.len().alias("rows"), *weighted]

    def _place(self, root: Root, *, with_ends: bool = True) -> Place:
        """Return the place of rows among the cells of the root.

        Without ends, which spares time, the keys of rows that lie in no window are none of a cell.
        """
        x, numbers = nw.col("x"), Expressions()
        place = enter(root, x, numbers)
        if root.is_whole or (self.all_rows_count and not with_ends):
            return place
        is_inside, is_valid = root.is_inside(x), self._is_valid
        if self.is_weighted:
            is_inside = is_inside & is_valid
        # Most rows are inside: the others are judged by themselves.
        end = nw.when(is_valid).then(root.end_of(x, numbers)).otherwise(self._no_cell)
        return replace(place, key=nw.when(is_inside).then(place.key).otherwise(end))

    def _in_cells(self, cells: NestedCells, chosen: Ints) -> tuple[Frame, Place]:
        """Return the rows of cells of one depth, and their place."""
        depth = int(cells.depth[chosen[0]])
        has_ends = bool(np.isin(cells.ancestors(chosen, 0), cells.root.ends).any())
        kept = self._shelf.holding(cells, chosen)
        frame = self._frame if kept is None else kept.frame
        place = self._place(cells.root, with_ends=has_ends)
        for d in range(depth + 1):
            keys = cells.ancestors(chosen, d)
            if kept is None or not kept.needs_no_filter(d, depth, keys):
                frame = frame.filter(habits.is_one_of(frame, place.key, keys))
            if d < depth:
                frame, place = self._zoomed(frame, place, cells.zooms[d])
        return frame, place

    def _zoomed(self, frame: Frame, place: Place, zoom: Zoom) -> tuple[Frame, Place]:
        """Return the rows with their place before a zoom as columns, and their place after it."""
        frame = frame.with_columns(*place_columns(place))
        return frame, descend(zoom, as_columns(place), nw.col("x"), Expressions())
