"""Rows as counts: the weight of each class in some thousand narrow cells of the scores."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ordcut.arrays import Array, Floats, Ints
from ordcut.sorting import SortedRows
from ordcut.sources.arrays import ArraySource
from ordcut.table import ScoreTable

#: Rows of more distinct scores than this are counted in so many cells of about equal weight. A
#: model with a slope and K - 1 biases does not see the difference: a score moves by 1/2000 of the
#: rows at most.
MOST_CELLS = 2048


@dataclass(frozen=True)
class ScoreCounts:
    """Ascending scores, one for each cell, and the weight of each class there.

    Attributes
    ----------
    scores : ndarray of shape (m,)
        The middle one of the distinct scores of each cell.
    counts : ndarray of shape (m, K)
        The weight of each cell and class. Whole weights count repeats of a row; others are scaled
        to the number of equal rows that would tell as much (Kish's effective sample size).
    source : ArraySource
        Where the rows came from.
    """

    scores: Array
    counts: Floats
    source: ArraySource

    @property
    def weights(self) -> Floats:
        """The weight of each cell."""
        return np.asarray(self.counts.sum(axis=1))

    def with_counts(self, counts: Floats) -> ScoreCounts:
        """Return the same cells with other weights."""
        return replace(self, counts=counts)

    def table(self) -> ScoreTable:
        """Return the cells as a table that solvers take, each cell as one score."""
        cell, code = np.nonzero(self.counts)
        weights = self.counts[cell, code]
        if (weights == np.rint(weights)).all():
            weights = weights.astype(np.int64)
        ends = np.append(cell[1:] != cell[:-1], True)
        rows = SortedRows(self.scores[cell], code.astype(np.uint16), ends, weights)
        part = self.source.only(slice(0))
        part.scores, part.codes, part.weights, part.soft = rows.scores, rows.codes, weights, None
        return ScoreTable.from_rows(rows, part)


def count_scores(source: ArraySource, rows: SortedRows, most: int = MOST_CELLS) -> ScoreCounts:
    """Count sorted rows in at most ``most`` cells; equal scores share a cell.

    Examples
    --------
    >>> source = ArraySource([0.5, 0.1, 0.5, 0.7], [1, 0, 0, 1])
    >>> found = count_scores(source, source.sorted_rows())
    >>> found.scores, found.counts.tolist()
    (array([0.1, 0.5, 0.7]), [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> count_scores(source, source.sorted_rows(), most=2).counts.tolist()
    [[1.0, 0.0], [1.0, 2.0]]
    """
    n_classes = len(source.classes)
    weights = np.ones(len(rows.codes)) if rows.weights is None else rows.weights
    number: Ints = np.cumsum(rows.ends) - rows.ends
    cell_of: Ints = np.arange(number[-1] + 1)
    if len(cell_of) > most:
        mass = np.bincount(number, weights)
        middle = (np.cumsum(mass) - mass / 2) / mass.sum()
        place = np.minimum((middle * most).astype(np.int64), most - 1)
        cell_of = np.cumsum(np.append(0, place[1:] != place[:-1]))
    starts = np.flatnonzero(np.append(True, cell_of[1:] != cell_of[:-1]))
    ends = np.append(starts[1:], len(cell_of))
    distinct = rows.scores[rows.ends].astype(source.precision, copy=False)
    pairs = cell_of[number] * n_classes + rows.codes
    counts = np.bincount(pairs, weights, minlength=len(starts) * n_classes).astype(np.float64)
    counts = counts * (1.0 if rows.is_whole else _rows_per_weight(source))
    return ScoreCounts(
        scores=distinct[(starts + ends - 1) // 2],
        counts=counts.reshape(len(starts), n_classes),
        source=source,
    )


def _rows_per_weight(source: ArraySource) -> float:
    """Return what fractional weights are to be multiplied with, to add up to a number of rows."""
    weights = np.ones(source.n_rows) if source.weights is None else source.weights
    if source.soft is not None:
        weights = weights * source.soft.sum(axis=1)
    weights = np.sort(weights)  # sums must not depend on the order of the rows
    return float(weights.sum() / (weights @ weights))
