"""Tables for people, on a terminal or in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ordcut.cli.failures import harmless

if TYPE_CHECKING:
    from rich.console import Console

#: Lines in a file or a pipe are as long as they are.
WIDTH_OF_FILES = 10_000


def plain(value: object) -> str:
    r"""Return a value from data as one line of text that can do no harm on a terminal.

    Examples
    --------
    >>> plain("two\nlines")
    'two lines'
    """
    return harmless(" ".join(str(value).splitlines()))


def console(*, stderr: bool = False) -> Console:
    """Return where tables are written; what is no terminal gets no colours and no line breaks."""
    from rich.console import Console

    made = Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not made.is_terminal:
        made.width = WIDTH_OF_FILES
    return made


def print_table(
    to: Console, title: str, header: Sequence[str], rows: Sequence[Sequence[Any]]
) -> None:
    """Print a table: names to the left, numbers to the right.

    Examples
    --------
    >>> print_table(console(), "Classes", ["class", "rows"], [["bad", 3], ["good", 12]])
    Classes
    class  rows
    bad       3
    good     12
    <BLANKLINE>
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, name in enumerate(header):
        table.add_column(Text(plain(name)), justify="left" if number == 0 else "right")
    for row in rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    to.print(Text(plain(title), style="bold"))
    to.print(table)
    to.print()


def shown(value: float) -> str:
    """Return a number with six digits, which is what people compare.

    Examples
    --------
    >>> shown(0.1234567), shown(float("inf"))
    ('0.123457', 'inf')
    """
    return f"{value:.6g}"
