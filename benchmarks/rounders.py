"""Rounders: heuristic searches for thresholds with a high quadratic kappa."""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import cohen_kappa_score

from benchmarks.data import Problem
from benchmarks.timing import Effort

Kappa = Callable[[np.ndarray, np.ndarray], float]
Rounder = Callable[[Problem], np.ndarray]


def sklearn_kappa(labels: np.ndarray, predicted: np.ndarray) -> float:
    """Return the kappa that rounders in competitions use, and by which all results are scored."""
    return cohen_kappa_score(labels, predicted, weights="quadratic")


def quick_kappa(labels: np.ndarray, predicted: np.ndarray) -> float:
    """Return the same from one count of pairs: scikit-learn's function is slow."""
    n_classes = int(labels.max()) + 1
    pairs = predicted * n_classes + labels
    table = np.bincount(pairs, minlength=n_classes**2).reshape(n_classes, n_classes)
    k = np.arange(n_classes)
    weights = np.subtract.outer(k, k) ** 2
    by_chance = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(labels)
    return 1 - (weights * table).sum() / (weights * by_chance).sum()


def label(thresholds: np.ndarray, scores: np.ndarray) -> np.ndarray:
    return np.searchsorted(thresholds, scores, side="right")


def rounding(problem: Problem) -> np.ndarray:
    """Return thresholds halfway between the labels."""
    return np.arange(problem.n_classes - 1) + 0.5


def search(optimiser: str, kappa: Kappa, problem: Problem) -> np.ndarray:
    """Improve the thresholds of rounding by a search without derivatives."""

    def loss(thresholds: np.ndarray) -> float:
        return -kappa(problem.labels, label(np.sort(thresholds), problem.scores))

    return np.sort(minimize(loss, rounding(problem), method=optimiser).x)


def optimized_rounder(n_trials: int, problem: Problem) -> np.ndarray:
    """Run the package of that name: a search by Optuna, with 200 trials by default."""
    from oprounder import OptimizedRounder

    rounder = OptimizedRounder(n_classes=problem.n_classes, n_trials=n_trials)
    return np.array(rounder.fit(problem.scores, problem.labels).thresholds)


def rounders(effort: Effort) -> dict[str, Rounder]:
    """Return the rivals by name, without packages that are not installed."""
    known: dict[str, Rounder] = {
        "rounding": rounding,
        "Nelder-Mead": partial(search, "Nelder-Mead", sklearn_kappa),
        "Nelder-Mead, quick kappa": partial(search, "Nelder-Mead", quick_kappa),
        "Powell": partial(search, "Powell", sklearn_kappa),
        "Powell, quick kappa": partial(search, "Powell", quick_kappa),
    }
    if find_spec("oprounder"):
        n_trials = 200 if effort.seconds else 5
        known["optimized-rounder"] = partial(optimized_rounder, n_trials)
    return known
