"""Cost matrices in CSV files, with or without the names of the classes."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordcut.cli.failures import UserError

if TYPE_CHECKING:
    from ordcut._core.typing import Array

#: The most characters of a file.
LONGEST = 1 << 26

OTHER_DECISIONS = "If its lines are decisions other than the classes, name them with --decisions."


@dataclass(frozen=True)
class CostTable:
    """A cost matrix as it is in a file.

    Attributes
    ----------
    cost : list of list of float
        Line ``k`` holds the cost of the ``k``-th predicted class, or decision, for each true class.
    predicted, true : list of str, optional
        The names of the predicted classes, or decisions, in the first column, and of the true
        classes in the header; None where the file has none, and the order is theirs.
    path : str
        The path of the file.

    Examples
    --------
    >>> import numpy as np
    >>> table = CostTable([[5.0, 0.0], [0.0, 1.0]], true=["high", "low"])
    >>> table.for_classes(np.array(["low", "high"]))
    [[0.0, 5.0], [1.0, 0.0]]
    """

    cost: list[list[float]]
    predicted: list[str] | None = None
    true: list[str] | None = None
    path: str = "costs.csv"

    def for_classes(self, classes: Array, decisions: Array | None = None) -> list[list[float]]:
        """Return the matrix in the order of the classes and of any decisions, lowest first."""
        each = "class" if decisions is None else "decision"
        lines = self._order(
            self.predicted, "first column", classes if decisions is None else decisions, each
        )
        columns = self._order(self.true, "header", classes, "class")
        ordered = self.cost if lines is None else [self.cost[line] for line in lines]
        if columns is None:
            return ordered
        return [[row[column] for column in columns] for row in ordered]

    def _order(
        self, names: list[str] | None, where: str, known: Array, each: str
    ) -> list[int] | None:
        """Return the position of each class or decision among the names; None without names."""
        if names is None:
            return None
        positions = [position_of(name, known) for name in names]
        if sorted(-1 if at is None else at for at in positions) != [*range(len(known))]:
            every = "The classes are" if each == "class" else "The decisions are"
            is_line = each == "class" and names is self.predicted
            raise UserError(
                f"--objective must name each {each} once in its {where}, but {self.path} has "
                f"{', '.join(names)}. {every}: {', '.join(class_names(known))}."
                + (f" {OTHER_DECISIONS}" if is_line else "")
            )
        return [positions.index(position) for position in range(len(known))]


def read_costs(text: str, n_decisions: int | None = None, decimal: str = ".") -> CostTable:
    """Read a cost matrix from a CSV file, which may have a header, a first column of names or both.

    Numbers are names as well where the file has one line, or one column, more than the other. If
    the number of decisions is given, names in the first column are text, or have an empty cell
    above them. A decimal comma is read where it is the ``decimal`` mark.
    """
    rows = _read_cells(text, decimal)
    header: list[str] | None = None
    if rows and _has_header(rows, n_decisions):
        header, *rows = rows
    predicted: list[str] | None = None
    if _has_first_column(rows, header, n_decisions):
        predicted, rows = [row[0] for row in rows], [row[1:] for row in rows]
        if header is not None and len(header) == len(rows[0]) + 1:
            header = header[1:]  # without the corner
    cost = _as_numbers(rows, text)
    _check_shape(cost, header, n_decisions, text)
    return CostTable(cost, predicted, header, text)


def _read_cells(path: str, decimal: str) -> list[list[str]]:
    """Return the cells of a CSV file, line by line, without empty lines, with decimal points."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read(LONGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"--objective must be a name or a CSV file that can be read, but {path} cannot: "
            f"{getattr(error, 'strerror', None) or 'it is not text in UTF-8'}. Check the path, or "
            "save the costs as CSV."
        ) from error
    if len(text) > LONGEST:
        raise UserError(
            f"--objective must be a name or a cost matrix in a CSV file, but {path} has more than "
            f"{LONGEST >> 20} MiB of text. Check the path."
        )
    lines = text.splitlines()
    separator = next((mark for mark in ";\t" if any(mark in line for line in lines)), ",")
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    cells = [[cell.strip() for cell in row] for row in rows if any(map(str.strip, row))]
    if decimal == ".":
        return cells
    return [[_with_point(cell) for cell in row] for row in cells]


def _with_point(cell: str) -> str:
    """Return a number with a decimal comma as Python writes it; other text as it is.

    Examples
    --------
    >>> _with_point("0,5"), _with_point("low, or so")
    ('0.5', 'low, or so')
    """
    number = cell.translate(str.maketrans(",.", ".,"))
    return number if _is_number(number) else cell


def _has_first_column(
    rows: Sequence[Sequence[str]], header: Sequence[str] | None, n_decisions: int | None
) -> bool:
    """Return whether the first column holds names, by its text or by the number of columns."""
    if any(not _is_number(row[0]) for row in rows):
        return True
    if n_decisions is None:
        return {len(row) for row in rows} == {len(rows) + 1}
    return header is not None and (header[0] == "" or len(header) + 1 == len(rows[0]))


def _as_numbers(rows: Sequence[Sequence[str]], path: str) -> list[list[float]]:
    try:
        return [[float(cell) for cell in row] for row in rows]
    except ValueError as error:
        raise UserError(
            "--objective must be a file of numbers, with one line per predicted class and one "
            "column per true class, and names only in the header or the first column. "
            f"{path} is not: {error}."
        ) from error


def _check_shape(
    cost: list[list[float]], header: list[str] | None, n_decisions: int | None, path: str
) -> None:
    """Raise an error unless there is a line for each decision and a column for each class."""
    widths = sorted({len(row) for row in cost} | ({len(header)} if header else set()))
    got = f"got {len(cost)} lines of {' or '.join(map(str, widths)) or 'no'} numbers in {path}."
    if n_decisions is None and (len(cost) < 2 or widths != [len(cost)]):
        raise UserError(
            f"--objective must be a square matrix of at least 2 x 2 costs, {got} {OTHER_DECISIONS}"
        )
    if n_decisions is not None and (len(cost) != n_decisions or len(widths) != 1 or widths < [2]):
        raise UserError(
            f"--objective must have one line for each of the {n_decisions} decisions and one "
            f"column for each class, {got}"
        )


def _has_header(rows: Sequence[Sequence[str]], n_decisions: int | None) -> bool:
    """Return whether the first line holds names, by its text or by the number of lines."""
    if n_decisions is not None:
        return len(rows) == n_decisions + 1
    is_name = [not _is_number(cell) for cell in rows[0]]
    n_lines, n_columns = len(rows), len(rows[-1])
    return any(is_name[1:]) or n_lines == n_columns + 1 or (is_name[0] and n_lines == n_columns)


def class_names(classes: Array) -> list[str]:
    """Return classes as the text that options and files name them by.

    Examples
    --------
    >>> import numpy as np
    >>> class_names(np.array([False, True]))
    ['false', 'true']
    """
    values: Sequence[object] = classes.tolist()
    return [str(value).lower() if isinstance(value, bool) else str(value) for value in values]


def position_of(name: str, classes: Array) -> int | None:
    """Return the position of the class of a name; None if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> position_of("2.0", np.array([1, 2])), position_of("3", np.array([1, 2]))
    (1, None)
    """
    names = class_names(classes)
    if name in names:
        return names.index(name)
    if _is_number(name) and classes.dtype.kind in "iuf":
        return next((i for i, value in enumerate(classes.tolist()) if value == float(name)), None)
    is_boolean = classes.dtype.kind == "b" and name.lower() in names
    return names.index(name.lower()) if is_boolean else None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
