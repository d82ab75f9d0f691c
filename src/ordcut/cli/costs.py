"""Cost matrices in CSV files, with or without the names of the classes."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordcut.cli.failures import UserError

if TYPE_CHECKING:
    from ordcut.typing import Array


@dataclass(frozen=True)
class CostTable:
    """A cost matrix as it is in a file.

    Attributes
    ----------
    cost : list of list of float
        Line ``k`` holds the cost of the ``k``-th predicted class for each true class.
    predicted, true : list of str, optional
        The names of the predicted classes in the first column, and of the true ones in the header;
        None where the file has none, and the order is that of the classes.
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

    def for_classes(self, classes: Array) -> list[list[float]]:
        """Return the matrix in the order of the classes, lowest first."""
        if self.predicted is None and self.true is None:
            return self.cost
        lines = self._order(self.predicted, "first column", classes)
        columns = self._order(self.true, "header", classes)
        return [[self.cost[line][column] for column in columns] for line in lines]

    def _order(self, names: list[str] | None, where: str, classes: Array) -> list[int]:
        """Return the position of each class among the names."""
        if names is None:
            return list(range(len(self.cost)))
        found = [position_of(name, classes) for name in names]
        if sorted(-1 if at is None else at for at in found) != [*range(len(classes))]:
            raise UserError(
                f"--objective must name each class once in its {where}, and {self.path} has "
                f"{', '.join(names)}. The classes are: {', '.join(class_names(classes))}."
            )
        return [found.index(position) for position in range(len(classes))]


def read_costs(text: str) -> CostTable:
    """Read a cost matrix from a CSV file, which may have a header, a first column of names or both.

    Numbers are names as well where the file has one line, or one column, more than the other.
    """
    try:
        lines = Path(text).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"--objective must be a name or a CSV file that can be read, and {text} cannot: "
            f"{getattr(error, 'strerror', None) or error}."
        ) from error
    separator = next((mark for mark in ";\t" if any(mark in line for line in lines)), ",")
    read = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    rows = [[cell.strip() for cell in row] for row in read if any(map(str.strip, row))]
    header: list[str] | None = None
    if rows and _has_header(rows):
        header, *rows = rows
    predicted: list[str] | None = None
    is_wider = {len(row) for row in rows} == {len(rows) + 1}
    if is_wider or any(not _is_number(row[0]) for row in rows):
        predicted, rows = [row[0] for row in rows], [row[1:] for row in rows]
    if header is not None and predicted is not None and len(header) == len(rows) + 1:
        header = header[1:]  # without the corner
    try:
        cost = [[float(cell) for cell in row] for row in rows]
    except ValueError as error:
        raise UserError(
            "--objective must be a file of numbers, with one line per predicted class and one "
            "column per true class, and names only in the header or the first column. "
            f"{text} is not: {error}."
        ) from error
    widths = sorted({len(row) for row in cost} | {len(names) for names in [header or []] if names})
    if len(cost) < 2 or widths != [len(cost)]:
        raise UserError(
            f"--objective must be a square matrix of at least 2 x 2 costs, got {len(cost)} lines "
            f"of {' or '.join(map(str, widths)) or 'no'} numbers in {text}."
        )
    return CostTable(cost, predicted, header, text)


def _has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first line holds names, by its text or by the number of lines."""
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
    return (
        names.index(name.lower()) if classes.dtype.kind == "b" and name.lower() in names else None
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
