"""``ordcut show``."""

from __future__ import annotations

from typing import Any

import click

from ordcut.cli.options import force_option, json_option, output_option
from ordcut.cli.outputs import Outputs


@click.command()
@click.argument("path", metavar="FILE", required=False, type=click.Path(allow_dash=True))
@output_option("Write the card to this file, as HTML.")
@click.option("--sql", metavar="COL", help="Print the rule as SQL over this column instead.")
@click.option(
    "--dialect",
    default="standard",
    metavar="NAME",
    help="The SQL of --sql: standard, duckdb, postgres, mysql, sqlite, tsql, spark, ...",
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of such files instead.")
@json_option
@force_option
def show(
    path: str | None,
    output: str | None,
    sql: str | None,
    dialect: Any,
    schema: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Show the rule and the evidence in a file of thresholds.

    FILE is a file that ordcut fit or to_json wrote, or - for standard input.
    """
    from ordcut._core.errors import printable
    from ordcut._core.thresholds import json_text, schema_text
    from ordcut.cli.failures import UserError
    from ordcut.cli.thresholds_file import read_thresholds_file

    if schema:
        if path is not None or output is not None or as_json:
            raise UserError("--schema prints the schema of all files. Pass it alone.")
        click.echo(schema_text())
        return
    if path is None:
        raise UserError("FILE must be given: ordcut show cuts.json. Write one with: ordcut fit -o.")
    with Outputs(force=force) as outputs:
        out = outputs.add("--output", output) if output else None
        saved = read_thresholds_file(path, (), "FILE")
        card = saved.thresholds.card()
        if out is not None:
            head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Thresholds</title>'
            out.write(f"{head}{card._repr_html_()}</html>\n")
        outputs.publish()
    if sql is not None:
        click.echo(saved.thresholds.to_sql(sql, dialect))
    elif as_json:
        click.echo(json_text(saved.as_dict()))
    elif output is None:
        click.echo(printable(str(card)))
    elif output != "-":
        click.echo(f"Wrote {printable(output)}.", err=True)
