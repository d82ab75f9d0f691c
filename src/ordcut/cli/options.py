"""Options that several commands share, and how the values of options are read."""

from __future__ import annotations

import codecs
import csv
import json
import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from ordcut.cli.costs import CostTable, class_names, position_of, read_costs
from ordcut.cli.failures import UserError
from ordcut.cli.files import Reading

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ordcut._core.typing import Array

#: The value of ``--class-weight``: a number for each class, or all classes alike.
ClassWeights: TypeAlias = str | list[float] | None

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS = ("csv", "parquet", "json", "excel")

#: The sections of help, with the names of their options; all others come last.
SECTIONS = {
    "Thresholds": ("thresholds_path", "strict"),
    "Columns": (
        *("score", "labels", "item", "rater", "weight", "weight_type", "name"),
        *("outcome", "event", "exposure"),
    ),
    "Bands": ("n_bands", "names", "rates"),
    "Comparison": ("against", "target", "fail_under"),
    "Objective": (
        *("objective", "class_weight", "class_shares", "classes", "decisions"),
        *("review", "review_share"),
    ),
    "Constraints": ("constraints", "group"),
    "Few rows and uncertainty": ("smoothing", "intervals", "learning_curve"),
    "Output": ("output", "output_format", "report", "plot", "as_json", "no_time", "force", "quiet"),
    "Reading files": (
        *("format", "separator", "decimal", "encoding"), *("nulls", "engine", "max_rows"),
    ),
}  # fmt: skip


class CommandInSections(click.Command):
    """A command whose options are in sections of its help."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by section, and options of no section last."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        section_of = {name: title for title, names in SECTIONS.items() for name in names}
        for title in (*SECTIONS, "Other options"):
            lines = [
                line
                for option in options
                if section_of.get(str(option.name), "Other options") == title
                if (line := option.get_help_record(ctx)) is not None
            ]
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)


files_argument = click.argument(
    "files", nargs=-1, required=True, metavar="FILES...", type=click.Path(allow_dash=True)
)
engine_option = click.option(
    "--engine",
    type=click.Choice(["duckdb", "polars", "dask", "spark"]),
    default="duckdb",
    show_default=True,
    help="The engine that reads and counts the rows.",
)
max_rows_option = click.option(
    "--max-rows",
    type=click.IntRange(min=1),
    default=2_000_000,
    show_default=True,
    metavar="NUMBER",
    help="The maximum number of rows that are fetched into memory at once.",
)
force_option = click.option("--force", is_flag=True, help="Overwrite existing files.")
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


def complete_column(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the columns of the files on the command line that start with what is typed."""
    del param  # unused, but part of the signature
    from click.shell_completion import CompletionItem

    from ordcut.cli.engines import connect, read_relation
    from ordcut.cli.files import find_files

    # The option that is being typed has no value yet, and click then leaves words in ``args``.
    words = [*(ctx.params.get("files") or ()), *ctx.args]
    try:
        with ctx:
            files = find_files([word for word in words if os.path.exists(word)])
            names = read_relation(connect(), files, as_text=True).columns
    except Exception:  # a shell cannot show errors while it completes
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def class_weight_option(default: str) -> Callable[[Command], Command]:
    """Return the option for class weights."""
    return click.option(
        "--class-weight",
        metavar="balanced|A=NUMBER,...",
        help="The weights of the true classes: balanced gives all classes the same total "
        f"weight; or a number for some classes, and 1 for the others. [default: {default}]",
    )


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for how FILES are read, which a command gets as the argument ``reading``."""

    @wraps(command)
    def with_reading(
        *arguments: Any,
        format: str | None,
        separator: str | None,
        decimal: str,
        encoding: str,
        **options: Any,
    ) -> Any:
        reading = Reading(format, separator, decimal, encoding)
        return command(*arguments, reading=reading, **options)

    for option in (
        click.option(
            "--encoding",
            default="utf-8",
            show_default=True,
            metavar="NAME",
            callback=_read_encoding,
            help="The encoding of CSV and JSON, such as cp1252 (Windows), latin-1 or utf-16.",
        ),
        click.option(
            "--decimal",
            type=click.Choice([".", ","]),
            default=".",
            show_default=True,
            help="The decimal mark of the numbers in CSV.",
        ),
        click.option(
            "--separator",
            metavar="CHAR",
            help="The character between the fields of CSV. [default: detected]",
        ),
        click.option(
            "--format",
            type=click.Choice(FORMATS),
            help="The format of FILES; json has one object per line, or an array of objects. "
            "[default: from their names]",
        ),
    ):
        with_reading = option(with_reading)
    return with_reading


def thresholds_on_files(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that ``thresholds_file.open_rows`` takes: thresholds, and rows of FILES."""
    return files_argument(thresholds_option(rows_options(command)))


def rows_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for rows of FILES that thresholds are used on."""
    command = reading_options(command)
    for option in (
        max_rows_option,
        engine_option,
        nulls_option,
        class_weight_option("as in ordcut fit; none for equal weights"),
        click.option(
            "--objective",
            metavar="NAME|FILE",
            help="The objective, as in ordcut fit. [default: the thresholds' own]",
        ),
        column_option("--weight", "The column of row weights. [default: as in ordcut fit]"),
        *panel_options("[default: as in ordcut fit]"),
        column_option("--score", "The column of scores. [default: as in ordcut fit]"),
    ):
        command = option(command)
    return command


def _read_encoding(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Return Python's name of an encoding."""
    try:
        "".encode(value)  # raises the same error for codecs that are not of text
        return codecs.lookup(value).name
    except LookupError:
        message = f"{value!r} is not an encoding. Pass an encoding such as utf-8, cp1252 or utf-16."
        raise click.BadParameter(message, ctx, param) from None


def column_option(name: str, help: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Return an option that takes the name of a column, with completion."""
    return click.option(
        name, metavar="COL", required=required, help=help, shell_complete=complete_column
    )


def panel_options(default: str, *, required: bool = False) -> list[Callable[[Command], Command]]:
    """Return the options for labels, and for the items and raters that these belong to."""
    return [
        column_option(
            "--rater", f"The column of raters, if each row has one rating of an item. {default}"
        ),
        column_option(
            "--item",
            "The column with the names of items. With --rater, the ratings of an item are in "
            f"several rows. {default}",
        ),
        click.option(
            "--label",
            "labels",
            multiple=True,
            required=required,
            metavar="COL",
            shell_complete=complete_column,
            help="The column of true classes. Repeat it for several raters, who need not all have "
            f"rated every item. {default}",
        ),
    ]


def output_option(help: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Return the option for the main output."""
    path = click.Path(allow_dash=True)
    return click.option("-o", "--output", metavar="FILE", required=required, type=path, help=help)


def read_amount(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> float | str | None:
    """Return the value of an option that must be a number from 0 to 1, auto or bagging, if any."""
    if value in (None, "auto", "bagging"):
        return value
    try:
        amount = float(value)
    except ValueError:
        amount = -1.0
    if not 0 <= amount <= 1:
        message = f"{value!r} is neither a number from 0 to 1 nor auto or bagging."
        raise click.BadParameter(message, ctx, param)
    return amount


def read_classes(text: str, dtype: Any) -> list[Any]:
    """Return the value of ``--classes``, a line of CSV, as values of the label's narwhals dtype.

    Examples
    --------
    >>> import narwhals as nw
    >>> read_classes('low,"high, or so"', nw.String()), read_classes("1,2,3", nw.Int64())
    (['low', 'high, or so'], [1, 2, 3])
    """
    names = _split(text)
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


def read_decisions(text: str) -> Array:
    """Return the value of ``--decisions``, a line of CSV, as text.

    Examples
    --------
    >>> read_decisions("wait, act").tolist()
    ['wait', 'act']
    """
    from ordcut._core.data import check_classes

    return check_classes(_split(text), "decisions")


def _split(text: str) -> list[str]:
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


def read_objective(
    text: str, n_decisions: int | None = None, decimal: str = "."
) -> str | CostTable:
    """Return the value of ``--objective``: a name, or the cost matrix in a CSV file.

    Examples
    --------
    >>> read_objective("quadratic_kappa")
    'quadratic_kappa'
    """
    from ordcut._core.errors import unknown_name
    from ordcut._core.objectives import ALIASES, canonical_name, is_named, names_of_objectives

    name = canonical_name(text)
    if is_named(name):
        return name
    path = Path(text)
    if path.suffix.lower() not in (".csv", ".tsv", ".txt") and not path.is_file():
        raise UserError(
            f"{unknown_name('--objective', text, names_of_objectives(), ALIASES)} "
            "Or pass a CSV file with a cost matrix."
        )
    return read_costs(text, n_decisions, decimal)


def read_class_weight(text: str | None, classes: Array) -> ClassWeights:
    """Return the value of ``--class-weight``: ``"balanced"``, or a number for each class.

    Examples
    --------
    >>> import numpy as np
    >>> read_class_weight("high=3", np.array(["low", "high"]))
    [1.0, 3.0]
    """
    if text is None or text == "none":
        return None
    if text == "balanced":
        return "balanced"
    weights = _numbers_by_class("--class-weight", "balanced, none, or pairs", text, classes)
    return [1.0 if weight is None else weight for weight in weights]


def read_class_shares(text: str | None, classes: Array) -> list[float] | None:
    """Return the value of ``--class-shares``, a number for each class.

    Examples
    --------
    >>> import numpy as np
    >>> read_class_shares("high=0.1, low=0.9", np.array(["low", "high"]))
    [0.9, 0.1]
    """
    if text is None:
        return None
    shares = _numbers_by_class("--class-shares", "pairs", text, classes)
    named = [share for share in shares if share is not None]
    if len(named) < len(shares):
        missing = class_names(classes)[shares.index(None)]
        raise UserError(f"--class-shares must name each class, and {missing} is missing.")
    return named


def _numbers_by_class(option: str, form: str, text: str, classes: Array) -> list[float | None]:
    """Return the number of each class in text such as ``a=0.2,b=0.8``; None for others."""
    numbers: list[float | None] = [None] * len(classes)
    for pair in next(csv.reader([text], skipinitialspace=True), []):
        name, mark, number = pair.rpartition("=")
        at = position_of(name.strip(), classes)
        value = _as_weight(number)
        if not mark or at is None or value is None or numbers[at] is not None:
            raise UserError(
                f"{option} must be {form} such as {class_names(classes)[-1]}=0.2 that name each "
                f"class at most once, with numbers that are not negative, got {pair}. The classes "
                f"are: "
                f"{', '.join(class_names(classes))}."
            )
        numbers[at] = value
    return numbers


def _as_weight(text: str) -> float | None:
    """Return a number that is finite and not negative; None for any other text."""
    try:
        weight = float(text)
    except ValueError:
        return None
    return weight if 0 <= weight < float("inf") else None
