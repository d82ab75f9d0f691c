"""Ctrl-C, and a polite request to end: turned into an error that unwinds everything."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any


@dataclass
class _Watch:
    seen: list[int] = field(default_factory=list)
    n_holding: int = 0


_watch = _Watch()


@contextmanager
def noticing_signals() -> Iterator[list[int]]:
    """Raise an error at a signal, and give a list of the signals that have come.

    An engine may wrap the error in one of its own, so the list decides what has happened.
    """
    _watch.seen.clear()

    def notice(number: int, _: FrameType | None) -> None:
        _watch.seen.append(number)
        if not _watch.n_holding:
            raise KeyboardInterrupt

    before: dict[signal.Signals, Any] = {}
    with suppress(ValueError):  # only the main thread may; elsewhere signals are others' business
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, notice)
    try:
        yield _watch.seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def holding_signals() -> Iterator[None]:
    """Let a signal wait while something runs that would not survive it.

    Examples
    --------
    >>> with holding_signals():
    ...     import duckdb  # starts in C++, where an error of Python's would end the process
    """
    _watch.n_holding += 1
    try:
        yield
    finally:
        _watch.n_holding -= 1
    if _watch.seen:
        raise KeyboardInterrupt
