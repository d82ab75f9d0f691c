"""Options that several commands share, and how the values of options are read."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ordcut.cli.completion import complete_column
from ordcut.cli.failures import UserError

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS = ("csv", "parquet", "json")

files_argument = click.argument(
    "files", nargs=-1, required=True, metavar="FILES...", type=click.Path(allow_dash=True)
)
format_option = click.option(
    "--format",
    type=click.Choice(FORMATS),
    help="The format of FILES; json has one object per line. [default: from their names]",
)
separator_option = click.option(
    "--separator",
    metavar="CHAR",
    help="The character between the fields of CSV. [default: detected]",
)
force_option = click.option("--force", is_flag=True, help="Overwrite files that exist.")
quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Print neither progress nor a summary."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
nulls_option = click.option(
    "--nulls",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Whether rows with a missing score, label or weight are an error or are dropped.",
)
thresholds_option = click.option(
    "-t",
    "--thresholds",
    "thresholds_path",
    required=True,
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="The thresholds, as written by ordcut fit; - for standard input.",
)
objective_option = click.option(
    "--objective",
    metavar="NAME|FILE",
    help="The objective, as in ordcut fit. [default: that of the thresholds]",
)


def column_option(name: str, help: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Return an option that takes the name of a column, with completion."""
    return click.option(
        name, metavar="COL", required=required, help=help, shell_complete=complete_column
    )


def output_option(help: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Return the option for the main output."""
    path = click.Path(allow_dash=True)
    return click.option("-o", "--output", metavar="FILE", required=required, type=path, help=help)


def read_amount(ctx: click.Context, param: click.Parameter, value: str) -> float | str:
    """Return the value of an option that must be a number from 0 to 1, or auto."""
    if value == "auto":
        return value
    try:
        amount = float(value)
    except ValueError:
        amount = -1.0
    if not 0 <= amount <= 1:
        message = f"{value!r} is neither a number from 0 to 1 nor auto."
        raise click.BadParameter(message, ctx, param)
    return amount


def read_classes(text: str, dtype: Any) -> list[Any]:
    """Return the value of ``--classes``, one line of CSV, as values of the label's narwhals dtype.

    Examples
    --------
    >>> import narwhals as nw
    >>> read_classes('low,"high, or so"', nw.String()), read_classes("1,2,3", nw.Int64())
    (['low', 'high, or so'], [1, 2, 3])
    """
    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    if not dtype.is_numeric() and str(dtype) != "Boolean":
        return names
    try:
        # Numbers and booleans look the same in JSON and in CSV.
        values = [json.loads(name.lower()) for name in names]
    except ValueError:
        values = names
    if all(isinstance(value, bool | int | float) for value in values):
        return values
    raise UserError(
        f"--classes must have the type of the labels, which is {dtype} here, got {text}. "
        "List the values of the label column, lowest first."
    )


def read_objective(text: str) -> str | list[list[float]]:
    """Return the value of ``--objective``: a name, or the cost matrix in a CSV file.

    Line ``k`` of the file holds the cost of predicting class ``k`` for each true class.

    Examples
    --------
    >>> read_objective("quadratic_kappa")
    'quadratic_kappa'
    """
    from ordcut.errors import unknown_name
    from ordcut.objectives import COSTS, KAPPAS

    if text in COSTS or text in KAPPAS:
        return text
    path = Path(text)
    if path.suffix.lower() not in (".csv", ".tsv", ".txt") and not path.is_file():
        raise UserError(
            f"{unknown_name('--objective', text, [*COSTS, *KAPPAS])} "
            "Or pass a CSV file with a cost matrix."
        )
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"--objective must be a name or a CSV file that can be read, and {text} cannot: "
            f"{getattr(error, 'strerror', None) or error}."
        ) from error
    separator = next((mark for mark in ";\t" if any(mark in line for line in lines)), ",")
    rows = [row for row in csv.reader(lines, delimiter=separator) if any(map(str.strip, row))]
    try:
        cost = [[float(cell) for cell in row] for row in rows]
    except ValueError as error:
        raise UserError(
            "--objective must be a file of numbers only, with one line per predicted class and "
            f"one column per true class, and {text} is not: {error}."
        ) from error
    if len(cost) < 2 or any(len(row) != len(cost) for row in cost):
        widths = sorted({len(row) for row in cost})
        raise UserError(
            f"--objective must be a square matrix of at least 2 x 2 costs, got {len(cost)} lines "
            f"of {' or '.join(map(str, widths)) or 'no'} numbers in {text}."
        )
    return cost
