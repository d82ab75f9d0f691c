"""``ordcut fit``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ordcut.cli.columns import Columns
from ordcut.cli.failures import UserError
from ordcut.cli.inputs import find_files
from ordcut.cli.options import (
    column_option,
    files_argument,
    force_option,
    format_option,
    json_option,
    nulls_option,
    output_option,
    quiet_option,
    read_amount,
    separator_option,
)
from ordcut.cli.outputs import Outputs

if TYPE_CHECKING:
    from ordcut.cli.saved import Saved


@click.command()
@files_argument
@column_option("--score", "The column of scores; higher means a higher class.", required=True)
@column_option("--label", "The column of true classes.", required=True)
@column_option("--weight", "The column that says how much each row counts.")
@click.option(
    "--objective",
    default="absolute",
    show_default=True,
    metavar="NAME|FILE",
    help="absolute, squared, zero_one, kappa, linear_kappa, quadratic_kappa, or a CSV file of "
    "costs: a line a predicted class, a column a true one.",
)
@click.option(
    "--classes",
    metavar="A,B,C",
    help="All classes, lowest first. [default: those that occur, in ascending order]",
)
@click.option(
    "--smoothing",
    default="0",
    show_default=True,
    metavar="AMOUNT|auto",
    callback=read_amount,
    help="How much of each label is left to a model of the scores, from 0 to 1, for thresholds "
    "that hold up on new data where rows are few. Takes all rows into memory.",
)
@nulls_option
@click.option(
    "--engine",
    type=click.Choice(["duckdb", "polars", "dask", "spark"]),
    default="duckdb",
    show_default=True,
    help="What reads and counts the rows.",
)
@output_option("Where the thresholds go, as JSON; - for standard output.")
@click.option("--report", metavar="FILE", type=click.Path(allow_dash=True), help="Make a page too.")
@click.option(
    "--plot", metavar="FILE", type=click.Path(), help="Make a picture too: png, svg, pdf."
)
@json_option
@format_option
@separator_option
@force_option
@quiet_option
def fit(
    files: tuple[str, ...],
    score: str,
    label: str,
    weight: str | None,
    objective: str,
    classes: str | None,
    smoothing: Any,
    nulls: Any,
    engine: str,
    output: str | None,
    report: str | None,
    plot: str | None,
    as_json: bool,
    format: str | None,
    separator: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Find the optimal thresholds of a score in files.

    FILES are CSV, Parquet or JSON lines, globs and folders of them, or - for standard input. Rows
    stay where they are, and need not fit in memory: the engine counts them and gives out the few
    that a threshold can stand next to.
    """
    from ordcut.cli.engines import open_frame
    from ordcut.cli.objective import read_objective
    from ordcut.cli.pictures import check_picture
    from ordcut.cli.progress import telling_passes
    from ordcut.cli.saved import Saved
    from ordcut.cli.sources import open_source
    from ordcut.frames import thresholds_of

    columns = Columns(score, label, weight)
    with Outputs(force=force) as outputs:
        out = outputs.add("--output", output) if output else None
        page_out = outputs.add("--report", report) if report else None
        picture_out = outputs.add("--plot", plot) if plot else None
        if outputs.uses_stdout and as_json:
            raise UserError("--json prints to standard output, and so does -. Leave one out.")
        if plot:
            check_picture(plot)
        goal = read_objective(objective)
        frame = open_frame(engine, find_files(files, format, separator), columns)
        with telling_passes(quiet) as tell:
            source = open_source(frame, columns, nulls, tell, classes=classes, objective=goal)
            found = thresholds_of(source, goal, smoothing=smoothing)
            saved = Saved(found, columns, None if isinstance(goal, str) else goal)
            if out is not None:
                out.write(saved.as_text())
            if page_out is not None:
                from ordcut.report import page

                text = page(source, found, objective=goal, score_name=score, label_name=label)
                page_out.write(text)
            if picture_out is not None:
                from ordcut.cli.pictures import draw

                picture_out.write(draw(source, found, score, str(plot)))
        outputs.publish()
    facts = {"rows": source.n_rows, "dropped": found.dropped, "passes": found.passes}
    if as_json:
        click.echo(json.dumps({**saved.as_dict(), **facts, "engine": engine}, indent=2))
    elif not quiet:
        _show(saved, {**facts, "engine": engine}, stderr=outputs.uses_stdout)
        for path in (output, report, plot):
            if path and path != "-":
                click.echo(f"Wrote {path}.", err=True)


def _show(saved: Saved, facts: dict[str, Any], *, stderr: bool) -> None:
    """Print where each class begins and ends, what is reached, and why it cannot be better."""
    from ordcut.cli.tables import console, plain, print_table, shown

    found, to = saved.found, console(stderr=stderr)
    edges = ["", *map(shown, found.thresholds.tolist()), ""]
    lines = list(zip(found.classes.tolist(), edges[:-1], edges[1:], strict=True))
    title = f"{saved.columns.label} by {saved.columns.score}"
    print_table(to, title, ["class", "from", "below"], lines)
    rule = str(found.classes[0])
    for edge, name in zip(edges[1:-1], found.classes[1:], strict=True):
        rule += f" < {edge} <= {name}"
    to.print(plain(rule))
    to.print(f"{found.objective}: {shown(found.value)}")
    to.print(f"optimal by: {found.certificate}")
    dropped = f" ({facts['dropped']:,} dropped)" if facts["dropped"] else ""
    to.print(f"{facts['rows']:,} rows{dropped}, {facts['passes']} passes by {facts['engine']}")
