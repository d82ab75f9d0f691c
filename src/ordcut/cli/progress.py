"""A bar on standard error that tells the passes over the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from ordcut.cli.tables import console, plain


@contextmanager
def telling_passes(quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Give a function to call at the start of each pass; None where nobody would see it.

    Examples
    --------
    >>> with telling_passes(quiet=True) as tell:
    ...     print(tell)
    None
    """
    to = console(stderr=True)
    if quiet or not to.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.description}", markup=False)
    # How many passes come depends on the data, so the bar moves without an end in sight.
    with Progress(BarColumn(20), TimeElapsedColumn(), text, console=to, transient=True) as bar:
        task, numbers = bar.add_task("reading", total=None), count(1)
        yield lambda about: bar.update(task, description=plain(f"pass {next(numbers)}: {about}"))
