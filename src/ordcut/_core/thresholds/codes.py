"""The rule: the code of a score is the number of thresholds at or below it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ordcut._core.data import check_finite
from ordcut._core.typing import Array, Floats

#: How many scores are labelled at a time.
STRETCH = 1 << 15

#: Up to this many thresholds, comparing a score with each of them beats a binary search.
FEW_THRESHOLDS = 16


def codes_by_stretch(thresholds: Floats, scores: Array) -> Iterator[tuple[slice, Array]]:
    """Yield slices of the scores and their codes; a slice is short enough to stay in cache.

    Examples
    --------
    >>> [(_, codes)] = codes_by_stretch(np.array([1.0, 2.0]), np.array([0.5, 1.0, np.inf]))
    >>> codes
    array([0, 1, 2])
    """
    # No score reaches a threshold at infinity, not even an infinite score.
    finite = thresholds[thresholds < np.inf]
    for start in range(0, len(scores), STRETCH):
        stretch = slice(start, start + STRETCH)
        if np.isnan(scores[stretch].min()):
            check_finite(scores, infinite=True)  # raises the error
        yield stretch, _n_at_or_below(finite, scores[stretch])


def _n_at_or_below(thresholds: Floats, scores: Array) -> Array:
    if len(thresholds) > FEW_THRESHOLDS:
        return np.searchsorted(thresholds, scores, side="right")
    counts = np.zeros(len(scores), np.uint8)
    for threshold in thresholds:
        counts += (scores >= threshold).view(np.uint8)
    return counts.astype(np.intp)
