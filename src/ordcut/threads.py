"""Run pieces of work in parallel; kernels release the GIL, so threads are enough."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

Piece = TypeVar("Piece")


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
    """Call ``work`` on every piece, with up to ``n_threads`` at once."""
    if n_threads == 1 or len(pieces) == 1:
        for piece in pieces:
            work(piece)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(work, pieces))  # exhausts the iterator, so that errors surface


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
