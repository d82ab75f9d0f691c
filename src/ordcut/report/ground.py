"""The places where the thresholds of a page can stand, made from counts alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordcut.arrays import Floats, Ints
from ordcut.solvers import Problem
from ordcut.solvers.pruned import PrunedProblem
from ordcut.sources.arrays import ArraySource
from ordcut.sources.base import AnyCells, Source
from ordcut.table import ScoreTable

#: Up to so many rows are sorted, so that thresholds on a page can stand between any two scores.
MOST_ROWS_IN_TABLE = 20_000


@dataclass(frozen=True)
class Ground:
    """A problem to be solved for many objectives, and a ladder of places over its scores.

    Attributes
    ----------
    problem : Problem
        A sorted table, or a source counted by cells.
    places : ndarray of shape (n_places,)
        Finite places in ascending order; thresholds snap to them.
    below : ndarray of shape (n_places, K)
        The weight of each class below each place.
    scores : ndarray, optional
        The distinct scores, where they are few enough to be known.
    """

    problem: Problem
    places: Floats
    below: Floats
    scores: Floats | None = None

    @property
    def totals(self) -> Floats:
        """The weight of each class."""
        return self.problem.totals

    @property
    def method(self) -> str:
        """The method by which the problem is to be solved."""
        return "pruned" if isinstance(self.problem, PrunedProblem) else "auto"

    @property
    def extent(self) -> tuple[float, float]:
        """The lowest and the highest score, or the places next to them."""
        known = self.places if self.scores is None else self.scores
        return (float(known[0]), float(known[-1])) if len(known) else (0.0, 0.0)

    def with_exact(self, source: Source, thresholds: Floats) -> tuple[Floats, Floats]:
        """Return the places and some thresholds in order, with the weights below them."""
        extra = np.setdiff1d(thresholds[np.isfinite(thresholds)], self.places)
        if len(extra) == 0:
            return self.places, self.below
        places = np.concatenate([self.places, extra])
        below = np.vstack([self.below, weights_below(source, extra)])
        order = np.argsort(places)
        return places[order], below[order]

    def snap(self, thresholds: Floats) -> Floats:
        """Return nearby thresholds: with the same labels where all scores are known."""
        if self.scores is not None:
            assert isinstance(self.problem, ScoreTable)
            candidates = self.problem.candidates
            return candidates[np.searchsorted(self.scores, thresholds, side="left")]
        return nearest(self.places, thresholds)

    def ranges(self, thresholds: Floats) -> Floats | None:
        """Return how far thresholds can move without changing a label; None if that is unknown."""
        if self.scores is None:
            return None
        edges = np.concatenate([[-np.inf], self.scores, [np.inf]])
        after = np.searchsorted(self.scores, thresholds, side="left")
        return np.stack([edges[after], edges[after + 1]], axis=1)


def at_hand(source: Source) -> Source:
    """Return a source in memory for one that is small enough, so that no engine is asked again."""
    if isinstance(source, ArraySource) or source.n_rows > MOST_ROWS_IN_TABLE:
        return source
    cells = source.cells(2)
    counts = source.count(cells, 1)
    return source.rows(cells, np.ones(len(counts), np.bool_), counts, 1)


def lay_ground(source: Source, n_places: int, n_threads: int) -> Ground:
    """Sort a small source, or count a large one by cells, and choose about so many places."""
    source = at_hand(source)
    if not isinstance(source, ArraySource) or source.n_rows > MOST_ROWS_IN_TABLE:
        return _counted(source, n_places, n_threads)
    table = ScoreTable.from_source(source)
    scores = table.scores.astype(np.float64)
    candidates = table.candidates
    borders = scores
    if len(scores) > n_places:
        borders = least_scores(source.cells(n_places), source.precision)
    chosen = np.unique(np.searchsorted(scores, borders, side="left"))
    places = candidates[chosen[(chosen > 0) & (chosen < len(scores))]]
    return Ground(table, places, weights_below(source, places), scores)


def weights_below(source: Source, places: Floats) -> Floats:
    """Return the weight of each class below each of some ascending places, in one pass."""
    between = source.confusion(places)
    return np.cumsum(between[:-1], axis=0)


def least_scores(cells: AnyCells, precision: np.dtype[Any]) -> Floats:
    """Return the least float that belongs to each cell but the first: its border, to the last bit.

    Scores of the given precision are at or above it if, and only if, they are in the cell or above.

    Examples
    --------
    >>> from ordcut.cells import Cells
    >>> cells = Cells(np.float64(0), np.float64(4), cell_of=np.arange(3))
    >>> least_scores(cells, np.dtype(np.float64))
    array([0.25, 0.5 ])
    """
    wanted = np.arange(1, cells.n_cells)
    largest = _key(np.array(np.finfo(precision).max, np.float64))
    low, high = np.full(len(wanted), -largest), np.full(len(wanted), largest)
    while (low < high).any():  # the cell of a score never falls, so halving finds where it rises
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        is_inside = cells.at_or_after(_from_key(middle).astype(precision)) >= wanted
        low, high = np.where(is_inside, low, middle + 1), np.where(is_inside, middle, high)
    return _from_key(low)


def nearest(places: Floats, thresholds: Floats) -> Floats:
    """Return the place nearest to each threshold; infinite ones stay what they are.

    Examples
    --------
    >>> nearest(np.array([0.0, 1.0, 2.0]), np.array([-np.inf, -3.0, 1.4, 1.6]))
    array([-inf,   0.,   1.,   2.])
    """
    if len(places) == 0:
        return np.where(thresholds > 0, np.inf, -np.inf)
    after = np.clip(np.searchsorted(places, thresholds), 1, max(1, len(places) - 1))
    lower, upper = places[after - 1], places[np.minimum(after, len(places) - 1)]
    near = np.where(thresholds - lower <= upper - thresholds, lower, upper)
    return np.where(np.isfinite(thresholds), near, thresholds)


def _counted(source: Source, n_places: int, n_threads: int) -> Ground:
    problem = PrunedProblem(source, n_threads)
    borders = least_scores(problem.cells, source.precision)
    below = np.cumsum(problem.counts, axis=0)[:-1].astype(np.float64)
    # Where a cell is empty, two borders are the same cut; those at the ends cut nothing off.
    chosen: Ints = np.flatnonzero(problem.counts.any(axis=1))[:-1]
    chosen = chosen[np.linspace(0, len(chosen) - 1, min(n_places, len(chosen))).astype(np.int64)]
    return Ground(problem, borders[chosen], below[chosen])


def _key(scores: Floats) -> Ints:
    """Return integers in the order of floats, symmetric about 0."""
    bits = scores.view(np.int64)
    return np.where(bits >= 0, bits, np.iinfo(np.int64).min - bits)


def _from_key(keys: Ints) -> Floats:
    bits = np.where(keys >= 0, keys, np.iinfo(np.int64).min - keys)
    return bits.view(np.float64) + 0.0
