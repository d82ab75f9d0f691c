"""Populations whose best thresholds and risks are known, to see how often intervals hold them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, ndtri

import ordcut

N_GRID = 20_001

Curves = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Population:
    """The distribution of scores and labels, and what thresholds are found for.

    ``quantile`` has the scores at shares of the rows, ``at_least`` the chances of reaching each
    class but the lowest at given scores, (n, K - 1). Rows have the weights ``weight``, times a
    random number if ``has_random_weights``. With ``n_votes``, a row has soft labels from so many.
    """

    name: str
    quantile: Curves
    at_least: Curves
    objective: ordcut.Objective
    weight: Curves | None = None
    has_random_weights: bool = False
    n_votes: int = 0
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def n_classes(self) -> int:
        return self.objective.n_classes

    def draw(self, n: int, rng: np.random.Generator) -> dict[str, Any]:
        """Return the arguments of ``optimal_thresholds`` for n rows."""
        scores = self.quantile(rng.random(n))
        below = rng.random((max(1, self.n_votes), n, 1)) < self.at_least(scores)
        labels = below.sum(axis=2)
        weights = None if self.weight is None else self.weight(scores)
        if self.has_random_weights:
            weights = rng.exponential(size=n)
        return {
            "scores": scores,
            "labels": np.eye(self.n_classes)[labels].sum(axis=0) if self.n_votes else labels[0],
            "objective": self.objective,
            "classes": range(self.n_classes),
            "sample_weight": weights,
            **self.options,
        }

    @cached_property
    def _grid(self) -> tuple[np.ndarray, np.ndarray]:
        """Scores of equal shares of the rows, and the weight of each class there."""
        scores = self.quantile((np.arange(N_GRID) + 0.5) / N_GRID)
        ends = np.ones((N_GRID, 1)), np.zeros((N_GRID, 1))
        shares = -np.diff(np.hstack([ends[0], self.at_least(scores), ends[1]]), axis=1)
        if self.weight is not None:
            shares = shares * self.weight(scores)[:, None]
        if self.options.get("class_weight") == "balanced":
            shares = shares / shares.sum(axis=0)
        return scores, shares

    @cached_property
    def best(self) -> np.ndarray:
        """The thresholds of least risk."""
        scores, shares = self._grid
        return ordcut.optimal_thresholds(scores, shares, objective=self.objective).thresholds

    def risk(self, thresholds: np.ndarray) -> float:
        """Return the value of thresholds for new rows."""
        scores, below = self._grid[0], self._below
        cuts = np.searchsorted(scores, thresholds, side="left")
        confusion = np.diff(below[[0, *cuts, len(scores)]], axis=0)
        return self.objective.value(confusion)

    @cached_property
    def _below(self) -> np.ndarray:
        """The weight of each class at the scores before each one of the grid."""
        shares = self._grid[1]
        return np.concatenate([np.zeros((1, self.n_classes)), np.cumsum(shares, axis=0)])


def logistic(biases: Iterable[float], slope: float) -> Curves:
    """Return the chances of a cumulative logit model."""
    return lambda scores: expit(slope * (scores[:, None] - np.array([*biases])))


def _at_random(rate: float, n_classes: int, curves: Curves) -> Curves:
    """Return the chances where a share of the labels is drawn at random."""
    chance = 1 - np.arange(1, n_classes) / n_classes
    return lambda scores: (1 - rate) * curves(scores) + rate * chance


def _steep_then_flat(scores: np.ndarray) -> np.ndarray:
    """Return chances that no logistic curve fits: steep at first, then slow."""
    distance = scores[:, None] - np.array([-1.0, 0.3])
    return 0.05 + 0.9 * (0.55 * expit(10 * distance) + 0.45 * expit(1.5 * (distance - 1)))


def _with_a_kink(scores: np.ndarray) -> np.ndarray:
    """Return chances that rise seven times as steeply below the best threshold as above it."""
    distance = scores[:, None] - np.array([-0.6, 0.6])
    above = 0.5 + 0.2 * np.tanh(1.5 * np.maximum(distance, 0))
    return np.where(distance < 0, expit(8 * distance), above)


def _near(center: float) -> Curves:
    """Return weights that are five times as high near a score as elsewhere."""
    return lambda scores: 1 + 4 * np.exp(-(((scores - center) / 0.15) ** 2))


def _rounded(step: float, most: float = np.inf) -> Curves:
    """Return normal scores that are multiples of a step, at most so far from 0."""
    return lambda share: np.clip(np.round(ndtri(share) / step) * step, -most, most)


def _exponential(share: np.ndarray) -> np.ndarray:
    return -np.log1p(-share)


def _uniform(share: np.ndarray) -> np.ndarray:
    return 4 * share - 2


FOUR = (-1.0, -0.2, 0.4, 1.2)
TWO = (-0.8, 0.6)
BY_NAME = ordcut.resolve_objective

POPULATIONS = [
    Population("normal scores", ndtri, logistic(FOUR, 4), BY_NAME("absolute", 5)),
    Population(
        "exponential scores",
        _exponential,
        logistic((0.4, 1.0, 2.0), 3),
        BY_NAME("absolute", 4).asymmetric(3),
    ),
    Population("uniform scores", _uniform, logistic((-0.5, 0.7), 3), BY_NAME("zero_one", 3)),
    Population(
        "ten classes", ndtri, logistic(np.linspace(-1.6, 1.6, 9), 6), BY_NAME("absolute", 10)
    ),
    Population("few errors", ndtri, logistic(FOUR, 40), BY_NAME("absolute", 5)),
    Population("fewer errors", ndtri, logistic((-0.5, 0.7), 100), BY_NAME("zero_one", 3)),
    Population(
        "rare costly errors",
        ndtri,
        _at_random(0.01, 5, logistic(FOUR, 6)),
        BY_NAME("squared", 5),
    ),
    Population(
        "quadratic kappa", ndtri, logistic((-1, 0.2, 1.3), 3), BY_NAME("quadratic_kappa", 4)
    ),
    Population("kappa, rare classes", ndtri, logistic((0.8, 1.8), 4), BY_NAME("kappa", 3)),
    Population(
        "kappa, few errors", ndtri, logistic((-1, 0.2, 1.3), 60), BY_NAME("linear_kappa", 4)
    ),
    Population(
        "random weights", ndtri, logistic(TWO, 4), BY_NAME("absolute", 3), has_random_weights=True
    ),
    Population(
        "weights by score", ndtri, logistic(TWO, 4), BY_NAME("absolute", 3), weight=_near(TWO[1])
    ),
    Population(
        "balanced classes",
        ndtri,
        logistic((0.5, 1.5), 3),
        BY_NAME("absolute", 3),
        options={"class_weight": "balanced"},
    ),
    Population("five votes", ndtri, logistic(TWO, 4), BY_NAME("absolute", 3), n_votes=5),
    Population("ties", _rounded(0.2), logistic((-0.85, 0.15, 1.1), 3), BY_NAME("absolute", 4)),
    Population(
        "seven scores", _rounded(2 / 3, 2), logistic((-0.6, 0.25), 3), BY_NAME("absolute", 3)
    ),
    Population("coinciding thresholds", ndtri, logistic((-0.1, 0.1), 3), BY_NAME("zero_one", 3)),
    Population("a kink", ndtri, _with_a_kink, BY_NAME("absolute", 3)),
    Population(
        "smoothed, model fits",
        ndtri,
        logistic(TWO, 4),
        BY_NAME("absolute", 3),
        options={"smoothing": 0.75},
    ),
    Population(
        "smoothed, model does not fit",
        ndtri,
        _steep_then_flat,
        BY_NAME("absolute", 3),
        options={"smoothing": 0.75},
    ),
]
