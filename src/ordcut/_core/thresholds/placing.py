"""Put thresholds between scores: line P5 of Algorithm 1, made safe in floating point."""

from __future__ import annotations

import numpy as np

from ordcut._core.typing import Array, Floats, Ints


def scores_around(scores: Array, cuts: Ints) -> tuple[Array, Array]:
    """Return the sorted scores on both sides of each cut, infinite at the ends.

    Examples
    --------
    >>> scores_around(np.array([0.1, 0.4, 0.9]), np.array([0, 2]))
    (array([-inf,  0.4]), array([0.1, 0.9]))
    """
    lower, upper = scores.take(cuts - 1, mode="clip"), scores.take(cuts, mode="clip")
    lower[cuts == 0] = -np.inf
    upper[cuts == len(scores)] = np.inf
    return lower, upper


def known_scores_around(scores: Array, cuts: Ints) -> tuple[Array, Array]:
    """Return the scores on both sides of each cut; an error if any is unknown."""
    lower, upper = around = scores_around(scores, cuts)
    if not (lower < upper).all():  # NaN: a score among rows that were left out
        raise RuntimeError(
            "a threshold came out next to rows that were left out, which must not happen. "
            'Use method="nested" or "dp", and please report this with your data.'
        )
    return around


def place_known(
    scores: Array, cuts: Ints, *, has_lumps: bool
) -> tuple[tuple[Array, Array], Floats]:
    """Return the known scores on both sides of each cut, and a threshold between them.

    Rows with lumps of other rows do not know all scores.
    """
    around = (known_scores_around if has_lumps else scores_around)(scores, cuts)
    return around, place_between(*around)


def place_cuts(scores: Array, cuts: Ints) -> Floats:
    """Return a threshold for each cut of sorted scores, computed in the dtype of the scores.

    It is above the score before the cut and at or below the score after it. Where the midpoint of
    two neighbouring floats rounds to the lower of them, it is the upper score itself.

    Examples
    --------
    >>> place_cuts(np.array([0.1, 0.4, 0.9]), np.array([0, 2, 3]))
    array([-inf, 0.65,  inf])
    """
    return place_between(*scores_around(scores, cuts))


def place_between(lower: Array, upper: Array) -> Floats:
    """Return a threshold above each lower score, or at -inf, and at or below the upper score."""
    middle = lower / 2 + upper / 2  # never rounds to above the upper score
    thresholds: Floats = np.where(middle > lower, middle, upper).astype(np.float64, copy=False)
    thresholds[lower == -np.inf] = -np.inf
    thresholds += 0.0  # turns -0.0 into 0.0
    return thresholds
