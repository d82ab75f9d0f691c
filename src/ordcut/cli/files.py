"""Which files a command reads, their format, and the columns that it needs from them."""

from __future__ import annotations

import glob
import gzip
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

import click

from ordcut.cli.failures import UserError, fault_in_csv

#: The formats and their extensions; text may have the extension of a compressed file after it.
EXTENSIONS = {
    "csv": (".csv", ".tsv", ".txt"),
    "parquet": (".parquet", ".pq"),
    "json": (".jsonl", ".ndjson", ".json"),
    "excel": (".xlsx",),
}
TEXT_FORMATS = ("csv", "json")
COMPRESSED = (".gz", ".zst")

#: The first bytes of compressed data.
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"

#: The first bytes of other formats than text.
PARQUET, ARROW, ZIP = b"PAR1", b"ARROW1", b"PK\x03\x04"

#: The extensions of other files with tables, and what to do about them.
NOT_READ = (
    *(".feather", ".arrow", ".ipc", ".pkl", ".pickle", ".npy", ".npz", ".h5", ".hdf5", ".orc"),
    *(".avro", ".rds", ".rdata", ".sav", ".dta", ".sas7bdat", ".db", ".sqlite", ".duckdb"),
)
CONVERT = (
    "Write Parquet instead: write_parquet in Polars, to_parquet in pandas, arrow::write_parquet "
    "in R."
)

#: The first bytes of text in UTF-16.
UTF_16 = b"\xff\xfe", b"\xfe\xff"

#: The maximum number of bytes that are read of a header.
MOST_HEADER = 1 << 20

#: The most columns of CSV: engines take minutes to read the types of more.
MOST_COLUMNS = 20_000

#: The encoding that engines read, as Python names it.
UTF_8 = "utf-8"


@dataclass(frozen=True)
class Reading:
    """How files are read.

    Attributes
    ----------
    format : {"csv", "parquet", "json", "excel"}, optional
        Their format; by default, it follows from their names.
    separator : str, optional
        The character between the fields of CSV.
    decimal : {".", ","}
        The decimal mark of the numbers in CSV.
    encoding : str
        The encoding of text, as Python names it.
    """

    format: str | None = None
    separator: str | None = None
    decimal: str = "."
    encoding: str = UTF_8


@dataclass(frozen=True)
class Files:
    """Files of the same format.

    Attributes
    ----------
    paths : tuple of str
        Their paths, in order.
    format : {"csv", "parquet", "json"}
        The format of all; ``"json"`` is an object per line, or an array of objects.
    separator : str, optional
        The character between the fields of CSV. By default, engines that can detect it do so.
    decimal : {".", ","}
        The decimal mark of the numbers in CSV.
    titles : tuple of str
        Their names in messages: the files that were named, if ``paths`` are copies of them.
    """

    paths: tuple[str, ...]
    format: str
    separator: str | None = None
    decimal: str = "."
    titles: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Their name in messages."""
        if len(self.paths) > 1:
            return f"the {len(self.paths)} files"
        return (self.titles or self.paths)[0]

    @property
    def is_array(self) -> bool:
        """Whether the first file is JSON with an array of objects, not an object per line."""
        if self.format != "json":
            return False
        with open_text(self.paths[0]) as file:
            return file.read(MOST_HEADER).lstrip("\ufeff \t\r\n").startswith("[")


@dataclass(frozen=True)
class Columns:
    """The names of the columns that a command needs; None for those it does not need.

    Attributes
    ----------
    score, weight, item, rater, group : str, optional
        The values of the options of these names.
    labels : tuple of str
        The values of ``--label``: one, or one for each rater.
    others : tuple of str
        Other columns that hold classes.
    """

    score: str | None = None
    labels: tuple[str, ...] = ()
    weight: str | None = None
    others: tuple[str, ...] = ()
    item: str | None = None
    rater: str | None = None
    group: str | None = None

    #: The column of labels, or of the ratings of the first rater.
    label: str | None = field(init=False, repr=False, compare=False)

    #: The name of the labels in messages and titles.
    label_name: str = field(init=False, repr=False, compare=False)

    #: Whether items have several ratings.
    is_panel: bool = field(init=False, repr=False, compare=False)

    #: The columns that must hold numbers, those that hold classes, and all, each once.
    numeric: list[str] = field(init=False, repr=False, compare=False)
    classes: list[str] = field(init=False, repr=False, compare=False)
    all: list[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        numeric = [name for name in (self.score, self.weight) if name is not None]
        keys = [name for name in (self.item, self.rater, self.group) if name is not None]
        names = [*self.labels, *self.others, *keys]
        classes = [name for name in names if name not in numeric]
        self.__dict__.update(
            label=self.labels[0] if self.labels else None,
            label_name=", ".join(self.labels),
            is_panel=len(self.labels) > 1 or self.rater is not None,
            numeric=numeric,
            classes=classes,
            all=list(dict.fromkeys([*numeric, *classes])),
        )
        if len(set(self.labels)) < len(self.labels):
            raise UserError(
                f"--label must name each column once, got {' and '.join(self.labels)}. Leave out "
                "the repeated one."
            )
        if self.rater is not None and (self.item is None or len(self.labels) > 1):
            raise UserError(
                "--rater needs --item and a single --label: the columns of a table with a row for "
                "each rating. For a column for each rater, repeat --label instead."
            )

    def check(self, existing: Sequence[str], files: Files) -> None:
        """Raise an error if a column is missing, with a similar name as a suggestion."""
        options = [("--score", self.score), ("--weight", self.weight)]
        options += [("--label", name) for name in self.labels]
        options += [("--against", name) for name in self.others]
        options += [("--item", self.item), ("--rater", self.rater), ("--group", self.group)]
        for option, name in options:
            if name is not None and name not in existing:
                near = get_close_matches(name, existing, n=1)
                hint = f' Did you mean "{near[0]}"?' if near else ""
                # DuckDB may have taken another line for the header.
                fault = fault_in_csv(files, Columns(name)) if files.format == "csv" else None
                other = " or a file that exists" if option == "--against" else ""
                raise UserError(
                    fault
                    or f'{option} must name a column of {files.name}{other}, got "{name}". '
                    f"Its columns are: {', '.join(existing)}.{hint}"
                )


def find_files(arguments: Sequence[str], reading: Reading = Reading()) -> Files:  # noqa: B008
    """Return the files that arguments name: paths, globs, folders, or ``-`` for standard input.

    Examples
    --------
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("b.csv", "a.csv", "notes.md"):
    ...         _ = Path(folder, name).write_text("score,label")
    ...     files = find_files([folder + "/*.csv"])
    >>> [os.path.basename(path) for path in files.paths], files.format
    (['a.csv', 'b.csv'], 'csv')
    """
    if "-" in arguments:
        if len(arguments) > 1:
            raise UserError(
                f"- (standard input) must be the only file, got {' '.join(arguments)}. "
                "Leave the others out, or concatenate them first."
            )
        path, format = _save_stdin(reading.format)
        return _as_read([path], format, reading, ["standard input"])
    paths = [path for argument in arguments for path in _expand(argument)]
    formats = {path: reading.format or format_of(path, "FILES") for path in paths}
    if len(set(formats.values())) > 1:
        first, second = (
            next(p for p in paths if formats[p] == f) for f in list(set(formats.values()))[:2]
        )
        raise UserError(
            f"FILES must be of one format, got {first} and {second}. Convert them, or pass "
            "--format."
        )
    for path in paths:
        _check_readable(path)
    return _as_read(paths, formats[paths[0]], reading, paths)


def format_of(path: str, argument: str, option: str = "--format") -> str:
    """Return the format that the name of a file implies.

    Examples
    --------
    >>> format_of("scores.csv.gz", "FILES")
    'csv'
    """
    format = _known_format(path)
    if format is None and argument == "FILES" and path.lower().endswith(NOT_READ):
        kind = os.path.splitext(path)[1]
        raise UserError(
            f"{argument} must be CSV, Parquet, JSON or Excel: {kind} files are not read. {CONVERT}"
        )
    if format is None:
        known = ", ".join(extension for known in EXTENSIONS.values() for extension in known)
        raise UserError(
            f"{argument} must end in one of {known} (text also with .gz or .zst), got {path}. "
            f"Rename it, or pass {option}."
        )
    return format


def scratch_folder() -> str:
    """Return a temporary folder, which is always removed when the command ends."""
    context = click.get_current_context().find_root()
    key = "ordcut.scratch"
    if key not in context.meta:
        folder = TemporaryDirectory(prefix="ordcut-", ignore_cleanup_errors=True)
        context.meta[key] = context.with_resource(folder)
    path: str = context.meta[key]
    return path


def _known_format(path: str) -> str | None:
    name = path.lower()
    for extension in COMPRESSED:
        name = name.removesuffix(extension)
    format = next((format for format, known in EXTENSIONS.items() if name.endswith(known)), None)
    is_compressed = len(name) < len(path)
    return None if is_compressed and format not in TEXT_FORMATS else format


def _expand(argument: str) -> list[str]:
    if os.path.isdir(argument):
        inside = sorted(str(path) for path in _files_in(argument))
        if not inside:
            raise UserError(
                f"FILES must contain data, but the folder {argument} has no CSV, Parquet, JSON or "
                "Excel files. Name the files."
            )
        return inside
    if os.path.lexists(argument) or not glob.has_magic(argument):
        return [argument]
    matching = sorted(glob.glob(argument, recursive=True))
    if not matching:
        raise UserError(f"FILES must exist, but none matches {argument}. Check the path.")
    return matching


def _files_in(folder: str) -> list[Path]:
    """Return the data files in a folder, also in the layout of engines that write in parts."""
    with os.scandir(folder):  # raises an error if the folder cannot be read
        pass
    return [
        path
        for path in Path(folder).rglob("*")
        if not path.name.startswith((".", "_")) and _known_format(path.name)
    ]


def _as_read(paths: Sequence[str], format: str, reading: Reading, titles: Sequence[str]) -> Files:
    """Return files as they are, or as copies in UTF-8, after a check of the options."""
    for option, applies, formats in (
        ("--decimal", reading.decimal != ".", ("csv",)),
        ("--encoding", reading.encoding != UTF_8, ("csv", "json")),
    ):
        if applies and format not in formats:
            raise UserError(
                f"{option} must be left out for files that are not {' or '.join(formats)}, and "
                f"these are {format}."
            )
    for path, title in zip(paths, titles, strict=True):
        if reading.encoding == UTF_8 and format != "parquet" and _starts(path, *UTF_16):
            raise UserError(
                f"FILES must be text in UTF-8 unless --encoding says otherwise, but {title} is in "
                "UTF-16. Pass --encoding utf-16."
            )
    if format == "excel":
        from ordcut.cli.sheets import save_as_parquet

        targets = (os.path.join(scratch_folder(), f"sheet-{i}.parquet") for i in range(len(paths)))
        paths, format = list(map(save_as_parquet, paths, targets)), "parquet"
    if reading.encoding != UTF_8:
        paths = [
            _in_utf_8(path, reading.encoding, str(number)) for number, path in enumerate(paths)
        ]
    separator = reading.separator
    if separator is None and format == "csv":
        separators = {_separator_in(path, title) for path, title in zip(paths, titles, strict=True)}
        separator = separators.pop() if len(separators) == 1 else None
    files = Files(tuple(paths), format, separator, reading.decimal, tuple(titles))
    remember("files", files)
    return files


def _separator_in(path: str, title: str) -> str | None:
    """Return the separator of the header of a CSV file; None where an engine should detect it.

    A header with too many columns is an error.

    An engine may take the commas of decimal numbers for separators, and take a file with a row of
    another length for a file of one column.
    """
    try:
        with open_text(path) as file:
            header = file.readline(MOST_HEADER)
    except (OSError, EOFError):  # the engine says what is wrong with it
        return None
    unquoted = re.sub('"[^"]*"', "", header)
    marks = [mark for mark in ",;\t|" if mark in unquoted]
    n_columns = 1 + max(map(unquoted.count, marks), default=0)
    if n_columns > MOST_COLUMNS:
        raise UserError(
            f"FILES must have at most {MOST_COLUMNS:,} columns, and the header of {title} has "
            f"{n_columns:,}. Write a file with the columns that are needed, or check whether rows "
            "and columns are swapped."
        )
    return marks[0] if len(marks) == 1 else None


def open_text(path: str, encoding: str = UTF_8, errors: str = "replace") -> TextIO:
    """Open a file of text, which may be compressed by gzip, with its line ends as they are."""
    opener: Callable[..., TextIO] = gzip.open if _starts(path, GZIP) else open
    return opener(path, "rt", encoding=encoding, errors=errors, newline="")


def remember(name: str, what: Any) -> None:
    """Keep files or columns for messages, or the connection for progress."""
    context = click.get_current_context(silent=True)
    if context is not None and context.obj is not None:
        setattr(context.obj, name, what)


def _in_utf_8(path: str, encoding: str, folder: str) -> str:
    """Copy a file of text to the temporary folder, in the encoding that engines read."""
    if path.lower().endswith(".zst"):
        raise UserError(
            f"--encoding must be {UTF_8} for files compressed by zstd, got {encoding} for {path}. "
            "Decompress it first."
        )
    target = Path(scratch_folder(), "utf-8", folder, os.path.basename(path).removesuffix(".gz"))
    target.parent.mkdir(parents=True)
    try:
        with (
            open_text(path, encoding, errors="strict") as text,
            target.open("w", encoding=UTF_8, newline="") as copy,
        ):
            shutil.copyfileobj(text, copy)
    except UnicodeError as error:
        raise UserError(
            f"--encoding must match the text, but {path} is not {encoding}: {error}. "
            f"Pass another, or leave it out for {UTF_8}."
        ) from error
    return str(target)


def _starts(path: str, *signatures: bytes) -> bool:
    """Return whether a file starts with any of the signatures."""
    with open(path, "rb") as file:
        return file.read(max(map(len, signatures))).startswith(signatures)


def _check_readable(path: str) -> None:
    try:
        with open(path, "rb") as file:
            is_empty = file.read(1) == b""
    except OSError as error:
        if "://" in path:
            raise UserError(
                f"FILES must be on this computer, got {path}. Download it first; or read it with "
                "an engine in Python, and use ordcut.frames."
            ) from error
        raise UserError(
            f"FILES must be readable, but {path} is not: {error.strerror}. Check the path."
        ) from error
    if is_empty:
        raise UserError(f"FILES must contain data, but {path} is empty. Leave it out.")


def _save_stdin(format: str | None) -> tuple[str, str]:
    """Save standard input in a temporary file, since it is read more than once.

    Returns its path, and the format that its first bytes have where none is given.
    """
    path = os.path.join(scratch_folder(), "stdin")
    with open(path, "wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    if os.path.getsize(path) == 0:
        raise UserError("FILES must contain data, but standard input is empty. Pipe data into it.")
    if _starts(path, ARROW):
        raise UserError(
            "FILES must be CSV, Parquet, JSON or Excel: Feather and Arrow files are not read. "
            f"{CONVERT}"
        )
    if format is None:
        signatures = {"parquet": PARQUET, "excel": ZIP}
        format = next((name for name, mark in signatures.items() if _starts(path, mark)), "csv")
    # Engines recognise formats and compressed files by their names.
    extension = EXTENSIONS[format][0]
    if format != "parquet":
        marks = zip(COMPRESSED, (GZIP, ZSTD), strict=True)
        extension += next((end for end, mark in marks if _starts(path, mark)), "")
    os.rename(path, path + extension)
    return path + extension, format
