"""How far thresholds from few rows fall short of the best ones, by rows, classes and objective.

The score of a row is normal, and its class is decided by the score plus normal noise with a
standard deviation of 0.7; all classes are equally frequent. So the best thresholds are known, and
the loss of any thresholds on new rows can be computed. `plain` is how much more loss, in percent of
the least possible, the thresholds have that are optimal for `n` rows, on average over 400 data
sets; `smoothed` is the same with `smoothing="auto"`. The loss of a kappa and of macro-F1 is 1 minus
it. `best` is the value of the best thresholds. `move` is how far the middle 95 % of plain
thresholds reach from their median on either side, in standard deviations of the score, on average
over the thresholds. Standard errors are those of the means.

`python -m benchmarks rows_needed` repeats the simulation, in about ten minutes.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

import ordcut
from benchmarks.populations import Population

NOISE = 0.7
CLASSES = (2, 3, 5, 10)
OBJECTIVES = ("absolute", "zero_one", "quadratic_kappa", "macro_f1")
SIZES = (50, 100, 200, 500, 1_000, 2_000, 5_000)
N_DATA = 400


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for n_classes in (3,) if quick else CLASSES:
        for objective in OBJECTIVES:
            population = equal_classes(n_classes, objective)
            for n in (50,) if quick else SIZES:
                yield simulate(population, n, 3 if quick else N_DATA)


def equal_classes(n_classes: int, objective: str) -> Population:
    """Return a population of equally frequent classes, with normal scores and normal noise."""
    ends = np.hypot(1, NOISE) * ndtri(np.arange(1, n_classes) / n_classes)
    return Population(
        objective,
        ndtri,
        lambda scores: ndtr((scores[:, None] - ends) / NOISE),
        ordcut.resolve_objective(objective, n_classes),
    )


def simulate(population: Population, n: int, n_data: int) -> dict[str, Any]:
    """Return the mean excess of thresholds from n rows over the least possible loss."""
    best = population.risk(population.best)
    least = loss_of(population, best)
    excess: dict[str, list[float]] = {"plain": [], "smoothed": []}
    thresholds = []
    for seed in range(n_data):
        rows = population.draw(n, np.random.default_rng([seed, n]))
        for name, smoothing in (("plain", 0.0), ("smoothed", "auto")):
            result = ordcut.optimal_thresholds(**rows, smoothing=smoothing)
            loss = loss_of(population, population.risk(result.thresholds))
            excess[name].append(100 * (loss / least - 1))
            if name == "plain":
                thresholds.append(result.thresholds)
    low, high = np.quantile(thresholds, [0.025, 0.975], axis=0, method="nearest")
    row: dict[str, Any] = {
        "objective": population.name, "K": population.n_classes, "n": n, "best": best,
    }  # fmt: skip
    for name, values in excess.items():
        row[name] = float(np.mean(values))
        row[f"error of {name}"] = float(np.std(values, ddof=1) / np.sqrt(n_data))
    return row | {"move": float(np.mean(high - low) / 2)}


def loss_of(population: Population, value: float) -> float:
    """Return a value as a loss: 1 minus it, where higher is better."""
    return value if population.name in ("absolute", "zero_one") else 1 - value
