"""``ordcut update``."""

from __future__ import annotations

from typing import Any

import click

from ordcut.cli.options import (
    force_option,
    json_option,
    output_option,
    quiet_option,
    read_amount,
    thresholds_on_files,
)
from ordcut.cli.outputs import Outputs

EXAMPLE = """\b
Example:
  ordcut update may.csv june.csv -t cuts.json --max-changed 0.05 -o new.json"""


@click.command(epilog=EXAMPLE)
@thresholds_on_files
@click.option(
    "--constraint",
    "constraints",
    multiple=True,
    metavar="TEXT",
    help="What new thresholds must keep, as in ordcut fit. Can be repeated. [default: the "
    "constraints of the thresholds]",
)
@click.option(
    "--smoothing",
    metavar="NUMBER|auto|bagging",
    callback=read_amount,
    help="The share of the labels that a model gives, as in ordcut fit. [default: auto; 0 with "
    "--cost-per-change]",
)
@click.option(
    "--cost-per-change",
    type=float,
    default=0.0,
    metavar="COST",
    help="What each row costs whose label changes, in units of the loss.",
)
@click.option(
    "--max-changed",
    type=float,
    metavar="SHARE",
    help="The largest share of the rows between each old threshold and the new one.",
)
@click.option(
    "--tolerance",
    type=float,
    default=0.05,
    show_default=True,
    metavar="SHARE",
    help="The gain that is too small to move for, as a share of the loss of the old thresholds.",
)
@output_option("Write the new thresholds to this file, whatever the outcome.")
@click.option("--no-time", is_flag=True, help="Leave the time out of the record in the file.")
@json_option
@force_option
@quiet_option
def update(
    constraints: tuple[str, ...],
    smoothing: Any,
    cost_per_change: float,
    max_changed: float | None,
    tolerance: float,
    output: str | None,
    no_time: bool,
    as_json: bool,
    force: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Decide by new labelled rows whether to keep thresholds or to move them.

    New thresholds are compared with the thresholds of the file, on rows that they were not found
    on. The exit code is 0 to keep the thresholds, 5 to move them, and 4 if the rows are too few to
    tell.
    """
    from ordcut.cli.console import print_result, show_passes
    from ordcut.cli.failures import UserError
    from ordcut.cli.thresholds_file import ThresholdsFile, open_rows
    from ordcut.studies.replacement import Replacement
    from ordcut.studies.update import update_of_rows

    with Outputs(force=force) as outputs:
        out = outputs.add("--output", output) if output else None
        if outputs.uses_stdout and as_json:
            raise UserError("--json prints to standard output, and so does -. Leave one out.")
        with show_passes(quiet) as progress:
            rows = open_rows(progress, **options)
            replacement = Replacement.of(
                rows.saved.thresholds,
                rows.weighted_objective,
                constraints or None,
                smoothing,
                cost_per_change,
                max_changed,
            )
            result = update_of_rows(replacement, rows.source.all_rows(), tolerance)
        if out is not None:
            saved = ThresholdsFile(result.new, rows.columns, has_time=not no_time)
            out.write(saved.as_text())
        outputs.publish()
    return print_result(
        result, as_json=as_json, quiet=quiet, written=output, stderr=outputs.uses_stdout
    )
