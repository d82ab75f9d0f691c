"""``ordcut fit``."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import click

from ordcut.cli.console import as_line
from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns, Reading, find_files
from ordcut.cli.options import (
    CommandInSections,
    class_weight_option,
    column_option,
    engine_option,
    files_argument,
    force_option,
    json_option,
    max_rows_option,
    nulls_option,
    output_option,
    panel_options,
    quiet_option,
    read_amount,
    read_class_shares,
    read_class_weight,
    read_decisions,
    read_objective,
    reading_options,
)
from ordcut.cli.outputs import Outputs

if TYPE_CHECKING:
    from ordcut._core.pruning import Source
    from ordcut._core.thresholds import Thresholds
    from ordcut.cli.thresholds_file import ThresholdsFile

#: The number of replicates of the bootstrap.
N_REPLICATES = 1000

#: Up to this many rows are fetched for the digest of the data in the file.
MOST_TO_DIGEST = 100_000

#: With fewer rows per class on average, a hint about overfitting is printed.
FEW_ROWS = 20

#: The formats of plots, by the extension of the file.
PLOT_FORMATS = (".png", ".svg", ".pdf")


_rater, _item, _label = panel_options("", required=True)

EXAMPLE = """\b
Example:
  ordcut fit ratings.csv --score model --label grade --classes low,mid,high \\
      --objective quadratic_kappa --constraint "recall high >= 0.9" \\
      -o cuts.json --report page.html

Tab completes options and columns: see ordcut completion --help.
"""


@click.command(cls=CommandInSections, epilog=EXAMPLE)
@files_argument
@column_option("--score", "The column of scores; higher means a higher class.", required=True)
@_label
@_item
@_rater
@column_option("--weight", "The column of row weights. [default: every row counts once]")
@click.option(
    "--weight-type",
    type=click.Choice(["repeats", "importance"]),
    help="Whether weights say how often a row occurs or how much it matters, for --smoothing, "
    "--intervals and constraints with a confidence. [default: repeats if all are whole numbers]",
)
@click.option(
    "--objective",
    default="absolute",
    show_default=True,
    metavar="NAME|FILE",
    help="absolute, squared, zero_one, beyond_one, macro_mae, balanced_accuracy, kappa, "
    "linear_kappa, quadratic_kappa, macro_f1, weighted_f1, geometric_recall, min_recall, or a CSV "
    "file of costs: one line per predicted class, one column per true class, with or without "
    "their names.",
)
@class_weight_option("equal weights")
@click.option(
    "--class-shares",
    metavar="A=SHARE,...",
    help="The share of each class in the population that thresholds are for, if rows were sampled "
    "by class. Counts in constraints, too.",
)
@click.option(
    "--classes",
    metavar="A,B,C",
    help="All classes, lowest first. [default: those in the data, in ascending order]",
)
@click.option(
    "--decisions",
    metavar="A,B",
    help="The decisions, lowest first, if they are not the classes. Needs a file of costs "
    "with one line per decision and one column per true class.",
)
@click.option(
    "--review",
    type=float,
    metavar="COST",
    help="Add a review of rows between each pair of neighbouring classes, at this cost "
    "for each row.",
)
@click.option(
    "--review-share",
    type=float,
    metavar="SHARE",
    help="Add reviews at the least cost at which no more than this share of the rows is reviewed, "
    "from 0 to 1.",
)
@click.option(
    "--constraint",
    "constraints",
    multiple=True,
    metavar="TEXT",
    help='A constraint, such as "recall urgent >= 0.95", "share hire <= 0.1" or '
    '"digits 1"; can be repeated.',
)
@click.option(
    "--group",
    metavar="COLUMN",
    help='The column with the group of each row, for constraints such as "recall urgent >= 0.9 '
    'where F". Loads all rows into memory.',
)
@click.option(
    "--smoothing",
    metavar="AMOUNT|auto|bagging",
    callback=read_amount,
    help="How much of each label is replaced by the class probabilities of a model, from 0 to 1; "
    "or bagging, the mean of the optimal thresholds of bootstrap samples. Thresholds from few "
    "rows then generalise better. Loads all rows into memory. [default: 0, or auto for several "
    "labels]",
)
@click.option(
    "--intervals",
    is_flag=True,
    help="Also find 95 % intervals of the thresholds and of their value on new rows, by a "
    "bootstrap. Loads all rows into memory.",
)
@click.option(
    "--learning-curve",
    is_flag=True,
    help="Also show the value on rows left out, with thresholds from 25, 50, 100, ... rows. Loads "
    "all rows into memory.",
)
@nulls_option
@engine_option
@max_rows_option
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
@click.option(
    "--no-time",
    is_flag=True,
    help="Leave the time out of the file of thresholds, so that the same data give the same file.",
)
@json_option
@reading_options
@force_option
@quiet_option
def fit(
    files: tuple[str, ...],
    score: str,
    labels: tuple[str, ...],
    weight: str | None,
    weight_type: Any,
    item: str | None,
    rater: str | None,
    objective: str,
    class_weight: str | None,
    class_shares: str | None,
    classes: str | None,
    decisions: str | None,
    review: float | None,
    review_share: float | None,
    constraints: tuple[str, ...],
    group: str | None,
    smoothing: Any,
    intervals: bool,
    learning_curve: bool,
    nulls: Any,
    engine: str,
    max_rows: int,
    output: str | None,
    report: str | None,
    plot: str | None,
    no_time: bool,
    as_json: bool,
    reading: Reading,
    force: bool,
    quiet: bool,
) -> None:
    """Find the optimal thresholds of a score in files.

    FILES are CSV, Parquet, JSON or Excel files, globs, folders, or - for standard input. They need
    not fit in memory: the engine counts rows, and returns only the few that can be next to a
    threshold.
    """
    from ordcut._core.limits import read_constraints
    from ordcut._core.objectives import resolve_objective
    from ordcut._core.review import with_reviews
    from ordcut.cli.console import show_passes
    from ordcut.cli.engines import open_frame, open_source, stated_order
    from ordcut.cli.thresholds_file import ThresholdsFile
    from ordcut.frames import GroupedFrame, thresholds_of
    from ordcut.panels import Panel

    columns = Columns(score, labels, weight, (), item, rater, group)
    if smoothing is None:
        is_smoothed = columns.is_panel and review_share is None
        smoothing = Panel.default_smoothing if is_smoothed else 0.0
    with Outputs(force=force) as outputs:
        thresholds_out = outputs.add("--output", output) if output else None
        page_out = outputs.add("--report", report) if report else None
        plot_out = outputs.add("--plot", plot) if plot else None
        if outputs.uses_stdout and as_json:
            raise UserError("--json prints to standard output, and so does -. Leave one out.")
        if plot:
            check_plot(plot)
        if report and group is not None:
            raise UserError(
                "--report does not know the groups of rows, and cannot judge limits for --group. "
                "Leave one out."
            )
        parsed = read_constraints(constraints) if constraints else ()
        for constraint in parsed if group is None else ():
            if constraint.group is not None:
                raise UserError(
                    f"--group must name the column of groups for constraint {str(constraint)!r}."
                )
        names = None if decisions is None else read_decisions(decisions)
        n_decisions = None if names is None else len(names)
        given = read_objective(objective, n_decisions, reading.decimal)
        data = find_files(files, reading)
        frame = open_frame(engine, data, columns)
        with show_passes(quiet) as progress:
            read = partial(
                open_source,
                columns=columns,
                nulls=nulls,
                progress=progress,
                max_rows=max_rows,
                weight_type=weight_type,
            )
            source = read(
                frame,
                classes=stated_order(data, labels[0]) if classes is None else classes,
                n_classes=None if isinstance(given, str) else len(given.cost[0]),
            )
            _require_memory(source, {"--intervals": intervals, "--learning-curve": learning_curve})
            goal = given if isinstance(given, str) else given.for_classes(source.classes, names)
            resolved = resolve_objective(goal, source.classes, names)
            if review is not None or review_share is not None:
                resolved = with_reviews(resolved, review, review_share, source.classes)
            weights = read_class_weight(class_weight, source.classes)
            shares = read_class_shares(class_shares, source.classes)
            weighted = resolved.weighted(weights, source.classes, shares)
            grouped = None
            if group is not None:
                read_part: Any = partial(read, classes=source.classes)
                grouped = GroupedFrame(frame, group, nulls, read_part)
            thresholds = thresholds_of(source, weighted, smoothing, parsed, grouped)
            if review_share is not None and thresholds.origin is not None:
                weighted = thresholds.origin.objective.as_named  # with the cost of a review
            bounds = None
            if intervals:
                if progress is not None:
                    progress(f"{N_REPLICATES:,} replicates of the bootstrap")
                bounds = thresholds.bootstrap(n=N_REPLICATES).as_dict()
            curve = None
            if learning_curve:
                from ordcut.studies.learning import curve_of_rows

                curve = curve_of_rows(source.all_rows(), weighted, smoothing)
            if source.n_rows <= MOST_TO_DIGEST:
                source.all_rows()  # for the record
            saved = ThresholdsFile(thresholds, columns, bounds, has_time=not no_time)
            if thresholds_out is not None:
                thresholds_out.write(saved.as_text())
            if page_out is not None:
                from ordcut.report import page_from_source

                names_of = {"score_name": score, "label_name": columns.label_name}
                page = page_from_source(source, thresholds, weighted, None, bounds, **names_of)
                page_out.write(page)
            if plot_out is not None:
                plot_out.write(draw(source, thresholds, score, str(plot)))
        outputs.publish()
    run: dict[str, Any] = {
        "rows": source.n_rows,
        "dropped": thresholds.dropped,
        "passes": thresholds.passes,
        "engine": engine,
    }
    if curve is not None:
        run["learning_curve"] = [
            {"rows": size, "value": value, "interval": interval}
            for size, value, interval in zip(
                curve.sizes.tolist(), curve.means.tolist(), curve.intervals().tolist(), strict=True
            )
        ]
    if as_json:
        click.echo(json.dumps({**saved.as_dict(), **run}, indent=2))
    elif not quiet:
        _print_summary(saved, run, stderr=outputs.uses_stdout)
        for path in (output, report, plot):
            if path and path != "-":
                click.echo(f"Wrote {as_line(path)}.", err=True)


def _require_memory(source: Source, options: dict[str, bool]) -> None:
    """Raise an error before anything is computed if an option needs more rows than may be held."""
    from ordcut._core.errors import TooManyRowsError

    for name in (name for name, is_given in options.items() if is_given):
        try:
            source.all_rows()
        except TooManyRowsError as error:
            raise UserError(
                f"{name} needs all rows in memory, and there are more than --max-rows allows: "
                f"{source.n_rows} rows. Leave it out, or raise --max-rows if they fit in memory."
            ) from error


def _print_summary(saved: ThresholdsFile, run: dict[str, Any], *, stderr: bool) -> None:
    """Print the range of each decision, the value, constraints, and why it is optimal."""
    from ordcut._core.errors import listed
    from ordcut._core.thresholds import percent, reason
    from ordcut.cli.console import format_number, open_console, print_table

    thresholds, console = saved.thresholds, open_console(stderr=stderr)

    def interval(pair: Sequence[float | str]) -> str:
        return " to ".join(format_number(float(end)) for end in pair)

    edges = [-math.inf, *thresholds.thresholds.tolist(), math.inf]
    never = thresholds.never_predicted
    lines = []
    for name, *ends in zip(thresholds.decisions.tolist(), edges[:-1], edges[1:], strict=True):
        cells = ["" if math.isinf(end) else end for end in ends]
        lines.append([name, *(["-", "-"] if name in never else cells)])
    what = "decision" if thresholds.decides_otherwise else "class"
    header, bounds = [what, "from", "below"], saved.intervals
    if bounds is not None:
        header.append(f"{bounds['level']:.0%} interval of from")
        for line, pair in zip(lines[1:], bounds["thresholds"], strict=True):
            line.append("" if line[1] in ("", "-") else interval(pair))
        lines[0].append("")
    print_table(console, f"{saved.columns.label_name} by {saved.columns.score}", header, lines)
    value = f"{thresholds.objective}: {format_number(thresholds.value)}"
    if bounds is not None:
        value += f" ({bounds['level']:.0%} interval on new rows: {interval(bounds['value'])})"
    console.print(as_line(value))
    if never:
        console.print(f"never predicted: {listed(map(as_line, never))}")
    if thresholds.review_share is not None:
        console.print(f"handed over for review: {format_number(thresholds.review_share)} of rows")
    for outcome in thresholds.constraints:
        console.print(f"constraint {as_line(outcome)}")
    if thresholds.constraints and (joint := thresholds.joint_confidence) is not None:
        console.print(
            f"all limits with a confidence hold together with at least {percent(joint)} confidence"
        )
    is_smoothed = bool(thresholds.proof.smoothing)
    console.print(as_line(reason(thresholds, "on these rows")))
    if "learning_curve" in run:
        console.print()
        _print_curve(console, run["learning_curve"], thresholds.objective)
    dropped = f" ({run['dropped']:,} dropped)" if run["dropped"] else ""
    passes = "1 pass" if run["passes"] == 1 else f"{run['passes']} passes"
    console.print(f"{run['rows']:,} rows{dropped}, {passes} by {run['engine']}")
    if run["rows"] < FEW_ROWS * len(thresholds.classes) and not is_smoothed:
        console.print(
            f"fewer than {FEW_ROWS} rows per class: expect a worse value on new rows. Try "
            "--smoothing auto, and --intervals for the uncertainty of the thresholds."
        )


def _print_curve(console: Any, points: list[dict[str, Any]], objective: str) -> None:
    """Print the value on rows left out for each number of rows."""
    from ordcut.cli.console import format_number, print_table

    lines = [
        [str(point["rows"]), point["value"], " to ".join(map(format_number, point["interval"]))]
        for point in points
    ]
    title = f"{objective} on rows left out, by the number of rows with labels"
    print_table(console, title, ["rows", "mean", "95 % of splits"], lines)


def check_plot(path: str) -> None:
    """Raise an error before anything is computed if the plot cannot be drawn."""
    if not path.lower().endswith(PLOT_FORMATS):
        raise UserError(f"--plot must end in one of {', '.join(PLOT_FORMATS)}, got {path}.")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "--plot needs matplotlib, which is not installed. Install it with: "
            "pip install matplotlib."
        ) from error


def draw(
    source: Source,
    thresholds: Thresholds,
    score_name: str,
    path: str,
    old: Thresholds | None = None,
) -> bytes:
    """Return the plot of the scores of each class, with the thresholds between them."""
    import matplotlib as mpl

    mpl.use("Agg")
    from ordcut.plots import ThresholdDisplay, draw_old

    display = ThresholdDisplay._from_source(source, thresholds=thresholds, score_name=score_name)
    if old is not None:
        draw_old(display, old.thresholds)
    file = BytesIO()
    display.figure_.savefig(file, format=path.lower().rsplit(".", 1)[1], dpi=120)
    return file.getvalue()
