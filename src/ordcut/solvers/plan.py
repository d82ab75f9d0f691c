"""How a solver may spread its work."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """The number of threads, and the number of cuts in a block for the solver that has blocks."""

    n_jobs: int | None = None
    block_size: int | None = None
