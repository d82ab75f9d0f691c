"""How scores are distributed: quantiles, and the share of the rows at or below each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordcut._core.typing import Array, Floats, Numbers

#: The number of parts that quantiles divide scores into, and the fewest rows in a part, so that
#: quantiles other than the lowest and the highest score are not about single rows.
N_PARTS, FEWEST_IN_PART = 20, 5


@dataclass(frozen=True)
class ScoreDistribution:
    """Ascending scores, from the lowest to the highest, and the share of the rows up to each.

    Attributes
    ----------
    scores : tuple of float
        The lowest score, quantiles between scores, and the highest score.
    shares : tuple of float
        The share of the weight of the rows with at most this score; the last is 1.

    Examples
    --------
    >>> ScoreDistribution.of(np.arange(12.0), None)
    ScoreDistribution(scores=(0.0, 5.5, 11.0), shares=(0.08333333333333333, 0.5, 1.0))
    """

    scores: tuple[float, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, scores: Array, weights: Numbers | None) -> ScoreDistribution:
        """Return the distribution of finite scores, which may be weighted."""
        n = len(scores)
        levels = levels_for(n)[1:-1]
        values = scores.astype(np.float64, copy=False)
        if weights is None:
            ranks = (levels * n).astype(np.int64)
            ordered = np.partition(values, np.union1d(ranks - 1, ranks)) if len(ranks) else values
            inner = ordered[ranks - 1] / 2 + ordered[ranks] / 2
        else:
            order = np.argsort(values)
            heights = np.cumsum(weights[order], dtype=np.float64)
            at = np.searchsorted(heights, levels * heights[-1]).clip(0, n - 2 if n > 1 else 0)
            ordered = values[order]
            inner = ordered[at] / 2 + ordered[(at + 1).clip(0, n - 1)] / 2
        points = np.unique(np.concatenate([[values.min()], inner, [values.max()]])) + 0.0
        index = np.searchsorted(points, values, side="left")
        below = np.cumsum(np.bincount(index, weights, len(points)))
        return cls(tuple(points.tolist()), tuple((below / below[-1]).tolist()))

    @property
    def low(self) -> float:
        """The lowest score."""
        return self.scores[0]

    @property
    def high(self) -> float:
        """The highest score."""
        return self.scores[-1]

    @property
    def parts(self) -> Floats:
        """The share of the rows between neighbouring scores; the first is of the lowest alone."""
        return np.diff(self.shares, prepend=0.0)

    def share_below(self, thresholds: Floats) -> Floats:
        """Return about the share of the rows below each threshold, by interpolation.

        Examples
        --------
        >>> ScoreDistribution((0.0, 1.0), (0.0, 1.0)).share_below(np.array([-np.inf, 0.25, 9.0]))
        array([0.  , 0.25, 1.  ])
        """
        inside = np.interp(thresholds, self.scores, self.shares, left=0.0, right=1.0)
        return np.asarray(np.where(thresholds <= self.low, 0.0, inside))


def levels_for(n_rows: int) -> Floats:
    """Return the levels of the quantiles that ``n`` rows allow, 0 and 1 included.

    Examples
    --------
    >>> levels_for(12), len(levels_for(1000))
    (array([0. , 0.5, 1. ]), 21)
    """
    return np.linspace(0, 1, 1 + max(1, min(N_PARTS, n_rows // FEWEST_IN_PART)))
