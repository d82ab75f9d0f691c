"""Files as relations of DuckDB, with nothing guessed from a sample.

DuckDB takes the type of a column from its first rows, and rounds a fraction that comes later where
they were whole. So text is read as text, and becomes numbers where all of it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import escape
from typing import Any

from ordcut.cli.columns import Columns
from ordcut.cli.failures import UserError
from ordcut.cli.inputs import Files, scratch_folder
from ordcut.cli.signals import holding_signals

#: What labels in CSV can be, the narrowest first; text otherwise.
LABEL_KINDS = {
    "BIGINT": r"[+-]?\d+",
    "DOUBLE": r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?",
    "BOOLEAN": r"(?i)true|false",
}


def connect() -> Any:
    """Return DuckDB in memory, which spills into a folder of this command's own."""
    with holding_signals():
        import duckdb

    return duckdb.connect(config={"temp_directory": scratch_folder()})


def relation_of(connection: Any, files: Files, *, as_text: bool = False) -> Any:
    """Return all columns of files as a relation, which reads them when asked to.

    Columns of CSV are text where that is asked for; else all rows are looked at for their types.
    """
    paths = [escape(path) for path in files.paths]  # DuckDB would take them for globs
    if files.format == "parquet":
        return connection.read_parquet(paths, union_by_name=True)
    if files.format == "json":
        return connection.read_json(paths, union_by_name=True, sample_size=-1)
    options: dict[str, Any] = {} if files.separator is None else {"delimiter": files.separator}
    options |= {"all_varchar": True} if as_text else {"sample_size": -1}
    return connection.read_csv(paths, header=True, union_by_name=True, **options)


def open_columns(files: Files, columns: Columns) -> Any:
    """Return some columns of files as a relation to be read several times."""
    connection = connect()
    relation = relation_of(connection, files, as_text=True)
    columns.check(relation.columns, files)
    if files.format == "parquet":
        return relation.project(", ".join(map(quoted, columns.every)))
    # Text takes longer to read than to count, so it is read once, into a table that DuckDB moves
    # to disk where it outgrows memory.
    if files.format == "json":
        relation.project(", ".join(map(quoted, columns.every))).create("rows")
        return connection.table("rows")
    with saying_which_text_is_no_number(relation, columns.numbers):
        relation.project(_cast(columns.every, columns.numbers, "DOUBLE")).create("rows")
    table = connection.table("rows")
    for name in columns.classes:
        table = table.project(_cast(columns.every, [name], _kind_of_text(table, name)))
    return table


@contextmanager
def saying_which_text_is_no_number(relation: Any, names: Sequence[str]) -> Iterator[None]:
    """Turn an error of DuckDB about some text into one that says where the text is."""
    import duckdb

    try:
        yield
    except duckdb.ConversionException as error:
        for name in names:
            text = quoted(name)
            numbered = relation.project(f"row_number() OVER () AS row, {text} AS text")
            is_bad = "text IS NOT NULL AND TRY_CAST(text AS DOUBLE) IS NULL"
            for row, value in numbered.filter(is_bad).limit(1).fetchall():
                raise UserError(
                    f'column "{name}" must hold numbers, got "{value}" in row {row}. '
                    "Mend that row, or name another column."
                ) from error
        raise


def quoted(name: str) -> str:
    """Return a name as SQL writes it.

    Examples
    --------
    >>> quoted("my score")
    '"my score"'
    """
    return '"' + name.replace('"', '""') + '"'


def _cast(every: Sequence[str], names: Sequence[str], kind: str) -> str:
    """Return the list of all columns, with those of some names cast to a kind."""
    return ", ".join(
        f"CAST({quoted(name)} AS {kind}) AS {quoted(name)}" if name in names else quoted(name)
        for name in every
    )


def _kind_of_text(table: Any, name: str) -> str:
    """Return the narrowest kind that all texts of a column are of."""
    is_of = ", ".join(
        f"bool_and(regexp_full_match(trim({quoted(name)}), '{pattern}'))"
        for pattern in LABEL_KINDS.values()
    )
    found = table.aggregate(is_of).fetchall()[0]
    return next((kind for kind, fits in zip(LABEL_KINDS, found, strict=True) if fits), "VARCHAR")
