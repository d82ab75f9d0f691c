"""Excel files: the first sheet of each as a Parquet file for engines, and rows as a sheet."""

from __future__ import annotations

import datetime
import io
from typing import Any

from ordcut.cli.failures import UserError

#: The number of rows that a sheet can hold, including the header.
MOST_ROWS = 1 << 20


def save_as_parquet(path: str, target: str) -> str:
    """Write the first sheet of an Excel file to a Parquet file, and return the path of that.

    The first row has the names of the columns, and empty rows are left out. A column of numbers,
    booleans or times keeps its type; a column of several types is text.
    """
    try:
        import python_calamine
    except ImportError as error:
        raise _missing(
            "FILES in .xlsx need", "python-calamine", "save them as CSV", error
        ) from error
    import zipfile
    import zlib

    import pyarrow as pa
    import pyarrow.parquet as pq

    from ordcut.cli.workbook_size import check_size

    try:
        check_size(path)
        with python_calamine.CalamineWorkbook.from_path(path) as workbook:
            cells = workbook.get_sheet_by_index(0).to_python()
    except (python_calamine.CalamineError, zipfile.BadZipFile, zlib.error, OSError) as error:
        raise UserError(
            f"FILES in .xlsx must be Excel workbooks, but {path} cannot be read: {error}. Save it "
            "again, or save it as CSV."
        ) from error
    rows = [row for row in cells if any(cell != "" for cell in row)]
    if not rows:
        raise UserError(
            f"FILES must contain data, but the first sheet of {path} is empty. Move the rows there."
        )
    names = [str(name) or f"column{number}" for number, name in enumerate(rows[0])]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise UserError(
            f'columns must have unique names, and {path} has "{repeated[0]}" '
            f"{names.count(repeated[0])} times. Rename them."
        )
    columns = zip(*rows[1:], strict=True) if rows[1:] else [[] for _ in names]
    pq.write_table(pa.table(dict(zip(names, map(_column, columns), strict=True))), target)
    return target


def _column(cells: Any) -> list[Any]:
    """Return the cells of a column as values of one type, with None where they are empty.

    Examples
    --------
    >>> _column([1.0, "", 2.5]), _column([1.0, "x"]), _column([3.0, 4.0])
    ([1.0, None, 2.5], ['1', 'x'], [3, 4])
    """
    values = [None if cell == "" else cell for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {int, float}:
        if all(value is None or float(value).is_integer() for value in values):
            return [None if value is None else int(value) for value in values]
        return [None if value is None else float(value) for value in values]
    if len(kinds) <= 1:
        return values
    return [None if value is None else _text(value) for value in values]


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def sheet_of(relation: Any) -> tuple[bytes, int]:
    """Return the rows of a relation of DuckDB as an Excel file, and their number."""
    try:
        import xlsxwriter
    except ImportError as error:
        raise _missing(
            "--output in .xlsx needs", "xlsxwriter", "write CSV instead", error
        ) from error

    rows = relation.limit(MOST_ROWS).fetchall()
    if len(rows) == MOST_ROWS:
        raise UserError(
            f"--output in .xlsx must have at most {MOST_ROWS - 1:,} rows, as many as a sheet can "
            "hold, and FILES have more. Write CSV or Parquet instead."
        )
    content = io.BytesIO()
    # Text that starts with = is text, not a formula.
    options = {
        "constant_memory": True,
        "default_date_format": "yyyy-mm-dd hh:mm:ss",
        "strings_to_formulas": False,
        "strings_to_urls": False,
    }
    with xlsxwriter.Workbook(content, options) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, relation.columns)
        for number, row in enumerate(rows, 1):
            sheet.write_row(number, 0, map(_cell, row))
    return content.getvalue(), len(rows)


def _cell(value: Any) -> Any:
    """Return a value as a type of cells; what a sheet cannot hold exactly becomes text."""
    if value is None or isinstance(value, bool | str | float | datetime.date):
        return value
    if isinstance(value, int) and abs(value) <= 10**15:
        return value
    return str(value)


def _missing(what: str, package: str, instead: str, error: ImportError) -> ImportError:
    return ImportError(
        f"{what} {package}, which is not installed. Install it with: pip install {package}, or "
        f"{instead}.",
        name=error.name,
    )
