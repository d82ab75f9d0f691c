"""What ``--objective`` names: an objective, or a file with a matrix of costs."""

from __future__ import annotations

import csv
from pathlib import Path

from ordcut.cli.failures import UserError
from ordcut.errors import unknown_name
from ordcut.objectives import COSTS, KAPPAS


def read_objective(text: str) -> str | list[list[float]]:
    """Return the name of an objective, or the costs in a file of CSV.

    Line ``k`` of the file holds what predicting class ``k`` costs for each true class.

    Examples
    --------
    >>> read_objective("quadratic_kappa")
    'quadratic_kappa'
    """
    if text in COSTS or text in KAPPAS:
        return text
    path = Path(text)
    if path.suffix.lower() not in (".csv", ".tsv", ".txt") and not path.is_file():
        raise UserError(
            f"{unknown_name('--objective', text, [*COSTS, *KAPPAS])} "
            "Or pass a CSV file with a cost matrix."
        )
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"--objective must be a name or a CSV file that can be read, and {text} cannot: "
            f"{getattr(error, 'strerror', None) or error}."
        ) from error
    separator = next((mark for mark in ";\t" if any(mark in line for line in lines)), ",")
    rows = [row for row in csv.reader(lines, delimiter=separator) if any(map(str.strip, row))]
    try:
        cost = [[float(cell) for cell in row] for row in rows]
    except ValueError as error:
        raise UserError(
            f"--objective must be a file with numbers only, a line a predicted class and a column "
            f"a true class, and {text} is not: {error}."
        ) from error
    if len(cost) < 2 or any(len(row) != len(cost) for row in cost):
        widths = sorted({len(row) for row in cost})
        raise UserError(
            f"--objective must be a square matrix of at least 2 x 2 costs, got {len(cost)} lines "
            f"of {' or '.join(map(str, widths)) or 'no'} numbers in {text}."
        )
    return cost
