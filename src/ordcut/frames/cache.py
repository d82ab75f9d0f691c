"""Rows that an engine caches between two queries, so that it need not filter for them again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordcut.frames.grid import NestedCells
from ordcut.typing import Ints

#: The maximum number of cached rows: a few hundred MiB, in the engine's own memory.
MOST_CACHED = 1 << 25


@dataclass(frozen=True)
class CachedRows:
    """The rows of cells of one depth, cached by the engine.

    Attributes
    ----------
    frame : narwhals.LazyFrame
        The rows.
    n_rows : int
        Their number.
    depth : int
        The depth of their cells.
    keys : ndarray
        The keys of their cells, in ascending order.
    """

    frame: Any
    n_rows: int
    depth: int
    keys: Ints

    def holds(self, cells: NestedCells, chosen: Ints) -> bool:
        """Return whether the rows of chosen cells of one depth are cached."""
        if cells.depth[chosen[0]] < self.depth:
            return False
        return bool(np.isin(cells.ancestors(chosen, self.depth), self.keys).all())

    def needs_no_filter(self, depth: int, deepest: int, keys: Ints) -> bool:
        """Return whether rows need not be filtered by the keys of their cells at a depth.

        The result depends on the keys of the deepest cells only. Other filters are there to save
        work.
        """
        is_of_use = depth > self.depth or (depth == deepest and len(keys) < len(self.keys))
        return not is_of_use
