"""Run pieces of work in parallel; kernels release the GIL, so threads are enough."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from queue import Empty, SimpleQueue
from typing import TypeVar

Piece = TypeVar("Piece")

#: The threads of this process, kept since making new ones takes as long as some of their work, and
#: how many there are.
_pool: ThreadPoolExecutor | None = None
_pool_size = 0
_pool_lock = threading.Lock()
_current = threading.local()


def count_threads(n_jobs: int | None, default: int = 1) -> int:
    """Return how many threads ``n_jobs`` means; -1 means one for each core.

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
    """Call ``work`` on every piece, with up to ``n_threads`` at once, this one included.

    Work that is itself done in such a thread does its own pieces one after the other.

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
    left: SimpleQueue[Piece] = SimpleQueue()
    for piece in pieces:
        left.put(piece)

    def work_on() -> None:
        while True:
            try:
                piece = left.get_nowait()
            except Empty:
                return
            work(piece)

    helpers = [_threads(n_helpers).submit(work_on) for _ in range(n_helpers)]
    try:
        work_on()
    finally:
        for helper in helpers:
            helper.result()  # raises the errors of the thread


def _threads(n_helpers: int) -> ThreadPoolExecutor:
    """Return the threads of this process, at least so many."""
    global _pool, _pool_size
    with _pool_lock:
        if _pool is None or _pool_size < n_helpers:
            _pool_size = n_helpers
            _pool = ThreadPoolExecutor(n_helpers, "ordcut", initializer=_become_helper)
        return _pool


def _become_helper() -> None:
    _current.is_helper = True


def _forget_threads() -> None:
    """Start without threads in a process that was forked: threads are not copied."""
    global _pool, _pool_lock
    _pool, _pool_lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


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
