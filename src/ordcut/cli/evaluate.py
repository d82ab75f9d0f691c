"""``ordcut evaluate``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ordcut.cli.columns import Columns
from ordcut.cli.options import (
    column_option,
    complete_column,
    files_argument,
    format_option,
    json_option,
    nulls_option,
    quiet_option,
    separator_option,
    thresholds_option,
)

if TYPE_CHECKING:
    from ordcut.cli.judging import Verdict


@click.command()
@files_argument
@thresholds_option
@column_option("--score", "The column of scores. [default: what the thresholds were found for]")
@column_option("--label", "The column of true classes. [default: likewise]")
@column_option("--weight", "The column that says how much each row counts. [default: likewise]")
@click.option(
    "--against",
    multiple=True,
    metavar="COL",
    shell_complete=complete_column,
    help="A column of other predictions to compare with; can be given more than once.",
)
@nulls_option
@json_option
@format_option
@separator_option
@quiet_option
def evaluate(
    files: tuple[str, ...],
    thresholds_file: str,
    score: str | None,
    label: str | None,
    weight: str | None,
    against: tuple[str, ...],
    nulls: Any,
    as_json: bool,
    format: str | None,
    separator: str | None,
    quiet: bool,
) -> None:
    """Judge thresholds on files, by every objective.

    The thresholds stand side by side with those that would be optimal for these rows, with other
    ways to cut scores, and with predictions in the files. A star marks the best of a column.
    """
    from ordcut.cli.judging import judge
    from ordcut.cli.progress import telling_passes
    from ordcut.cli.sources import open_with_thresholds

    columns = Columns(score, label, weight, against)
    with telling_passes(quiet) as tell:
        opened = open_with_thresholds(
            files, thresholds_file, columns, nulls, format, separator, tell
        )
        verdict = judge(opened)
    if as_json:
        click.echo(json.dumps(verdict.as_dict(), indent=2, ensure_ascii=False))
    else:
        _show(verdict)


def _show(verdict: Verdict) -> None:
    from ordcut.cli.tables import console, print_table, shown

    def cell(value: float | None) -> str:
        return "" if value is None else shown(value)

    to = console()
    title = f"Value on {verdict.n_rows:,} rows"
    names = [objective.name for objective in verdict.objectives]
    best = verdict.best
    lines = [
        [
            name,
            *(
                cell(value) + ("*" if value is not None and value == best[objective] else " ")
                for objective, value in values.items()
            ),
        ]
        for name, values in verdict.values.items()
    ]
    print_table(to, title, ["labeling", *(f"{name} " for name in names)], lines)
    classes = verdict.classes.tolist()
    table = zip(classes, verdict.confusion.tolist(), strict=True)
    counts = [[name, *map(shown, row)] for name, row in table]
    title = "Rows by predicted class (down) and true class (across)"
    print_table(to, title, ["", *map(str, classes)], counts)
    by_class = verdict.by_class()
    header = list(by_class[0])
    per_class = [[row["class"], *(cell(row[key]) for key in header[1:])] for row in by_class]
    print_table(to, "By class", header, per_class)
