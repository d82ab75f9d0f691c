"""Files as lazy frames of an engine."""

from __future__ import annotations

from collections.abc import Callable
from glob import escape
from typing import Any

from ordcut.cli.columns import Columns
from ordcut.cli.inputs import Files


def open_frame(engine: str, files: Files, columns: Columns) -> Any:
    """Return some columns of files as a lazy frame of an engine."""
    try:
        return ENGINES[engine](files, columns)
    except ImportError as error:
        raise ImportError(
            f"--engine {engine} needs {error.name}, which is not installed. Install it with: "
            f'pip install "{PACKAGES[engine]}".'
        ) from error


def _with_duckdb(files: Files, columns: Columns) -> Any:
    from ordcut.cli.duck import open_columns

    return open_columns(files, columns)


def _with_polars(files: Files, columns: Columns) -> Any:
    import polars as pl

    paths = list(files.paths)
    if files.format == "parquet":
        frame = pl.scan_parquet(paths, glob=False)
    elif files.format == "json":
        frame = pl.scan_ndjson([escape(path) for path in paths], infer_schema_length=None)
    else:
        kinds = dict.fromkeys(columns.numbers, pl.Float64)
        frame = pl.scan_csv(paths, schema_overrides=kinds, separator=_separator(files), glob=False)
    columns.check(frame.collect_schema().names(), files)
    return frame.select(columns.every)


def _with_dask(files: Files, columns: Columns) -> Any:
    import dask.dataframe as dd

    paths = list(files.paths)
    if files.format == "parquet":
        frame = dd.read_parquet(paths)
    elif files.format == "json":
        frame = dd.read_json(paths, lines=True)
    else:
        kinds = dict.fromkeys(columns.numbers, "float64")
        frame = dd.read_csv(paths, dtype=kinds, sep=_separator(files))
    columns.check(list(frame.columns), files)
    return frame[columns.every]


def _with_spark(files: Files, columns: Columns) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("ordcut").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")  # we tell the passes
    read, paths = builder.getOrCreate().read, list(files.paths)
    if files.format == "parquet":
        frame = read.parquet(*paths)
    elif files.format == "json":
        frame = read.json(paths)
    else:
        frame = read.csv(paths, header=True, inferSchema=True, sep=_separator(files))
    columns.check(frame.columns, files)
    return frame.select(*(f"`{name.replace('`', '``')}`" for name in columns.every))


def _separator(files: Files) -> str:
    """Return what separates fields, for engines that do not find out."""
    is_tabbed = all(".tsv" in path.lower()[-8:] for path in files.paths)
    return files.separator or ("\t" if is_tabbed else ",")


#: Each engine, and how it opens files. A new one is one row here and one below.
ENGINES: dict[str, Callable[[Files, Columns], Any]] = {
    "duckdb": _with_duckdb,
    "polars": _with_polars,
    "dask": _with_dask,
    "spark": _with_spark,
}

#: What has each engine.
PACKAGES = {
    "duckdb": "ordcut[cli]",
    "polars": "polars",
    "dask": "dask[dataframe]",
    "spark": "pyspark",
}
