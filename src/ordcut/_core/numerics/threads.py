"""Run pieces of work in parallel; kernels release the GIL, so threads are enough."""

from __future__ import annotations

import functools
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from itertools import pairwise
from typing import Any, TypeVar

Piece = TypeVar("Piece")
Value = TypeVar("Value")

#: Threads that wait for work. They are kept, since starting a thread can take as long as its work.
_idle: list[_Helper] = []
_current = threading.local()


class cached_property(functools.cached_property[Value]):  # noqa: N801 (named as its base class)
    """A property that is computed once, without a lock, as in Python 3.12 and later.

    In Python 3.11, all objects of a class share a lock for each property. It would let threads wait
    for each other, and a process that is forked while a thread computes would wait forever.
    """

    def __init__(self, func: Callable[[Any], Value]) -> None:
        super().__init__(func)
        self.lock = nullcontext()


class _Helper:
    """A thread that waits for work, does it, and waits again.

    A lock is released when work is handed over, and another when it is done. That takes about half
    the time of a future of ``concurrent.futures``, which matters for work of under a millisecond.
    """

    def __init__(self) -> None:
        self._start, self._end = threading.Lock(), threading.Lock()
        self._start.acquire()
        self._end.acquire()
        self._work: Callable[[], None] | None = None
        self._error: BaseException | None = None
        threading.Thread(target=self._run, name="ordcut", daemon=True).start()

    def start(self, work: Callable[[], None]) -> None:
        self._work = work
        self._start.release()

    def wait(self) -> BaseException | None:
        """Wait for the end of the work, and return the error that it ended with."""
        self._end.acquire()
        error, self._error = self._error, None
        _idle.append(self)
        return error

    def _run(self) -> None:
        _current.is_helper = True
        while True:
            self._start.acquire()
            assert self._work is not None
            try:
                self._work()
            except BaseException as error:  # it is raised where the work was handed out
                self._error = error
            self._work = None  # which may refer to large arrays
            self._end.release()


def count_threads(n_jobs: int | None, default: int = 1) -> int:
    """Return the number of threads that ``n_jobs`` means; -1 means the number of cores.

    Examples
    --------
    >>> count_threads(None), count_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return default
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs < -1 or n_jobs == 0:
        raise ValueError(
            f"n_jobs must be a number of threads, or -1 for one per core, got {n_jobs!r}."
        )
    return count_cores() if n_jobs == -1 else n_jobs


def count_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_all(work: Callable[[Piece], None], pieces: Sequence[Piece], n_threads: int) -> None:
    """Call ``work`` on every piece, in up to ``n_threads`` threads including the current thread.

    Calls from within these threads run their pieces in sequence.

    Examples
    --------
    >>> done = []
    >>> run_all(done.append, range(4), n_threads=2)
    >>> sorted(done)
    [0, 1, 2, 3]
    """
    n_helpers = min(n_threads, len(pieces)) - 1
    if n_helpers <= 0 or getattr(_current, "is_helper", False):
        for piece in pieces:
            work(piece)
        return
    left = deque(pieces)

    def work_on() -> None:
        while True:
            try:
                piece = left.popleft()
            except IndexError:
                return
            work(piece)

    helpers = [_take_helper() for _ in range(n_helpers)]
    for helper in helpers:
        helper.start(work_on)
    errors: list[BaseException | None] = []
    try:
        work_on()
    finally:
        errors = [helper.wait() for helper in helpers]
    for error in errors:
        if error is not None:
            raise error


def _take_helper() -> _Helper:
    """Return a thread that has no work, and start it if there is none."""
    try:
        return _idle.pop()
    except IndexError:
        return _Helper()


if hasattr(os, "register_at_fork"):  # threads are not copied into a process that is forked
    os.register_at_fork(after_in_child=_idle.clear)


def split(n: int, n_pieces: int) -> list[tuple[int, int]]:
    """Split ``range(n)`` into at most ``n_pieces`` pieces of nearly equal size.

    Examples
    --------
    >>> split(5, 2)
    [(0, 3), (3, 5)]
    """
    n_pieces = max(1, min(n, n_pieces))
    size, longer = divmod(n, n_pieces)
    starts = [piece * size + min(piece, longer) for piece in range(n_pieces + 1)]
    return list(pairwise(starts))
