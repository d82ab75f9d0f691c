"""Files as frames of an engine: nothing is read here but headers and, by DuckDB, text once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from glob import escape
from typing import Any

from ordcut.cli.failures import UserError
from ordcut.cli.inputs import Files, scratch_folder


@dataclass(frozen=True)
class Columns:
    """The columns that a command asks for, by the option that names each.

    Attributes
    ----------
    score, label, weight : str or None
        The names of the columns; None for what the command has no need of.
    """

    score: str | None = None
    label: str | None = None
    weight: str | None = None
    others: tuple[str, ...] = ()

    @property
    def numbers(self) -> list[str]:
        """The columns that must hold numbers."""
        return [name for name in (self.score, self.weight) if name is not None]

    @property
    def every(self) -> list[str]:
        """All columns, each once."""
        names = (self.score, self.label, self.weight, *self.others)
        return list(dict.fromkeys(name for name in names if name is not None))

    def check(self, there: Sequence[str], files: Files) -> None:
        """Say which column is missing, and which was perhaps meant."""
        named = {"--score": self.score, "--label": self.label, "--weight": self.weight}
        named |= {f"--against {name}": name for name in self.others}
        for option, name in named.items():
            if name is not None and name not in there:
                near = get_close_matches(name, there, n=1)
                hint = f' Did you mean "{near[0]}"?' if near else ""
                raise UserError(
                    f'{option.split()[0]} must name a column of {files.name}, got "{name}". '
                    f"There are: {', '.join(there)}.{hint}"
                )


def open_frame(engine: str, files: Files, columns: Columns) -> Any:
    """Return the columns of files as a lazy frame of an engine."""
    return ENGINES[engine](files, columns)


def connect() -> Any:
    """Return DuckDB in memory, which spills into a folder of this command's own."""
    import duckdb

    return duckdb.connect(config={"temp_directory": scratch_folder()})


def duckdb_relation(connection: Any, files: Files, **csv_options: Any) -> Any:
    """Return all columns of files as a relation of DuckDB, which reads them when asked to."""
    paths = [escape(path) for path in files.paths]  # DuckDB would take them for globs
    if files.format == "parquet":
        return connection.read_parquet(paths, union_by_name=True)
    if files.format == "json":
        return connection.read_json(paths, union_by_name=True)
    if files.separator is not None:
        csv_options["delimiter"] = files.separator
    return connection.read_csv(paths, header=True, union_by_name=True, **csv_options)


def _with_duckdb(files: Files, columns: Columns) -> Any:
    connection = connect()
    relation = duckdb_relation(connection, files)
    columns.check(relation.columns, files)
    if files.format == "parquet":
        return relation.select(*map(_quoted, columns.every))
    # Text takes longer to read than to count, and several passes come: it is read once, into a
    # table that DuckDB moves to disk where it outgrows memory.
    if files.format == "csv":
        kinds = dict.fromkeys(columns.numbers, "DOUBLE")  # later rows may have a fraction
        relation = duckdb_relation(connection, files, dtype=kinds)
    relation.select(*map(_quoted, columns.every)).create("ordcut_rows")
    return connection.table("ordcut_rows")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _with_polars(files: Files, columns: Columns) -> Any:
    import polars as pl

    paths = list(files.paths)
    if files.format == "parquet":
        frame = pl.scan_parquet(paths, glob=False)
    elif files.format == "json":
        frame = pl.scan_ndjson([escape(path) for path in paths])
    else:
        kinds = dict.fromkeys(columns.numbers, pl.Float64)
        separator = files.separator or ","
        frame = pl.scan_csv(paths, schema_overrides=kinds, separator=separator, glob=False)
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
        frame = dd.read_csv(paths, dtype=kinds, sep=files.separator or ",")
    columns.check(list(frame.columns), files)
    return frame[columns.every]


def _with_spark(files: Files, columns: Columns) -> Any:
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.appName("ordcut").config("spark.ui.enabled", "false").getOrCreate()
    )
    paths = list(files.paths)
    if files.format == "csv":
        frame = session.read.csv(paths, header=True, inferSchema=True, sep=files.separator or ",")
    else:
        frame = (
            getattr(session.read, files.format)(paths)
            if files.format == "json"
            else session.read.parquet(*paths)
        )
    columns.check(frame.columns, files)
    return frame.select(*(f"`{name.replace('`', '``')}`" for name in columns.every))


#: Each engine, and how it opens files. A new one is one row.
ENGINES: dict[str, Callable[[Files, Columns], Any]] = {
    "duckdb": _with_duckdb,
    "polars": _with_polars,
    "dask": _with_dask,
    "spark": _with_spark,
}
