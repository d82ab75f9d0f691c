"""Write and read the files of a run: tables of rows, and checkpoints.

A file is written under a temporary name and then renamed, so that a run that is killed leaves
either the old file or the new one.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import torch

#: Increases when the contents of a checkpoint change.
FORMAT = 2


def write_atomically(file: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file under a temporary name, flush it to disk, then rename it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "a.txt", lambda stream: stream.write(b"text"))
    ...     [(file.name, file.read_text()) for file in Path(folder).iterdir()]
    [('a.txt', 'text')]
    """
    partial = file.with_name(f".{file.name}.part")
    with partial.open("wb") as stream:
        write(stream)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(partial, file)


def write_text(file: Path, text: str) -> None:
    """Write a text file atomically."""
    write_atomically(file, lambda stream: stream.write(text.encode()))


def write_rows(file: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as a CSV file, atomically; the cell of a key that a row lacks is empty."""
    text = io.StringIO()
    columns = dict.fromkeys(name for row in rows for name in row)
    writer = csv.DictWriter(text, fieldnames=list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(file, text.getvalue())


def read_rows(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a CSV file, with numbers as numbers, and None for an empty cell.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> rows = [{"epoch": 1.0, "error": 0.1, "of": "dp"}, {"epoch": 2.0, "error": None, "of": "io"}]
    >>> with TemporaryDirectory() as folder:
    ...     write_rows(Path(folder) / "a.csv", rows)
    ...     read_rows(Path(folder) / "a.csv") == rows
    True
    """
    with file.open(newline="", encoding="utf-8") as stream:
        return [
            {name: _value(text) for name, text in row.items()} for row in csv.DictReader(stream)
        ]


def _value(text: str) -> float | str | None:
    try:
        return float(text) if text else None
    except ValueError:
        return text


def save_state(file: Path, state: dict[str, Any]) -> None:
    """Write a dictionary of tensors and plain values atomically, for ``load_state``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_state(Path(folder) / "a.pt", {"thresholds": torch.ones(2), "rows": [{"epoch": 1}]})
    ...     load_state(Path(folder) / "a.pt")
    {'format': 2, 'thresholds': tensor([1., 1.]), 'rows': [{'epoch': 1}]}
    """
    write_atomically(file, lambda stream: torch.save({"format": FORMAT, **state}, stream))


def load_state(file: Path) -> dict[str, Any]:
    """Return the dictionary that ``save_state`` wrote; no code in the file is executed."""
    try:
        state: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:
        raise ValueError(
            f"{file} must be a checkpoint of a run, but cannot be read: {error}. "
            "It was damaged after it was written; start a new run in another --out."
        ) from error
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise ValueError(
            f"{file} must be a checkpoint of format {FORMAT}, got another. "
            "Read it with the release of ordcut that wrote it."
        )
    return state
