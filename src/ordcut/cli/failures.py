"""What went wrong, in words for somebody who knows the command and not the code."""

from __future__ import annotations

import errno
import re

import click

#: A mistake in the command or in the data, and everything else that can go wrong.
MISTAKE, FAILURE = 2, 1

#: What the library calls its arguments, and what the command line calls them.
OPTIONS = {
    "classes=": "--classes",
    'nulls="drop"': "--nulls drop",
    'objective="absolute"': "--objective absolute",
}

#: Errors of these packages are about what they were given to read.
ENGINES = ("polars", "dask", "pyspark", "py4j", "pandas", "pyarrow", "json")

#: Errors of DuckDB that are not the user's mistake.
FAILURES_OF_DUCKDB = ("OutOfMemoryException", "InternalException", "FatalException")

#: What engines say of a file that does not hold what its name says.
DAMAGED = re.compile(
    "magic bytes|TProtocolException|out of specification|malformed json|corrupt|could not read "
    "schema|failed to decompress|invalid data|unexpected end",
    re.I,
)

#: What a file system says when it cannot take more.
FULL = re.compile("no space left|could not write|file too large|disk quota|out of space", re.I)


class UserError(click.ClickException):
    """A mistake of the user's: what must hold, what came instead, what to do.

    Examples
    --------
    >>> UserError("--score must name a column.").exit_code
    2
    """

    exit_code = MISTAKE


def explain(error: BaseException) -> tuple[str, int]:
    """Return what to say of an error, and the exit code.

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
        hint = (
            ". Make room, or write elsewhere." if error.errno in (errno.ENOSPC, errno.EFBIG) else ""
        )
        return f"{where}{error.strerror or error}{hint}", MISTAKE if is_mistake else FAILURE
    if isinstance(error, MemoryError):
        return "there is not enough memory for this. Read fewer columns or rows.", FAILURE
    if isinstance(error, ImportError):
        return str(error), FAILURE
    if isinstance(error, ValueError | TypeError) or package in ENGINES:
        message = in_options(_first_paragraph(str(error)))
        return message if package == "builtins" else _with_advice(message), MISTAKE
    return (
        f"ordcut failed in a way that it must not, with {type(error).__name__}: {error}. "
        "Run `ordcut --traceback ...` to see where, and please report it.",
        FAILURE,
    )


def harmless(text: str) -> str:
    r"""Return text, which may hold some of the data, with nothing that a terminal would obey.

    Examples
    --------
    >>> print(harmless("red \x1b[31malert"))
    red \x1b[31malert
    """
    return "".join(
        character if character.isprintable() or character == "\n" else ascii(character)[1:-1]
        for character in text
    )


def in_options(message: str) -> str:
    """Return a message of the library in the words of the command line.

    Examples
    --------
    >>> in_options("Pass classes= with the lowest class first.")
    'Pass --classes with the lowest class first.'
    """
    for argument, option in OPTIONS.items():
        message = message.replace(argument, option)
    return message


def _explain_duckdb(error: BaseException) -> tuple[str, int]:
    # Its messages start with the kind of error, and end with advice on options that we do not have.
    message = _first_paragraph(str(error))
    message = re.sub(r"^[A-Z][A-Za-z ]+ Error: ", "", message)
    is_failure = type(error).__name__ in FAILURES_OF_DUCKDB or FULL.search(message)
    return message, FAILURE if is_failure else MISTAKE


def _with_advice(message: str) -> str:
    """Return a message with what to do about a file that cannot be read, if that is the matter."""
    if not DAMAGED.search(message):
        return message
    return (
        f"{message.rstrip('.')}. A file seems damaged, or not to be what its name says: write it "
        "anew, leave it out, or say what it is with --format."
    )


def _first_paragraph(message: str) -> str:
    return message.strip().split("\n\n")[0].strip()
