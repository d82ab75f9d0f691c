"""SIGINT (Ctrl-C) and SIGTERM, turned into an error so that everything is cleaned up."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any


@dataclass
class _State:
    received: list[int] = field(default_factory=list)
    n_delays: int = 0


_state = _State()


@contextmanager
def catch_signals() -> Iterator[list[int]]:
    """Raise KeyboardInterrupt at a signal, and yield the list of signals received so far.

    An engine may wrap the KeyboardInterrupt in another error; the list shows what happened.
    """
    outer, _state.received = _state.received, []

    def receive(number: int, _: FrameType | None) -> None:
        _state.received.append(number)
        if not _state.n_delays:
            raise KeyboardInterrupt

    before: dict[signal.Signals, Any] = {}
    with suppress(ValueError):  # only the main thread can set handlers
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, receive)
    try:
        yield _state.received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        # What was received here must not interrupt a later call in the same process.
        _state.received = outer


@contextmanager
def delay_signals() -> Iterator[None]:
    """Delay signals until the end of the block, for code that must not be interrupted.

    Examples
    --------
    >>> with delay_signals():
    ...     import duckdb  # initialised in C++, where a Python error would end the process
    """
    _state.n_delays += 1
    try:
        yield
    finally:
        _state.n_delays -= 1
    if _state.received:
        raise KeyboardInterrupt
