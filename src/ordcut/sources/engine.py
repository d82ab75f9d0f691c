"""The questions that are put to an engine, as narwhals expressions: one code for all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from ordcut.arrays import Array, Floats, Ints
from ordcut.errors import unknown_name
from ordcut.sources.zooming import NOWHERE, NestedCells, Place, Root, Zoom, descend, enter

Columns: TypeAlias = dict[str, Array]
Progress: TypeAlias = bool | Callable[[str], None]
Frame: TypeAlias = Any


class Expressions:
    """The steps from scores to cells over the expressions of an engine."""

    def choose(self, branches: list[tuple[Any, Any]], otherwise: Any) -> Any:
        """Return the value of the first branch whose condition holds."""
        for condition, value in branches[::-1]:
            otherwise = nw.when(condition).then(value).otherwise(otherwise)
        return otherwise

    def floor(self, values: Any) -> Any:
        """Round down; a cast alone would round to the nearest in some engines."""
        return values.floor()

    def constant(self, value: float) -> Any:
        """Return a number that can be chosen."""
        return nw.lit(value)


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
        frame = self._in_root(root).group_by("key", "label").agg(*self._sums)
        return self._collect(frame, "the rows of each cell and label")

    def count_in_parts(
        self, cells: NestedCells, chosen: Ints, zoom: Zoom, *, extremes: bool
    ) -> Columns:
        """Return the same for parts of chosen cells of one depth, if asked with extreme scores."""
        frame = self._zoomed(self._in_cells(cells, chosen, to_zoom=True), zoom)
        frame = frame.group_by("key", "label").agg(*self._sums, *(_EXTREMES if extremes else []))
        return self._collect(frame, f"the rows of each part of {len(chosen)} cells and label")

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
        return self._collect(
            frame.group_by("key", "label").agg(*self._sums), "the rows of each prediction and label"
        )

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
        rest = _constants(place) if to_zoom else []
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
        return frame.with_columns(place.key.alias("key"), *_constants(place))

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


_EXTREMES = [nw.col("x").min().alias("low"), nw.col("x").max().alias("high")]


def _constants(place: Place) -> list[Any]:
    """Return the columns of a place besides the key; numbers become columns, too."""
    values = {"origin": place.origin, "width": place.width, "scale": place.scale}
    return [
        (nw.lit(value) if isinstance(value, float) else value).alias(name)
        for name, value in values.items()
    ]


def as_array(column: Any) -> Array:
    """Return a column as an array; one of PyArrow without asking it, since it imports pandas.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_array(nw.from_native(pa.chunked_array([[1, 2], [3]]), series_only=True))
    array([1, 2, 3])
    """
    if not column.implementation.is_pyarrow():
        return np.asarray(column.to_numpy())
    chunked = column.to_native()
    if column.dtype.is_numeric() and not column.dtype.is_decimal() and chunked.null_count == 0:
        chunks = [np.from_dlpack(chunk) for chunk in chunked.chunks]
        return np.concatenate(chunks) if chunks else np.asarray(column.to_numpy())
    if isinstance(column.dtype, nw.String) and chunked.null_count == 0:
        return np.array(chunked.to_pylist(), dtype=object)
    return np.asarray(column.to_numpy())


def as_narwhals(frame: Any) -> Any:
    """Return a frame as narwhals sees it, or say what would be one."""
    try:
        return nw.from_native(frame)
    except TypeError as error:
        raise TypeError(
            "frame must be a dataframe that narwhals knows (pandas, Polars, PyArrow, DuckDB, Dask, "
            f"PySpark, Ibis, ...), got {type(frame).__name__}. "
            "For arrays there is ordcut.optimal_thresholds."
        ) from error


def columns_of(frame: Any, names: dict[str, str | None]) -> Any:
    """Return the kinds of a frame's columns, after a check that the named ones are there."""
    schema = frame.collect_schema()
    for argument, name in names.items():
        if name is not None and name not in schema:
            raise unknown_name(argument, name, list(schema))
    return schema


def as_number(name: str, schema: Any, argument: str) -> Any:
    """Return a column as float64, after a check that it holds numbers."""
    kind = schema[name]
    if not (kind.is_numeric() or isinstance(kind, nw.Boolean)):
        raise TypeError(f"{argument} must name a column of numbers, got {name!r} of type {kind}.")
    return nw.col(name).cast(nw.Float64)


def n_at_or_below(thresholds: Floats) -> Any:
    """Return the rule that ``Thresholds.codes`` states, as an expression over a finite ``x``."""
    finite = thresholds[np.isfinite(thresholds)].tolist()
    steps = [(nw.col("x") >= threshold).cast(nw.Float64) for threshold in finite]
    return _sum(steps or [nw.col("x") * 0.0]) + float(np.isneginf(thresholds).sum())


def _sum(steps: list[Any]) -> Any:
    """Add up expressions in halves, so that an engine need not recurse deeply."""
    if len(steps) == 1:
        return steps[0]
    return _sum(steps[: len(steps) // 2]) + _sum(steps[len(steps) // 2 :])
