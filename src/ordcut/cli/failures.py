"""Error messages for users of the command line, in terms of its options."""

from __future__ import annotations

import errno
import re

import click

#: The exit code for a mistake in the command or in the data, and for any other failure.
MISTAKE, FAILURE = 2, 1

#: Arguments of the library in its messages, and the options for them.
OPTIONS = {
    "classes=": "--classes",
    'nulls="drop"': "--nulls drop",
    'objective="absolute"': "--objective absolute",
    "class_weight": "--class-weight",
    "decisions=": "--decisions",
    "decisions must": "--decisions must",
    "decisions cannot": "--decisions cannot",
    "max_rows": "--max-rows",
    "review must": "--review must",
    "review needs": "--review needs",
    "pass -scores": "use a column of negated scores",
    "score must name": "--score must name",
    "label must name": "--label must name",
    "weight must name": "--weight must name",
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

#: What engines report for text in another encoding.
NOT_UTF_8 = re.compile(
    "not utf-8|not contain valid utf-?8|invalid utf-?8|invalid unicode|codec can't decode", re.I
)

#: What file systems report when they are full.
FULL = re.compile("no space left|could not write|file too large|disk quota|out of space", re.I)


class UserError(click.ClickException):
    """A mistake of the user. The message says what was expected, what was given, and what to do.

    Examples
    --------
    >>> UserError("--score must name a column.").exit_code
    2
    """

    exit_code = MISTAKE


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
        return message if is_ours else _with_advice(message), MISTAKE
    return (
        f"ordcut failed with an unexpected error, {type(error).__name__}: {error}. "
        "Run `ordcut --traceback ...` to see where, and please report it.",
        FAILURE,
    )


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
    message = _first_paragraph(str(error))
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
