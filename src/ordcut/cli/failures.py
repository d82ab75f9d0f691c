"""Error messages for users of the command line, in terms of its options."""

from __future__ import annotations

import csv
import errno
import re
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from ordcut.cli.files import Columns, Files

#: The exit code for a mistake in the command or in the data, and for any other failure.
MISTAKE, FAILURE = 2, 1

#: Arguments of the library in its messages, and the options for them.
OPTIONS = {
    "objective must be given": "--objective must be given",
    "Pass objective= with the costs": "Pass --objective with a CSV file of costs, or another name",
    "classes=": "--classes",
    'nulls="drop"': "--nulls drop",
    'objective="absolute"': "--objective absolute",
    "class_weight": "--class-weight",
    "class_shares": "--class-shares",
    'weight_type="repeats"': "--weight-type repeats",
    'weight_type="importance"': "--weight-type importance",
    'weight_type not "importance"': "--weight-type not importance",
    "decisions=": "--decisions",
    "decisions must": "--decisions must",
    "decisions cannot": "--decisions cannot",
    "max_rows": "--max-rows",
    "review_share": "--review-share",
    "review=": "--review",
    "groups needs": "--group needs",
    "review must": "--review must",
    "review needs": "--review needs",
    "pass -scores": "use a column of negated scores",
    "Convert one of them, for example with labels.astype(int).": "Name another --label.",
    "Convert one of them, for example with labels.astype(str).": "Name another --label.",
    "score must name": "--score must name",
    "label must name": "--label must name",
    "weight must name": "--weight must name",
    "cost_per_change": "--cost-per-change",
    "max_changed": "--max-changed",
    "tolerance must": "--tolerance must",
}

#: Options that people type, and what to pass instead.
OTHER_OPTIONS = {
    option: hint
    for hint, options in {
        "Pass --constraint, such as 'recall NAME >= 0.9'.": (
            "--recall --sensitivity --specificity --precision --share --min-recall --constraints"
        ),
        "Pass --intervals.": "--bootstrap --ci --confidence --interval",
        "Pass --score.": "-s --scores --x --prediction --predictions --pred",
        "Pass --label.": "-l -y --labels --y --target --truth --y-true",
        "Pass --objective.": "--metric --loss --criterion --cost --costs --cost-matrix",
        "Pass --weight.": "-w --weights --sample-weight --sample-weights",
        "Pass --separator.": "--sep --delimiter --delim",
        "Pass --output.": "--out --out-file --save",
        "Filter the rows first, such as with a query of DuckDB.": "--where --filter --query",
        "Use ordcut show FILE --sql COL.": "--sql",
    }.items()
    for option in options.split()
}

#: What the library calls the rows of files.
FRAME = re.compile(r"\b(?:the )?frame\b(?= (?:must|has|to )|\.$)", re.I)

#: Packages whose errors are about the data that they read.
ENGINES = ("polars", "dask", "pyspark", "py4j", "pandas", "pyarrow", "json")

#: Errors of DuckDB that are not the user's mistake.
FAILURES_OF_DUCKDB = ("OutOfMemoryException", "InternalException", "FatalException")

#: What engines report for a file whose content does not match its name.
DAMAGED = re.compile(
    "magic bytes|TProtocolException|out of specification|malformed json|corrupt|could not read "
    "schema|failed to decompress|invalid data|unexpected end",
    re.I,
)

#: The most characters of a line of text, as DuckDB limits its bytes.
LONGEST_LINE = 2_000_000

#: The character that engines put for bytes that are not UTF-8.
REPLACEMENT = "\ufffd"

#: What engines report for text in another encoding.
NOT_UTF_8 = re.compile(
    "\ufffd|not utf-8|not contain valid utf-?8|invalid utf-?8|invalid unicode|codec can't decode",
    re.I,
)

#: Where DuckDB's advice on its own options starts.
ADVICE_OF_DUCKDB = re.compile(r"\n\s*(?:possible |the search space|\* |\w+ = |line \d+:)", re.I)

#: Files in the temporary folder of a command.
TEMPORARY = re.compile(r"""["']?[^\s"']*[/\\]ordcut-\w{8}[^\s"']*["']?""")

#: What file systems report when they are full.
FULL = re.compile("no space left|could not write|file too large|disk quota|out of space", re.I)


class UserError(click.ClickException):
    """A mistake of the user. The message says what was expected, what was given, and what to do.

    Examples
    --------
    >>> UserError("--score must name a column.").exit_code
    2
    """

    def __init__(self, message: str, exit_code: int = MISTAKE) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]


def with_hint(error: click.UsageError) -> click.UsageError:
    """Return an error of usage, with what to do about an option that has another name here.

    Examples
    --------
    >>> with_hint(click.NoSuchOption("--recall")).format_message()
    "No such option '--recall'. Pass --constraint, such as 'recall NAME >= 0.9'."
    """
    hint = OTHER_OPTIONS.get(error.option_name) if isinstance(error, click.NoSuchOption) else None
    return click.UsageError(f"{error.message} {hint}", error.ctx) if hint else error


def explain(error: BaseException) -> tuple[str, int]:
    """Return the message for an error, and the exit code.

    Examples
    --------
    >>> explain(ValueError("labels must not be missing."))
    ('labels must not be missing.', 2)
    >>> explain(ZeroDivisionError("division by zero"))[1]
    1
    """
    package = type(error).__module__.split(".")[0]
    if package in ("duckdb", "_duckdb"):
        message, code = _explain_duckdb(error)
        return _with_advice(message), code
    if isinstance(error, OSError):
        is_mistake = isinstance(
            error, FileNotFoundError | PermissionError | IsADirectoryError | NotADirectoryError
        )
        where = f"{error.filename}: " if error.filename else ""
        is_full = error.errno in (errno.ENOSPC, errno.EFBIG)
        hint = ". Free some space, or write elsewhere." if is_full else ""
        return f"{where}{error.strerror or error}{hint}", MISTAKE if is_mistake else FAILURE
    if isinstance(error, MemoryError):
        return "there is not enough memory. Use fewer columns or rows.", FAILURE
    if isinstance(error, ImportError):
        return str(error), FAILURE
    if isinstance(error, ValueError | TypeError) or package in ENGINES:
        message = with_option_names(_first_paragraph(str(error)))
        is_ours = package == "builtins" and not isinstance(error, UnicodeError)
        return message if is_ours and REPLACEMENT not in message else _with_advice(message), MISTAKE
    return (
        f"ordcut failed with an unexpected error, {type(error).__name__}: {error}. "
        "Run `ordcut --traceback ...` to see where, and please report it.",
        FAILURE,
    )


def explain_in(
    error: BaseException, files: Files | None, columns: Columns | None
) -> UserError | None:
    """Return an error of an engine in terms of the files that it reads, or None for other errors.

    The message names the file and the line of CSV that has too many or too few fields, or no number
    in a numeric column. Copies of files are named as the files that they are copies of.
    """
    package = type(error).__module__.split(".")[0]
    if files is None or package in ("builtins", "click", "ordcut"):
        return None
    message, code = explain(error)
    if code == MISTAKE and files.format == "csv":
        message = fault_in_csv(files, columns) or message
    for path, title in zip(files.paths, files.titles, strict=False):
        message = message.replace(path, title)
    return UserError(TEMPORARY.sub("a temporary file", message), code)


def fault_in_csv(files: Files, columns: Columns | None) -> str | None:
    """Describe the error in the first line of CSV that an engine cannot read."""
    from ordcut.cli.files import open_text

    for path, title in zip(files.paths, files.titles, strict=False):
        try:
            with open_text(path, "utf-8-sig") as text:
                rows = csv.reader(_short_lines(text, title), delimiter=files.separator or ",")
                header = next(rows, [])
                names = columns.numeric if columns else []
                if not all(name in header for name in names):
                    continue  # DuckDB may have skipped lines above the header
                indices = [(name, header.index(name)) for name in names]
                for row in filter(None, rows):
                    if len(row) != len(header) and (files.separator or len(header) == 1):
                        return (
                            f"FILES must have as many fields in each line as in the header, and "
                            f"{title} has {len(row)} instead of {len(header)} in line "
                            f"{rows.line_num}. Fix that line."
                        )
                    for name, index in indices:
                        if index < len(row) and not _is_number(row[index], files.decimal):
                            return (
                                f'column "{name}" must contain numbers, got "{row[index]}" in line '
                                f"{rows.line_num} of {title}. {_advice(row[index], files.decimal)}"
                            )
        except UserError as error:
            return error.message
        except (csv.Error, TypeError, OSError, EOFError):  # which the engine has said in its words
            return None
    return None


def _short_lines(text: TextIO, title: str) -> Iterator[str]:
    """Yield the lines of a text; raise an error for a line that no engine should hold in memory."""
    for number in count(1):
        line = text.readline(LONGEST_LINE + 1)
        if not line:
            return
        if len(line) > LONGEST_LINE:
            raise UserError(
                f"FILES must have lines of at most {LONGEST_LINE:,} characters, and line {number} "
                f"of {title} is longer. Fix that line; if the file is not text, leave it out."
            )
        yield line


def _is_number(text: str, decimal: str) -> bool:
    """Return whether text is a number with a decimal mark, empty, or R's missing value."""
    if text == "NA":
        return True
    if decimal == ",":
        text = text.translate(str.maketrans(",.", ".,"))
    try:
        return not text or float(text) is not None
    except ValueError:
        return False


def _advice(text: str, decimal: str) -> str:
    """Return what to do about text that is not a number."""
    other = {".": ",", ",": "."}[decimal]
    if re.fullmatch(rf"\s*[+-]?\d*\{other}\d+([eE][+-]?\d+)?\s*", text):
        return (
            f'If "{other}" is the decimal mark, pass --decimal {other}. If it separates '
            "thousands, remove it."
        )
    if text.strip().endswith("%"):
        return "Leave the percent signs out, or name another column."
    return "Fix that line, or name another column."


def with_option_names(message: str) -> str:
    """Return a message of the library with its arguments replaced by options.

    Examples
    --------
    >>> with_option_names("Pass classes= with the lowest class first.")
    'Pass --classes with the lowest class first.'
    """
    for argument, option in OPTIONS.items():
        message = message.replace(argument, option)
    return FRAME.sub("FILES", message)


def _explain_duckdb(error: BaseException) -> tuple[str, int]:
    # Its messages start with the type of error, and end with advice on options of DuckDB.
    message = ADVICE_OF_DUCKDB.split(_first_paragraph(str(error)))[0]
    message = re.sub(r"^[A-Z][A-Za-z ]+ Error: ", "", message)
    is_failure = type(error).__name__ in FAILURES_OF_DUCKDB or FULL.search(message)
    return message, FAILURE if is_failure else MISTAKE


def _with_advice(message: str) -> str:
    """Return a message with advice about text in another encoding or a damaged file."""
    if NOT_UTF_8.search(message):
        return (
            f"{message.rstrip('.')}. If this is text in an encoding other than UTF-8, pass "
            "--encoding, such as cp1252 (Windows), latin-1 or utf-16."
        )
    if not DAMAGED.search(message):
        return message
    return (
        f"{message.rstrip('.')}. A file seems to be damaged or in a different format than its name "
        "says. Write it again, leave it out, or pass --format."
    )


def _first_paragraph(message: str) -> str:
    return message.strip().split("\n\n")[0].strip()
