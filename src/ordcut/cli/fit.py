"""``ordcut fit``."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import click

from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns, find_files
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
    read_objective,
    separator_option,
)
from ordcut.cli.outputs import Outputs

if TYPE_CHECKING:
    from ordcut.cli.thresholds_file import ThresholdsFile
    from ordcut.frames import FrameSource
    from ordcut.thresholds import Thresholds

#: The formats of plots, by the extension of the file.
PLOT_FORMATS = (".png", ".svg", ".pdf")


@click.command()
@files_argument
@column_option("--score", "The column of scores; higher means a higher class.", required=True)
@column_option("--label", "The column of true classes.", required=True)
@column_option("--weight", "The column of row weights. [default: every row counts once]")
@click.option(
    "--objective",
    default="absolute",
    show_default=True,
    metavar="NAME|FILE",
    help="absolute, squared, zero_one, kappa, linear_kappa, quadratic_kappa, or a CSV file of "
    "costs: one line per predicted class, one column per true class.",
)
@click.option(
    "--classes",
    metavar="A,B,C",
    help="All classes, lowest first. [default: those in the data, in ascending order]",
)
@click.option(
    "--smoothing",
    default="0",
    show_default=True,
    metavar="AMOUNT|auto",
    callback=read_amount,
    help="How much of each label is replaced by the class probabilities of a model, from 0 to 1. "
    "Thresholds from few rows then generalise better. Loads all rows into memory.",
)
@nulls_option
@click.option(
    "--engine",
    type=click.Choice(["duckdb", "polars", "dask", "spark"]),
    default="duckdb",
    show_default=True,
    help="The engine that reads and counts the rows.",
)
@output_option("The file for the thresholds, as JSON; - for standard output.")
@click.option(
    "--report",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="Also write the page of ordcut report.",
)
@click.option(
    "--plot", metavar="FILE", type=click.Path(), help="Also write a plot: .png, .svg or .pdf."
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

    FILES are CSV, Parquet or JSON lines files, globs, folders, or - for standard input. They need
    not fit in memory: the engine counts rows, and returns only the few that can be next to a
    threshold.
    """
    from ordcut.cli.console import show_passes
    from ordcut.cli.engines import open_frame, open_source
    from ordcut.cli.thresholds_file import ThresholdsFile
    from ordcut.frames import thresholds_of
    from ordcut.objectives import n_classes_of

    columns = Columns(score, label, weight)
    with Outputs(force=force) as outputs:
        thresholds_out = outputs.add("--output", output) if output else None
        page_out = outputs.add("--report", report) if report else None
        plot_out = outputs.add("--plot", plot) if plot else None
        if outputs.uses_stdout and as_json:
            raise UserError("--json prints to standard output, and so does -. Leave one out.")
        if plot:
            _check_plot(plot)
        goal = read_objective(objective)
        frame = open_frame(engine, find_files(files, format, separator), columns)
        with show_passes(quiet) as progress:
            source = open_source(
                frame,
                columns,
                classes=classes,
                nulls=nulls,
                progress=progress,
                n_classes=n_classes_of(goal),
            )
            thresholds = thresholds_of(source, goal, smoothing=smoothing)
            saved = ThresholdsFile(thresholds, columns, None if isinstance(goal, str) else goal)
            if thresholds_out is not None:
                thresholds_out.write(saved.as_text())
            if page_out is not None:
                from ordcut.report import page_from_source

                page = page_from_source(
                    source,
                    thresholds=thresholds,
                    objective=goal,
                    score_name=score,
                    label_name=label,
                )
                page_out.write(page)
            if plot_out is not None:
                plot_out.write(_draw(source, thresholds, score, str(plot)))
        outputs.publish()
    run = {
        "rows": source.n_rows,
        "dropped": thresholds.dropped,
        "passes": thresholds.passes,
        "engine": engine,
    }
    if as_json:
        click.echo(json.dumps({**saved.as_dict(), **run}, indent=2))
    elif not quiet:
        _print_summary(saved, run, stderr=outputs.uses_stdout)
        for path in (output, report, plot):
            if path and path != "-":
                click.echo(f"Wrote {path}.", err=True)


def _print_summary(saved: ThresholdsFile, run: dict[str, Any], *, stderr: bool) -> None:
    """Print where each class begins and ends, the value, and why it is optimal."""
    from ordcut.cli.console import format_number, open_console, print_table

    thresholds, console = saved.thresholds, open_console(stderr=stderr)
    edges = ["", *map(format_number, thresholds.thresholds.tolist()), ""]
    lines = list(zip(thresholds.classes.tolist(), edges[:-1], edges[1:], strict=True))
    title = f"{saved.columns.label} by {saved.columns.score}"
    print_table(console, title, ["class", "from", "below"], lines)
    console.print(f"{thresholds.objective}: {format_number(thresholds.value)}")
    console.print(f"optimal by: {thresholds.certificate}")
    dropped = f" ({run['dropped']:,} dropped)" if run["dropped"] else ""
    console.print(f"{run['rows']:,} rows{dropped}, {run['passes']} passes by {run['engine']}")


def _check_plot(path: str) -> None:
    """Raise an error now if the plot cannot be drawn, not when all else is done."""
    if not path.lower().endswith(PLOT_FORMATS):
        raise UserError(f"--plot must end in one of {', '.join(PLOT_FORMATS)}, got {path}.")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "--plot needs matplotlib, which is not installed. Install it with: pip install "
            '"ordcut[plots]".'
        ) from error


def _draw(source: FrameSource, thresholds: Thresholds, score_name: str, path: str) -> bytes:
    """Return the plot of the scores of each class, with the thresholds between them."""
    import matplotlib as mpl

    mpl.use("Agg")
    from ordcut.plots import ThresholdDisplay

    display = ThresholdDisplay._from_source(source, thresholds=thresholds, score_name=score_name)
    file = BytesIO()
    display.figure_.savefig(file, format=path.lower().rsplit(".", 1)[1], dpi=120)
    return file.getvalue()
