"""Cells that an engine can count: powers of two, refined where it matters.

A score is first placed among the cells of the root, and then, step by step, among the parts of its
cell. Each step is one subtraction, one multiplication by a power of two and one floor, which every
engine rounds alike, and each keeps the order of the scores. The same steps are written here twice:
as an expression for an engine, and for the rows that an engine has handed over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ordcut.arrays import Array

#: Beyond this, the difference of two scores could leave the range of float64.
FARTHEST = 2.0**1021

#: Scales of windows are powers of two up to this one: zooms go on from there.
LARGEST_EXPONENT = 900

#: If more than this share of the scores is in one of so many cells, there are so many windows, of
#: about the same number of scores each.
MOST_IN_ROUGH, N_ROUGH, N_WINDOWS = 0.2, 64, 8

#: The keys of a row that weighs nothing, of one that cannot be used, and of one below all windows.
WEIGHTLESS, NOWHERE, BELOW = -3.0, -2.0, -1.0


@dataclass(frozen=True)
class Window:
    """Equal parts of a stretch of the line; scores beyond it go to the parts at its ends."""

    low: float
    high: float
    scale: float

    @classmethod
    def over(cls, low: float, high: float, most_parts: int) -> Window:
        """Lay at most about so many parts over a stretch, and at least half of them.

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
    """The first cells: windows side by side, each up to its edge, the last one without.

    ``is_whole`` says that no score is known to lie beyond them.
    """

    edges: tuple[float, ...]
    windows: tuple[Window, ...]
    is_whole: bool = False

    @property
    def n_keys(self) -> int:
        """How far apart the keys of two windows are."""
        return max(window.n_parts for window in self.windows)

    @property
    def ends(self) -> tuple[float, float]:
        """The keys of what lies below all windows and of what lies above."""
        return BELOW, float(len(self.windows) * self.n_keys)

    def is_inside(self, score: Any) -> Any:
        """Return whether scores, as an array or as an expression, lie in a window."""
        return (score >= self.windows[0].low) & (score <= self.windows[-1].high)

    def end_of(self, score: Any, numbers: Any) -> Any:
        """Return the key of scores that lie in no window."""
        below, above = self.ends
        return numbers.choose([(score < self.windows[0].low, below)], above)

    def widened(self) -> Root | None:
        """Return the same cells with as many again on either side; None if there are several kinds.

        Examples
        --------
        >>> first_cells(np.arange(9.0), 10).widened().windows[0]
        Window(low=-8.0, high=16.0, scale=1.0)
        """
        low, high, scale = self.windows[0].low, self.windows[-1].high, self.windows[0].scale
        width = high - low
        if len(self.windows) > 1 or max(width - low, width + high) > FARTHEST:
            return None
        return Root((), (Window(low - width, high + width, scale),), is_whole=True)

    def window_of(self, key: int, most_parts: int) -> Window:
        """Return a window over one of the cells."""
        around = self.windows[key // self.n_keys]
        low = around.low + (key % self.n_keys) / around.scale
        return Window.over(low, low + 1 / around.scale, most_parts)


def first_cells(sample: Array, n_cells: int) -> Root:
    """Return about so many cells over the middle 99.8 % of some scores.

    Cells of one length will do, unless many scores would share few of them.

    Examples
    --------
    >>> len(first_cells(np.arange(1000.0), 100).windows)
    1
    >>> len(first_cells(np.exp(np.arange(1000.0) / 50), 100).windows)
    8
    """
    scores = np.sort(sample[np.isfinite(sample)])
    if len(scores) == 0:
        return Root((), (Window(0.0, 0.0, 1.0),))
    rank = len(scores) // 1000
    low, high = float(scores[rank]), float(scores[-1 - rank])
    window = Window.over(low, high, n_cells)
    rough = Window.over(low, high, N_ROUGH)
    share = np.bincount(np.floor(rough.part_of(scores)).astype(np.int64)).max() / len(scores)
    if share <= MOST_IN_ROUGH or low == high:
        return Root((), (window,))
    edges = np.unique(scores[(len(scores) * np.arange(1, N_WINDOWS)) // N_WINDOWS])
    edges = edges[(edges > low) & (edges < high)].tolist()
    borders = pairwise([low, *edges, high])
    each = max(4, n_cells // (len(edges) + 1))
    windows = [Window.over(a, b, each) for a, b in borders]
    return Root(tuple(edges), tuple(windows))


@dataclass(frozen=True)
class Zoom:
    """A step into cells: each is cut into equal parts, and some in a window of their own.

    ``special`` holds the keys of the latter; ``n_keys`` is how far apart the keys of the first
    parts of two cells are.
    """

    n_parts: int
    n_keys: int
    special: tuple[tuple[int, Window], ...] = ()


@dataclass(frozen=True)
class Place:
    """Where scores are: the key of their cell, its lower end, its width, and one over it."""

    key: Any
    origin: Any
    width: Any
    scale: Any


class Arithmetic:
    """The steps over NumPy arrays; an engine's are the same over its expressions."""

    def choose(self, branches: list[tuple[Any, Any]], otherwise: Any) -> Any:
        """Return the value of the first branch whose condition holds."""
        if not branches:
            return otherwise
        return np.select([is_it for is_it, _ in branches], [it for _, it in branches], otherwise)

    def floor(self, values: Any) -> Any:
        """Round down."""
        return np.floor(values)


def enter(root: Root, score: Any, numbers: Any) -> Place:
    """Return the place of scores among the cells of the root's windows.

    The key of a score beyond them is that of no cell; it belongs to one of the ends.
    """
    bases = [number * float(root.n_keys) for number in range(len(root.windows))]
    conditions = [score < edge for edge in root.edges]

    def by_window(values: list[Any]) -> Any:
        return numbers.choose(list(zip(conditions, values[:-1], strict=True)), values[-1])

    part = numbers.floor(by_window([(score - w.low) * w.scale for w in root.windows]))
    width = by_window([1 / w.scale for w in root.windows])
    return Place(
        key=part + by_window(bases) if len(bases) > 1 else part,
        origin=part * width + by_window([w.low for w in root.windows]),
        width=width,
        scale=by_window([w.scale for w in root.windows]),
    )


def descend(zoom: Zoom, place: Place, score: Any, numbers: Any) -> Place:
    """Return the place of scores among the parts of their cells."""
    n_parts = float(zoom.n_parts)
    own = [(place.key == float(key), window) for key, window in zoom.special]

    def by_cell(value_of: Callable[[Window], Any], common: Any) -> Any:
        return numbers.choose([(is_it, value_of(window)) for is_it, window in own], common)

    scale, width = place.scale * n_parts, place.width * (1 / n_parts)
    common = ((score - place.origin) * scale).clip(0.0, n_parts - 1)
    part = numbers.floor(by_cell(lambda window: window.part_of(score), common))
    width = by_cell(lambda window: 1 / window.scale, width)
    return Place(
        key=place.key * float(zoom.n_keys) + part,
        origin=part * width + by_cell(lambda window: window.low, place.origin),
        width=width,
        scale=by_cell(lambda window: window.scale, scale),
    )
