"""How much memory an Excel workbook takes, found before it is read.

Readers hold every cell between the first and the last in memory, so that a single cell far away
takes gigabytes, and a compressed file can hold a thousand times its own size. Here a workbook is
decompressed in pieces, and the positions of its cells are followed.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ordcut.cli.failures import UserError

#: A workbook may have this many bytes when decompressed, or this many times the size of its file.
MOST_BYTES, MOST_EXPANSION = 1 << 25, 50

#: A sheet may span this many cells, or this many times the cells that it holds.
MOST_CELLS, MOST_SPREAD = 1 << 21, 16

#: The number of bytes that are decompressed at a time.
PIECE = 1 << 20

#: The start of a row or a cell, and the position that an attribute gives either.
POSITION = re.compile(
    rb"<(?:[\w.-]+:)?(row|c)(?=[\s/>])|\sr\s*=\s*[\"']([A-Za-z]{0,4})([0-9]{1,9})"
)


def check_size(path: str) -> None:
    """Raise an error for a workbook that would take far more memory than its file."""
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        most = max(MOST_BYTES, MOST_EXPANSION * file.seek(0, 2))
        for entry in archive.infolist():
            n_rows, n_columns, n_cells = _extent(_markup(_pieces(archive, entry, most)))
            if n_rows * n_columns > max(MOST_CELLS, MOST_SPREAD * n_cells):
                raise UserError(
                    f"FILES in .xlsx must have their cells together, but a sheet of {path} has "
                    f"{n_cells:,} cells in {n_rows:,} rows and {n_columns:,} columns. Delete the "
                    "cells that are far from the others, or save the sheet as CSV."
                )
            most -= entry.file_size
            if most < 0:
                raise UserError(
                    f"FILES in .xlsx must not be much larger when decompressed, but {path} is: "
                    f"more than {MOST_EXPANSION} times. Save it again, or save it as CSV."
                )


def _pieces(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> Iterator[bytes]:
    """Yield the content of an entry up to about ``most`` bytes, and record its true size."""
    entry.file_size, size = most + PIECE, 0  # the size that the archive states may be wrong
    with archive.open(entry) as content:
        while size <= most and (piece := content.read(PIECE)):
            size += len(piece)
            yield piece
    entry.file_size = size


def _markup(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pieces that end where a tag starts, so that no tag is in two of them."""
    rest = b""
    for piece in pieces:
        before, tag, after = (rest + piece).rpartition(b"<")
        yield before
        rest = tag + after
    yield rest


def _extent(pieces: Iterable[bytes]) -> tuple[int, int, int]:
    """Return the last row and column of a sheet in XML, and the number of its cells.

    Examples
    --------
    >>> _extent([b'<row r="2"><c r="C2"/><c/></row>'])
    (2, 4, 2)
    """
    row = column = n_rows = n_columns = n_cells = 0
    for piece in pieces:
        for tag, letters, digits in POSITION.findall(piece):
            if tag == b"c":
                column, n_cells = column + 1, n_cells + 1
            elif tag:
                row, column = row + 1, 0
            else:
                row, column = int(digits), _number_of(letters) if letters else column
            n_rows, n_columns = max(n_rows, row), max(n_columns, column)
    return n_rows, n_columns, n_cells


@lru_cache(maxsize=1 << 15)
def _number_of(letters: bytes) -> int:
    """Return the number of a column.

    Examples
    --------
    >>> _number_of(b"A"), _number_of(b"Z"), _number_of(b"AA")
    (1, 26, 27)
    """
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number
