"""The questions that are put to an engine, as narwhals expressions: one code for all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from ordcut.arrays import Array, Ints
from ordcut.sources.expressions import (
    Expressions,
    as_array,
    as_narwhals,
    as_number,
    columns_of,
    place_columns,
)
from ordcut.sources.nested import LARGEST_KEY, NestedCells
from ordcut.sources.zooming import NOWHERE, Place, Root, Zoom, descend, enter

#: How many values a label of 8 bits can have.
N_SMALL = 256

#: More classes than this are not predicted.
MOST_PREDICTIONS = 1 << 16

Columns: TypeAlias = dict[str, Array]
Progress: TypeAlias = bool | Callable[[str], None]
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
        least = {nw.Int8: -N_SMALL // 2, nw.UInt8: 0}
        self._least_label = least.get(type(self.label_kind))
        self._eager = some if isinstance(some, nw.DataFrame) else None
        self._frame: Frame = some.lazy().select(*columns)
        self._progress = progress
        self.all_rows_count = False  # until it is known that no row is to be left out
        self.passes = 0

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
        some = self._frame.select("x").head(n_rows)
        if self._eager is not None and len(self._eager) > n_rows:
            spread = np.modf(np.arange(n_rows) * 0.6180339887498949)[0]
            numbers = (spread * len(self._eager)).astype(np.int64)
            some = self._eager[numbers.tolist()].lazy().select(self._score)
        return self._collect(some, "a look at some scores", is_pass=False)["x"]

    def drop_rows_without_label(self) -> None:
        """Leave out the rows whose label is missing, from now on."""
        self._frame = self._frame.filter(~self._is_missing("label"))

    def count_in_root(self, root: Root) -> Columns:
        """Return the number of rows and their weight for each of the root's cells and label."""
        about = "the rows of each cell and label"
        return self._count(self._in_root(root), self._sums, about, int(root.ends[1]) + 1)

    def count_in_parts(
        self, cells: NestedCells, chosen: Ints, zoom: Zoom, *, extremes: bool
    ) -> Columns:
        """Return the same for parts of chosen cells of one depth, if asked with extreme scores."""
        frame = self._zoomed(self._in_cells(cells, chosen, to_zoom=True), zoom)
        sums = [*self._sums, *(_EXTREMES if extremes else [])]
        about = f"the rows of each part of {len(chosen)} cells and label"
        most_keys = (int(cells.key[chosen].max()) + 1) * zoom.n_keys
        return self._count(frame, sums, about, most_keys)

    def extremes(self, cells: NestedCells, chosen: Ints) -> Columns:
        """Return the lowest and the highest score of chosen cells of one depth."""
        frame = self._in_cells(cells, chosen).group_by("key").agg(*_EXTREMES)
        return self._collect(frame, f"the extremes of {len(chosen)} cells")

    def fetch(self, cells: NestedCells, chosen: Ints, *, merge: bool) -> Columns:
        """Return the rows of chosen cells of one depth; with ``merge``, equal ones as one."""
        score = nw.col("x").cast(nw.Float32 if self.precision == np.float32 else nw.Float64)
        names = ["label", "weight"] if self.is_weighted else ["label"]
        frame = self._in_cells(cells, chosen).select(score.alias("score"), *names)
        if merge:
            weight = nw.col("weight").sum() if self.is_weighted else nw.len().alias("weight")
            frame = frame.group_by("score", "label").agg(weight)
        return self._collect(frame, f"the rows of {len(chosen)} cells")

    def count_labels(self, predicted: Any) -> Columns:
        """Return the rows and the weight by an expression over the score ``x``, and by label."""
        key = nw.when(self._is_valid).then(predicted).otherwise(nw.lit(NOWHERE))
        frame = self._frame.with_columns(key.alias("key"), *self._fractions)
        about = "the rows of each prediction and label"
        return self._count(frame, self._sums, about, MOST_PREDICTIONS)

    def _count(self, frame: Frame, sums: list[Any], about: str, most_keys: int) -> Columns:
        """Return sums by key and label; small labels go into one number with the key.

        One group key is quicker than two, in pandas and Dask by far. DuckDB is quickest if it need
        not cast the key, a whole number in float64, which stays exact as long as it is small.
        """
        if self._least_label is None:
            return self._collect(frame.group_by("key", "label").agg(*sums), about)
        is_small = most_keys * N_SMALL < LARGEST_KEY
        as_float = is_small and (frame.implementation.is_duckdb() or frame.implementation.is_ibis())
        kind = nw.Float64 if as_float else nw.Int64
        cell = nw.col("key") if as_float else nw.col("key").cast(kind)
        pair = (cell * N_SMALL + (nw.col("label").cast(kind) - self._least_label)).alias("pair")
        columns = self._collect(frame.with_columns(pair).group_by("pair").agg(*sums), about)
        pairs = columns.pop("pair")
        is_null = pairs != pairs if pairs.dtype.kind == "f" else np.zeros(len(pairs), np.bool_)
        key, place = np.divmod(np.where(is_null, 0, pairs).astype(np.int64), N_SMALL)
        labels = place + self._least_label
        columns["label"] = np.where(is_null, np.nan, labels) if is_null.any() else labels
        return {"key": key, **columns}

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
        found = self._collect(frame, "what is missing")
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
    def _fractions(self) -> list[Any]:
        if not self.is_weighted:
            return []
        weight = nw.col("weight")
        return [(weight != weight.floor()).cast(nw.Int64).alias("fractions")]

    @property
    def _sums(self) -> list[Any]:
        weighted = [nw.col("weight").sum(), nw.col("fractions").sum()] if self.is_weighted else []
        return [nw.len().alias("rows"), *weighted]

    def _in_root(self, root: Root, *, with_ends: bool = True, to_zoom: bool = False) -> Frame:
        """Return the rows with the key of their cell of the root, and what a zoom into it needs.

        Without ends, which spares time, the keys of rows that lie in no window are none of a cell.
        """
        x, numbers = nw.col("x"), Expressions()
        place = enter(root, x, numbers)
        key = place.key
        if with_ends or not self.all_rows_count:
            is_inside, is_valid = root.is_inside(x), self._is_valid
            if self.is_weighted:
                is_inside = is_inside & is_valid
            # Most rows are inside: the others are judged by themselves.
            end = nw.when(is_valid).then(root.end_of(x, numbers)).otherwise(nw.lit(NOWHERE))
            key = nw.when(is_inside).then(key).otherwise(end)
        rest = place_columns(place) if to_zoom else []
        return self._frame.with_columns(key.alias("key"), *rest, *self._fractions)

    def _in_cells(self, cells: NestedCells, chosen: Ints, *, to_zoom: bool = False) -> Frame:
        """Return the rows of cells of one depth, with their place."""
        depth = int(cells.depth[chosen[0]])
        has_ends = bool(np.isin(cells.ancestors(chosen, 0), cells.root.ends).any())
        frame = self._in_root(cells.root, with_ends=has_ends, to_zoom=to_zoom or depth > 0)
        for d in range(depth + 1):
            keys = cells.ancestors(chosen, d).astype(np.float64).tolist()
            frame = frame.filter(nw.col("key").is_in(keys))
            if d < depth:
                frame = self._zoomed(frame, cells.zooms[d])
        return frame

    def _zoomed(self, frame: Frame, zoom: Zoom) -> Frame:
        before = Place(*(nw.col(name) for name in ("key", "origin", "width", "scale")))
        place = descend(zoom, before, nw.col("x"), Expressions())
        return frame.with_columns(place.key.alias("key"), *place_columns(place))

    def _collect(self, frame: Frame, about: str, *, is_pass: bool = True) -> Columns:
        engine = frame.implementation
        if callable(self._progress) and is_pass:
            self._progress(about)
        try:
            # A frame larger than memory must not become one table on its way.
            done = frame.collect(engine="streaming") if engine.is_polars() else frame.collect()
        except Exception as error:
            error.add_note(f"ordcut asked {engine.name.lower()} for {about}.")
            raise
        self.passes += is_pass
        if self._progress is True and is_pass:
            print(f"ordcut: pass {self.passes}: {about}: {len(done)} rows", file=sys.stderr)
        columns = {name: as_array(done[name]) for name in done.columns}
        if "key" in columns:  # a whole number in float64, which spares engines a cast of all rows
            columns["key"] = columns["key"].astype(np.int64)
        return columns
