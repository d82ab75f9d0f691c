"""Differences between engines: queries in a form that is fast, their results, cached rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from ordcut._core.typing import Array, Ints
from ordcut.frames.grid import NestedCells

#: The maximum number of cached rows: a few hundred MiB, in the engine's own memory.
MOST_CACHED = 1 << 25

#: Types of pandas that have missing values besides all others, by the kind of NumPy's type.
NULLABLE = {"i": "Int64", "u": "UInt64", "f": "Float64", "b": "boolean"}

#: The name of a column that exists while rows are filtered.
_FILTER_KEY = "ordcut_key"


def collect(frame: Any) -> Any:
    """Return the rows of a lazy frame.

    Examples
    --------
    >>> import polars as pl
    >>> collect(nw.from_native(pl.LazyFrame({"x": [1.0, 2.0]}))).rows()
    [(1.0,), (2.0,)]
    """
    engine = frame.implementation
    if engine.is_polars():  # so that a frame larger than memory is never loaded whole
        return frame.collect(engine="streaming")
    if engine.is_dask():  # which fuses tasks only if told to
        return nw.from_native(frame.to_native().optimize()).collect()
    return frame.collect()


def fetch_columns(frame: Any) -> dict[str, Array]:
    """Return the columns of a lazy frame as arrays."""
    return as_arrays(collect(frame))


def as_arrays(frame: Any) -> dict[str, Array]:
    """Return the columns of a frame as arrays, without the method of PyArrow that imports pandas.

    Labels stay exact: values that floats cannot represent are Python objects, None if missing.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_arrays(nw.from_native(pa.table({"x": pa.chunked_array([[1, 2], [3]])})))
    {'x': array([1, 2, 3])}
    >>> as_arrays(nw.from_native(pa.table({"label": [1, None]})))
    {'label': array([1, None], dtype=object)}
    """
    return {
        name: _exact(frame[name]) if name == "label" else _as_array(frame[name])
        for name in frame.columns
    }


def _exact(column: Any) -> Array:
    """Return a column as an array; integers stay integers if values are missing."""
    dtype = column.dtype
    if dtype.is_decimal() or (dtype.is_integer() and column.is_null().any()):
        return np.array(column.to_list(), dtype=object)
    return _as_array(column)


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


def first_rows(frame: Any, n_rows: int) -> Any:
    """Return up to ``n_rows`` of the first rows of a lazy frame.

    For Dask, these are rows of the first partition, since it would read all partitions otherwise.
    """
    if frame.implementation.is_dask():
        frame = nw.from_native(frame.to_native().partitions[0])
    return frame.head(n_rows)


def drawn_rows(frame: Any, n_rows: int) -> Any | None:
    """Return ``n_rows`` rows of a lazy frame, drawn at random with a fixed seed, if that is cheap.

    None for other engines than DuckDB.

    Examples
    --------
    >>> import duckdb
    >>> rows = nw.from_native(duckdb.sql("select i as x from range(100) t(i)"))
    >>> len(drawn_rows(rows, 10).collect())
    10
    """
    if not frame.implementation.is_duckdb():
        return None
    drawn = f"select * from rows using sample reservoir({n_rows} rows) repeatable (0)"
    return nw.from_native(frame.to_native().query("rows", drawn))


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
    engine = frame.implementation
    if isinstance(dtype, nw.Enum):
        if engine.is_pandas_like() or engine.is_dask():  # whose categories may be no text
            return list(_categories(frame.to_native()[name]).tolist())
        return list(dtype.categories)
    if engine.is_pyarrow():  # narwhals does not tell ordered dictionaries apart
        column = frame.to_native().column(name)
        if getattr(column.type, "ordered", False) and column.num_chunks:
            return list(column.chunk(0).dictionary.to_pylist())
    return None


def with_plain_names(frame: Any) -> tuple[Any, dict[Any, Any]]:
    """Return a frame whose engine takes names of columns as they are, and these by the old names.

    Spark reads ``a.b`` as a field of ``a``, ``*`` as all columns, and backticks as quotes, so its
    columns are renamed by position. Others stay as they are.

    Examples
    --------
    >>> import polars as pl
    >>> with_plain_names(nw.from_native(pl.LazyFrame({"a.b": [1]})))[1]
    {'a.b': 'a.b'}
    """
    names = frame.collect_schema().names()
    if not renames(frame):
        return frame, {name: name for name in names}
    plain = [f"column_{position}" for position in range(len(names))]
    return nw.from_native(frame.to_native().toDF(*plain)), dict(zip(names, plain, strict=True))


def with_names(frame: Any, names: list[Any]) -> Any:
    """Return a frame of an engine whose columns have the names that ``with_plain_names`` changed.

    Examples
    --------
    >>> import polars as pl
    >>> with_names(nw.from_native(pl.LazyFrame({"a.b": [1]})), ["a.b"]).collect().columns
    ['a.b']
    """
    native = frame.to_native()
    return native.toDF(*names) if renames(frame) else native


def renames(frame: Any) -> bool:
    """Return whether ``with_plain_names`` renames columns of the engine: only for Spark."""
    engine = frame.implementation
    return bool(engine.is_pyspark() or engine.is_pyspark_connect())


def with_values(frame: Any, name: str) -> Any:
    """Return a frame in which a categorical column of numbers or booleans has its values.

    The intervals of ``pandas.cut`` become text, by which ``intervals_of`` has them. Anything else
    stays as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = nw.from_native(pd.DataFrame({"y": pd.Categorical([1, 10, 2])}))
    >>> with_values(frame, "y").schema["y"]
    Int64
    """
    engine, native = frame.implementation, frame.to_native()
    if engine.is_pyarrow():
        column = native.column(name)
        if hasattr(column.type, "value_type") and not _is_text(column.type.value_type):
            at = native.column_names.index(name)
            native = native.set_column(at, name, column.cast(column.type.value_type))
        return nw.from_native(native)
    if not (engine.is_pandas_like() or engine.is_dask()):
        return frame
    column, categories = native[name], _categories(native[name])
    kind = categories.dtype.kind
    if hasattr(categories, "closed"):
        values = column.cat.rename_categories([str(interval) for interval in categories])
    elif kind in NULLABLE:
        values = column.astype(NULLABLE[kind])
    else:
        return frame
    native = native.copy() if engine.is_dask() else native.copy(deep=False)
    native[name] = values
    return nw.from_native(native)


def intervals_of(frame: Any, name: str) -> dict[str, Any]:
    """Return the intervals that are the categories of a column, by their text; empty if none are.

    Examples
    --------
    >>> import pandas as pd
    >>> intervals_of(nw.from_native(pd.DataFrame({"y": pd.cut([1, 3], [0, 2, 4])})), "y")
    {'(0, 2]': Interval(0, 2, closed='right'), '(2, 4]': Interval(2, 4, closed='right')}
    """
    if not (frame.implementation.is_pandas_like() or frame.implementation.is_dask()):
        return {}
    categories = _categories(frame.to_native()[name])
    return {str(c): c for c in categories} if hasattr(categories, "closed") else {}


def with_intervals(frame: Any, name: str, classes: Array) -> Any:
    """Return a frame of pandas or Dask whose column of text has the intervals that are classes.

    Frames of other engines, which have no intervals, and other classes stay as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> classes = np.array([pd.Interval(0, 2), pd.Interval(2, 4)])
    >>> with_intervals(pd.DataFrame({"y": ["(2, 4]"]}), "y", classes)["y"].tolist()
    [Interval(2, 4, closed='right')]
    """
    engine = nw.from_native(frame).implementation
    if classes.dtype.kind != "O" or not (engine.is_pandas_like() or engine.is_dask()):
        return frame
    intervals = {str(interval): interval for interval in classes.tolist()}
    options = {"meta": (name, "object")} if engine.is_dask() else {}
    return frame.assign(**{name: frame[name].map(intervals, **options)})


def check_exact(frame: Any, labels: list[Any]) -> None:
    """Raise an error if the classes are integers that pandas rounds where a class is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> check_exact(nw.from_native(pd.DataFrame()), [1, 2])
    """
    engine = frame.implementation
    if not (engine.is_pandas_like() or engine.is_dask()):
        return
    lost = [label for label in labels if isinstance(label, int) and float(label) != label]
    if lost:
        raise ValueError(
            "classes must be exact in float64 for pandas and Dask, which have floats "
            f"where a class is missing, got {lost[0]}. Use another engine, or "
            "thresholds.predict(scores)."
        )


def _categories(column: Any) -> Any:
    """Return the categories of a column of pandas or Dask, which looks into a file for them."""
    is_known = not hasattr(column, "compute") or column.cat.known
    return (column if is_known else column.head(1)).dtype.categories


def _is_text(arrow_type: Any) -> bool:
    """Return whether a type of Arrow is one of text."""
    return "string" in str(arrow_type)


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


@dataclass(frozen=True)
class CachedRows:
    """The rows of cells at the same depth, cached by the engine.

    Attributes
    ----------
    frame : narwhals.LazyFrame
        The rows.
    n_rows : int
        Their number.
    depth : int
        The depth of their cells.
    keys : ndarray
        The keys of their cells, in ascending order.
    """

    frame: Any
    n_rows: int
    depth: int
    keys: Ints

    def holds(self, cells: NestedCells, chosen: Ints) -> bool:
        """Return whether the rows of chosen cells, all at the same depth, are cached."""
        if cells.depth[chosen[0]] < self.depth:
            return False
        return bool(np.isin(cells.ancestors(chosen, self.depth), self.keys).all())

    def needs_no_filter(self, depth: int, deepest: int, keys: Ints) -> bool:
        """Return whether rows need not be filtered by the keys of their cells at a depth.

        The result depends on the keys of the deepest cells only. Other filters are there to save
        work.
        """
        is_of_use = depth > self.depth or (depth == deepest and len(keys) < len(self.keys))
        return not is_of_use


def release(frame: Any) -> None:
    """Free the rows that an engine caches; most do so when nothing refers to them any more."""
    if frame.implementation.is_pyspark():
        frame.to_native().unpersist()


def is_slow_at_conditions(frame: Any) -> bool:
    """Return whether a condition is slower than a query that makes it unnecessary."""
    return bool(frame.implementation.is_duckdb())


def filter_by_key(frame: Any, key: Any, keys: Ints) -> Any:
    """Return the rows of a lazy frame whose key is among the given keys.

    DuckDB takes 20 microseconds for each literal of an expression, and Spark a millisecond, so
    they get the condition as text.

    Examples
    --------
    >>> import duckdb
    >>> rows = nw.from_native(duckdb.sql("select i / 2 as x from range(5) t(i)"))
    >>> filter_by_key(rows, nw.col("x").floor(), np.array([0, 2])).collect()["x"].to_list()
    [0.0, 0.5, 2.0]
    """
    engine, values = frame.implementation, keys.astype(np.float64).tolist()
    if engine.is_duckdb():
        condition = f"contains(cast('{values}' as double[]), {_FILTER_KEY})"
    elif renames(frame):
        condition = f"{_FILTER_KEY} in ({', '.join(f'{value}D' for value in values)})"
    else:
        return frame.filter(key.is_in(values))
    names = frame.collect_schema().names()
    keyed = frame.with_columns(key.alias(_FILTER_KEY)).to_native()
    return nw.from_native(keyed.filter(condition)).select(*names)
