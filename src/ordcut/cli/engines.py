"""Files as lazy frames of an engine, and these as a source of rows.

DuckDB would take the type of a CSV column from its first rows, and then round a fraction that comes
later where these were whole. So CSV is read as text, which becomes numbers where all of it can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from glob import escape
from typing import TYPE_CHECKING, Any

from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns, Files, scratch_folder
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
    options |= {"all_varchar": True} if as_text else {"sample_size": -1}
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


@contextmanager
def locate_bad_numbers(relation: Any, names: Sequence[str]) -> Iterator[None]:
    """Turn DuckDB's error about text that is not a number into one that says where it is."""
    import duckdb

    try:
        yield
    except duckdb.ConversionException as error:
        for name in names:
            numbered = relation.project(f"row_number() OVER () AS row, {quoted(name)} AS text")
            is_bad = "text IS NOT NULL AND TRY_CAST(text AS DOUBLE) IS NULL"
            for row, value in numbered.filter(is_bad).limit(1).fetchall():
                raise UserError(
                    f'column "{name}" must hold numbers, got "{value}" in row {row}. '
                    "Fix that row, or name another column."
                ) from error
        raise


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
    with locate_bad_numbers(relation, numeric):
        relation.project(_cast(names, numeric, "DOUBLE")).create("rows")
    table = connection.table("rows")
    for name in columns.classes:
        table = table.project(_cast(names, [name], _narrowest_type(table, name)))
    return table


def _cast(names: Sequence[str], chosen: Sequence[str], sql_type: str) -> str:
    """Return the list of all columns, with the chosen ones cast to a type."""
    return ", ".join(
        f"CAST({quoted(name)} AS {sql_type}) AS {quoted(name)}" if name in chosen else quoted(name)
        for name in names
    )


def _narrowest_type(table: Any, name: str) -> str:
    """Return the narrowest type that all texts of a column fit."""
    fits_type = ", ".join(
        f"bool_and(regexp_full_match(trim({quoted(name)}), '{pattern}'))"
        for pattern in LABEL_TYPES.values()
    )
    fits = table.aggregate(fits_type).fetchall()[0]
    return next((one for one, is_fit in zip(LABEL_TYPES, fits, strict=True) if is_fit), "VARCHAR")


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
        frame = dd.read_csv(paths, dtype=dtypes, sep=_separator(files))
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
