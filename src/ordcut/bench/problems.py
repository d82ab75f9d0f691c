"""Problems to solve: float32 scores with small integer labels, the same in every run."""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np

from ordcut.typing import Array, Floats

#: The standard deviation of the noise between score and label; that of the scores is 1.
NOISE = 0.5


@dataclass(frozen=True)
class Problem:
    """Scores, and labels from 0 to ``n_classes - 1`` that all occur."""

    scores: Array
    labels: Array
    n_classes: int

    @property
    def n_bytes(self) -> int:
        """The size of scores and labels in memory."""
        return int(self.scores.nbytes + self.labels.nbytes)


def normal(n: int, n_classes: int, seed: int = 0) -> Problem:
    """Draw normal scores, and classes of about equal size that follow them with some noise.

    Examples
    --------
    >>> normal(1000, 10).scores.dtype, normal(1000, 10).labels.max()
    (dtype('float32'), np.uint8(9))
    """
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal(n, dtype=np.float32)
    return Problem(scores, _labels_that_follow(scores, n_classes, rng), n_classes)


def on_label_scale(n: int, n_classes: int, seed: int = 0) -> Problem:
    """Draw scores like those of a regression: shrunk to the mean, with low classes more common."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, n_classes + 1)
    labels = _each_occurs(rng.choice(n_classes, n, p=share / share.sum()), n_classes)
    mean = labels.mean()
    scores = mean + 0.6 * (labels - mean) + 0.5 * rng.standard_normal(n)
    return Problem(scores.astype(np.float32), labels, n_classes)


def normal_share(values: Array) -> Floats:
    """Return the standard normal distribution function, interpolated from -7 to 7."""
    grid = np.linspace(-7, 7, 2001)
    return np.interp(values, grid, [0.5 + 0.5 * erf(x / sqrt(2)) for x in grid])


def _labels_that_follow(scores: Array, n_classes: int, rng: np.random.Generator) -> Array:
    latent = scores + NOISE * rng.standard_normal(len(scores), dtype=np.float32)
    share = normal_share(latent / sqrt(1 + NOISE**2))
    labels = np.minimum((share * n_classes).astype(np.int64), n_classes - 1)
    return _each_occurs(labels, n_classes)


def _each_occurs(labels: Array, n_classes: int) -> Array:
    """Return labels of the smallest unsigned dtype, in which every class occurs."""
    labels[:n_classes] = np.arange(n_classes)
    return labels.astype(np.uint8 if n_classes <= 256 else np.uint16)
