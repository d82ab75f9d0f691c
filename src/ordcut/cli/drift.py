"""``ordcut drift``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns, Reading, find_files
from ordcut.cli.options import (
    column_option,
    engine_option,
    files_argument,
    json_option,
    quiet_option,
    reading_options,
    thresholds_option,
)

if TYPE_CHECKING:
    from ordcut._core.typing import Floats, Ints


@click.command()
@files_argument
@thresholds_option
@column_option("--score", "The column of scores. [default: as in ordcut fit]")
@click.option(
    "--limit",
    type=float,
    default=0.1,
    show_default=True,
    metavar="NUMBER",
    help="The population stability index from which on scores count as shifted.",
)
@engine_option
@json_option
@reading_options
@quiet_option
def drift(
    files: tuple[str, ...],
    thresholds_path: str,
    score: str | None,
    limit: float,
    engine: str,
    as_json: bool,
    reading: Reading,
    quiet: bool,
) -> int:
    """Test whether scores of files have moved since thresholds were found.

    No labels are needed. The scores are compared with the quantiles in the file of thresholds, and
    the share of each decision with its share then. The exit code is 0 if scores are stable, 5 if
    they have shifted, and 4 if the rows are too few to tell. Missing scores are ignored.
    """
    from ordcut.cli.console import print_result, show_passes
    from ordcut.cli.engines import open_frame
    from ordcut.cli.thresholds_file import read_thresholds_file
    from ordcut.frames import score_counts
    from ordcut.studies.drift import drift_of_counts

    saved = read_thresholds_file(thresholds_path, files)
    column = score or saved.columns.score
    if column is None:
        raise UserError(f"--score must be given, since {saved.path} does not name it.")
    if not limit > 0:
        raise UserError(f"--limit must be a number above 0, such as 0.1, got {limit:g}.")
    frame = open_frame(engine, find_files(files, reading), Columns(score=column))
    with show_passes(quiet) as progress:

        def count(positions: Floats) -> Ints:
            if progress is not None:
                progress("counting scores between quantiles")
            return score_counts(frame, positions, score=column)

        result = drift_of_counts(saved.thresholds, count, limit)
    return print_result(result, as_json=as_json, quiet=quiet)
