"""Problems to solve: float32 scores with small integer labels, the same in every run."""

from collections.abc import Callable
from dataclasses import dataclass
from math import erf, pi, sqrt

import numpy as np

#: The standard deviation of the noise between score and label; that of the scores is 1.
NOISE = 0.5


@dataclass(frozen=True)
class Problem:
    """Scores, and labels from 0 to ``n_classes - 1`` that all occur."""

    scores: np.ndarray
    labels: np.ndarray
    n_classes: int

    @property
    def n_bytes(self) -> int:
        """The size of scores and labels in memory."""
        return int(self.scores.nbytes + self.labels.nbytes)


def normal(n: int, n_classes: int, seed: int = 0) -> Problem:
    """Return normal scores, and classes of about equal size that follow them with some noise."""
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal(n, dtype=np.float32)
    return Problem(scores, _labels_that_follow(scores, n_classes, rng), n_classes)


def on_label_scale(n: int, n_classes: int, seed: int = 0) -> Problem:
    """Return scores like those of a regression, shrunk to the mean; low classes are more common."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, n_classes + 1)
    labels = _each_occurs(rng.choice(n_classes, n, p=share / share.sum()), n_classes)
    mean = labels.mean()
    scores = mean + 0.6 * (labels - mean) + 0.5 * rng.standard_normal(n)
    return Problem(scores.astype(np.float32), labels, n_classes)


def normal_share(values: np.ndarray) -> np.ndarray:
    """Return the standard normal distribution function, interpolated from -7 to 7."""
    grid = np.linspace(-7, 7, 2001)
    return np.interp(values, grid, [0.5 + 0.5 * erf(x / sqrt(2)) for x in grid])


def _labels_that_follow(scores: np.ndarray, n_classes: int, rng: np.random.Generator) -> np.ndarray:
    latent = scores + NOISE * rng.standard_normal(len(scores), dtype=np.float32)
    share = normal_share(latent / sqrt(1 + NOISE**2))
    labels = np.minimum((share * n_classes).astype(np.int64), n_classes - 1)
    return _each_occurs(labels, n_classes)


def _each_occurs(labels: np.ndarray, n_classes: int) -> np.ndarray:
    """Return labels of the smallest unsigned dtype, in which every class occurs."""
    labels[:n_classes] = np.arange(n_classes)
    return labels.astype(np.uint8 if n_classes <= 256 else np.uint16)


def random_convex_cost(n_classes: int, seed: int = 0) -> np.ndarray:
    """Return a cost matrix with random non-negative second differences over the prediction."""
    rng = np.random.default_rng(seed)
    bend = rng.random((n_classes - 2, n_classes))
    first = -rng.random((1, n_classes)) * np.arange(n_classes)
    slope = np.cumsum(np.vstack([first, bend]), axis=0)
    cost = np.vstack([np.zeros(n_classes), np.cumsum(slope, axis=0)])
    return cost - cost.min(axis=0)


def hard(name: str, n: int, n_classes: int) -> Problem:
    """Return data on which a method that relies on smooth scores could fail; see ``HARD``."""
    plain = normal(n, n_classes)
    return HARD[name](plain)


def _with_scores(problem: Problem, scores: np.ndarray) -> Problem:
    return Problem(scores.astype(np.float32), problem.labels, problem.n_classes)


def _in_order(problem: Problem, order: np.ndarray) -> Problem:
    return Problem(problem.scores[order], problem.labels[order], problem.n_classes)


def _independent(problem: Problem) -> Problem:
    return Problem(
        problem.scores,
        np.random.default_rng(1).permutation(problem.labels),
        problem.n_classes,
    )


def _with_outlier(problem: Problem) -> Problem:
    scores = problem.scores.copy()
    scores[len(scores) // 2] = 1e30
    return _with_scores(problem, scores)


def _cauchy(scores: np.ndarray) -> np.ndarray:
    return np.tan(pi * (normal_share(scores) - 0.5))


#: Each function turns a problem with normal scores into a hard one.
HARD: dict[str, Callable[[Problem], Problem]] = {
    "constant scores": lambda p: _with_scores(p, np.zeros_like(p.scores)),
    "two values": lambda p: _with_scores(p, p.scores > 0),
    "heavy ties": lambda p: _with_scores(p, np.round(p.scores, 1)),
    "Cauchy": lambda p: _with_scores(p, _cauchy(p.scores)),
    "log-normal": lambda p: _with_scores(p, np.exp(2 * p.scores)),
    "labels independent": _independent,
    "sorted": lambda p: _in_order(p, np.argsort(p.scores)),
    "reversed": lambda p: _in_order(p, np.argsort(p.scores)[::-1]),
    "one huge outlier": _with_outlier,
}


def _pareto(scores: np.ndarray) -> np.ndarray:
    return 1 / (1 - np.clip(normal_share(scores), 0, 1 - 1e-9))


def _where(share: float, scores: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.where(np.random.default_rng(2).random(len(scores)) < share, other, scores)


def _jittered(spikes: np.ndarray) -> np.ndarray:
    return spikes + 1e-6 * np.random.default_rng(2).standard_normal(len(spikes))


#: Each function turns normal scores into scores of another distribution.
DISTRIBUTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "normal": lambda z: z,
    "sharp probabilities": lambda z: 1 / (1 + np.exp(-6 * z)),
    "very sharp probabilities": lambda z: 1 / (1 + np.exp(-15 * z)),
    "log-normal, sd 2": lambda z: np.exp(2 * z),
    "log-normal, sd 5": lambda z: np.exp(5 * z),
    "Pareto": _pareto,
    "1 % moved by 10^6": lambda z: _where(0.01, z, z + 1e6),
    "two decimals": lambda z: np.round(z, 2),
    "60 % zeros": lambda z: _where(0.6, z, np.zeros_like(z)),
    "spikes with jitter": lambda z: _jittered(np.round(2 * z) / 2),
}


def distributed(name: str, n: int, n_classes: int, dtype: str) -> Problem:
    """Return scores of a distribution, and classes of about equal size that follow them."""
    rng = np.random.default_rng(0)
    scores = rng.standard_normal(n)
    labels = _labels_that_follow(scores, n_classes, rng)
    return Problem(DISTRIBUTIONS[name](scores).astype(dtype), labels, n_classes)
