"""Columns and rules as narwhals expressions, which every engine reads in its own words."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from ordcut.arrays import Array, Floats
from ordcut.errors import unknown_name
from ordcut.sources.zooming import Place


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
        return np.concatenate([np.zeros(0, chunked.type.to_pandas_dtype()), *chunks])
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


def place_columns(place: Place) -> list[Any]:
    """Return what differs between the rows of a place, as columns."""
    values = vars(place)
    return [value.alias(name) for name, value in values.items() if not isinstance(value, float)]


def as_columns(place: Place) -> Place:
    """Return a place in terms of those columns."""
    values = vars(place)
    return Place(
        **{
            name: value if isinstance(value, float) else nw.col(name)
            for name, value in values.items()
        }
    )
