"""``ordcut report``."""

from __future__ import annotations

from typing import Any

import click

from ordcut.cli.files import Columns, Reading, find_files
from ordcut.cli.options import (
    class_weight_option,
    column_option,
    engine_option,
    files_argument,
    force_option,
    max_rows_option,
    nulls_option,
    objective_option,
    output_option,
    quiet_option,
    reading_options,
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
@class_weight_option("as in ordcut fit; none for equal weights")
@click.option("--title", help="The title of the page.")
@nulls_option
@engine_option
@max_rows_option
@reading_options
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
    class_weight: str | None,
    title: str | None,
    nulls: Any,
    engine: str,
    max_rows: int,
    reading: Reading,
    force: bool,
    quiet: bool,
) -> None:
    """Write an interactive HTML page about thresholds.

    The page is a single HTML file that opens in any browser and needs no network. It shows the
    scores of each class and the value of the thresholds, which can be moved on the page.
    """
    from ordcut.cli.console import show_passes
    from ordcut.cli.engines import open_frame, open_source
    from ordcut.cli.thresholds_file import read_thresholds_file
    from ordcut.report import page_from_source

    with Outputs(force=force) as outputs, show_passes(quiet) as progress:
        page_out = outputs.add("--output", output)
        saved = read_thresholds_file(thresholds_path, files)
        goal = saved.objective(objective)
        weights = saved.class_weights(class_weight)
        columns = saved.columns_for(Columns(score, label, weight))
        frame = open_frame(engine, find_files(files, reading), columns)
        source = open_source(
            frame,
            columns,
            classes=saved.thresholds.classes,
            nulls=nulls,
            progress=progress,
            max_rows=max_rows,
        )
        page = page_from_source(
            source,
            thresholds=saved.thresholds,
            objective=goal,
            class_weight=weights,
            intervals=saved.intervals,
            score_name=str(columns.score),
            label_name=str(columns.label),
            title=title,
        )
        page_out.write(page)
        outputs.publish()
    if not quiet:
        click.echo(f"Wrote {output}.", err=True)
