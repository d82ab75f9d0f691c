"""``ordcut predict``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ordcut.cli.failures import UserError
from ordcut.cli.inputs import ENDINGS, find_files, format_of
from ordcut.cli.options import (
    FORMATS,
    column_option,
    files_argument,
    force_option,
    format_option,
    output_option,
    quiet_option,
    separator_option,
    thresholds_option,
)
from ordcut.cli.outputs import Outputs

if TYPE_CHECKING:
    from ordcut.cli.inputs import Files
    from ordcut.thresholds import Thresholds

#: How DuckDB writes each format, and each way to compress text.
WRITTEN = {"csv": "FORMAT csv, HEADER true", "parquet": "FORMAT parquet", "json": "FORMAT json"}
COMPRESSION = {".gz": ", COMPRESSION gzip", ".zst": ", COMPRESSION zstd"}

#: A name for the scores as numbers that no file has.
AS_NUMBER = "ordcut: the score as a number"


@click.command()
@files_argument
@thresholds_option
@output_option("Where the rows go, with their labels; - for standard output.", required=True)
@column_option("--score", "The column of scores. [default: what the thresholds were found for]")
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
    help="Stop at a row without a score, or leave its label empty.",
)
@format_option
@click.option("--output-format", type=click.Choice(FORMATS), help="What to write.")
@separator_option
@force_option
@quiet_option
def predict(
    files: tuple[str, ...],
    thresholds_file: str,
    output: str,
    score: str | None,
    name: str,
    nulls: str,
    format: str | None,
    output_format: str | None,
    separator: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Label the rows of files by thresholds.

    Rows keep their order and all their columns, and a new column has their labels. FILES are CSV,
    Parquet or JSON lines, globs and folders of them, or - for standard input; OUT is in the format
    that its name ends in. Nothing needs to fit in memory.
    """
    from ordcut.cli.duck import connect, saying_which_text_is_no_number
    from ordcut.cli.saved import read_saved

    with Outputs(force=force) as outputs:
        out = outputs.add("--output", output)
        kind = _kind_of_output(output, output_format, format)
        if thresholds_file == "-" and "-" in files:
            raise UserError(
                "--thresholds and FILES must not both be - (standard input). Save one in a file."
            )
        saved = read_saved(thresholds_file)
        data = find_files(files, format, separator)
        connection = connect()
        rows, column = _rows(connection, data, kind, score or saved.columns.score, name)
        labelled = _labelled(rows, saved.found, column, name, nulls)
        if kind == "json":
            labelled = _without_nan(labelled)
        labelled.create_view("labelled")
        compression = next((how for end, how in COMPRESSION.items() if output.endswith(end)), "")
        with saying_which_text_is_no_number(rows, [column]), out.path_for_engine() as path:
            how = f"{WRITTEN[kind]}{compression if kind != 'parquet' else ''}, USE_TMP_FILE false"
            path = path.replace("'", "''")
            n_rows = connection.execute(f"COPY labelled TO '{path}' ({how})").fetchone()[0]
        outputs.publish()
    if not quiet:
        click.echo(f"Wrote {n_rows:,} rows to {output}.", err=True)


def _kind_of_output(output: str, asked: str | None, format: str | None) -> str:
    """Return the format to write: what is asked for, what the name says, or what comes in."""
    if asked is not None:
        return asked
    endings = tuple(end for ends in ENDINGS.values() for end in (*ends, *(e + ".gz" for e in ends)))
    if output == "-" or not output.lower().endswith(endings + tuple(COMPRESSION)):
        return format or "csv"
    return format_of(output, "--output")


def _rows(connection: Any, data: Files, kind: str, score: str | None, name: str) -> tuple[Any, str]:
    """Return all columns of the files, and which of them has the scores."""
    from ordcut.cli.columns import Columns
    from ordcut.cli.duck import relation_of

    # From CSV to CSV, all columns stay the text that they are.
    rows = relation_of(connection, data, as_text=kind == "csv")
    if score is None:
        raise UserError(
            f"--score must be given, since the thresholds do not name the column of scores. "
            f"The columns of {data.name} are: {', '.join(rows.columns)}."
        )
    Columns(score=score).check(rows.columns, data)
    if name.lower() in (column.lower() for column in rows.columns):
        raise UserError(
            f'--name must be a new column, and {data.name} has "{name}" already. '
            f'Pass another, such as --name "{name}_predicted".'
        )
    return rows, score


def _labelled(rows: Any, found: Thresholds, score: str, name: str, nulls: str) -> Any:
    """Return the rows with one more column, by the rule of the frames."""
    from ordcut import frames
    from ordcut.cli.duck import quoted

    number, label = quoted(AS_NUMBER), quoted(name)
    with_number = rows.project(f"*, CAST({quoted(score)} AS DOUBLE) AS {number}")
    labelled = frames.predict(with_number, found, score=AS_NUMBER, name=name)
    if nulls == "keep":
        return labelled.project(f"* EXCLUDE ({number})")
    hint = score.replace("'", "''")
    stop = (
        f'error(\'--score must not be missing, and "{hint}" is in some row. '
        "Mend or drop that row, or pass --nulls keep.')"
    )
    checked = f"CASE WHEN {label} IS NULL THEN {stop} ELSE {label} END AS {label}"
    return labelled.project(f"* EXCLUDE ({number}) REPLACE ({checked})")


def _without_nan(rows: Any) -> Any:
    """Return rows that JSON can hold, which knows neither NaN nor infinities."""
    from ordcut.cli.duck import quoted

    kinds = zip(map(quoted, rows.columns), map(str, rows.types), strict=True)
    names = [name for name, kind in kinds if kind in ("FLOAT", "DOUBLE")]
    if not names:
        return rows
    finite = ", ".join(f"CASE WHEN isfinite({name}) THEN {name} END AS {name}" for name in names)
    return rows.project(f"* REPLACE ({finite})")
