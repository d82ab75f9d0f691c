"""What a run tells whoever watches it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Advance = Callable[[int], object]


class Silence:
    """Says nothing: for tests, and for those who call a run from Python."""

    def note(self, text: str) -> None:
        """Say one sentence."""

    @contextmanager
    def bar(self, what: str, total: int) -> Iterator[Advance]:
        """Show how far something is; call what it gives with how much is done."""
        del what, total
        yield lambda _: None


class Terminal(Silence):
    """Sentences and progress bars on standard error; bars only where there is a terminal."""

    def __init__(self) -> None:
        from rich.console import Console

        self.console: Any = Console(stderr=True)

    def note(self, text: str) -> None:
        """Print a sentence."""
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    @contextmanager
    def bar(self, what: str, total: int) -> Iterator[Advance]:
        """Show a bar that goes when it is full."""
        from rich.progress import Progress

        with Progress(
            console=self.console, transient=True, disable=not self.console.is_terminal
        ) as progress:
            task = progress.add_task(what, total=total)
            yield lambda done: progress.advance(task, done)
