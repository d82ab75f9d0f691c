"""``ordcut predict``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ordcut.cli.console import as_line
from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns, Reading, find_files, format_of, remember
from ordcut.cli.options import (
    FORMATS,
    CommandInSections,
    column_option,
    files_argument,
    force_option,
    output_option,
    quiet_option,
    reading_options,
    thresholds_option,
)
from ordcut.cli.outputs import Output, Outputs

if TYPE_CHECKING:
    from ordcut._core.thresholds import Thresholds
    from ordcut.cli.files import Files

#: How DuckDB writes each format, and each compression of text.
COPY_OPTIONS = {
    "csv": "FORMAT csv, HEADER true",
    "parquet": "FORMAT parquet",
    "json": "FORMAT json",
}
COMPRESSION = {".gz": ", COMPRESSION gzip", ".zst": ", COMPRESSION zstd"}

#: The temporary column of scores as numbers, under a name that no file has.
AS_NUMBER = "ordcut: the score as a number"


@click.command(cls=CommandInSections)
@files_argument
@thresholds_option
@output_option("The file for the labelled rows; - for standard output.", required=True)
@column_option("--score", "The column of scores. [default: as in ordcut fit]")
@click.option(
    "--name",
    default="label",
    show_default=True,
    metavar="COL",
    help="The name of the new column.",
)
@click.option(
    "--nulls",
    type=click.Choice(["raise", "keep"]),
    default="raise",
    show_default=True,
    help="Whether a missing score is an error or gets an empty label.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Make scores that cannot be on the scale of the thresholds an error.",
)
@click.option(
    "--output-format",
    type=click.Choice(FORMATS),
    help="The format of the output. [default: from its name, else --format, else json for JSON and "
    "csv for other files]",
)
@reading_options
@force_option
@quiet_option
def predict(
    files: tuple[str, ...],
    thresholds_path: str,
    output: str,
    score: str | None,
    name: str,
    nulls: str,
    strict: bool,
    output_format: str | None,
    reading: Reading,
    force: bool,
    quiet: bool,
) -> None:
    """Label the rows of files with thresholds.

    Adds a column of labels, and keeps the order of rows and all other columns. FILES are
    CSV, Parquet, JSON or Excel files, globs, folders, or - for standard input. They need not fit in
    memory, except for Excel files. CSV keeps its separator, except that .tsv files get tabs, and is
    written in UTF-8. An array of JSON objects stays an array, and JSON lines stay lines.
    """
    from ordcut.cli.console import show_passes
    from ordcut.cli.engines import connect
    from ordcut.cli.thresholds_file import read_thresholds_file
    from ordcut.frames import check_scale

    with Outputs(force=force) as outputs, show_passes(quiet) as progress:
        out = outputs.add("--output", output)
        saved = read_thresholds_file(thresholds_path, files)
        data = find_files(files, reading)
        written = _format_of_output(output, output_format, reading.format, data)
        connection = connect()
        rows, column = _rows(connection, data, written, score or saved.columns.score, name)
        numbers = _with_numbers(rows, column, data.decimal)
        labelled = _labelled(numbers, saved.thresholds, column, name, nulls)
        if written in ("json", "excel"):
            labelled = _without_nan(labelled)
        remember("columns", Columns(score=column))
        if progress is not None:
            progress("labelling rows")
        if written == "excel":
            from ordcut.cli.sheets import sheet_of

            sheet, n_rows = sheet_of(labelled)
            out.write(sheet)
        else:
            n_rows = _copy(connection, labelled, data, written, output, out)
        check_scale(numbers, saved.thresholds, score=AS_NUMBER, strict=strict)
        outputs.publish()
    if not quiet:
        click.echo(f"Wrote {n_rows:,} rows to {as_line(output)}.", err=True)


def _copy(
    connection: Any, labelled: Any, data: Files, written: str, output: str, out: Output
) -> int:
    """Write rows by DuckDB, and return their number."""
    labelled.create_view("labelled")
    compression = next((how for end, how in COMPRESSION.items() if output.endswith(end)), "")
    options = COPY_OPTIONS[written] + (compression if written != "parquet" else "")
    if written == "csv":
        separator = _separator_of_output(output, connection, data).replace("'", "''")
        options += f", DELIMITER '{separator}'"
    is_lines = _uncompressed(output).endswith((".jsonl", ".ndjson"))
    if written == "json" and data.is_array and not is_lines:
        options += ", ARRAY true"
    with out.path_for_engine() as path:
        path = path.replace("'", "''")
        copy = f"COPY labelled TO '{path}' ({options}, USE_TMP_FILE false)"
        n_rows: int = connection.execute(copy).fetchone()[0]
    return n_rows


def _uncompressed(output: str) -> str:
    """Return the name of a file in lower case, without the extension of compression."""
    name = output.lower()
    for extension in COMPRESSION:
        name = name.removesuffix(extension)
    return name


def _format_of_output(
    output: str, output_format: str | None, format: str | None, data: Files
) -> str:
    """Return the format to write: by the option, the name of the file, or the input."""
    if output_format is not None:
        return output_format
    if output == "-" or not os.path.splitext(output)[1]:
        return format or ("json" if data.format == "json" else "csv")
    return format_of(output, "--output", "--output-format")


def _separator_of_output(output: str, connection: Any, data: Files) -> str:
    """Return the character between the fields of a CSV output, as in the input, or a tab."""
    from ordcut.cli.engines import separator_of

    if _uncompressed(output).endswith(".tsv"):
        return "\t"
    return separator_of(connection, data) if data.format == "csv" else ","


def _rows(
    connection: Any, data: Files, written: str, score: str | None, name: str
) -> tuple[Any, str]:
    """Return all columns of the files, and the name of the column with the scores."""
    from ordcut.cli.engines import check_quotes, check_unique, read_relation

    # From CSV to CSV, all columns stay the text that they are.
    rows = read_relation(connection, data, as_text=written == "csv")
    if score is None:
        raise UserError(
            f"--score must be given, since the thresholds do not name the column of scores. "
            f"The columns of {data.name} are: {', '.join(rows.columns)}."
        )
    Columns(score=score).check(rows.columns, data)
    check_unique(connection, data, [score])
    check_quotes(rows.columns)
    if name.lower() in (column.lower() for column in rows.columns):
        raise UserError(
            f'--name must be a new column, and {data.name} already has "{name}". '
            f'Pass another, such as --name "{name}_predicted".'
        )
    return rows, score


def _with_numbers(rows: Any, score: str, decimal: str) -> Any:
    """Return the rows with the temporary column of scores as numbers."""
    from ordcut.cli.engines import as_number, quoted

    is_text = str(rows.types[rows.columns.index(score)]) == "VARCHAR"
    number = as_number(score, decimal if is_text else ".")
    return rows.project(f"*, {number} AS {quoted(AS_NUMBER)}")


def _labelled(rows: Any, thresholds: Thresholds, score: str, name: str, nulls: str) -> Any:
    """Return rows with numbers with the column of labels added."""
    from ordcut import frames
    from ordcut.cli.engines import quoted

    number, label = quoted(AS_NUMBER), quoted(name)
    labelled = frames.predict(rows, thresholds, score=AS_NUMBER, name=name)
    if nulls == "keep":
        return labelled.project(f"* EXCLUDE ({number})")
    hint = score.replace("'", "''")
    stop = (
        f'error(\'--score must not be missing, and "{hint}" is missing in some row. '
        "Fix or drop that row, or pass --nulls keep.')"
    )
    checked = f"CASE WHEN {label} IS NULL THEN {stop} ELSE {label} END AS {label}"
    return labelled.project(f"* EXCLUDE ({number}) REPLACE ({checked})")


def _without_nan(rows: Any) -> Any:
    """Return rows with NaN and infinities as nulls, since JSON has neither."""
    from ordcut.cli.engines import quoted

    types = zip(map(quoted, rows.columns), map(str, rows.types), strict=True)
    names = [name for name, sql_type in types if sql_type in ("FLOAT", "DOUBLE")]
    if not names:
        return rows
    finite = ", ".join(f"CASE WHEN isfinite({name}) THEN {name} END AS {name}" for name in names)
    return rows.project(f"* REPLACE ({finite})")
