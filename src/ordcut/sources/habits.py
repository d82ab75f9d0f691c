"""What engines do differently: the same answers, asked for in the way that each gives quickly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np

from ordcut.arrays import Ints

#: Spark is told of no more runs than this.
MOST_RUNS = 32


def collect(frame: Any) -> Any:
    """Return the rows of a lazy frame.

    Examples
    --------
    >>> import polars as pl
    >>> collect(nw.from_native(pl.LazyFrame({"x": [1.0, 2.0]}))).rows()
    [(1.0,), (2.0,)]
    """
    engine = frame.implementation
    if engine.is_polars():  # a frame larger than memory must not become one table on its way
        return frame.collect(engine="streaming")
    if engine.is_dask():  # which makes one task of many only if it is told to
        return nw.from_native(frame.to_native().optimize()).collect()
    return frame.collect()


def first_rows(frame: Any, n_rows: int) -> Any:
    """Return some of the first rows of a lazy frame; of Dask's those of the first part alone.

    Dask would read all parts otherwise.
    """
    if frame.implementation.is_dask():
        frame = nw.from_native(frame.to_native().partitions[0])
    return frame.head(n_rows)


def way_to_hold(frame: Any) -> Callable[[], Any] | None:
    """Return what makes an engine hold the rows of a lazy frame; None if it has no way to.

    What is called returns a frame with the rows. A lazy engine may find them only when asked.

    Examples
    --------
    >>> import polars as pl
    >>> rows = nw.from_native(pl.LazyFrame({"x": [1.0, 2.0]}).filter(pl.col("x") > 1))
    >>> way_to_hold(rows)().collect().rows()
    [(2.0,)]
    """
    engine, native = frame.implementation, frame.to_native()
    if engine.is_polars():
        return lambda: collect(frame).lazy()
    if engine.is_pandas_like() or engine.is_pyarrow():
        return lambda: frame  # its rows have been found already
    if engine.is_pyspark():
        return lambda: nw.from_native(native.persist())
    if engine.is_dask():
        return lambda: nw.from_native(native.optimize().persist())
    if engine.is_duckdb() and hasattr(native, "materialize"):  # which versions before 2 have not
        return lambda: nw.from_native(native.materialize())
    return None


def let_go(held: Any) -> None:
    """Let an engine forget rows that it holds; most do when nothing refers to them any more."""
    if held.implementation.is_pyspark():
        held.to_native().unpersist()


def is_slow_at_conditions(frame: Any) -> bool:
    """Return whether it is worth a question to know that a condition is not needed."""
    return bool(frame.implementation.is_duckdb())


def is_slow_at_casts(frame: Any) -> bool:
    """Return whether to count by a whole number in float64, rather than to cast it."""
    return bool(frame.implementation.is_duckdb() or frame.implementation.is_ibis())


def is_one_of(frame: Any, number: Any, numbers: Ints) -> Any:
    """Return the condition that a whole number is one of some, which ascend.

    Spark takes a millisecond for each number that it is told, so it gets the ends of runs, if
    there are few.
    """
    values = numbers.astype(np.float64).tolist()
    breaks = np.flatnonzero(np.diff(numbers) > 1)
    if not frame.implementation.is_pyspark() or len(breaks) > MOST_RUNS:
        return number.is_in(values)
    firsts, lasts = np.append(0, breaks + 1).tolist(), np.append(breaks, len(values) - 1).tolist()
    runs = [number.is_between(values[a], values[b]) for a, b in zip(firsts, lasts, strict=True)]
    return nw.any_horizontal(*runs, ignore_nulls=True)
