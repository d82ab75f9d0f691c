"""Files as lazy frames of an engine, and these as a source of rows.

DuckDB would take the type of a CSV column from its first rows, and then round a fraction that comes
later where these were whole. So CSV is read as text, which becomes numbers where all of it can.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from glob import escape
from typing import TYPE_CHECKING, Any

from ordcut.cli.failures import UserError
from ordcut.cli.files import COMPRESSED, Columns, Files, scratch_folder
from ordcut.cli.options import read_classes
from ordcut.cli.signals import delay_signals

if TYPE_CHECKING:
    from ordcut.frames import FrameSource
    from ordcut.typing import Array

#: The types of labels in CSV, the narrowest first, with the texts of each; else they are text.
LABEL_TYPES = {
    "BIGINT": r"[+-]?\d+",
    "DOUBLE": r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?",
    "BOOLEAN": r"(?i)true|false",
}


def open_frame(engine: str, files: Files, columns: Columns) -> Any:
    """Return some columns of files as a lazy frame of an engine."""
    if files.decimal != "." and engine != "duckdb":
        files = _with_decimal_points(files, columns)
    try:
        return ENGINES[engine](files, columns)
    except ImportError as error:
        raise ImportError(
            f"--engine {engine} needs {error.name}, which is not installed. Install it with: "
            f'pip install "{PACKAGES[engine]}".'
        ) from error


def open_source(
    frame: Any,
    columns: Columns,
    *,
    classes: str | Array | None,
    nulls: Any,
    progress: Callable[[str], None] | None,
    n_classes: int | None = None,
) -> FrameSource:
    """Return the rows of a frame as a source; ``classes`` may be the text of ``--classes``."""
    import narwhals as nw

    from ordcut.frames import FrameSource

    assert columns.score is not None
    assert columns.label is not None
    dtype = nw.from_native(frame).collect_schema()[columns.label]
    if dtype.is_nested():
        raise UserError(
            f'--label must name a column of numbers, booleans or text, and "{columns.label}" is of '
            f"type {dtype}. Name another, or unnest it first."
        )
    return FrameSource(
        frame,
        score=columns.score,
        label=columns.label,
        weight=columns.weight,
        classes=read_classes(classes, dtype) if isinstance(classes, str) else classes,
        n_classes=n_classes,
        nulls=nulls,
        progress=progress or False,
    )


def sum_by(frame: Any, columns: Columns, name: str) -> tuple[list[Any], list[Any], list[float]]:
    """Return the weight of the complete rows by a column of predictions and by label."""
    import narwhals as nw

    weight = nw.lit(1.0) if columns.weight is None else nw.col(columns.weight).cast(nw.Float64)
    named = {"predicted": nw.col(name), "true": nw.col(str(columns.label)), "weight": weight}
    rows = nw.from_native(frame).lazy()
    for column in columns.numeric:
        rows = rows.filter(~nw.col(column).is_null(), ~nw.col(column).cast(nw.Float64).is_nan())
    rows = rows.select(**named).filter(~nw.col("true").is_null())
    counted = rows.group_by("predicted", "true").agg(nw.col("weight").sum()).collect()
    predicted, true, weights = (counted[key].to_list() for key in named)
    return predicted, true, weights


def connect() -> Any:
    """Return a DuckDB connection in memory, which spills to the temporary folder of the command."""
    with delay_signals():
        import duckdb

    return duckdb.connect(config={"temp_directory": scratch_folder()})


def read_relation(connection: Any, files: Files, *, as_text: bool = False) -> Any:
    """Return all columns of files as a relation of DuckDB, which reads them lazily.

    CSV columns are text if ``as_text``; otherwise their types are detected from all rows.
    """
    paths = [escape(path) for path in files.paths]  # DuckDB would take them for globs
    if files.format == "parquet":
        return connection.read_parquet(paths, union_by_name=True)
    if files.format == "json":
        return connection.read_json(paths, union_by_name=True, sample_size=-1)
    options: dict[str, Any] = {} if files.separator is None else {"delimiter": files.separator}
    if as_text:
        options["all_varchar"] = True
    else:
        options |= {"sample_size": -1, "decimal": files.decimal}
    return connection.read_csv(paths, header=True, union_by_name=True, **options)


def check_unique(connection: Any, files: Files, names: Sequence[str]) -> None:
    """Raise an error if a CSV file has a column twice, of which DuckDB would take the first."""
    if files.format != "csv":
        return
    options = {} if files.separator is None else {"delimiter": files.separator}
    first = connection.read_csv(escape(files.paths[0]), header=False, all_varchar=True, **options)
    header = [cell for row in first.limit(1).fetchall() for cell in row]
    for name in names:
        if header.count(name) > 1:
            raise UserError(
                f'columns must have unique names, and {files.name} has "{name}" '
                f"{header.count(name)} times. Rename one of them."
            )


def separator_of(connection: Any, files: Files) -> str:
    """Return the character between the fields of CSV files: the given or the detected one."""
    if files.separator is not None:
        return files.separator
    path = files.paths[0].replace("'", "''")
    sniffed = connection.execute(f"SELECT Delimiter FROM sniff_csv('{escape(path)}')").fetchall()
    separator: str = sniffed[0][0]
    return separator


def as_number(column: str, decimal: str) -> str:
    """Return the SQL of a column of text as numbers with a decimal mark.

    Examples
    --------
    >>> as_number("score", ".")
    'CAST("score" AS DOUBLE)'
    """
    return f"CAST({_with_points(quoted(column), decimal)} AS DOUBLE)"


def _with_points(text: str, decimal: str) -> str:
    """Return the SQL of text with a point as its decimal mark."""
    # Both are exchanged, so that a point that separates thousands is not taken for one.
    return text if decimal == "." else f"translate({text}, ',.', '.,')"


@contextmanager
def locate_bad_numbers(relation: Any, names: Sequence[str], decimal: str = ".") -> Iterator[None]:
    """Turn DuckDB's error about text that is not a number into one that says where it is."""
    import duckdb

    try:
        yield
    except duckdb.ConversionException as error:
        for name in names:
            numbered = relation.project(f"row_number() OVER () AS row, {quoted(name)} AS text")
            number = f"TRY_CAST({_with_points('text', decimal)} AS DOUBLE)"
            is_bad = f"text IS NOT NULL AND {number} IS NULL"
            for row, value in numbered.filter(is_bad).limit(1).fetchall():
                raise UserError(
                    f'column "{name}" must hold numbers, got "{value}" in row {row}. '
                    + _advice(str(value), decimal)
                ) from error
        raise


def _advice(text: str, decimal: str) -> str:
    """Return what to do about text that is not a number."""
    other = {".": ",", ",": "."}[decimal]
    if re.fullmatch(rf"\s*[+-]?\d*\{other}\d+([eE][+-]?\d+)?\s*", text):
        return (
            f'If "{other}" is the decimal mark, pass --decimal {other}. If it separates '
            "thousands, remove it."
        )
    return "Fix that row, or name another column."


def quoted(name: str) -> str:
    """Return a name as an identifier of SQL.

    Examples
    --------
    >>> quoted("my score")
    '"my score"'
    """
    return '"' + name.replace('"', '""') + '"'


def _with_duckdb(files: Files, columns: Columns) -> Any:
    connection, names = connect(), columns.all
    relation = read_relation(connection, files, as_text=True)
    columns.check(relation.columns, files)
    check_unique(connection, files, names)
    if files.format == "parquet":
        return relation.project(", ".join(map(quoted, names)))
    # Text takes longer to read than to count, so it is read once, into a table that DuckDB moves
    # to disk if it outgrows memory.
    if files.format == "json":
        relation.project(", ".join(map(quoted, names))).create("rows")
        return connection.table("rows")
    numeric = columns.numeric
    with locate_bad_numbers(relation, numeric, files.decimal):
        relation.project(
            _replaced(names, {name: as_number(name, files.decimal) for name in numeric})
        ).create("rows")
    table = connection.table("rows")
    narrowed = {name: _narrowest(table, name, files.decimal) for name in columns.classes}
    return table.project(_replaced(names, narrowed))


def _replaced(names: Sequence[str], by: dict[str, str]) -> str:
    """Return the list of all columns, with some replaced by expressions."""
    return ", ".join(f"{by.get(name, quoted(name))} AS {quoted(name)}" for name in names)


def _narrowest(table: Any, name: str, decimal: str) -> str:
    """Return the SQL of a column of text, in the narrowest type that all of it fits."""
    text = _with_points(quoted(name), decimal)
    fits_type = ", ".join(
        f"bool_and(regexp_full_match(trim({text}), '{pattern}'))"
        for pattern in LABEL_TYPES.values()
    )
    fits = table.aggregate(fits_type).fetchall()[0]
    narrowest = (one for one, is_fit in zip(LABEL_TYPES, fits, strict=True) if is_fit)
    sql_type = next(narrowest, None)
    return quoted(name) if sql_type is None else f"CAST({text} AS {sql_type})"


def _with_polars(files: Files, columns: Columns) -> Any:
    import polars as pl

    paths = list(files.paths)
    if files.format == "parquet":
        frame = pl.scan_parquet(paths, glob=False)
    elif files.format == "json":
        frame = pl.scan_ndjson([escape(path) for path in paths], infer_schema_length=None)
    else:
        dtypes = dict.fromkeys(columns.numeric, pl.Float64)
        frame = pl.scan_csv(paths, schema_overrides=dtypes, separator=_separator(files), glob=False)
    columns.check(frame.collect_schema().names(), files)
    return frame.select(columns.all)


def _with_dask(files: Files, columns: Columns) -> Any:
    import dask.dataframe as dd

    paths = list(files.paths)
    if files.format == "parquet":
        frame = dd.read_parquet(paths)
    elif files.format == "json":
        frame = dd.read_json(paths, lines=True)
    else:
        dtypes = dict.fromkeys(columns.numeric, "float64")
        # Compressed files cannot be split, and Dask would warn about it.
        is_compressed = any(path.lower().endswith(COMPRESSED) for path in paths)
        size = None if is_compressed else "default"
        frame = dd.read_csv(paths, dtype=dtypes, sep=_separator(files), blocksize=size)
    columns.check(list(frame.columns), files)
    return frame[columns.all]


def _with_spark(files: Files, columns: Columns) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("ordcut").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")  # passes are shown instead
    read, paths = builder.getOrCreate().read, list(files.paths)
    if files.format == "parquet":
        frame = read.parquet(*paths)
    elif files.format == "json":
        frame = read.json(paths)
    else:
        frame = read.csv(paths, header=True, inferSchema=True, sep=_separator(files))
    columns.check(frame.columns, files)
    return frame.select(*(f"`{name.replace('`', '``')}`" for name in columns.all))


def _with_decimal_points(files: Files, columns: Columns) -> Files:
    """Return CSV files as a Parquet file, since not every engine reads other decimal marks."""
    path = os.path.join(scratch_folder(), "decimal.parquet")
    _with_duckdb(files, columns).write_parquet(path)
    return Files((path,), "parquet")


def _separator(files: Files) -> str:
    """Return the character between fields, for engines that do not detect it."""
    is_tabbed = all(".tsv" in path.lower()[-8:] for path in files.paths)
    return files.separator or ("\t" if is_tabbed else ",")


#: How each engine opens files. A new engine is one row here and one below.
ENGINES: dict[str, Callable[[Files, Columns], Any]] = {
    "duckdb": _with_duckdb,
    "polars": _with_polars,
    "dask": _with_dask,
    "spark": _with_spark,
}

#: The package to install for each engine.
PACKAGES = {
    "duckdb": "ordcut[cli]",
    "polars": "polars",
    "dask": "dask[dataframe]",
    "spark": "pyspark",
}
