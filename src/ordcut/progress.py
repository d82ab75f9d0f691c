"""A progress bar for work in pieces, for those who ask for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(title: str, total: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Give a function that moves the bar on; it does nothing where the bar is not shown.

    Examples
    --------
    >>> with progress_bar("reading", 10, shown=False) as advance:
    ...     advance(5)
    """
    if not shown:
        yield lambda _: None
        return
    try:
        from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn
    except ImportError as error:
        raise ImportError(
            "progress=True needs rich, which is not installed. "
            'Install it with: pip install "ordcut[cli]", or leave progress=False.'
        ) from error
    columns = [*Progress.get_default_columns()[:3], MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns) as bar:
        task = bar.add_task(title, total=total)
        yield lambda steps: bar.advance(task, steps)
