"""The cells that hold the rows of a frame: laid out at the root, and cut finer where it matters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ordcut.arrays import Array, Bools, Floats, Ints
from ordcut.sources.zooming import Arithmetic, Place, Root, Window, Zoom, descend, enter

#: A cell is cut into so many parts at once: a power of two, between these.
LEAST_PARTS, MOST_PARTS = 4, 1 << 9

#: Of the cells with so many times the rows of others, at most so many are cut by themselves.
TIMES_HEAVY, N_SPECIAL = 8, 8

#: Keys of cells are exact in float64, and cells are cut at most so many times: what that does not
#: separate has about the same score.
LARGEST_KEY, MOST_DEPTH = 2.0**52, 8


@dataclass(frozen=True)
class NestedCells:
    """The cells that hold rows, in order, at different depths.

    Attributes
    ----------
    root, zooms
        How scores are placed: cells at depth ``d`` are ``d`` zooms below the root.
    depth, key : ndarray of shape (n_cells,)
        Which cell it is.
    n_rows : ndarray of shape (n_cells,)
        The number of its rows.
    low, high : ndarray of shape (n_cells,)
        Its lowest and highest score, NaN where they were not asked for.
    is_fetched : ndarray of shape (n_cells,)
        Whether its rows are in memory.
    """

    root: Root
    zooms: tuple[Zoom, ...]
    depth: Ints
    key: Ints
    n_rows: Ints
    low: Floats
    high: Floats
    is_fetched: Bools

    @property
    def n_cells(self) -> int:
        """The number of cells."""
        return len(self.key)

    @property
    def is_one_score(self) -> Bools:
        """Which cells are known to hold rows of one score only."""
        return np.asarray(self.low == self.high)

    @property
    def is_known(self) -> Bools:
        """Which cells have no rows that would still have to be fetched."""
        return self.is_fetched | self.is_one_score

    @property
    def can_split(self) -> Bools:
        """Which cells can be cut into parts: not too deep ones, whose keys stay exact."""
        return np.asarray((self.key + 1 < LARGEST_KEY / MOST_PARTS) & (self.depth < MOST_DEPTH))

    def zoomed_into(self, numbers: Ints, n_parts: int) -> NestedCells:
        """Return the same cells with a zoom that cuts some of them into about so many parts.

        All must be of one depth. Those with far more rows than others, and those that have no
        ends of their own, get windows of their own.
        """
        depth = int(self.depth[numbers[0]])
        rows = self.n_rows[numbers]
        is_heaviest = np.isin(np.arange(len(rows)), np.argsort(-rows, kind="stable")[:N_SPECIAL])
        is_special = is_heaviest & (rows > TIMES_HEAVY * rows.mean())
        is_special |= np.isin(self.key[numbers], self.root.ends) & (depth == 0)
        if depth < len(self.zooms):  # cells of this depth have been cut before: the same way again
            zoom = self.zooms[depth]
        else:
            each = int(np.clip(n_parts // len(numbers), LEAST_PARTS, MOST_PARTS))
            each = 1 << (each.bit_length() - 1)
            zoom = Zoom(each, MOST_PARTS if is_special.any() else each)
        special = [
            (int(self.key[number]), window)
            for number in numbers[is_special].tolist()
            if (window := self._window_of(number, zoom.n_keys)) is not None
        ]
        zoom = replace(zoom, special=(*zoom.special, *special))
        return replace(self, zooms=(*self.zooms[:depth], zoom, *self.zooms[depth + 1 :]))

    def _window_of(self, number: int, most_parts: int) -> Window | None:
        """Return a window over a cell; None if it is not known where it ends."""
        if np.isnan(self.low[number]):
            if self.depth[number] > 0:
                return None
            return self.root.window_of(int(self.key[number]), most_parts)
        return Window.over(float(self.low[number]), float(self.high[number]), most_parts)

    def with_parts(self, numbers: Ints, parts: NestedCells) -> tuple[NestedCells, Ints]:
        """Return the cells with those of some numbers replaced by their parts.

        And the order into which that puts what belongs to the cells that stay, followed by what
        belongs to the parts.
        """
        depth = int(self.depth[numbers[0]])
        parent = np.searchsorted(self.key[numbers], parts.key // self.zooms[depth].n_keys)
        stay = np.delete(np.arange(self.n_cells), numbers)
        order: Ints = np.argsort(np.append(stay, numbers[parent]), kind="stable")
        parts = replace(parts, depth=parts.depth + depth + 1)
        names = ("depth", "key", "n_rows", "low", "high", "is_fetched")
        columns = (
            np.append(getattr(self, name)[stay], getattr(parts, name))[order] for name in names
        )
        return NestedCells(self.root, self.zooms, *columns), order

    @cached_property
    def _by_depth(self) -> list[tuple[Ints, Ints]]:
        """Return the numbers of the cells at each depth, and their keys, which ascend."""
        numbers = [np.flatnonzero(self.depth == d) for d in range(len(self.zooms) + 1)]
        return [(some, self.key[some]) for some in numbers]

    def locate(self, scores: Array) -> Ints:
        """Return the cell of each score; every score must be one of a row that was counted."""
        located = np.full(len(scores), -1, np.int64)
        left = np.arange(len(scores))
        score = scores.astype(np.float64)
        numbers = Arithmetic()
        place = self._enter(score)
        for d, (cells, keys) in enumerate(self._by_depth):
            if d > 0:
                with np.errstate(over="ignore", invalid="ignore"):
                    place = descend(self.zooms[d - 1], place, score, numbers)
            key = np.asarray(place.key).astype(np.int64)
            at = np.minimum(np.searchsorted(keys, key), max(0, len(keys) - 1))
            is_here = keys[at] == key if len(keys) else np.zeros(len(key), np.bool_)
            located[left[is_here]] = cells[at[is_here]]
            on = ~is_here
            left, score = left[on], score[on]
            place = Place(
                *(_some(value, on) for value in (place.key, place.origin, place.width, place.scale))
            )
        if len(left):
            raise RuntimeError(
                f"{len(left)} rows came back from cells in which no rows were counted. "
                "The frame must hold the same rows whenever it is asked."
            )
        return located

    def at_or_after(self, scores: Array) -> Ints:
        """Return the cell of each score, or the next one where it has none; before any zoom."""
        key = self._enter(scores.astype(np.float64)).key
        after: Ints = np.searchsorted(self.key, np.asarray(key).astype(np.int64))
        return np.minimum(after, self.n_cells - 1)

    def _enter(self, score: Floats) -> Place:
        """Return the place of scores among the first cells, the ends included."""
        numbers = Arithmetic()
        with np.errstate(over="ignore", invalid="ignore"):  # of scores far beyond the windows
            place = enter(self.root, score, numbers)
        key = np.where(self.root.is_inside(score), place.key, self.root.end_of(score, numbers))
        return replace(place, key=key)

    def n_places(self, chosen: Bools) -> int:
        """Return how many cells are chosen; each is one place."""
        return int(chosen.sum())

    def split(self, chosen: Bools, n_parts: int) -> JoinedCells:
        """Return the chosen cells with the others joined into runs; an engine has split enough."""
        del n_parts
        return JoinedCells(self, chosen)

    def ancestors(self, cells: Ints, depth: int) -> Ints:
        """Return the keys, at a depth, of the cells that cells deeper down lie in."""
        key = self.key[cells]
        for zoom in self.zooms[depth : int(self.depth[cells[0]])][::-1]:
            key = key // zoom.n_keys
        return np.unique(key)


def _some(value: Any, chosen: Bools) -> Any:
    return value[chosen] if np.ndim(value) else value


class JoinedCells:
    """Chosen cells as they are, and each run of cells between them as one."""

    def __init__(self, cells: NestedCells, chosen: Bools) -> None:
        self._cells = cells
        is_first = chosen | np.append(True, chosen[:-1])  # others go on with a run
        self._number: Ints = np.cumsum(is_first) - 1
        self.is_run = ~chosen[is_first]

    def locate(self, scores: Array) -> Ints:
        """Return the cell or run of each score."""
        located: Ints = self._number[self._cells.locate(scores)]
        return located
