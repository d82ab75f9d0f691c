"""Candidate positions of thresholds, with the weight of each class below each of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ordcut._core.data import Rows, place_cuts
from ordcut._core.limits import Constraint, limits_for
from ordcut._core.objectives import Objective
from ordcut._core.problem import Problem, Sample
from ordcut._core.pruning import ArraySource, CountedCells, PrunedRows, Source
from ordcut._core.solve import optimum
from ordcut._core.solvers import Store
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Floats, Ints

#: Up to this many rows are sorted, so that a threshold can be between any two scores.
MOST_ROWS_TO_SORT = 20_000


@dataclass(frozen=True)
class Candidates:
    """Candidate positions of thresholds, and the rows to find the best positions for.

    Attributes
    ----------
    source : Rows or Source
        The rows, in memory if they are few.
    store : Store
        The rows, sorted or counted by cells, to be solved for many objectives.
    positions : ndarray of shape (n_positions,)
        Finite positions in ascending order.
    below : ndarray of shape (n_positions, K)
        The weight of each class below each position.
    scores : ndarray, optional
        The distinct scores in their own dtype, if the rows are sorted.
    scale : float
        What the weights of the store are divided by.

    Examples
    --------
    >>> source = ArraySource(Rows.read([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 1]))
    >>> candidates = Candidates.of(source, n_positions=100)
    >>> candidates.positions
    array([0.25, 0.45, 0.7 ])
    >>> candidates.below
    array([[1., 0.],
           [2., 0.],
           [2., 1.]])
    """

    source: Rows | Source
    store: Store
    positions: Floats
    below: Floats
    scores: Floats | None = None
    scale: float = 1.0

    @classmethod
    def of(cls, source: Source, n_positions: int) -> Candidates:
        """Sort few rows, or count many by cells, and choose about the given number of positions."""
        if source.n_rows <= MOST_ROWS_TO_SORT:
            candidates = cls.of_rows(source.all_rows(), n_positions)
        else:
            candidates = cls._of_cells(source, n_positions)
        scale = float(1 / source.unit)
        return replace(candidates, below=candidates.below / scale, scale=scale)

    @classmethod
    def of_rows(cls, rows: Rows, n_positions: int | None = None) -> Candidates:
        """Sort rows, and choose about the given number of positions, or all between two scores."""
        ordered = rows.sorted()
        scores = ordered.scores[ordered.ends].astype(rows.dtype)
        cuts: Ints = np.arange(1, len(scores))
        if n_positions is not None and len(scores) > n_positions:
            borders = lower_borders(ArraySource(rows).count(n_positions), rows.dtype)
            cuts = np.unique(np.searchsorted(scores, borders, side="left"))
            cuts = cuts[(cuts > 0) & (cuts < len(scores))]
        positions = place_cuts(scores, cuts)
        return cls(rows, ordered, positions, weights_below(rows, positions), scores)

    @classmethod
    def _of_cells(cls, source: Source, n_positions: int) -> Candidates:
        store = PrunedRows(source)
        counts = store.cells.counts
        borders = lower_borders(store.cells, source.dtype)
        below = np.cumsum(counts, axis=0)[:-1].astype(np.float64)
        # The two borders of an empty cell are the same cut; those at the ends cut nothing off.
        chosen: Ints = np.flatnonzero(counts.any(axis=1))[:-1]
        steps = np.linspace(0, len(chosen) - 1, min(n_positions, len(chosen)))
        chosen = chosen[steps.astype(np.int64)]
        return cls(source, store, borders[chosen], below[chosen])

    @property
    def totals(self) -> Floats:
        """The weight of each class."""
        return self.store.totals / self.scale

    @property
    def extent(self) -> tuple[float, float]:
        """The lowest and the highest score, or the positions next to them."""
        known = self.positions if self.scores is None else self.scores
        return (float(known[0]), float(known[-1])) if len(known) else (0.0, 0.0)

    @property
    def centres(self) -> Floats:
        """The middle between neighbouring positions, and at both ends the position itself."""
        at = self.positions
        return np.concatenate([at[:1], at[:-1] / 2 + at[1:] / 2, at[-1:]])

    @property
    def counts(self) -> Floats:
        """The weight of each class between neighbouring positions, (n_positions + 1, K)."""
        below = np.vstack([self.below, self.totals])
        return np.maximum(np.diff(below, axis=0, prepend=0.0), 0)

    def with_ends(self) -> tuple[Floats, Floats]:
        """Return the positions with -inf and inf at the ends, and the weights below them."""
        totals = self.totals
        positions = np.concatenate([[-np.inf], self.positions, [np.inf]])
        return positions, np.vstack([np.zeros_like(totals), self.below, totals])

    def optimum(self, objective: Objective, constraints: tuple[Constraint, ...] = ()) -> Thresholds:
        """Return the optimal thresholds of the rows, which need not be at the positions."""
        sample = Sample(self.source, self.store)
        limits = limits_for(constraints, objective, self.source.classes) if constraints else None
        return optimum(Problem(sample, objective, limits))

    def including(self, thresholds: Floats) -> Candidates:
        """Return the candidates with the finite thresholds added to their positions."""
        extra = np.setdiff1d(thresholds[np.isfinite(thresholds)], self.positions)
        if len(extra) == 0:
            return self
        positions = np.concatenate([self.positions, extra])
        below = np.vstack([self.below, weights_below(self.source, extra) / self.scale])
        order = np.argsort(positions)
        return replace(self, positions=positions[order], below=below[order])

    def snap(self, thresholds: Floats) -> Floats:
        """Return positions that give the labels of thresholds, or else the nearest positions."""
        if self.scores is None:
            return nearest(self.positions, thresholds)
        return place_cuts(self.scores, np.searchsorted(self.scores, thresholds, side="left"))

    def ranges(self, thresholds: Floats) -> Floats | None:
        """Return how far thresholds can move without changing a label; None if that is unknown."""
        if self.scores is None:
            return None
        edges = np.concatenate([[-np.inf], self.scores, [np.inf]])
        after = np.searchsorted(self.scores, thresholds, side="left")
        return np.stack([edges[after], edges[after + 1]], axis=1)


def weights_below(source: Rows | Source, positions: Floats) -> Floats:
    """Return the weight of each class below each of the ascending positions, in a single pass."""
    return np.cumsum(source.confusion(positions)[:-1], axis=0)


def lower_borders(cells: CountedCells, dtype: np.dtype[Any]) -> Floats:
    """Return the least float that belongs to each cell but the first, to the last bit.

    A score of the given dtype is at or above it if, and only if, it is in the cell or a later cell.
    For a cell beyond all floats it is inf.

    Examples
    --------
    >>> cells = ArraySource(Rows.read(np.arange(100.0), np.repeat([0, 1], 50))).count(4)
    >>> borders = lower_borders(cells, np.dtype(np.float64))
    >>> cells.at_or_after(borders), cells.at_or_after(np.nextafter(borders, -np.inf))
    (array([1, 2, 3]), array([0, 1, 2]))
    """
    wanted = np.arange(1, len(cells.counts))
    largest = _key(np.array(np.finfo(dtype).max, np.float64))
    low, high = np.full(len(wanted), -largest), np.full(len(wanted), largest + 1)
    while (low < high).any():  # the cell of a score never falls, so halving finds where it rises
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        is_inside = cells.at_or_after(_from_key(middle).astype(dtype)) >= wanted
        low, high = np.where(is_inside, low, middle + 1), np.where(is_inside, middle, high)
    return np.where(low > largest, np.inf, _from_key(low))


def nearest(positions: Floats, thresholds: Floats) -> Floats:
    """Return the position nearest to each threshold; infinite thresholds do not change.

    Examples
    --------
    >>> nearest(np.array([0.0, 1.0, 2.0]), np.array([-np.inf, -3.0, 1.4, 1.6]))
    array([-inf,   0.,   1.,   2.])
    """
    if len(positions) == 0:
        return np.where(thresholds > 0, np.inf, -np.inf)
    after = np.clip(np.searchsorted(positions, thresholds), 1, max(1, len(positions) - 1))
    lower, upper = positions[after - 1], positions[np.minimum(after, len(positions) - 1)]
    near = np.where(thresholds - lower <= upper - thresholds, lower, upper)
    return np.where(np.isfinite(thresholds), near, thresholds)


def _key(scores: Floats) -> Ints:
    """Return integers in the order of floats, symmetric about 0."""
    bits = scores.view(np.int64)
    return np.where(bits >= 0, bits, np.iinfo(np.int64).min - bits)


def _from_key(keys: Ints) -> Floats:
    """Return the floats of integers that ``_key`` returned."""
    bits = np.where(keys >= 0, keys, np.iinfo(np.int64).min - np.minimum(keys, 0))
    with np.errstate(over="ignore", invalid="ignore"):  # of keys between the largest and inf
        return bits.view(np.float64) + 0.0
