"""The options that several commands share, said once."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from ordcut.cli.failures import UserError

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS = ("csv", "parquet", "json")

#: What the file that ``fit`` writes is called wherever another command reads it.
THRESHOLDS_HELP = "The thresholds that fit wrote; - for standard input."


def complete_column(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the columns of the files named so far that start with what is typed."""
    del param
    from ordcut.cli.duck import connect, relation_of
    from ordcut.cli.inputs import find_files

    # The option that is being typed has no value yet, and click then leaves words in ``args``.
    words = [*(ctx.params.get("files") or ()), *ctx.args]
    try:
        with ctx:
            files = find_files([word for word in words if os.path.exists(word)])
            names = relation_of(connect(), files, as_text=True).columns
    except Exception:  # a shell that completes has no place for errors
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def read_amount(ctx: click.Context, param: click.Parameter, value: str) -> float | str:
    """Return a number from 0 to 1, or auto, or say that it must be one of them."""
    if value == "auto":
        return value
    try:
        amount = float(value)
    except ValueError:
        amount = -1.0
    if not 0 <= amount <= 1:
        words = f"{value!r} is not a number from 0 to 1, and not auto."
        raise click.BadParameter(words, ctx, param)
    return amount


files_argument = click.argument(
    "files", nargs=-1, required=True, metavar="FILES...", type=click.Path(allow_dash=True)
)
format_option = click.option(
    "--format",
    type=click.Choice(FORMATS),
    help="What the files hold, where their names do not say; json is one object a line.",
)
separator_option = click.option(
    "--separator",
    metavar="CHAR",
    help="What stands between the fields of CSV. [default: found out]",
)
force_option = click.option("--force", is_flag=True, help="Replace files that are there.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON, for machines."
)
nulls_option = click.option(
    "--nulls",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Stop at rows without a score, a label or a weight, or leave them out.",
)
thresholds_option = click.option(
    "-t",
    "--thresholds",
    "thresholds_file",
    required=True,
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help=THRESHOLDS_HELP,
)


def column_option(name: str, help: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Return an option that names a column, and completes to one."""
    return click.option(
        name, metavar="COL", required=required, help=help, shell_complete=complete_column
    )


def output_option(help: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Return the option for the main output."""
    kind = click.Path(allow_dash=True)
    return click.option("-o", "--output", metavar="FILE", required=required, type=kind, help=help)


def read_classes(text: str | None, kind: Any) -> list[Any] | None:
    """Return the classes in a line of CSV as values of the label's kind, a dtype of narwhals.

    Examples
    --------
    >>> import narwhals as nw
    >>> read_classes('low,"high, or so"', nw.String()), read_classes("1,2,3", nw.Int64())
    (['low', 'high, or so'], [1, 2, 3])
    """
    if text is None:
        return None
    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    if not kind.is_numeric() and str(kind) != "Boolean":
        return names
    try:
        # Numbers and booleans are written in JSON as they are in CSV.
        values = [json.loads(name.lower()) for name in names]
    except ValueError:
        values = names
    if all(isinstance(value, bool | int | float) for value in values):
        return values
    raise UserError(
        f"--classes must be of the kind of the labels, which are {kind} here, got {text}. "
        "List the values of the label column, lowest first."
    )
