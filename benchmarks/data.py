"""Problems to solve: float32 scores with labels in small integers, the same in every run."""

from collections.abc import Callable
from math import pi

import numpy as np

from ordcut.bench import Problem, normal, normal_share, on_label_scale

__all__ = ["HARD", "Problem", "hard", "normal", "on_label_scale", "random_convex_cost"]


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
