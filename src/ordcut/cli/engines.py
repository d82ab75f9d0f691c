"""Files as lazy frames of an engine, and these as a source of rows.

DuckDB would take the type of a CSV column from its first rows, and then round a fraction that comes
later where these were whole. So CSV is read as text, which becomes numbers where all of it can.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from glob import escape
from typing import TYPE_CHECKING, Any

from ordcut._core.numerics.exact import EXACT
from ordcut.cli.failures import REPLACEMENT, UserError
from ordcut.cli.files import COMPRESSED, Columns, Files, remember, scratch_folder
from ordcut.cli.options import read_classes
from ordcut.cli.signals import delay_signals

if TYPE_CHECKING:
    from ordcut._core.data import WeightType
    from ordcut._core.typing import Array
    from ordcut.frames import FrameSource, RatedItems

#: The types of labels in CSV, the narrowest first, with the texts of each; else they are text.
LABEL_TYPES = {
    "BIGINT": r"[+-]?\d+",
    "DOUBLE": r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?",
    "BOOLEAN": r"(?i)true|false",
}

#: What R writes in CSV for a missing value.
MISSING = "NA"

#: Engines that read the scores in CSV as floats, and how many rows show whether these are exact.
READ_AS_FLOATS, N_TO_CHECK = ("polars", "dask"), 1000


def open_frame(engine: str, files: Files, columns: Columns) -> Any:
    """Return the given columns of files as a lazy frame of an engine."""
    remember("columns", columns)
    if engine != "duckdb" and (files.decimal != "." or files.is_array):
        files = _as_parquet(files, columns)
    if files.format == "csv" and engine in READ_AS_FLOATS and columns.score is not None:
        rows = read_relation(connect(), files, as_text=True)
        if columns.score in rows.columns:
            _check_exact(rows.limit(N_TO_CHECK), columns.score, ".")
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
    classes: str | Sequence[Any] | Array | None,
    nulls: Any,
    progress: Callable[[str], None] | None,
    max_rows: int,
    n_classes: int | None = None,
    weight_type: WeightType | None = None,
    as_panel: bool = False,
) -> FrameSource | RatedItems:
    """Return the rows of a frame as a source; ``classes`` may be the text of ``--classes``.

    Several ratings of an item are read into memory; other labels are too if ``as_panel``.
    """
    import narwhals as nw

    from ordcut.frames import FrameSource, RatedItems

    assert columns.score is not None
    assert columns.label is not None
    dtype = nw.from_native(frame).collect_schema()[columns.label]
    if dtype.is_nested():
        raise UserError(
            f'--label must name a column of numbers, booleans or text, and "{columns.label}" is of '
            f"type {dtype}. Name another, or unnest it first."
        )
    options: dict[str, Any] = {
        "score": columns.score,
        "weight": columns.weight,
        "weight_type": weight_type,
        "classes": read_classes(classes, dtype) if isinstance(classes, str) else classes,
        "n_classes": n_classes,
        "nulls": nulls,
        "max_rows": max_rows,
        "progress": progress or False,
    }
    if columns.is_panel or as_panel:
        options |= {"item": columns.item, "rater": columns.rater}
        return RatedItems.read(frame, label=columns.labels, **options)
    source = FrameSource(frame, label=columns.label, **options)
    damaged = [name for name in source.classes.tolist() if REPLACEMENT in str(name)]
    if damaged:  # Spark's replacement for bytes that are not UTF-8
        raise UserError(
            f'FILES must be text in UTF-8 unless --encoding says otherwise, and "{columns.label}" '
            f'holds "{damaged[0]}". Pass --encoding, such as cp1252 (Windows) or latin-1.'
        )
    return source


def stated_order(files: Files, label: str) -> list[Any] | None:
    """Return the order that Parquet files state for a column of text, as pandas writes it.

    Engines read ordered categories as text. None unless all files state the same order.
    """
    if files.format != "parquet":
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    orders: list[list[Any]] = []
    for path in files.paths:
        try:
            with pq.ParquetFile(path) as file:
                column = next(file.iter_batches(1, columns=[label]), pa.record_batch([], []))
        except (pa.ArrowException, OSError):  # which the engine will report
            return None
        dtype = column.schema.field(label).type if label in column.schema.names else None
        if not getattr(dtype, "ordered", False):
            return None
        orders.append(column.column(label).dictionary.to_pylist())
    return orders[0] if all(order == orders[0] for order in orders) else None


def sum_by(frame: Any, columns: Columns, name: str) -> tuple[list[Any], list[Any], list[float]]:
    """Return the weight of the complete rows by a column of predictions and by label."""
    import narwhals as nw

    from ordcut.frames.columns import as_float64
    from ordcut.frames.dialects import with_plain_names

    rows, plain = with_plain_names(nw.from_native(frame).lazy())
    schema = rows.collect_schema()
    weight = nw.lit(1.0)
    if columns.weight is not None:
        weight = nw.col(plain[columns.weight]).cast(nw.Float64)
    true = nw.col(plain[str(columns.label)])
    named = {"predicted": nw.col(plain[name]), "true": true, "weight": weight}
    for column in columns.numeric:
        number = as_float64(rows, plain[column], schema[plain[column]])
        rows = rows.filter(~number.is_null(), ~number.is_nan())
    rows = rows.select(**named).filter(~nw.col("true").is_null())
    counted = rows.group_by("predicted", "true").agg(nw.col("weight").sum()).collect()
    predicted, true, weights = (counted[key].to_list() for key in named)
    return predicted, true, weights


def connect() -> Any:
    """Return a DuckDB connection in memory, which spills to the temporary folder of the command."""
    with delay_signals():
        import duckdb

    connection = duckdb.connect(config={"temp_directory": scratch_folder()})
    for setting in ("enable_progress_bar_print = false", "progress_bar_time = 0"):
        connection.execute(f"SET {setting}")
    connection.execute("SET enable_progress_bar = true")
    remember("connection", connection)
    return connection


def read_relation(
    connection: Any, files: Files, *, as_text: bool = False, has_missing: bool = False
) -> Any:
    """Return all columns of files as a relation of DuckDB, which reads them lazily.

    CSV columns are text if ``as_text``; otherwise their types are detected from all rows. With
    ``has_missing``, NA in CSV is a missing value.
    """
    paths = [escape(path) for path in files.paths]  # DuckDB would take them for globs
    if files.format == "parquet":
        return connection.read_parquet(paths, union_by_name=True)
    if files.format == "json":
        return connection.read_json(paths, union_by_name=True, sample_size=-1)
    options: dict[str, Any] = {} if files.separator is None else {"delimiter": files.separator}
    if has_missing:
        options["na_values"] = ["", MISSING]
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
                f"{header.count(name)} times. Rename them."
            )


def check_quotes(names: Sequence[str]) -> None:
    """Raise an error for names with quotation marks if DuckDB is too old to select them."""
    import duckdb

    name = next((name for name in names if '"' in name), None)
    if name is not None and int(duckdb.__version__.split(".")[0]) < 2:
        raise UserError(
            f"columns must not have quotation marks in their names before DuckDB 2, got {name}. "
            f'Rename it, or upgrade DuckDB {duckdb.__version__}: pip install "duckdb>=2".'
        )


def separator_of(connection: Any, files: Files) -> str:
    """Return the character between the fields of CSV files, which is detected unless given."""
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
    # Both are exchanged, so that a point that separates thousands is no decimal mark.
    return text if decimal == "." else f"translate({text}, ',.', '.,')"


def _check_exact(relation: Any, score: str, decimal: str) -> None:
    """Raise an error if a score is a whole number that float64 does not hold."""
    text = f"trim({_with_points(quoted(score), decimal)})"
    whole = f"TRY_CAST({text} AS HUGEINT)"
    is_lost = (
        f"regexp_full_match({text}, '{LABEL_TYPES['BIGINT']}') "
        f"AND {whole} <> TRY_CAST(CAST({text} AS DOUBLE) AS HUGEINT)"
    )
    for (value,) in relation.filter(is_lost).project(quoted(score)).limit(1).fetchall():
        raise UserError(
            "--score must name a column of numbers that are exact in float64, which holds whole "
            f'numbers up to 2**53, and "{score}" holds {value}. Subtract a common offset first, '
            "such as the least score."
        )


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
    relation = read_relation(connection, files, as_text=True, has_missing=True)
    columns.check(relation.columns, files)
    check_unique(connection, files, names)
    check_quotes(names)
    if files.format == "parquet":
        return relation.project(", ".join(map(quoted, names)))
    # Text takes longer to read than to count, so it is read once, into a table that DuckDB moves
    # to disk if it outgrows memory.
    if files.format == "json":
        relation.project(", ".join(map(quoted, names))).create("rows")
        return connection.table("rows")
    numeric = columns.numeric
    numbers = {name: as_number(name, files.decimal) for name in numeric}
    relation.project(_replaced(names, numbers)).create("rows")
    table = connection.table("rows")
    if columns.score is not None:
        finite = table.filter(f"isfinite({quoted(columns.score)})")
        largest = finite.aggregate(f"max(abs({quoted(columns.score)}))").fetchall()[0][0]
        if largest is not None and largest >= EXACT:
            _check_exact(relation, columns.score, files.decimal)
    narrowed = {name: _narrowest(table, name, files.decimal) for name in columns.classes}
    return table.project(_replaced(names, narrowed))


def _replaced(names: Sequence[str], by: dict[str, str]) -> str:
    """Return the list of all columns in SQL, with expressions instead of the given columns."""
    return ", ".join(f"{by.get(name, quoted(name))} AS {quoted(name)}" for name in names)


def _narrowest(table: Any, name: str, decimal: str) -> str:
    """Return the SQL of a column of text, in the narrowest type that all of it fits."""
    text = _with_points(quoted(name), decimal)
    fits_type = ", ".join(
        f"bool_and(regexp_full_match(trim({text}), '{pattern}'))"
        for pattern in LABEL_TYPES.values()
    )
    fits = table.aggregate(fits_type).fetchall()[0]
    narrowest = (sql_type for sql_type, is_fit in zip(LABEL_TYPES, fits, strict=True) if is_fit)
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
        frame = pl.scan_csv(
            paths,
            schema_overrides=dtypes,
            separator=_separator(files),
            null_values=MISSING,
            glob=False,
        )
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
    session, paths = builder.getOrCreate(), list(files.paths)
    _check_reachable(str(session.sparkContext.master), paths)
    read = session.read
    if files.format == "parquet":
        frame = read.parquet(*paths)
    elif files.format == "json":
        frame = read.json(paths)
        if frame.columns == ["_corrupt_record"]:
            raise UserError(
                f"FILES must contain JSON with one object per line, but {files.name} does not. Fix "
                "it, or pass --encoding if it is text in an encoding other than UTF-8, such as "
                "cp1252 (Windows) or latin-1."
            )
    else:
        frame = read.csv(
            paths, sep=_separator(files), header=True, inferSchema=True, nullValue=MISSING
        )
    columns.check(frame.columns, files)
    return frame.select(*(f"`{name.replace('`', '``')}`" for name in columns.all))


def _check_reachable(master: str, paths: Sequence[str]) -> None:
    """Raise an error if files are copies on this machine, where a cluster does not find them."""
    is_copy = any(path.startswith(os.path.join(scratch_folder(), "")) for path in paths)
    if is_copy and not master.startswith("local"):
        raise UserError(
            "--encoding, --decimal, standard input, Excel files and arrays of JSON must be left "
            "out for a Spark cluster, since they take a copy of FILES on this machine, which the "
            f"workers of {master} cannot read. Write FILES as Parquet or in UTF-8 with decimal "
            "points first, or use another --engine."
        )


def _as_parquet(files: Files, columns: Columns) -> Files:
    """Return files as one Parquet file: not all engines read decimal commas and arrays of JSON."""
    path = os.path.join(scratch_folder(), "rows.parquet")
    _with_duckdb(files, columns).write_parquet(path)
    return Files((path,), "parquet")


def _separator(files: Files) -> str:
    """Return the character between fields, for engines that do not detect it."""
    is_tabbed = all(".tsv" in path.lower()[-8:] for path in files.paths)
    return files.separator or ("\t" if is_tabbed else ",")


#: How each engine opens files. A new engine needs a row here and a row below.
ENGINES: dict[str, Callable[[Files, Columns], Any]] = {
    "duckdb": _with_duckdb,
    "polars": _with_polars,
    "dask": _with_dask,
    "spark": _with_spark,
}

#: The package to install for each engine.
PACKAGES = {
    "duckdb": "duckdb",
    "polars": "polars",
    "dask": "dask[dataframe]",
    "spark": "pyspark",
}
