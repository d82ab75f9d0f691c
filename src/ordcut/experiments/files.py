"""The files of a run: written aside and then renamed, so that a kill leaves the old or the new."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import torch

#: Goes up when what a checkpoint holds changes.
FORMAT = 1


def write_aside(file: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file under another name, see it to the disk, and only then give it its name.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_aside(Path(folder) / "a", lambda stream: stream.write(b"all of it"))
    ...     [(file.name, file.read_text()) for file in Path(folder).iterdir()]
    [('a', 'all of it')]
    """
    aside = file.with_name(f".{file.name}.part")
    with aside.open("wb") as stream:
        write(stream)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(aside, file)


def write_text(file: Path, text: str) -> None:
    """Write a text file in one step."""
    write_aside(file, lambda stream: stream.write(text.encode()))


def write_rows(file: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows that share their keys as CSV, in one step, with all digits."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(file, text.getvalue())


def read_rows(file: Path) -> list[dict[str, float | None]]:
    """Return the rows of a CSV of numbers; an empty cell is None.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> rows = [{"epoch": 1, "error": 0.1}, {"epoch": 2, "error": None}]
    >>> with TemporaryDirectory() as folder:
    ...     write_rows(Path(folder) / "a.csv", rows)
    ...     read_rows(Path(folder) / "a.csv")
    [{'epoch': 1.0, 'error': 0.1}, {'epoch': 2.0, 'error': None}]
    """
    with file.open(newline="", encoding="utf-8") as stream:
        return [
            {name: float(value) if value else None for name, value in row.items()}
            for row in csv.DictReader(stream)
        ]


def save_state(file: Path, state: dict[str, Any]) -> None:
    """Write tensors and plain values in one step, to be read by ``load_state``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_state(Path(folder) / "a.pt", {"thresholds": torch.ones(2), "rows": [{"epoch": 1}]})
    ...     load_state(Path(folder) / "a.pt")
    {'format': 1, 'thresholds': tensor([1., 1.]), 'rows': [{'epoch': 1}]}
    """
    write_aside(file, lambda stream: torch.save({"format": FORMAT, **state}, stream))


def load_state(file: Path) -> dict[str, Any]:
    """Return what ``save_state`` wrote; nothing in the file is executed."""
    try:
        state: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:
        raise ValueError(
            f"{file} must be a checkpoint of a run, and cannot be read: {error}. "
            "It was damaged after it was written; start the run anew in another --out."
        ) from error
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise ValueError(
            f"{file} must be a checkpoint of format {FORMAT}, got another. "
            "Read it with the release of ordcut that wrote it."
        )
    return state
