"""Output for people: safe text, numbers, tables and progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import click

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


def format_number(value: float, digits: int = 6) -> str:
    """Return a number with some digits, and a count with all of them.

    Examples
    --------
    >>> format_number(0.1234567), format_number(12345678.0), format_number(float("inf"))
    ('0.123457', '12345678', 'inf')
    """
    is_count = abs(value) < LARGEST_COUNT and value == int(value)
    return str(int(value)) if is_count else f"{value:.{digits}g}"


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
    names = [as_line(name) for name in header]
    cells = [
        [as_line(format_number(cell) if isinstance(cell, float) else cell) for cell in row]
        for row in ([str(first), *others] for first, *others in rows)
    ]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    space = 2 if sum(widths) + 2 * len(widths) <= console.width else 1
    if space == 1:  # names may be broken into several lines, and numbers may not
        names = [name.replace("_", " ") for name in names]
    table = Table(box=None, pad_edge=False, padding=(0, space, 0, 0), header_style="bold cyan")
    for column, name in enumerate(names):
        words = [*name.split(), *(row[column] for row in cells if column)]
        width = max(map(len, words), default=None)
        table.add_column(Text(name), justify="right" if column else "left", min_width=width)
    for row in cells:
        table.add_row(*(Text(cell, style="bold green" if "*" in cell else "") for cell in row))
    console.print(Text(as_line(title), style="bold"))
    console.print(table)
    console.print()


def print_result(
    result: Any, *, as_json: bool, quiet: bool, written: str | None = None, stderr: bool = False
) -> int:
    """Print a result as JSON, or as its card unless ``quiet``, and return its exit code.

    ``written`` is the file that was written, if any.
    """
    from ordcut._core.thresholds import json_text

    if as_json:
        click.echo(json_text(result.as_dict()))
    elif not quiet:
        click.echo(str(result.card()), err=stderr)
        if written not in (None, "-"):
            click.echo(f"Wrote {as_line(written)}.", err=True)
    exit_code: int = result.exit_code
    return exit_code


@contextmanager
def show_passes(quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Show passes over the data as a progress bar on standard error.

    The bar has a total where DuckDB knows what share of a pass is done. Yields a function to call
    with a description at the start of each pass, or None if ``quiet`` or if standard error is not a
    terminal.

    Examples
    --------
    >>> with show_passes(quiet=True) as progress:
    ...     print(progress)
    None
    """
    if quiet or not sys.stderr.isatty():  # before rich is imported for nothing
        yield None
        return
    from rich.progress import Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.progress_bar import ProgressBar

    command = click.get_current_context().obj

    class PassColumn(ProgressColumn):
        """A bar of the pass that runs, which pulses while its length is not known."""

        def render(self, task: Task) -> ProgressBar:
            share = -1.0 if command.connection is None else command.connection.query_progress()
            return ProgressBar(
                total=100 if share >= 0 else None, completed=max(share, 0), width=20,
                pulse=share < 0, animation_time=task.get_time(),
            )  # fmt: skip

    text = TextColumn("{task.description}", markup=False)
    console = open_console(stderr=True)
    with Progress(PassColumn(), TimeElapsedColumn(), text, console=console, transient=True) as bar:
        task, numbers = bar.add_task("reading", total=None), count(1)

        def start_pass(about: str) -> None:
            bar.update(task, description=as_line(f"pass {next(numbers)}: {about}"), refresh=True)

        yield start_pass
