"""``ordcut report``."""

from __future__ import annotations

from typing import Any

import click

from ordcut.cli.columns import Columns
from ordcut.cli.options import (
    column_option,
    files_argument,
    force_option,
    format_option,
    nulls_option,
    output_option,
    quiet_option,
    separator_option,
    thresholds_option,
)
from ordcut.cli.outputs import Outputs


@click.command()
@files_argument
@thresholds_option
@output_option("Where the page goes; - for standard output.", required=True)
@column_option("--score", "The column of scores. [default: what the thresholds were found for]")
@column_option("--label", "The column of true classes. [default: likewise]")
@column_option("--weight", "The column that says how much each row counts. [default: likewise]")
@click.option("--title", help="The title of the page.")
@nulls_option
@format_option
@separator_option
@force_option
@quiet_option
def report(
    files: tuple[str, ...],
    thresholds_file: str,
    output: str,
    score: str | None,
    label: str | None,
    weight: str | None,
    title: str | None,
    nulls: Any,
    format: str | None,
    separator: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Make a page on which thresholds can be moved.

    The page is one file that opens in any browser and needs no network. It shows the scores of each
    class, what the thresholds come to, and what becomes of it when they are moved.
    """
    from ordcut.cli.progress import telling_passes
    from ordcut.cli.sources import open_with_thresholds
    from ordcut.report import page

    with Outputs(force=force) as outputs, telling_passes(quiet) as tell:
        out = outputs.add("--output", output)
        columns = Columns(score, label, weight)
        opened = open_with_thresholds(
            files, thresholds_file, columns, nulls, format, separator, tell
        )
        out.write(
            page(
                opened.source,
                opened.saved.found,
                objective=opened.saved.objective,
                score_name=str(opened.columns.score),
                label_name=str(opened.columns.label),
                title=title,
            )
        )
        outputs.publish()
    if not quiet:
        click.echo(f"Wrote {output}.", err=True)
