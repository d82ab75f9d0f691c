"""Which files a command reads, and in what format they are."""

from __future__ import annotations

import glob
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from ordcut.cli.failures import UserError

#: The formats, and the ends of file names that speak for each; compressed text may follow.
ENDINGS = {
    "csv": (".csv", ".tsv", ".txt"),
    "parquet": (".parquet", ".pq"),
    "json": (".jsonl", ".ndjson", ".json"),
}
COMPRESSED = (".gz", ".zst")


@dataclass(frozen=True)
class Files:
    """Files of one format.

    Attributes
    ----------
    paths : tuple of str
        Where they are, in order.
    format : {"csv", "parquet", "json"}
        What they hold; ``"json"`` is an object a line.
    separator : str, optional
        What stands between the fields of CSV; engines that can find out do so by default.
    """

    paths: tuple[str, ...]
    format: str
    separator: str | None = None

    @property
    def name(self) -> str:
        """How to speak of them."""
        return self.paths[0] if len(self.paths) == 1 else f"the {len(self.paths)} files"


def find_files(
    arguments: Sequence[str], format: str | None = None, separator: str | None = None
) -> Files:
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
        format = format or "csv"
        return Files((_keep_stdin(format),), format, separator)
    paths = [path for argument in arguments for path in _expand(argument)]
    formats = {path: format or format_of(path, "FILES") for path in paths}
    if len(set(formats.values())) > 1:
        one, other = (
            next(p for p in paths if formats[p] == f) for f in list(set(formats.values()))[:2]
        )
        raise UserError(
            f"FILES must be of one format, got {one} and {other}. Convert them, or pass --format."
        )
    for path in paths:
        _check_readable(path)
    return Files(tuple(paths), formats[paths[0]], separator)


def format_of(path: str, argument: str) -> str:
    """Return the format that the name of a file speaks of.

    Examples
    --------
    >>> format_of("scores.csv.gz", "FILES")
    'csv'
    """
    name = path.lower()
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    for format, endings in ENDINGS.items():
        if name.endswith(endings):
            return format
    known = ", ".join(ending for endings in ENDINGS.values() for ending in endings)
    raise UserError(
        f"{argument} must end in one of {known}, got {path}. Rename it, or pass --format."
    )


def _expand(argument: str) -> list[str]:
    if os.path.isdir(argument):
        inside = sorted(str(path) for path in _files_in(argument))
        if not inside:
            raise UserError(
                f"FILES must hold data, and the folder {argument} has no CSV, Parquet or JSON "
                "lines in it. Name the files."
            )
        return inside
    if os.path.lexists(argument) or not glob.has_magic(argument):
        return [argument]
    matching = sorted(glob.glob(argument, recursive=True))
    if not matching:
        raise UserError(f"FILES must exist, and none matches {argument}. Check the path.")
    return matching


def _files_in(folder: str) -> list[Path]:
    """Return the data files in a folder, as engines that write in parts leave them."""
    endings = tuple(ending for some in ENDINGS.values() for ending in some)
    with os.scandir(folder):  # raises an error where the folder cannot be read
        pass
    return [
        path
        for path in Path(folder).rglob("*")
        if not path.name.startswith((".", "_"))
        and any(
            path.name.lower().removesuffix(more).endswith(endings) for more in ("", *COMPRESSED)
        )
    ]


def _check_readable(path: str) -> None:
    try:
        with open(path, "rb") as file:
            is_empty = file.read(1) == b""
    except OSError as error:
        raise UserError(
            f"FILES must be readable, and {path} is not: {error.strerror}. Check the path."
        ) from error
    if is_empty:
        raise UserError(f"FILES must hold data, and {path} is empty. Leave it out.")


def _keep_stdin(format: str) -> str:
    """Save standard input in a file of its own, since it is read more than once."""
    folder = scratch_folder()
    path = os.path.join(folder, f"stdin{ENDINGS[format][0]}")
    with open(path, "wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    if os.path.getsize(path) == 0:
        raise UserError("FILES must hold data, and standard input is empty. Pipe something in.")
    return path


def scratch_folder() -> str:
    """Return a folder of this command's own, which is removed when it ends, however it ends."""
    context = click.get_current_context()
    key = "ordcut.scratch"
    if key not in context.meta:
        folder = TemporaryDirectory(prefix="ordcut-", ignore_cleanup_errors=True)
        context.meta[key] = context.with_resource(folder)
    path: str = context.meta[key]
    return path
