"""Rows that an engine holds between two questions, so that it need not look for them again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordcut.arrays import Ints
from ordcut.sources import habits
from ordcut.sources.nested import NestedCells

#: So many rows are held at most: some hundred MiB, in the engine's own memory.
MOST_KEPT = 1 << 24


@dataclass(frozen=True)
class Kept:
    """The rows of cells of one depth, held by the engine.

    Attributes
    ----------
    frame : narwhals.LazyFrame
        The rows.
    n_rows : int
        Their number.
    depth : int
        The depth of their cells.
    keys : ndarray
        The keys of their cells, which ascend.
    """

    frame: Any
    n_rows: int
    depth: int
    keys: Ints

    def holds(self, cells: NestedCells, chosen: Ints) -> bool:
        """Return whether the rows of chosen cells of one depth are among those held."""
        if cells.depth[chosen[0]] < self.depth:
            return False
        return bool(np.isin(cells.ancestors(chosen, self.depth), self.keys).all())

    def needs_no_filter(self, depth: int, deepest: int, keys: Ints) -> bool:
        """Return whether rows need not be looked for by the keys of their cells at a depth.

        Keys of the deepest cells say all, so those above them spare work only, and here in vain.
        """
        is_of_use = depth > self.depth or (depth == deepest and len(keys) < len(self.keys))
        return not is_of_use


class Shelf:
    """What an engine was told to hold."""

    def __init__(self) -> None:
        self._kept: list[Kept] = []

    def has_room_for(self, n_rows: int) -> bool:
        """Return whether so many rows more are not too many."""
        return n_rows + sum(kept.n_rows for kept in self._kept) <= MOST_KEPT

    def put(self, kept: Kept) -> None:
        """Remember rows that the engine holds."""
        self._kept.append(kept)

    def holding(self, cells: NestedCells, chosen: Ints) -> Kept | None:
        """Return what holds the rows of chosen cells of one depth."""
        return next((kept for kept in self._kept if kept.holds(cells, chosen)), None)

    def clear(self) -> None:
        """Let the engine forget all rows."""
        while self._kept:
            habits.let_go(self._kept.pop().frame)
