"""Output for people: safe text, numbers, tables and progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

from ordcut._core.errors import printable

if TYPE_CHECKING:
    from rich.console import Console

#: Whole numbers below this are shown with all digits.
LARGEST_COUNT = 1e15

#: The width of lines in a file or a pipe, where they must not be wrapped.
WIDTH_OF_FILES = 10_000


def as_line(value: object) -> str:
    r"""Return a value from the data as a line of printable text.

    Examples
    --------
    >>> as_line("two\nlines")
    'two lines'
    """
    line = " ".join(str(value).splitlines())
    return line if line.isprintable() else printable(line)


def format_number(value: float) -> str:
    """Return a number with six digits, and a count with all of them.

    Examples
    --------
    >>> format_number(0.1234567), format_number(12345678.0), format_number(float("inf"))
    ('0.123457', '12345678', 'inf')
    """
    is_count = abs(value) < LARGEST_COUNT and value == int(value)
    return str(int(value)) if is_count else f"{value:.6g}"


def open_console(*, stderr: bool = False) -> Console:
    """Return the console for tables; without colours and line breaks if it is not a terminal."""
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = WIDTH_OF_FILES
    return console


def print_table(
    console: Console, title: str, header: Sequence[str], rows: Sequence[Sequence[Any]]
) -> None:
    """Print a table with its first column aligned left and the others right.

    Numbers after the first column are shown with six digits. A long table is cut in the middle.

    Examples
    --------
    >>> print_table(open_console(), "Classes", ["class", "rows"], [["bad", 3], ["good", 12]])
    Classes
    class  rows
    bad       3
    good     12
    <BLANKLINE>
    """
    from rich.table import Table
    from rich.text import Text

    from ordcut._core.errors import MOST_SHOWN, both_ends

    if max(len(header), len(rows)) > MOST_SHOWN:
        header, n_rows = both_ends(header, "..."), len(rows)
        gap = [f"... ({n_rows} in all)", *["..."] * (len(header) - 1)]
        rows = both_ends([both_ends(row, "...") for row in rows], gap)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column, name in enumerate(header):
        table.add_column(Text(as_line(name)), justify="left" if column == 0 else "right")
    for first, *others in rows:
        shown = [format_number(cell) if isinstance(cell, float) else cell for cell in others]
        table.add_row(*(Text(as_line(cell)) for cell in (first, *shown)))
    console.print(Text(as_line(title), style="bold"))
    console.print(table)
    console.print()


@contextmanager
def show_passes(quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Show passes over the data as a progress bar on standard error.

    Yields a function to call with a description at the start of each pass, or None if ``quiet`` or
    if standard error is not a terminal.

    Examples
    --------
    >>> with show_passes(quiet=True) as progress:
    ...     print(progress)
    None
    """
    if quiet or not sys.stderr.isatty():  # before rich is imported for nothing
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.description}", markup=False)
    # The number of passes depends on the data, so the bar has no total.
    with Progress(
        BarColumn(20), TimeElapsedColumn(), text, console=open_console(stderr=True), transient=True
    ) as bar:
        task, numbers = bar.add_task("reading", total=None), count(1)
        yield lambda about: bar.update(task, description=as_line(f"pass {next(numbers)}: {about}"))
