"""HTML views of results in notebooks: a title, the value, a table and notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import isinf, isnan

from ordcut._core.errors import both_ends, printable

#: Colours are the notebook's own, so that a view is legible on light and on dark pages.
STYLE = (
    "<style>.ordcut table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    ".ordcut :is(th,td){padding:2px 8px;white-space:nowrap;border-bottom:1px solid #8886;"
    "text-align:right;background:none}"
    ".ordcut :is(th,td):first-child{text-align:left}"
    ".ordcut p{margin:4px 0}.ordcut .note{opacity:.75;font-size:.9em}</style>"
)

Cell = str | float


def view(
    title: str,
    heads: Sequence[str] = (),
    rows: Iterable[Sequence[Cell]] = (),
    *,
    value: str = "",
    notes: Iterable[str] = (),
) -> str:
    """Return a result as HTML; every text is escaped, and long tables show their two ends.

    Parameters
    ----------
    title : str
        What the result is; nothing if its table says it.
    heads : sequence of str
        The names of the columns.
    rows : iterable of sequence
        The cells of each row, as numbers or as text.
    value : str
        The number that the result is about, with its name.
    notes : iterable of str
        Sentences below the table; empty ones are left out.

    Examples
    --------
    >>> view("Cuts", ["from", "below"], [[0.5, float("inf")]], notes=["<b>"])[len(STYLE):]
    '<div class="ordcut"><p><b>Cuts</b></p><table><thead><tr><th>from</th><th>below</th></tr>...
    """
    lines = [f"<b>{_text(title)}</b>" if title else "", _text(value)]
    head = f"<p>{'<br>'.join(filter(None, lines))}</p>" if title or value else ""
    below = "".join(f'<p class="note">{_text(note)}</p>' for note in notes if note)
    return f'{STYLE}<div class="ordcut">{head}{_table(heads, rows)}{below}</div>'


def _table(heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    if not heads:
        return ""
    written = [[_cell(cell) for cell in row] for row in rows]
    gap = [f"... ({len(written)} in all)", *["..."] * (len(heads) - 1)]
    body = "".join(f"<tr>{_cells('td', row)}</tr>" for row in both_ends(written, gap))
    columns = _cells("th", [_text(name) for name in heads])
    return f"<table><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"


def _cells(tag: str, cells: Iterable[str]) -> str:
    return "".join(f"<{tag}>{cell}</{tag}>" for cell in cells)


def _text(text: str) -> str:
    return escape(printable(text)).replace("\n", "<br>")


def _cell(cell: Cell) -> str:
    return _text(cell) if isinstance(cell, str) else number(cell)


def number(x: float) -> str:
    """Return a number in six digits; nothing for NaN.

    Examples
    --------
    >>> number(0.1234567), number(float("-inf")), number(float("nan")), number(7)
    ('0.123457', '-∞', '', '7')
    """
    if isnan(x):
        return ""
    return ("∞" if x > 0 else "-∞") if isinf(x) else f"{x:.6g}"


def interval(low: float, high: float) -> str:
    """Return an interval as text.

    Examples
    --------
    >>> interval(0.5, float("inf"))
    '0.5 to ∞'
    """
    return f"{number(low)} to {number(high)}"
