"""Draw rows again and again from rows that are sorted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ordcut.arrays import Array, Codes, Floats, Ints, Numbers
from ordcut.kernels.resampling import rows_at, take_rows
from ordcut.sorting import SortedRows, sort_rows
from ordcut.sources.arrays import ArraySource

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None


@dataclass(frozen=True)
class Deck:
    """Rows in the order of their scores, then of their labels, to be drawn with replacement.

    The order of the rows as they came is forgotten, so draws do not depend on it.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        In ascending order.
    codes, soft : ndarray of shape (n,) or (n, K)
        The labels; one of the two is None.
    score_number : ndarray of shape (n,) or (0,)
        The number of each distinct score; empty where all are distinct.
    heights : ndarray of shape (n,), optional
        The weight of all rows up to each one; None where each counts 1.
    n_worth : float
        How many rows of equal weight are as good as these. Whole weights count repeats; others
        are worth the square of their sum over the sum of their squares.
    """

    scores: Array
    codes: Codes | None
    soft: Floats | None
    score_number: Ints
    heights: Floats | None
    n_worth: float

    @classmethod
    def from_source(cls, source: ArraySource, rows: SortedRows) -> Deck:
        """Make a deck of the rows of a source, which come sorted as well."""
        n_worth = _worth(source.weights, source.n_rows)
        if source.soft is not None:
            return cls._of_soft_rows(source, source.soft, n_worth)
        codes, weights = rows.codes, rows.weights
        score_number: Ints = np.empty(0, np.int64)
        if not rows.ends.all():
            score_number = np.cumsum(rows.ends) - rows.ends
            order = np.argsort(score_number << 16 | codes, kind="stable")
            codes = codes[order]
            weights = None if weights is None else weights[order]
        scores = rows.scores.astype(source.precision, copy=False)
        return cls(scores, codes, None, score_number, _heights(weights), n_worth)

    @classmethod
    def _of_soft_rows(cls, source: ArraySource, soft: Floats, n_worth: float) -> Deck:
        order = np.argsort(source.scores)
        scores = source.scores[order]
        if (scores[1:] == scores[:-1]).any():
            order = np.lexsort((*soft.T, source.scores))
        weights = None if source.weights is None else source.weights[order]
        return cls(scores, None, soft[order], np.empty(0, np.int64), _heights(weights), n_worth)

    def draw(self, rng: np.random.Generator, size: int) -> SortedRows:
        """Return some rows, drawn in proportion to their weights, in the order of their scores.

        Each has the weight 1 of a row, or its soft labels. Places drawn at random come out sorted
        because the gaps between them are drawn instead, which are exponential. O(size) time
        without weights.

        Examples
        --------
        >>> source = ArraySource([0.3, 0.1, 0.2], [1, 0, 1])
        >>> deck = Deck.from_source(source, source.sorted_rows())
        >>> deck.draw(np.random.default_rng(0), 4).scores
        array([0.1, 0.3, 0.3, 0.3])
        """
        drawn = self._draw_numbers(rng.standard_exponential(size + 1))
        scores = self.scores[drawn]
        if self.soft is not None:
            return sort_rows(scores, None, self.soft[drawn])
        assert self.codes is not None
        codes, ends = np.empty(size, np.uint16), np.empty(size, np.bool_)
        take_rows(drawn, self.codes, self.score_number, codes, ends)
        return SortedRows(scores, codes, ends, None)

    def _draw_numbers(self, gaps: Floats) -> Ints:
        """Return the numbers of rows at places with such gaps between them."""
        drawn: Ints
        if self.heights is None:
            drawn = np.empty(len(gaps) - 1, np.int64)
            rows_at(gaps, len(self.scores), drawn)
            return drawn
        places = np.cumsum(gaps)
        places = places[:-1] * (self.heights[-1] / places[-1])
        drawn = np.searchsorted(self.heights, places, side="right")
        return np.minimum(drawn, len(self.scores) - 1)


def seeds_of(random_state: RandomState, n: int) -> list[np.random.SeedSequence]:
    """Return a seed for each of ``n`` replicates, so that any thread can draw any of them.

    Examples
    --------
    >>> seeds_of(7, 2)[1].spawn_key
    (1,)
    """
    if isinstance(random_state, np.random.Generator):
        random_state = int(random_state.integers(2**63))
    elif isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(2**31))
    elif random_state is not None and not (
        isinstance(random_state, (int, np.integer)) and random_state >= 0
    ):
        raise ValueError(
            "random_state must be a whole number that is not negative, a generator of NumPy or "
            f"None, got {random_state!r}."
        )
    return np.random.SeedSequence(random_state).spawn(n)


def _worth(weights: Numbers | None, n_rows: int) -> float:
    if weights is None:
        return float(n_rows)
    if weights.dtype == np.int64:
        return float(weights.sum())
    share = weights / weights.sum()
    return float(1 / (share @ share))


def _heights(weights: Numbers | None) -> Floats | None:
    return None if weights is None else np.cumsum(weights, dtype=np.float64)
