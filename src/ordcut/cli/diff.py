"""``ordcut diff``."""

from __future__ import annotations

from typing import Any

import click

from ordcut.cli.options import force_option, json_option, quiet_option, rows_options
from ordcut.cli.outputs import Outputs

EXAMPLE = """\b
Examples:
  ordcut diff cuts.json new.json
  ordcut diff cuts.json new.json july.csv"""


@click.command(epilog=EXAMPLE)
@click.argument("old", metavar="OLD", type=click.Path(allow_dash=True))
@click.argument("new", metavar="NEW", type=click.Path(allow_dash=True))
@click.argument("files", nargs=-1, metavar="[FILES]...", type=click.Path(allow_dash=True))
@rows_options
@click.option(
    "--plot",
    metavar="FILE",
    help="Draw both on the scores of FILES: new thresholds as lines, old ones dashed.",
)
@json_option
@force_option
@quiet_option
def diff(
    old: str,
    new: str,
    files: tuple[str, ...],
    plot: str | None,
    as_json: bool,
    force: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Compare two files of thresholds: what moved, and by how much.

    Shares of rows are about those in the record of NEW, or exact for the labelled rows of FILES, on
    which the gain of the new thresholds is computed, too. The exit code is 3 if they are surely
    worse there, and 0 otherwise.
    """
    from ordcut.cli.console import print_result, show_passes
    from ordcut.cli.failures import UserError
    from ordcut.cli.fit import check_plot, draw
    from ordcut.cli.thresholds_file import open_rows, read_thresholds_file
    from ordcut.studies.diff import diff_of_records, diff_of_rows

    if "-" in (old, new) and (old == new or "-" in files):
        raise UserError("OLD, NEW and FILES must not share standard input. Save one in a file.")
    if plot:
        check_plot(plot)
        if not files:
            raise UserError("--plot draws the scores of FILES, and there are none. Name them.")
    with Outputs(force=force) as outputs:
        plot_out = outputs.add("--plot", plot) if plot else None
        before = read_thresholds_file(old, files, "OLD").thresholds
        if files:
            with show_passes(quiet) as progress:
                rows = open_rows(progress, files=files, thresholds_path=new, **options)
                after, source = rows.saved.thresholds, rows.source
                result = diff_of_rows(before, after, source.all_rows(), rows.weighted_objective)
            if plot_out is not None:
                picture = draw(source, after, str(rows.columns.score), str(plot), before)
                plot_out.write(picture)
        else:
            result = diff_of_records(before, read_thresholds_file(new, files, "NEW").thresholds)
        outputs.publish()
    return print_result(result, as_json=as_json, quiet=quiet, written=plot)
