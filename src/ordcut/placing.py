"""Where thresholds stand: line P5 of Algorithm 1, made safe in floating point."""

from __future__ import annotations

import numpy as np

from ordcut.arrays import Array, Floats, Ints


def scores_around(scores: Array, cuts: Ints) -> tuple[Array, Array]:
    """Return the sorted scores on both sides of each cut, infinite at the ends.

    Examples
    --------
    >>> scores_around(np.array([0.1, 0.4, 0.9]), np.array([0, 2]))
    (array([-inf,  0.4]), array([0.1, 0.9]))
    """
    n = len(scores)
    lower = np.where(cuts > 0, scores[np.maximum(cuts, 1) - 1], -np.inf)
    upper = np.where(cuts < n, scores[np.minimum(cuts, n - 1)], np.inf)
    return lower.astype(scores.dtype), upper.astype(scores.dtype)


def place_cuts(scores: Array, cuts: Ints) -> Floats:
    """Return a threshold for each cut of sorted scores, computed in the scores' own precision.

    It is above the score below the cut and not above the one after it. Where the midpoint of two
    neighbouring floats rounds to the lower one, it is the upper score itself.

    Examples
    --------
    >>> place_cuts(np.array([0.1, 0.4, 0.9]), np.array([0, 2, 3]))
    array([-inf, 0.65,  inf])
    """
    return place_between(*scores_around(scores, cuts))


def place_between(lower: Array, upper: Array) -> Floats:
    """Return a threshold above each lower score, or at -inf, and not above the upper one."""
    with np.errstate(invalid="ignore"):
        middle = lower / 2 + upper / 2
        is_between = (middle > lower) & (middle <= upper)
    places = np.where(is_between, middle, upper).astype(np.float64)
    places[np.isneginf(lower)] = -np.inf
    return places + 0.0  # turns -0.0 into 0.0
