"""``ordcut report``."""

from __future__ import annotations

from typing import Any

import click

from ordcut.cli.console import as_line
from ordcut.cli.options import force_option, output_option, quiet_option, thresholds_on_files
from ordcut.cli.outputs import Outputs


@click.command()
@thresholds_on_files
@output_option("The file for the page; - for standard output.", required=True)
@click.option("--title", help="The title of the page.")
@force_option
@quiet_option
def report(output: str, title: str | None, force: bool, quiet: bool, **options: Any) -> None:
    """Write an interactive HTML page about thresholds.

    The page is a single HTML file that opens in any browser and needs no network. It shows the
    scores of each class and the value of the thresholds, which can be moved on the page.
    """
    from ordcut.cli.console import show_passes
    from ordcut.cli.thresholds_file import open_rows
    from ordcut.report import page_from_source

    with Outputs(force=force) as outputs, show_passes(quiet) as progress:
        page_out = outputs.add("--output", output)
        rows = open_rows(progress, **options)
        page = page_from_source(
            rows.source,
            rows.saved.thresholds,
            rows.weighted_objective,
            intervals=rows.saved.intervals,
            score_name=str(rows.columns.score),
            label_name=rows.columns.label_name,
            title=title,
        )
        page_out.write(page)
        outputs.publish()
    if not quiet:
        click.echo(f"Wrote {as_line(output)}.", err=True)
