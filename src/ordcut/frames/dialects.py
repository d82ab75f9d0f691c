"""Differences between engines: the same query in the form that is fast for each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np

from ordcut.typing import Ints

#: The maximum number of runs of keys in a condition for Spark.
MOST_RUNS = 32

#: Both parts of an integer of 64 bits that is divided by this are exact in float64.
HALF = 1 << 32


def collect(frame: Any) -> Any:
    """Return the rows of a lazy frame.

    Examples
    --------
    >>> import polars as pl
    >>> collect(nw.from_native(pl.LazyFrame({"x": [1.0, 2.0]}))).rows()
    [(1.0,), (2.0,)]
    """
    engine = frame.implementation
    if engine.is_polars():  # so that a frame larger than memory is never one table
        return frame.collect(engine="streaming")
    if engine.is_dask():  # which fuses tasks only if told to
        return nw.from_native(frame.to_native().optimize()).collect()
    return frame.collect()


def first_rows(frame: Any, n_rows: int) -> Any:
    """Return some of the first rows of a lazy frame.

    For Dask, these are rows of the first partition, since it would read all partitions otherwise.
    """
    if frame.implementation.is_dask():
        frame = nw.from_native(frame.to_native().partitions[0])
    return frame.head(n_rows)


def stated_order(frame: Any, name: str, dtype: Any) -> list[Any] | None:
    """Return the ordered categories of a column; None if its type has no order.

    Examples
    --------
    >>> import pandas as pd, pyarrow as pa
    >>> sizes = pd.Categorical(["s", "l"], categories=["s", "m", "l"], ordered=True)
    >>> frame = nw.from_native(pa.table({"size": pa.array(sizes)}))
    >>> stated_order(frame, "size", frame.schema["size"])
    ['s', 'm', 'l']
    """
    if isinstance(dtype, nw.Enum):
        if frame.implementation.is_dask() and not frame.to_native()[name].cat.known:
            return list(frame.to_native()[name].head(1).dtype.categories)  # of a file: look inside
        return list(dtype.categories)
    if frame.implementation.is_pyarrow():  # narwhals does not tell ordered dictionaries apart
        column = frame.to_native().column(name)
        if getattr(column.type, "ordered", False) and column.num_chunks:
            return list(column.chunk(0).dictionary.to_pylist())
    return None


def materialiser(frame: Any) -> Callable[[], Any] | None:
    """Return a function that makes an engine cache the rows of a lazy frame; None if it cannot.

    The function returns a frame with the rows. A lazy engine may compute them only when they are
    first needed.

    Examples
    --------
    >>> import polars as pl
    >>> rows = nw.from_native(pl.LazyFrame({"x": [1.0, 2.0]}).filter(pl.col("x") > 1))
    >>> materialiser(rows)().collect().rows()
    [(2.0,)]
    """
    engine, native = frame.implementation, frame.to_native()
    if engine.is_polars():
        return lambda: collect(frame).lazy()
    if engine.is_pandas_like() or engine.is_pyarrow():
        return lambda: frame  # its rows have been computed already
    if engine.is_pyspark():
        return lambda: nw.from_native(native.persist())
    if engine.is_dask():
        return lambda: nw.from_native(native.optimize().persist())
    if engine.is_duckdb() and hasattr(native, "materialize"):  # versions before 2 do not have it
        return lambda: nw.from_native(native.materialize())
    return None


def release(frame: Any) -> None:
    """Free the rows that an engine caches; most do so when nothing refers to them any more."""
    if frame.implementation.is_pyspark():
        frame.to_native().unpersist()


def is_slow_at_conditions(frame: Any) -> bool:
    """Return whether conditions are so slow that a query to avoid one pays off."""
    return bool(frame.implementation.is_duckdb())


def should_not_cast(frame: Any) -> bool:
    """Return whether to group by a whole number in float64 instead of casting it.

    Casts are slow in DuckDB, and Dask cannot cast missing numbers.
    """
    engine = frame.implementation
    return bool(engine.is_duckdb() or engine.is_ibis() or engine.is_dask())


def may_round_integers(frame: Any) -> bool:
    """Return whether integers may have become floats: Dask reads them so if some are missing."""
    return bool(frame.implementation.is_dask())


def as_float64(frame: Any, name: str, dtype: Any) -> Any:
    """Return a column of numbers as float64, each rounded to the nearest one.

    PyArrow refuses to round integers, so they are the sum of two parts, of which each is exact.
    """
    column = nw.col(name)
    if not (frame.implementation.is_pyarrow() and isinstance(dtype, nw.Int64)):
        return column.cast(nw.Float64)
    high = column // HALF
    return high.cast(nw.Float64) * float(HALF) + (column - high * HALF).cast(nw.Float64)


def is_one_of(frame: Any, key: Any, keys: Ints) -> Any:
    """Return the condition that a key is among some keys in ascending order.

    Spark takes a millisecond for each literal, so it gets the ends of runs of keys, if there are
    few.
    """
    values = keys.astype(np.float64).tolist()
    breaks = np.flatnonzero(np.diff(keys) > 1)
    if not frame.implementation.is_pyspark() or len(breaks) > MOST_RUNS:
        return key.is_in(values)
    firsts, lasts = np.append(0, breaks + 1).tolist(), np.append(breaks, len(values) - 1).tolist()
    runs = [key.is_between(values[a], values[b]) for a, b in zip(firsts, lasts, strict=True)]
    return nw.any_horizontal(*runs, ignore_nulls=True)
