"""Columns as narwhals expressions, which every engine translates into its own queries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from ordcut._core.errors import unknown_name
from ordcut._core.numerics.exact import EXACT
from ordcut._core.typing import Array, Floats
from ordcut.frames.grid import LARGEST_KEY, NOWHERE, Location

#: The columns of the result of a query.
Columns: TypeAlias = dict[str, Array]

#: The number of values of a label of 8 bits.
N_LABELS = 256

#: The lowest of them, by type.
LEAST = {nw.Int8: -N_LABELS // 2, nw.UInt8: 0}

#: Integer types with values that float64 cannot represent.
WIDE = (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128)

#: The largest float64 that is an integer of 64 bits.
LARGEST_INT64 = float((1 << 63) - (1 << 10))

#: What to do about an argument that is no frame.
FOR_ARRAYS = "For arrays, use ordcut.optimal_thresholds."

#: What to do instead about types that a frame can be read from, by the ends of their names.
READ_FIRST = {
    "DuckDBPyConnection": "Pass a relation: connection.sql(query) or connection.table(name).",
    "SparkSession": "Pass a dataframe: session.sql(query) or session.table(name).",
    "Connection": "Read the rows first, such as pandas.read_sql(query, connection).",
    "Engine": "Read the rows first, such as pandas.read_sql(query, engine).",
    "Path": "Read the file first, such as polars.scan_csv(path).",
    "str": "Read the file first, such as polars.scan_csv(path).",
}

#: Both parts of an integer of 64 bits that is divided by this are exact in float64.
HALF = 1 << 32


def open_columns(frame: Any, names: dict[str, str | None]) -> tuple[Any, Any]:
    """Return a frame as a narwhals frame, and its types; an error unless it has the columns."""
    try:
        frame = nw.from_native(frame)
    except TypeError as error:
        kind = type(frame).__name__
        hint = next((hint for end, hint in READ_FIRST.items() if kind.endswith(end)), FOR_ARRAYS)
        raise TypeError(
            "frame must be a dataframe that narwhals supports (pandas, Polars, PyArrow, DuckDB, "
            f"Dask, PySpark, Ibis, ...), got {kind}. {hint}"
        ) from error
    schema = frame.collect_schema()
    for argument, name in names.items():
        if argument == "label" and isinstance(name, list | tuple):
            raise TypeError(
                f"label must be the name of a column, got {len(name)} names. Only "
                "optimal_thresholds takes the columns of several raters; to compare labels with "
                "theirs, use ordcut.Panel(ratings).agreement_with(labels)."
            )
        if name is not None and not isinstance(name, str | int):
            several = ", or a list of names for several raters" if argument == "label" else ""
            raise TypeError(
                f"{argument} must be the name of a column, got a {type(name).__name__}. Pass the "
                f"name as text{several}; for arrays and series, use ordcut.optimal_thresholds."
            )
        if name is not None and name not in schema:
            raise unknown_name(argument, name, list(schema))
        if argument == "label" and isinstance(schema[name], nw.List | nw.Struct | nw.Array):
            raise TypeError(
                f"label must name a column with one class per row, got {name!r} of type "
                f"{schema[name]}. Name a column of numbers or text; several raters have a column "
                'each, such as label=["rater_a", "rater_b"].'
            )
    return frame, schema


def column_with_nan(frame: Any, name: str, dtype: Any) -> Any:
    """Return a column of which an engine overlooks no NaN.

    Statistics of Parquet files leave NaN out. DuckDB concludes from them that no value is NaN, and
    that all values are below some number. It keeps no statistics of a conditional expression.

    Examples
    --------
    >>> import duckdb
    >>> rows = nw.from_native(duckdb.sql("select 'nan'::double as x"))
    >>> rows.select(column_with_nan(rows, "x", nw.Float64()).is_nan()).collect()["x"].to_list()
    [True]
    """
    column, engine = nw.col(name), frame.implementation
    if not (dtype.is_float() and (engine.is_duckdb() or engine.is_ibis())):
        return column
    return nw.when(~column.is_null()).then(column)


def as_float64(frame: Any, name: str, dtype: Any) -> Any:
    """Return a column of numbers as float64, each rounded to the nearest.

    PyArrow refuses to round integers, so they are the sum of two parts, of which each is exact.
    """
    column = column_with_nan(frame, name, dtype)
    if not (frame.implementation.is_pyarrow() and isinstance(dtype, nw.Int64)):
        return column.cast(nw.Float64)
    high = column // HALF
    return high.cast(nw.Float64) * float(HALF) + (column - high * HALF).cast(nw.Float64)


def as_number(frame: Any, name: str, dtype: Any, argument: str) -> Any:
    """Return a column as float64, after checking that it contains numbers."""
    check_numeric(name, dtype, argument)
    return as_float64(frame, name, dtype)


def check_numeric(name: str, dtype: Any, argument: str) -> None:
    """Raise an error unless a column contains numbers.

    Examples
    --------
    >>> check_numeric("risk", nw.String(), "score")
    Traceback (most recent call last):
    TypeError: score must name a column of numbers, got 'risk' of type String.
    """
    if not (dtype.is_numeric() or isinstance(dtype, nw.Boolean)):
        raise TypeError(f"{argument} must name a column of numbers, got {name!r} of type {dtype}.")


def may_round_integers(frame: Any) -> bool:
    """Return whether integers with missing values may have become floats, as in Dask."""
    return bool(frame.implementation.is_dask())


def has_lost_digits(frame: Any, name: str, dtype: Any) -> Any | None:
    """Return whether each number is an integer that is not exact in float64, as 0.0 or 1.0.

    None if the type has no such numbers. From 2**53 on, signed integers may be exact; others are
    assumed not to be.
    """
    if not (dtype.is_decimal() or isinstance(dtype, WIDE)):
        return None
    x = as_float64(frame, name, dtype)
    if isinstance(dtype, nw.Int64) and not may_round_integers(frame):
        is_lost = x.clip(-float(1 << 63), LARGEST_INT64).cast(nw.Int64) != nw.col(name)
    else:
        is_lost = (x >= float(EXACT)) | (x <= -float(EXACT))
    return is_lost.cast(nw.Float64)


def inexact(name: str, values: str) -> ValueError:
    """Return the error for scores that lose digits in float64."""
    return ValueError(
        f"score must name a column of numbers that are exact in float64, which holds whole numbers "
        f"up to 2**53, got {values} in {name!r}. Subtract a common offset first, such as the least "
        "score."
    )


def as_integers(labels: Array, name: str, engine: str) -> Array:
    """Return integer labels that an engine turned into floats, as Dask does if some are missing.

    ``name`` names the column.
    """
    if np.abs(labels).max() >= EXACT:
        raise ValueError(
            f"label must name a column of exact numbers, but {engine} has turned {name!r} into "
            "floats since numbers are missing. Read the column as nullable integers, for example "
            'with dtype_backend="pyarrow".'
        )
    return labels.astype(np.int64)


def n_at_or_below(x: Any, thresholds: Sequence[float]) -> Any:
    """Return the rule of ``Thresholds.codes`` as an expression over scores that are not NaN."""
    finite = [threshold for threshold in thresholds if math.isfinite(threshold)]
    steps = [(x >= threshold).cast(nw.Float64) for threshold in finite]
    if not steps:
        steps = [(x != x).cast(nw.Float64)]  # 0 in every row
    return _sum(steps) + float(sum(threshold == -math.inf for threshold in thresholds))


def whole_thresholds(thresholds: Sequence[float]) -> list[float]:
    """Return thresholds that integers of 64 bits can be compared with, without rounding them.

    Examples
    --------
    >>> whole_thresholds([-1e300, 0.5, 3.0, 1e300])
    [-inf, 1, 3, inf]
    """
    far = float(1 << 63)
    return [
        math.copysign(math.inf, threshold) if abs(threshold) >= far else math.ceil(threshold)
        for threshold in thresholds
    ]


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
    """Return a location that refers to the columns of ``location_columns``."""
    values = vars(location)
    return Location(
        **{
            name: value if isinstance(value, float) else nw.col(name)
            for name, value in values.items()
        }
    )


def should_not_cast(frame: Any) -> bool:
    """Return whether to group by a whole number in float64 instead of casting it.

    Casts are slow in DuckDB, and Dask cannot cast missing numbers.
    """
    engine = frame.implementation
    return bool(engine.is_duckdb() or engine.is_ibis() or engine.is_dask())


def key_and_label(frame: Any, key: Any, most_keys: int) -> Any:
    """Return a key and a ``label`` of 8 bits as a single number, which engines group by faster.

    float64 is exact while the number is small.
    """
    if most_keys * N_LABELS >= LARGEST_KEY:
        return key.cast(nw.Int64) * N_LABELS + nw.col("label").cast(nw.Int64)
    pair = key * N_LABELS + nw.col("label")
    return pair if should_not_cast(frame) else pair.cast(nw.Int64)


def split_pairs(columns: Columns, least: int) -> Columns:
    """Return columns with the key and the label instead of their pair.

    A row without a label or a score has no pair: its label is None, and its key belongs to no cell.

    Examples
    --------
    >>> columns = split_pairs({"pair": np.array([3 * 256 + 7.0, np.nan])}, 0)
    >>> columns["key"], columns["label"]
    (array([ 3, -2]), array([7, None], dtype=object))
    """
    pairs = columns["pair"]
    is_null = pairs != pairs if pairs.dtype.kind == "f" else np.zeros(len(pairs), np.bool_)
    pairs = np.where(is_null, NOWHERE * N_LABELS, pairs).astype(np.int64) - least
    key, above = np.divmod(pairs, N_LABELS)
    label = above + least
    if is_null.any():
        label = label.astype(object)
        label[is_null] = None
    others = {name: values for name, values in columns.items() if name != "pair"}
    return {"key": key, "label": label, **others}


def confusion_of(counted: Columns, codes: Array, shape: tuple[int, int]) -> Floats:
    """Return the (predicted, true) table of weights, from counts by predicted class and label."""
    confusion = np.zeros(shape)
    weights = counted["weight" if "weight" in counted else "rows"]
    np.add.at(confusion, (counted["key"], codes), weights)
    return confusion
