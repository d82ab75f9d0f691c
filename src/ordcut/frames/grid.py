"""Cells that an engine can count: powers of two, refined where thresholds can be.

A score, or its map by ``Spread``, is first located among the cells of the root, and then, step by
step, among the parts of its cell. Each step is a subtraction, a multiplication by a power of two
and a floor, which every engine rounds in the same way, and each preserves the order of the scores.
The steps are written once, for any backend: expressions of an engine, or arrays of rows that were
fetched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from ordcut._core.numerics.threads import cached_property
from ordcut._core.typing import Array, Bools, Floats, Ints
from ordcut.frames.spread import MOST_UNEVEN, NO_SPREAD, Spread, spread_of
from ordcut.frames.validation import changed

#: Beyond this, the difference of two scores could overflow in float64.
FARTHEST = 2.0**1021

#: Scales of windows are powers of two up to this power; zooms split the parts further.
LARGEST_EXPONENT = 900

#: The keys of rows of weight 0, of rows that are not valid, and of rows below all windows.
WEIGHTLESS, NOWHERE, BELOW = -3.0, -2.0, -1.0

#: The number of parts that a cell is split into is a power of two between these.
LEAST_PARTS, MOST_PARTS = 4, 1 << 9

#: Cells with more than ``TIMES_HEAVY`` times the mean number of rows get a window of their own, at
#: most ``N_SPECIAL`` of them.
TIMES_HEAVY, N_SPECIAL = 8, 8

#: Keys of cells are exact in float64, and cells are split at most ``MOST_DEPTH`` times: rows that
#: are still together have about the same score.
LARGEST_KEY, MOST_DEPTH = 2.0**52, 8


@dataclass(frozen=True)
class Window:
    """Equal parts of an interval; scores beyond it go to the parts at its ends."""

    low: float
    high: float
    scale: float

    @classmethod
    def over(cls, low: float, high: float, most_parts: int) -> Window:
        """Divide an interval into about the given number of parts, or at least half of it.

        Examples
        --------
        >>> Window.over(0.0, 10.0, 64).scale
        4.0
        """
        low, high = max(low, -FARTHEST), min(high, FARTHEST)
        if low > high:  # all scores are beyond the farthest
            low = high
        if low == high:
            return cls(low, high, 1.0)
        exponent = int(np.floor(np.log2(most_parts - 1) - np.log2(high - low)))
        return cls(low, high, 2.0 ** min(max(exponent, -1021), LARGEST_EXPONENT))

    @property
    def n_parts(self) -> int:
        """The number of parts."""
        return int(np.floor((self.high - self.low) * self.scale)) + 1

    def part_of(self, score: Any) -> Any:
        """Return the part of scores, as an array or as an expression, without the floor."""
        return (score.clip(self.low, self.high) - self.low) * self.scale


@dataclass(frozen=True)
class Root:
    """The first cells: the parts of a window over the map of scores from ``low`` to ``high``.

    ``is_whole`` says that no score is known to lie beyond these.
    """

    low: float
    high: float
    window: Window
    spread: Spread = NO_SPREAD
    is_whole: bool = False

    @cached_property
    def n_keys(self) -> int:
        """The number of cells."""
        return self.window.n_parts

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The keys of scores below ``low`` and of scores above ``high``."""
        return BELOW, float(self.n_keys)

    def value_of(self, score: Any) -> Any:
        """Return the map of scores, as an array or as an expression."""
        return self.spread.of(score) if self.spread.arms else score

    def has_other_rows(self, keys: Ints) -> bool:
        """Return whether scores from below ``low`` or above ``high`` can have one of the keys.

        These are the keys of the ends, and of the last cell, which reaches beyond ``high``;
        any key if scores are mapped, which needs an order from ``low`` to ``high`` only.
        """
        below, above = (int(end) for end in self.ends)
        return bool(self.spread.arms or np.isin(keys, [below, above - 1, above]).any())

    def is_inside(self, score: Any) -> Any:
        """Return whether scores, as an array or as an expression, lie between the ends."""
        return (score >= self.low) & (score <= self.high)

    def end_of(self, score: Any, backend: Any) -> Any:
        """Return the key of scores that do not lie between the ends."""
        below, above = self.ends
        return backend.choose([(score < self.low, below)], above)

    def widened(self) -> Root | None:
        """Return the cells with others on either side, or None if scores could overflow.

        Examples
        --------
        >>> first_cells(np.arange(9.0), 10).widened().window
        Window(low=-8.0, high=16.0, scale=1.0)
        """
        width = self.high - self.low
        margin = self.spread.margin(width) if self.spread.arms else width
        low, high = self.low - margin, self.high + margin
        if max(-low, high) > FARTHEST:
            return None
        first, last = self.value_of(np.array([low, high])).tolist()
        window = replace(self.window, low=first, high=last)
        return replace(self, low=low, high=high, window=window, is_whole=True)

    def window_of(self, key: int, most_parts: int) -> Window | None:
        """Return a window over the cell with a key; None if scores are mapped."""
        if self.spread.arms:
            return None
        low, width = self.low, 1 / self.window.scale
        return Window.over(low + key * width, low + (key + 1) * width, most_parts)


def first_cells(sample: Array, n_cells: int) -> Root:
    """Return about the given number of cells over the middle 99.8 % of a sample of scores.

    Cells have the same width, unless many scores would share few of them.

    Examples
    --------
    >>> first_cells(np.arange(1000.0), 100).spread.n_terms
    0
    >>> first_cells(np.exp(np.arange(1000.0) / 50), 100).spread.n_terms
    3
    """
    scores = np.sort(sample[np.isfinite(sample)]).astype(np.float64)
    if len(scores) == 0:
        return Root(0.0, 0.0, Window(0.0, 0.0, 1.0))
    rank = len(scores) // 1000
    # Scores beyond the farthest belong to the ends, whatever their share.
    low, high = np.clip([scores[rank], scores[-1 - rank]], -FARTHEST, FARTHEST).tolist()
    scores = scores.clip(low, high)
    window = Window.over(low, high, n_cells)
    times = np.bincount(np.floor(Window.over(low, high, len(scores)).part_of(scores)).astype(int))
    if times @ times <= MOST_UNEVEN * len(scores):
        return Root(low, high, window)
    spread = spread_of(scores)
    if spread.arms:
        window = Window.over(float(spread.of(scores[0])), float(spread.of(scores[-1])), n_cells)
    return Root(low, high, window, spread)


@dataclass(frozen=True)
class Zoom:
    """A step into cells: each is split into equal parts, of the cell or of a window of its own.

    ``special`` holds the keys and windows of the latter; ``n_keys`` is the distance between
    the keys of the first parts of two cells.
    """

    n_parts: int
    n_keys: int
    special: tuple[tuple[int, Window], ...] = ()


@dataclass(frozen=True)
class Location:
    """Where scores are: the key of their cell, its lower end, its width, and 1 / width.

    ``value`` is what cells divide: scores or their map; scores where a cell has its own window.
    """

    value: Any
    key: Any
    origin: Any
    width: Any
    scale: Any

    def take(self, chosen: Bools) -> Location:
        """Return the location of the chosen scores."""
        return Location(
            **{
                name: value[chosen] if np.ndim(value) else value
                for name, value in vars(self).items()
            }
        )


class ArrayBackend:
    """The steps over NumPy arrays; engines run the same steps over expressions."""

    def choose(self, branches: list[tuple[Any, Any]], otherwise: Any) -> Any:
        """Return the value of the first branch whose condition holds."""
        if not branches:
            return otherwise
        return np.select([is_it for is_it, _ in branches], [it for _, it in branches], otherwise)

    def floor(self, values: Any) -> Any:
        """Round down."""
        return np.floor(values)


class ExpressionBackend:
    """The steps from scores to cells as expressions of an engine; see ``ArrayBackend``."""

    def choose(self, branches: list[tuple[Any, Any]], otherwise: Any) -> Any:
        """Return the value of the first branch whose condition holds."""
        for condition, value in branches[::-1]:
            otherwise = nw.when(condition).then(value).otherwise(otherwise)
        return otherwise

    def floor(self, values: Any) -> Any:
        """Round down; a cast alone would round to the nearest in several engines."""
        return values.floor()


def enter(root: Root, value: Any, backend: Any) -> Location:
    """Return the location of scores among the cells of the root, given ``Root.value_of`` them.

    The key of a score beyond them belongs to no cell; see ``Root.end_of``.
    """
    window = root.window
    key, width = backend.floor((value - window.low) * window.scale), 1 / window.scale
    return Location(
        value=value, key=key, origin=key * width + window.low, width=width, scale=window.scale
    )


def descend(zoom: Zoom, location: Location, score: Any, backend: Any) -> Location:
    """Return the location of scores among the parts of their cells."""
    n_parts = float(zoom.n_parts)
    own = [(location.key == float(key), window) for key, window in zoom.special]

    def by_cell(value_of: Callable[[Window], Any], common: Any) -> Any:
        return backend.choose([(is_it, value_of(window)) for is_it, window in own], common)

    scale, width = location.scale * n_parts, location.width * (1 / n_parts)
    common = ((location.value - location.origin) * scale).clip(0.0, n_parts - 1)
    part = backend.floor(by_cell(lambda window: window.part_of(score), common))
    width = by_cell(lambda window: 1 / window.scale, width)
    return Location(
        value=by_cell(lambda _: score, location.value),
        key=location.key * float(zoom.n_keys) + part,
        origin=part * width + by_cell(lambda window: window.low, location.origin),
        width=width,
        scale=by_cell(lambda window: window.scale, scale),
    )


@dataclass(frozen=True)
class NestedCells:
    """The cells that contain rows, in order, at different depths.

    Attributes
    ----------
    root, zooms
        How scores are located: cells at depth ``d`` are ``d`` zooms below the root.
    depth, key : ndarray of shape (n_cells,)
        Which cell it is.
    n_rows : ndarray of shape (n_cells,)
        The number of its rows.
    low, high : ndarray of shape (n_cells,)
        Its lowest and highest score; NaN if they are not known.
    """

    root: Root
    zooms: tuple[Zoom, ...]
    depth: Ints
    key: Ints
    n_rows: Ints
    low: Floats
    high: Floats

    @property
    def n_cells(self) -> int:
        """The number of cells."""
        return len(self.key)

    @cached_property
    def is_one_score(self) -> Bools:
        """Which cells are known to contain a single distinct score."""
        return np.asarray(self.low == self.high)

    @property
    def can_split(self) -> Bools:
        """Which cells can be split: cells that are not too deep, so that keys stay exact."""
        return np.asarray((self.key + 1 < LARGEST_KEY / MOST_PARTS) & (self.depth < MOST_DEPTH))

    def zoomed_into(self, indices: Ints, n_parts: int) -> NestedCells:
        """Return the cells with a zoom that splits those at indices into about ``n_parts`` parts.

        All must be at the same depth. Cells with far more rows than others, and those below or
        above all windows, get windows of their own.
        """
        depth = int(self.depth[indices[0]])
        rows = self.n_rows[indices]
        is_heaviest = np.isin(np.arange(len(rows)), np.argsort(-rows, kind="stable")[:N_SPECIAL])
        is_special = is_heaviest & (rows > TIMES_HEAVY * rows.mean())
        if len(indices) <= N_SPECIAL:  # perhaps a map of the scores can separate them no further
            is_special |= ~np.isnan(self.low[indices])
        is_special |= np.isin(self.key[indices], self.root.ends) & (depth == 0)
        if depth < len(self.zooms):  # cells of this depth have been split before, in this way
            zoom = self.zooms[depth]
        else:
            each = int(np.clip(n_parts // len(indices), LEAST_PARTS, MOST_PARTS))
            each = 1 << (each.bit_length() - 1)
            zoom = Zoom(each, MOST_PARTS if is_special.any() else each)
        special = [
            (int(self.key[index]), window)
            for index in indices[is_special].tolist()
            if (window := self._window_of(index, zoom.n_keys)) is not None
        ]
        zoom = replace(zoom, special=(*zoom.special, *special))
        return replace(self, zooms=(*self.zooms[:depth], zoom, *self.zooms[depth + 1 :]))

    def _window_of(self, index: int, most_parts: int) -> Window | None:
        """Return a window over a cell; None if it is not known where it ends."""
        if np.isnan(self.low[index]):
            if self.depth[index] > 0:
                return None
            return self.root.window_of(int(self.key[index]), most_parts)
        return Window.over(float(self.low[index]), float(self.high[index]), most_parts)

    def with_parts(self, indices: Ints, parts: NestedCells) -> tuple[NestedCells, Ints]:
        """Return the cells with those at the given indices replaced by their parts.

        Also return the order into which that puts what belongs to the cells that stay, followed by
        what belongs to the parts.
        """
        depth = int(self.depth[indices[0]])
        parent = np.searchsorted(self.key[indices], parts.key // self.zooms[depth].n_keys)
        stay = np.delete(np.arange(self.n_cells), indices)
        order: Ints = np.argsort(np.append(stay, indices[parent]), kind="stable")
        parts = replace(parts, depth=parts.depth + depth + 1)
        names = ("depth", "key", "n_rows", "low", "high")
        columns = (
            np.append(getattr(self, name)[stay], getattr(parts, name))[order] for name in names
        )
        return NestedCells(self.root, self.zooms, *columns), order

    @cached_property
    def _by_depth(self) -> list[tuple[Ints, Ints]]:
        """Return the indices of the cells at each depth, and their keys, which ascend."""
        depths = range(len(self.zooms) + 1)
        return [(at := np.flatnonzero(self.depth == d), self.key[at]) for d in depths]

    def locate(self, scores: Array) -> Ints:
        """Return the cell of each score; the row of every score must have been counted."""
        located = np.full(len(scores), -1, np.int64)
        left = np.arange(len(scores))
        score = scores.astype(np.float64)
        backend = ArrayBackend()
        location = self._enter(score)
        for d, (cells, keys) in enumerate(self._by_depth):
            if d > 0:
                with np.errstate(over="ignore", invalid="ignore"):
                    location = descend(self.zooms[d - 1], location, score, backend)
            key = np.asarray(location.key).astype(np.int64)
            at = np.minimum(np.searchsorted(keys, key), max(0, len(keys) - 1))
            is_here = keys[at] == key if len(keys) else np.zeros(len(key), np.bool_)
            located[left[is_here]] = cells[at[is_here]]
            on = ~is_here
            left, score = left[on], score[on]
            location = location.take(on)
        if len(left):
            raise changed(f"{len(left)} rows came from cells in which no rows had been counted")
        return located

    def at_or_after(self, scores: Array) -> Ints:
        """Return the cell of each score, or the next cell if it has none; before any zoom."""
        key = self._enter(scores.astype(np.float64)).key
        after: Ints = np.searchsorted(self.key, np.asarray(key).astype(np.int64))
        return np.minimum(after, self.n_cells - 1)

    def _enter(self, score: Floats) -> Location:
        """Return the location of scores among the first cells, the ends included."""
        backend = ArrayBackend()
        with np.errstate(over="ignore", invalid="ignore"):  # of scores far beyond the windows
            location = enter(self.root, self.root.value_of(score), backend)
        key = np.where(self.root.is_inside(score), location.key, self.root.end_of(score, backend))
        return replace(location, key=key)

    def ancestors(self, cells: Ints, depth: int) -> Ints:
        """Return the keys, at a given depth, of the cells that contain deeper cells."""
        key = self.key[cells]
        for zoom in self.zooms[depth : int(self.depth[cells[0]])][::-1]:
            key = key // zoom.n_keys
        return np.unique(key)


def spread_cells(n_rows: Ints, most: int) -> Ints:
    """Return the indices of evenly spread cells that have at most ``most`` rows together.

    Examples
    --------
    >>> spread_cells(np.full(10, 100), 500)
    array([0, 2, 4, 6, 8])
    """
    step = -(-int(n_rows.sum()) // most)
    order = np.argsort(np.arange(len(n_rows)) % step, kind="stable")
    order = order[n_rows[order] <= most]
    return np.sort(order[np.cumsum(n_rows[order]) <= most])
