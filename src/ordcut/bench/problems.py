"""Problems to solve: float32 scores with labels in small integers, the same in every run."""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np

from ordcut.arrays import Array, Floats

#: How far a label strays from its score, whose spread is 1.
NOISE = 0.5


@dataclass(frozen=True)
class Problem:
    """Scores, and labels from 0 to ``n_classes - 1`` that all occur."""

    scores: Array
    labels: Array
    n_classes: int

    @property
    def n_bytes(self) -> int:
        """What scores and labels take in memory."""
        return int(self.scores.nbytes + self.labels.nbytes)


def normal(n: int, n_classes: int, seed: int = 0) -> Problem:
    """Make normal scores, with classes of about equal size that follow them with some noise.

    Examples
    --------
    >>> normal(1000, 10).scores.dtype, normal(1000, 10).labels.max()
    (dtype('float32'), np.uint8(9))
    """
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal(n, dtype=np.float32)
    return Problem(scores, _labels_that_follow(scores, n_classes, rng), n_classes)


def on_label_scale(n: int, n_classes: int, seed: int = 0) -> Problem:
    """Make scores as a regression gives them: drawn to the mean, low classes commoner."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, n_classes + 1)
    labels = _each_occurs(rng.choice(n_classes, n, p=share / share.sum()), n_classes)
    mean = labels.mean()
    scores = mean + 0.6 * (labels - mean) + 0.5 * rng.standard_normal(n)
    return Problem(scores.astype(np.float32), labels, n_classes)


def normal_share(values: Array) -> Floats:
    """Return the share of a standard normal below each value, from a table without tails."""
    grid = np.linspace(-7, 7, 2001)
    return np.interp(values, grid, [0.5 + 0.5 * erf(x / sqrt(2)) for x in grid])


def _labels_that_follow(scores: Array, n_classes: int, rng: np.random.Generator) -> Array:
    latent = scores + NOISE * rng.standard_normal(len(scores), dtype=np.float32)
    share = normal_share(latent / sqrt(1 + NOISE**2))
    labels = np.minimum((share * n_classes).astype(np.int64), n_classes - 1)
    return _each_occurs(labels, n_classes)


def _each_occurs(labels: Array, n_classes: int) -> Array:
    """Make sure that small samples hold every class, in the smallest unsigned integers."""
    labels[:n_classes] = np.arange(n_classes)
    return labels.astype(np.uint8 if n_classes <= 256 else np.uint16)
