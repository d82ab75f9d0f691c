"""The coverage of 95 % intervals, for thresholds known in closed form.

Labels follow a cumulative logit model of the score, so that the best thresholds of the population
are known, and their risk on new rows can be computed by quadrature. Each row is the mean over many
data sets and all thresholds. `m of n` is `Thresholds.bootstrap`; `n of n, percentile` and
`n of n, basic` are the two usual intervals of a bootstrap that draws n rows, which is not
consistent for thresholds. `value` is how often the interval for the value contains the risk that
the thresholds found have on new rows. Each bootstrap has 100 replicates. The size m and the kind of
interval were chosen on other designs: absolute loss, normal scores, three, four and six classes, up
to 5000 rows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import ordcut

LEVEL, N_REPLICATES, N_GRID = 0.95, 100, 20_001
#: The numbers of rows, and how many data sets are drawn of each.
SIZES = {200: 100, 1_000: 100, 10_000: 100, 100_000: 40}
TAILS = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]


@dataclass(frozen=True)
class Design:
    """A population: the distribution of scores and labels, and the best thresholds."""

    name: str
    quantile: Callable[[np.ndarray], np.ndarray]
    biases: np.ndarray
    slope: float
    objective: ordcut.Objective
    best: np.ndarray

    def chance_of_at_least(self, scores: np.ndarray) -> np.ndarray:
        """Return P(class >= k | score) for every class but the lowest."""
        return 1 / (1 + np.exp(-self.slope * (scores[:, None] - self.biases)))

    def draw(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        scores = self.quantile(rng.random(n))
        return scores, (rng.random((n, 1)) < self.chance_of_at_least(scores)).sum(axis=1)

    def risk(self, thresholds: np.ndarray) -> float:
        """Return the mean cost of thresholds over the population."""
        scores = self.quantile((np.arange(N_GRID) + 0.5) / N_GRID)
        at_least = self.chance_of_at_least(scores)
        edges = np.ones((N_GRID, 1)), np.zeros((N_GRID, 1))
        shares = -np.diff(np.hstack([edges[0], at_least, edges[1]]), axis=1)
        predicted = np.searchsorted(thresholds, scores, side="right")
        return float((self.objective.cost[predicted] * shares).sum(axis=1).mean())


def _normal(share: np.ndarray) -> np.ndarray:
    from scipy.special import ndtri

    return ndtri(share)


def _designs() -> list[Design]:
    absolute = ordcut.resolve_objective("absolute", 5)
    four = np.array([-1.0, -0.2, 0.4, 1.2])
    # Too high costs three times as much, so a class must be three times as likely to be reached.
    asymmetric = ordcut.resolve_objective("absolute", 4).asymmetric(3)
    three = np.array([0.4, 1.0, 2.0])
    # Neighbouring classes are equally likely at the best thresholds for the zero-one loss.
    zero_one, two, odds = ordcut.resolve_objective("zero_one", 3), np.array([-0.5, 0.7]), 3.0
    low, high = np.exp(odds * two)
    modes = np.array([-np.log(1 / low - 2 / high), np.log(high - 2 * low)]) / odds
    return [
        Design("normal scores", _normal, four, 4.0, absolute, four),
        Design(
            "exponential scores",
            lambda share: -np.log1p(-share),
            three,
            3.0,
            asymmetric,
            three + np.log(3) / 3.0,
        ),
        Design("uniform scores", lambda share: 4 * share - 2, two, odds, zero_one, modes),
    ]


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for design in _designs():
        for n, n_data in [(200, 3)] if quick else SIZES.items():
            yield from _simulate(design, n, n_data)


def _simulate(design: Design, n: int, n_data: int) -> Iterator[dict[str, Any]]:
    held: dict[str, list] = {}
    for seed in range(n_data):
        scores, labels = design.draw(n, np.random.default_rng([seed, n]))
        found = ordcut.optimal_thresholds(
            scores, labels, objective=design.objective, classes=range(design.objective.n_classes)
        )
        risk = design.risk(found.thresholds)
        for way, (intervals, value_interval, size) in _intervals(found, n).items():
            low, high = intervals.T
            held.setdefault(way, []).append(
                (
                    ((low <= design.best) & (design.best <= high)).mean(),
                    value_interval[0] <= risk <= value_interval[1],
                    np.median(high - low),
                    size,
                )
            )
    for way, rows in held.items():
        coverage, value, width, size = np.array(rows, float).T
        yield {
            "population": design.name,
            "objective": design.objective.name,
            "K": design.objective.n_classes,
            "n": n,
            "interval": way,
            "rows per replicate": int(size[0]),
            "data sets": n_data,
            "thresholds": float(coverage.mean()),
            "standard error": float(coverage.std() / np.sqrt(n_data)),
            "median width": float(np.median(width)),
            "value": float(value.mean()),
        }


def _intervals(found: ordcut.Thresholds, n: int) -> dict[str, tuple]:
    few, all_rows = found.bootstrap(N_REPLICATES), found.bootstrap(N_REPLICATES, size=n)
    low, high = np.quantile(all_rows.thresholds, TAILS, axis=0, method="nearest")
    values = np.quantile(all_rows.values, TAILS)
    basic = 2 * found.thresholds - np.array([high, low])
    return {
        "m of n": (few.intervals(LEVEL), few.value_interval(LEVEL), few.size),
        "n of n, percentile": (np.array([low, high]).T, values, n),
        "n of n, basic": (basic.T, 2 * found.value - values[::-1], n),
    }
