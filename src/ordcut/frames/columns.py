"""Columns as narwhals expressions, which every engine translates into its own queries."""

from __future__ import annotations

from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from ordcut.errors import unknown_name
from ordcut.frames import dialects
from ordcut.frames.grid import LARGEST_KEY, NOWHERE, Location
from ordcut.typing import Array, Floats

#: The columns of the result of a query.
Columns: TypeAlias = dict[str, Array]

#: How many values a label of 8 bits can have.
N_LABELS = 256

#: The least of them, by its type.
LEAST = {nw.Int8: -N_LABELS // 2, nw.UInt8: 0}


class ExpressionBackend:
    """The steps from scores to cells as expressions of an engine; see ``ArrayBackend``."""

    def choose(self, branches: list[tuple[Any, Any]], otherwise: Any) -> Any:
        """Return the value of the first branch whose condition holds."""
        for condition, value in branches[::-1]:
            otherwise = nw.when(condition).then(value).otherwise(otherwise)
        return otherwise

    def floor(self, values: Any) -> Any:
        """Round down; a cast alone would round to the nearest in some engines."""
        return values.floor()


def as_arrays(frame: Any) -> Columns:
    """Return the columns of a frame as arrays; of PyArrow without its method, which imports pandas.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_arrays(nw.from_native(pa.table({"x": pa.chunked_array([[1, 2], [3]])})))
    {'x': array([1, 2, 3])}
    """
    return {name: _as_array(frame[name]) for name in frame.columns}


def _as_array(column: Any) -> Array:
    if not column.implementation.is_pyarrow():
        return np.asarray(column.to_numpy())
    chunked = column.to_native()
    if column.dtype.is_numeric() and not column.dtype.is_decimal() and chunked.null_count == 0:
        chunks = [np.from_dlpack(chunk) for chunk in chunked.chunks]
        return np.concatenate([np.zeros(0, chunked.type.to_pandas_dtype()), *chunks])
    if isinstance(column.dtype, nw.String) and chunked.null_count == 0:
        return np.array(chunked.to_pylist(), dtype=object)
    return np.asarray(column.to_numpy())


def as_narwhals(frame: Any) -> Any:
    """Return a frame as one of narwhals, or raise an error that says what a frame is."""
    try:
        return nw.from_native(frame)
    except TypeError as error:
        raise TypeError(
            "frame must be a dataframe that narwhals knows (pandas, Polars, PyArrow, DuckDB, Dask, "
            f"PySpark, Ibis, ...), got {type(frame).__name__}. "
            "For arrays there is ordcut.optimal_thresholds."
        ) from error


def columns_of(frame: Any, names: dict[str, str | None]) -> Any:
    """Return the types of a frame's columns, after a check that the named ones are there."""
    schema = frame.collect_schema()
    for argument, name in names.items():
        if name is not None and name not in schema:
            raise unknown_name(argument, name, list(schema))
    return schema


def as_number(name: str, schema: Any, argument: str) -> Any:
    """Return a column as float64, after a check that it holds numbers."""
    dtype = schema[name]
    if not (dtype.is_numeric() or isinstance(dtype, nw.Boolean)):
        raise TypeError(f"{argument} must name a column of numbers, got {name!r} of type {dtype}.")
    return nw.col(name).cast(nw.Float64)


def n_at_or_below(x: Any, thresholds: Floats) -> Any:
    """Return the rule of ``Thresholds.codes`` as an expression over scores that are not NaN."""
    finite = thresholds[np.isfinite(thresholds)].tolist()
    steps = [(x >= threshold).cast(nw.Float64) for threshold in finite]
    if not steps:
        steps = [(x != x).cast(nw.Float64)]  # 0 in every row
    return _sum(steps) + float(np.isneginf(thresholds).sum())


def _sum(steps: list[Any]) -> Any:
    """Add up expressions in halves, so that an engine need not recurse deeply."""
    if len(steps) == 1:
        return steps[0]
    return _sum(steps[: len(steps) // 2]) + _sum(steps[len(steps) // 2 :])


def location_columns(location: Location) -> list[Any]:
    """Return what differs between the rows of a location, as columns."""
    values = vars(location)
    return [value.alias(name) for name, value in values.items() if not isinstance(value, float)]


def from_columns(location: Location) -> Location:
    """Return a location in terms of those columns."""
    values = vars(location)
    return Location(
        **{
            name: value if isinstance(value, float) else nw.col(name)
            for name, value in values.items()
        }
    )


def key_and_label(frame: Any, key: Any, most_keys: int) -> Any:
    """Return one number for a key and a ``label`` of 8 bits: engines group by one faster than two.

    float64 is exact while the number is small.
    """
    if most_keys * N_LABELS >= LARGEST_KEY:
        return key.cast(nw.Int64) * N_LABELS + nw.col("label").cast(nw.Int64)
    pair = key * N_LABELS + nw.col("label")
    return pair if dialects.is_slow_at_casts(frame) else pair.cast(nw.Int64)


def split_pairs(columns: Columns, least: int) -> Columns:
    """Return columns with the key and the label instead of their pair.

    Without a label or without a score there is no pair: no label, then, and the key of no cell.

    Examples
    --------
    >>> found = split_pairs({"pair": np.array([3 * 256 + 7.0, np.nan])}, 0)
    >>> found["key"], found["label"]
    (array([ 3, -2]), array([ 7., nan]))
    """
    pairs = columns["pair"]
    is_null = pairs != pairs if pairs.dtype.kind == "f" else np.zeros(len(pairs), np.bool_)
    pairs = np.where(is_null, NOWHERE * N_LABELS, pairs).astype(np.int64) - least
    key, above = np.divmod(pairs, N_LABELS)
    label = np.where(is_null, np.nan, above + least) if is_null.any() else above + least
    others = {name: values for name, values in columns.items() if name != "pair"}
    return {"key": key, "label": label, **others}
