"""Maps that spread uneven scores over the line, computed alike by every engine.

Cells of equal width hold most rows of sharp probabilities, of heavy tails or of scores with
outliers in a few cells. So scores are mapped first, by a sum of terms that rise with the score.
Subtractions, absolute values, additions and divisions of a constant are rounded in the same way by
all engines. None of them changes the order of the scores, so neither does the sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from ordcut._core.typing import Floats

#: Scores are mapped if pairs of a sample share a cell more than this many times as often as with
#: equally filled cells, and if that makes it at most half as often.
MOST_UNEVEN = 4.0

#: The scales of terms: the shares of the sample's scores that are closer to the anchor.
SHARES = ((0.5,), (0.1, 0.3), (0.1, 0.5, 0.9), (0.05, 0.2, 0.5), (0.05, 0.2, 0.5, 0.8))

#: Scales are powers of two between 1 / 2**LARGEST and 2**LARGEST.
LARGEST = 400


@dataclass(frozen=True)
class Arm:
    """Terms of the distance of scores from an anchor, above it or below it.

    A term is ``-scale / (distance + scale)`` above the anchor, and ``scale / (distance + scale)``
    below it. ``is_inner`` says that there are scores on both sides of the anchor: on the other
    side, the distance is 0. It is doubled then, since ``d + |d|`` is exact.
    """

    anchor: float
    is_above: bool
    scales: tuple[float, ...]
    is_inner: bool = False

    def terms_of(self, score: Any) -> list[Any]:
        """Return the terms of scores, as arrays or as expressions."""
        distance = score - self.anchor if self.is_above else self.anchor - score
        if self.is_inner:
            distance = distance + _magnitude(distance)
        sign = -1.0 if self.is_above else 1.0
        return [sign * scale / (distance + scale) for scale in self.scales]


@dataclass(frozen=True)
class Spread:
    """A sum of terms that rise with the score, or the score itself if there are no arms.

    A term rises by half from its anchor to the distance of its scale. With several scales, the sum
    is close to a logarithm of the distance.

    Examples
    --------
    >>> spread = Spread((Arm(0.0, is_above=True, scales=(1.0,)),))
    >>> spread.of(np.array([0.0, 1.0, 99.0]))
    array([-1.  , -0.5 , -0.01])
    """

    arms: tuple[Arm, ...] = ()

    def of(self, score: Any) -> Any:
        """Return the map of scores, as an array or as an expression."""
        terms = [term for arm in self.arms for term in arm.terms_of(score)]
        return reduce(add, terms) if terms else score

    @property
    def n_terms(self) -> int:
        """The number of terms."""
        return sum(len(arm.scales) for arm in self.arms)

    def margin(self, width: float) -> float:
        """Return how far scores may lie beyond an anchor at the end, or ``width`` if there is none.

        With half the least scale, no term is divided by 0, and none has more than twice its range.
        """
        return min((arm.scales[0] / 2 for arm in self.arms if not arm.is_inner), default=width)


#: Scores as they are.
NO_SPREAD = Spread()


def spread_of(scores: Floats) -> Spread:
    """Return the map of the fewest terms that spreads sorted scores evenly.

    Anchors are at an end of the scores, at both or at the median. Scores that are even stay as
    they are, as do those that no map spreads.

    Examples
    --------
    >>> z = np.linspace(-3, 3, 1000)
    >>> [spread_of(scores).n_terms for scores in (z, np.exp(2 * z), 1 / (1 + np.exp(-6 * z)))]
    [0, 2, 6]
    """
    is_first = np.append(True, scores[1:] != scores[:-1])
    times = np.diff(np.append(np.flatnonzero(is_first), len(scores)))
    n_equal = int(times @ times)

    def unevenness(spread: Spread) -> float:
        return _unevenness(spread.of(scores), n_equal)

    as_given = unevenness(NO_SPREAD)
    if as_given <= MOST_UNEVEN:
        return NO_SPREAD
    low, median, high = scores[[0, len(scores) // 2, -1]].tolist()
    ends = (low, True, False), (high, False, False)
    inner = (median, True, True), (median, False, True)
    spreads = [
        Spread(tuple(arm for side in sides if (arm := _arm(scores, *side, shares)).scales))
        for shares in SHARES
        for sides in (ends[:1], ends[1:], ends, inner)
    ]
    left = [(max(unevenness(spread), MOST_UNEVEN), spread.n_terms) for spread in spreads]
    best = min(range(len(left)), key=left.__getitem__)
    return spreads[best] if left[best][0] <= as_given / 2 else NO_SPREAD


def _magnitude(values: Any) -> Any:
    """Return the absolute values of an array or of an expression."""
    return values.abs() if hasattr(values, "abs") else np.abs(values)


def _arm(
    scores: Floats, anchor: float, is_above: bool, is_inner: bool, shares: tuple[float, ...]
) -> Arm:
    """Return the terms on a side of an anchor, with a share of the scores up to each scale."""
    distance = scores - anchor if is_above else anchor - scores
    distance = (1 + is_inner) * distance[distance > 0]
    scales = np.zeros(0)
    if len(distance):
        exponents = np.round(np.log2(np.quantile(distance, shares)))
        scales = np.unique(2.0 ** np.clip(exponents, -LARGEST, LARGEST))
    return Arm(anchor, is_above, tuple(scales.tolist()), is_inner)


def _unevenness(values: Floats, n_equal: int) -> float:
    """Return how often pairs of different values share a cell, over even cells.

    There are as many cells as values, which ascend; ``n_equal`` is the number of pairs that are
    equal.
    """
    span = values[-1] - values[0]
    if not span > 0:
        return float(len(values))
    cells = np.floor((values - values[0]) / span * (len(values) - 1)).astype(np.int64)
    times = np.bincount(cells)
    return float(int(times @ times) - n_equal) / len(values)
