"""Draw samples repeatedly from rows that are sorted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ordcut._core.data import Rows, SortedRows, sort_rows
from ordcut._core.numerics.jit import kernel
from ordcut._core.typing import Array, Bools, Codes, Floats, Ints, Numbers

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None


@dataclass(frozen=True)
class Deck:
    """Rows sorted by score, then by label, to be drawn with replacement.

    Draws do not depend on the original order of the rows.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        In ascending order.
    codes, soft : ndarray of shape (n,) or (n, K)
        The labels; either is None.
    score_index : ndarray of shape (n,) or (0,)
        The index of each row's distinct score; empty where all are distinct.
    heights : ndarray of shape (n,), optional
        The cumulative weight of the rows; None if each counts 1.
    n_effective : float
        The effective number of rows: the sum of weights that are repeats; for weights of
        importance, the square of their sum over the sum of their squares.
    n_classes : int
        The number of classes, K.
    groups : ndarray of shape (n,), optional
        The number of each row's group; groups are then drawn whole, and ``n_effective`` is their
        number.
    weights : ndarray of shape (n,), optional
        The weights of rows that are drawn in groups.
    """

    scores: Array
    codes: Codes | None
    soft: Floats | None
    score_index: Ints
    heights: Floats | None
    n_effective: float
    n_classes: int
    groups: Ints | None = None
    weights: Numbers | None = None

    @classmethod
    def from_rows(cls, rows: Rows, ordered: SortedRows) -> Deck:
        """Create a deck from rows, which are also given in sorted order."""
        n_effective = rows.n_effective
        n_classes = len(rows.classes)
        if rows.soft is not None:
            return cls._of_soft_rows(rows, rows.soft, n_effective)
        if not ordered.is_whole:
            ordered = ordered.merged  # so that draws do not depend on the order of the rows
        codes, weights = ordered.codes, ordered.weights
        score_index: Ints = np.empty(0, np.int64)
        if not ordered.ends.all():
            score_index = np.cumsum(ordered.ends) - ordered.ends
            order = np.argsort(score_index << 16 | codes, kind="stable")
            codes = codes[order]
            weights = None if weights is None else weights[order]
        scores = ordered.scores.astype(rows.dtype, copy=False)
        heights = _heights(weights)
        return cls(scores, codes, None, score_index, heights, n_effective, n_classes)

    @classmethod
    def _of_soft_rows(cls, rows: Rows, soft: Floats, n_effective: float) -> Deck:
        order = np.argsort(rows.scores)
        scores = rows.scores[order]
        if (scores[1:] == scores[:-1]).any():
            order = np.lexsort((*soft.T, rows.scores))
        heights = _heights(None if rows.weights is None else rows.weights[order])
        no_index = np.empty(0, np.int64)
        return cls(scores, None, soft[order], no_index, heights, n_effective, soft.shape[1])

    @classmethod
    def of_groups(cls, rows: Rows, groups: Ints) -> Deck:
        """Create a deck of groups of rows, which are drawn whole, given the group of each row."""
        soft = () if rows.soft is None else tuple(rows.soft.T)
        codes = () if rows.codes is None else (rows.codes,)
        weights = () if rows.weights is None else (rows.weights,)
        order = np.lexsort((*weights, groups, *codes, *soft, rows.scores))
        rows = rows.take(order)
        ends = rows.scores[1:] != rows.scores[:-1]
        score_index: Ints = np.append(0, np.cumsum(ends))
        return cls(
            rows.scores,
            None if rows.codes is None else rows.codes.astype(np.uint16),
            rows.soft,
            score_index,
            None,
            float(groups.max()) + 1,
            len(rows.classes),
            groups[order],
            rows.weights,
        )

    @property
    def unit(self) -> str:
        """What is drawn."""
        return "rows" if self.groups is None else "groups"

    def draw(self, rng: np.random.Generator, size: int) -> SortedRows:
        """Return rows drawn in proportion to their weights, or whole groups, sorted by score.

        Each row has the weight 1, or its soft labels; rows of groups have their own weights.
        Positions are sorted because the gaps between them are drawn instead, which are
        exponential. O(size) time without weights or groups.

        Examples
        --------
        >>> rows = Rows.read([0.3, 0.1, 0.2], [1, 0, 1])
        >>> deck = Deck.from_rows(rows, rows.sorted())
        >>> deck.draw(np.random.default_rng(0), 4).scores
        array([0.1, 0.3, 0.3, 0.3])
        """
        if self.groups is None:
            drawn = self._draw_indices(rng.standard_exponential(size + 1))
        else:
            n_groups = int(self.n_effective)
            times = np.bincount(rng.integers(n_groups, size=size), minlength=n_groups)
            drawn = np.repeat(np.arange(len(self.scores)), times[self.groups])
        scores = self.scores[drawn]
        weights = None if self.weights is None else self.weights[drawn]
        if self.soft is not None:
            return sort_rows(scores, None, self.soft[drawn], weights, self.n_classes)
        assert self.codes is not None
        codes, ends = np.empty(len(drawn), np.uint16), np.empty(len(drawn), np.bool_)
        take_rows(drawn, self.codes, self.score_index, codes, ends)
        return SortedRows(scores, codes, ends, weights, self.n_classes)

    def _draw_indices(self, gaps: Floats) -> Ints:
        """Return the indices of rows at positions with the given gaps between them."""
        drawn: Ints
        if self.heights is None:
            drawn = np.empty(len(gaps) - 1, np.int64)
            rows_at(gaps, len(self.scores), drawn)
            return drawn
        positions = np.cumsum(gaps)
        positions = positions[:-1] * (self.heights[-1] / positions[-1])
        drawn = np.searchsorted(self.heights, positions, side="right")
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


def rows_near(rows: Rows, n_effective: float, spans: Floats, are_grouped: bool = False) -> Floats:
    """Return the effective number of rows, by the weights near each threshold, (K - 1,).

    If weights depend on the score, the rows near a threshold determine its precision. The rows in a
    span of scores count as ``(sum of w) ** 2 / (sum of w ** 2)``, which is extrapolated to all rows
    in proportion to the sum of weights.

    Parameters
    ----------
    rows : Rows
        The rows.
    n_effective : float
        The effective number of all rows.
    spans : ndarray of shape (K - 1, 2)
        The range of the scores near each threshold; NaN for all scores.
    are_grouped : bool, default=False
        Whether groups are drawn.

    Examples
    --------
    >>> rows = Rows.read([1, 2, 3, 4], [0, 0, 1, 1], weights=[0.5, 0.5, 0.25, 0.25])
    >>> rows_near(rows, 3.6, np.array([[0.5, 1.5], [3.5, 4.5], [np.nan, np.nan]]))
    array([3. , 6. , 3.6])
    """
    n_near = np.full(len(spans), n_effective)
    if rows.weights is None or rows.has_repeats or are_grouped:
        return n_near
    order = np.argsort(rows.scores)
    scores, weights = rows.scores[order], rows.weights[order].astype(np.float64)
    sums = np.append(0.0, np.cumsum(weights))
    squares = np.append(0.0, np.cumsum(weights * weights))
    for k, (low, high) in enumerate(spans):
        if not np.isnan(low):
            # The row below and the row above count too, so that no span is empty.
            first = max(0, int(np.searchsorted(scores, low, side="left")) - 1)
            last = min(len(scores), int(np.searchsorted(scores, high, side="right")) + 1)
            n_near[k] = sums[-1] * (sums[last] - sums[first]) / (squares[last] - squares[first])
    return n_near


def _heights(weights: Numbers | None) -> Floats | None:
    return None if weights is None else np.cumsum(weights, dtype=np.float64)


@kernel("gaps", steps=4)
def rows_at(gaps: Floats, n_rows: int, drawn: Ints) -> None:
    """Find the rows at positions drawn at random, in order, given the gaps between them.

    Position ``i`` is the sum of the gaps up to ``i``, scaled so that all gaps, including that after
    the last position, span the rows. O(len(gaps)) time.
    """
    total = 0.0
    for i in range(len(gaps)):
        total += gaps[i]
    scale = n_rows / total
    position = 0.0
    for i in range(len(drawn)):
        position += gaps[i]
        row = int(position * scale)
        drawn[i] = row if row < n_rows else n_rows - 1  # the last position can round up


@kernel("drawn", steps=4)
def take_rows(
    drawn: Ints, codes: Codes, score_index: Ints, drawn_codes: Codes, ends: Bools
) -> None:
    """Take the classes of the rows drawn, and mark the last row of each score.

    ``score_index`` is empty where no two rows have the same score. O(len(drawn)) time.
    """
    has_ties = len(score_index) > 0
    before = -1
    for i in range(len(drawn)):
        row = drawn[i]
        drawn_codes[i] = codes[row]
        score = score_index[row] if has_ties else row
        ends[max(i, 1) - 1] = score != before  # of the row before; overwritten for the first row
        before = score
    ends[len(drawn) - 1] = True
