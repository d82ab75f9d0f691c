"""Report the progress of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Advance = Callable[[int], object]


class Progress:
    """Progress that is not reported, for runs that are started from Python."""

    def note(self, text: str) -> None:
        """Report a sentence."""

    @contextmanager
    def bar(self, title: str, total: int) -> Iterator[Advance]:
        """Yield a function to call with the number of steps that were completed."""
        del title, total
        yield lambda _: None


class TerminalProgress(Progress):
    """Progress on standard error: messages, and bars if it is a terminal."""

    def __init__(self) -> None:
        from rich.console import Console

        self.console: Any = Console(stderr=True)

    def note(self, text: str) -> None:
        """Print a sentence."""
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    @contextmanager
    def bar(self, title: str, total: int) -> Iterator[Advance]:
        """Show a bar, which disappears when all steps are completed."""
        from rich.progress import Progress as Bars

        with Bars(
            console=self.console, transient=True, disable=not self.console.is_terminal
        ) as bars:
            task = bars.add_task(title, total=total)
            yield lambda done: bars.advance(task, done)
