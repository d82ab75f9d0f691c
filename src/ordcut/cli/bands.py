"""``ordcut bands``."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import click

from ordcut.cli.console import as_line
from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns, Reading, find_files
from ordcut.cli.options import (
    CommandInSections,
    column_option,
    engine_option,
    files_argument,
    force_option,
    json_option,
    max_rows_option,
    nulls_option,
    output_option,
    quiet_option,
    read_classes,
    read_decisions,
    reading_options,
)
from ordcut.cli.outputs import Outputs

if TYPE_CHECKING:
    from ordcut.bands import Bands

EXAMPLE = """\b
Example:
  ordcut bands loans.csv --score score --outcome default \\
      --constraint "share >= 0.05" -o bands.json --report page.html

Label new rows with: ordcut predict new.csv --thresholds bands.json
"""


#: How many columns of the table of bands are printed; what the others say comes in sentences.
N_COLUMNS = 10


class NumberOfBands(click.ParamType[Any]):
    """The value of ``--bands``."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a number of bands, or auto."""
        if value == "auto" or (str(value).isdigit() and int(value) > 1):
            return value if value == "auto" else int(value)
        return self.fail(f"{value!r} must be a whole number from 2 on, or auto.", param, ctx)


@click.command(cls=CommandInSections, epilog=EXAMPLE)
@files_argument
@column_option("--score", "The column of scores.", required=True)
@column_option(
    "--outcome", "The column with what happened: yes or no, counts or numbers.", required=True
)
@click.option(
    "--event",
    metavar="VALUE",
    help='The outcome that counts as an event, such as "default"; all others do not. '
    "[default: outcomes are numbers, or true and false]",
)
@column_option("--exposure", "The column of exposures, for counts.")
@column_option("--weight", "The column of row weights. [default: every row counts once]")
@click.option(
    "--bands",
    "n_bands",
    type=NumberOfBands(),
    default="auto",
    show_default=True,
    metavar="NUMBER|auto",
    help="The number of bands; auto takes the smallest number whose loss on rows left out is "
    "within a standard error of the lowest.",
)
@click.option(
    "--names",
    metavar="A,B,C",
    help="The names of the bands, lowest score first. [default: 1,2,...]",
)
@click.option(
    "--objective",
    type=click.Choice(["log_loss", "poisson", "squared_error", "information_value", "gini"]),
    help="What is optimised. [default: log_loss for a yes or no, poisson with exposures, or "
    "squared_error]",
)
@click.option(
    "--rates",
    type=click.Choice(["auto", "rising", "falling", "any"]),
    default="auto",
    show_default=True,
    help="How the rate of the outcome must change from band to band.",
)
@click.option(
    "--constraint",
    "constraints",
    multiple=True,
    metavar="TEXT",
    help='A constraint, such as "share >= 0.05", "events >= 20", "rate gap >= 0.01" or '
    '"digits 1"; can be repeated.',
)
@nulls_option
@engine_option
@max_rows_option
@output_option("The file for the bands, as JSON; - for standard output.")
@click.option(
    "--report",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="Also write a page about the bands, as HTML.",
)
@click.option(
    "--plot", metavar="FILE", type=click.Path(), help="Also write a plot: .png, .svg or .pdf."
)
@click.option("--no-time", is_flag=True, help="Leave the time out of the file of bands.")
@json_option
@reading_options
@force_option
@quiet_option
def bands(
    files: tuple[str, ...],
    score: str,
    outcome: str,
    event: str | None,
    exposure: str | None,
    weight: str | None,
    n_bands: Any,
    names: str | None,
    objective: str | None,
    rates: Any,
    constraints: tuple[str, ...],
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
    """Cut a score into ordered bands by an outcome.

    FILES are CSV, Parquet, JSON or Excel files, globs, folders, or - for standard input. The engine
    counts their rows by score and outcome.
    """
    import narwhals as nw

    from ordcut._core.thresholds import as_written, json_text
    from ordcut.cli.console import show_passes
    from ordcut.cli.engines import open_frame
    from ordcut.cli.fit import check_plot
    from ordcut.cli.thresholds_file import ThresholdsFile
    from ordcut.frames import optimal_bands

    others = tuple(name for name in (exposure,) if name is not None)
    columns = Columns(score, (outcome,), weight, others)
    with Outputs(force=force) as outputs:
        bands_out = outputs.add("--output", output) if output else None
        page_out = outputs.add("--report", report) if report else None
        plot_out = outputs.add("--plot", plot) if plot else None
        if outputs.uses_stdout and as_json:
            raise UserError("--json prints to standard output, and so does -. Leave one out.")
        if plot:
            check_plot(plot)
        frame: Any = open_frame(engine, find_files(files, reading), columns)
        dtype = nw.from_native(frame).collect_schema()[outcome]
        with show_passes(quiet) as progress:
            result = optimal_bands(
                frame,
                score,
                outcome,
                exposure=exposure,
                weight=weight,
                event=None if event is None else read_classes(event, dtype)[0],
                constraints=constraints,
                nulls=nulls,
                max_rows=max_rows,
                progress=progress or False,
                n_bands=n_bands,
                names=None if names is None else read_decisions(names).tolist(),
                objective=objective,
                rates=rates,
            )
            saved = ThresholdsFile(result, columns, has_time=not no_time)
            if bands_out is not None:
                bands_out.write(saved.as_text())
            if page_out is not None:
                from ordcut.report import page_of_bands

                page_out.write(page_of_bands(result, score_name=score, outcome_name=outcome))
            if plot_out is not None:
                plot_out.write(_draw(result, score, outcome, str(plot)))
        outputs.publish()
    if as_json:
        columns = result.table().to_dict("list").items()
        table = {
            name: [each if isinstance(each, str) else as_written(each) for each in cells]
            for name, cells in columns
        }
        click.echo(json_text({**saved.as_dict(), "table": table, "checks": result.checks()}))
    elif not quiet:
        _print_summary(result, score, outcome, stderr=outputs.uses_stdout)
        for path in (output, report, plot):
            if path and path != "-":
                click.echo(f"Wrote {as_line(path)}.", err=True)


def _draw(result: Bands, score: str, outcome: str, path: str) -> bytes:
    import matplotlib as mpl

    mpl.use("Agg")
    file = BytesIO()
    ax = result.plot(score_name=score, outcome_name=outcome)
    ax.figure.savefig(file, format=path.lower().rsplit(".", 1)[1], dpi=120)
    return file.getvalue()


def _print_summary(result: Bands, score: str, outcome: str, *, stderr: bool) -> None:
    """Print the table of bands, the value, constraints, and why they are optimal."""
    from ordcut._core.thresholds import reason
    from ordcut.cli.console import format_number, open_console, print_table

    console, table = open_console(stderr=stderr), result.table().iloc[:, :N_COLUMNS]
    lines = [
        [cell if isinstance(cell, str) else format_number(float(cell), 4) for cell in row]
        for row in table.itertuples(index=False)
    ]
    lines[0][1] = lines[-1][2] = ""
    print_table(console, f"{outcome} by {score}", list(table.columns), lines)
    for sentence in result.sentences():
        console.print(as_line(sentence))
    console.print(as_line(reason(result, "on these rows")))
