"""``ordcut fit``."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import click

from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns, Reading, find_files
from ordcut.cli.options import (
    class_weight_option,
    column_option,
    engine_option,
    files_argument,
    force_option,
    json_option,
    nulls_option,
    output_option,
    quiet_option,
    read_amount,
    read_class_weight,
    read_objective,
    reading_options,
)
from ordcut.cli.outputs import Outputs

if TYPE_CHECKING:
    from ordcut.cli.thresholds_file import ThresholdsFile
    from ordcut.frames import FrameSource
    from ordcut.thresholds import Thresholds

#: The level of intervals, and how many replicates they are made of.
LEVEL, N_REPLICATES = 0.95, 1000

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
    "costs: one line per predicted class, one column per true class, with or without their names.",
)
@class_weight_option("all alike")
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
@click.option(
    "--intervals",
    is_flag=True,
    help="Also find 95 % intervals of the thresholds and of their value on new rows, by a "
    "bootstrap. Loads all rows into memory.",
)
@nulls_option
@engine_option
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
@reading_options
@force_option
@quiet_option
def fit(
    files: tuple[str, ...],
    score: str,
    label: str,
    weight: str | None,
    objective: str,
    class_weight: str | None,
    classes: str | None,
    smoothing: Any,
    intervals: bool,
    nulls: Any,
    engine: str,
    output: str | None,
    report: str | None,
    plot: str | None,
    as_json: bool,
    reading: Reading,
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

    columns = Columns(score, label, weight)
    with Outputs(force=force) as outputs:
        thresholds_out = outputs.add("--output", output) if output else None
        page_out = outputs.add("--report", report) if report else None
        plot_out = outputs.add("--plot", plot) if plot else None
        if outputs.uses_stdout and as_json:
            raise UserError("--json prints to standard output, and so does -. Leave one out.")
        if plot:
            _check_plot(plot)
        given = read_objective(objective)
        frame = open_frame(engine, find_files(files, reading), columns)
        with show_passes(quiet) as progress:
            source = open_source(
                frame,
                columns,
                classes=classes,
                nulls=nulls,
                progress=progress,
                n_classes=None if isinstance(given, str) else len(given.cost),
            )
            goal = given if isinstance(given, str) else given.for_classes(source.classes)
            weights = read_class_weight(class_weight, source.classes)
            thresholds = thresholds_of(source, goal, weights, smoothing)
            bounds = _intervals(thresholds) if intervals else None
            saved = ThresholdsFile(
                thresholds, columns, None if isinstance(goal, str) else goal, weights, bounds
            )
            if thresholds_out is not None:
                thresholds_out.write(saved.as_text())
            if page_out is not None:
                from ordcut.report import page_from_source

                page = page_from_source(
                    source,
                    thresholds=thresholds,
                    objective=goal,
                    class_weight=weights,
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


def _intervals(thresholds: Thresholds) -> dict[str, Any]:
    """Return bootstrap intervals of thresholds and of their value, as plain Python values."""
    from ordcut.thresholds import as_written

    bootstrap = thresholds.bootstrap(n=N_REPLICATES)
    pairs = [[as_written(end) for end in pair] for pair in bootstrap.intervals(LEVEL).tolist()]
    value = bootstrap.value_interval(LEVEL).tolist()
    return {"level": LEVEL, "replicates": N_REPLICATES, "thresholds": pairs, "value": value}


def _print_summary(saved: ThresholdsFile, run: dict[str, Any], *, stderr: bool) -> None:
    """Print where each class begins and ends, the value, and why it is optimal."""
    from ordcut.cli.console import as_line, format_number, open_console, print_table

    thresholds, console = saved.thresholds, open_console(stderr=stderr)

    def interval(pair: Sequence[float | str]) -> str:
        return " to ".join(format_number(float(end)) for end in pair)

    edges = [-math.inf, *thresholds.thresholds.tolist(), math.inf]
    never = thresholds.never_predicted
    lines = []
    for name, *ends in zip(thresholds.classes.tolist(), edges[:-1], edges[1:], strict=True):
        cells = ["" if math.isinf(end) else format_number(end) for end in ends]
        lines.append([name, *(["-", "-"] if name in never else cells)])
    header, bounds = ["class", "from", "below"], saved.intervals
    if bounds is not None:
        header.append(f"{bounds['level']:.0%} interval of from")
        for line, pair in zip(lines[1:], bounds["thresholds"], strict=True):
            line.append("" if line[1] in ("", "-") else interval(pair))
        lines[0].append("")
    print_table(console, f"{saved.columns.label} by {saved.columns.score}", header, lines)
    value = f"{thresholds.objective}: {format_number(thresholds.value)}"
    if bounds is not None:
        value += f" ({bounds['level']:.0%} interval on new rows: {interval(bounds['value'])})"
    console.print(value)
    if never:
        console.print(f"never predicted: {', '.join(map(as_line, never))}")
    is_smoothed = thresholds.origin is not None and thresholds.origin.smoothing > 0
    proof = "optimal for smoothed labels, not for these rows, by" if is_smoothed else "optimal by"
    console.print(f"{proof}: {thresholds.certificate}")
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
