"""Distances of scores to classes, as scikit-learn's decision functions return them."""

from __future__ import annotations

import numpy as np

from ordcut._core.typing import Floats


def margins(scores: Floats, thresholds: Floats) -> Floats:
    """Return the signed distance of scores to the inside of each class.

    The distance to an infinite threshold is replaced by a finite number that has the same sign and
    keeps the order of the scores.

    Examples
    --------
    >>> margins(np.array([0.5, 2.0]), np.array([1.0, 4.0]))
    array([[ 0.5, -0.5, -3.5],
           [-1. ,  1. , -2. ]])
    """
    above = np.empty((len(scores), len(thresholds)))
    for k, threshold in enumerate(thresholds):
        if np.isfinite(threshold):
            above[:, k] = scores - threshold
        else:
            above[:, k] = -np.sign(threshold) * np.logaddexp(0.0, -np.sign(threshold) * scores)
    # A score at a threshold belongs to the class above it.
    above[above == 0] = np.finfo(np.float64).tiny
    if len(thresholds) == 1:
        return np.asarray(above[:, 0])
    distances = np.full((len(scores), len(thresholds) + 1), np.inf)
    distances[:, 1:] = above
    distances[:, :-1] = np.minimum(distances[:, :-1], -above)
    return distances
