"""``ordcut report``."""

from __future__ import annotations

from typing import Any

import click

from ordcut.cli.files import Columns, find_files
from ordcut.cli.options import (
    column_option,
    files_argument,
    force_option,
    format_option,
    nulls_option,
    objective_option,
    output_option,
    quiet_option,
    separator_option,
    thresholds_option,
)
from ordcut.cli.outputs import Outputs


@click.command()
@files_argument
@thresholds_option
@output_option("The file for the page; - for standard output.", required=True)
@column_option("--score", "The column of scores. [default: as in ordcut fit]")
@column_option("--label", "The column of true classes. [default: as in ordcut fit]")
@column_option("--weight", "The column of row weights. [default: as in ordcut fit]")
@objective_option
@click.option("--title", help="The title of the page.")
@nulls_option
@format_option
@separator_option
@force_option
@quiet_option
def report(
    files: tuple[str, ...],
    thresholds_path: str,
    output: str,
    score: str | None,
    label: str | None,
    weight: str | None,
    objective: str | None,
    title: str | None,
    nulls: Any,
    format: str | None,
    separator: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Write a page on which thresholds can be moved.

    The page is one HTML file that opens in any browser and needs no network. It shows the scores
    of each class and the value of the thresholds, and is updated as these are moved.
    """
    from ordcut.cli.console import show_passes
    from ordcut.cli.engines import open_frame, open_source
    from ordcut.cli.thresholds_file import read_thresholds_file
    from ordcut.report import page_from_source

    with Outputs(force=force) as outputs, show_passes(quiet) as progress:
        page_out = outputs.add("--output", output)
        saved = read_thresholds_file(thresholds_path, files)
        goal = saved.objective(objective)
        columns = saved.columns_for(Columns(score, label, weight))
        frame = open_frame("duckdb", find_files(files, format, separator), columns)
        source = open_source(
            frame, columns, classes=saved.thresholds.classes, nulls=nulls, progress=progress
        )
        page = page_from_source(
            source,
            thresholds=saved.thresholds,
            objective=goal,
            score_name=str(columns.score),
            label_name=str(columns.label),
            title=title,
        )
        page_out.write(page)
        outputs.publish()
    if not quiet:
        click.echo(f"Wrote {output}.", err=True)
