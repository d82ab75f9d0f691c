"""Keep or move: how often `ordcut.update` is right, on populations whose risks are known.

New rows are drawn from a population of `benchmarks/populations.py`. The old thresholds are the best
of that population (`best`), or were found on as many rows of it (`found`), so that nothing has
changed; or they are the best ones moved by a quarter or a half of the standard deviation of the
scores, as if the scores had. `coverage` is how often the 95 % interval of the gain contains the
gain that the new thresholds have on the population. `move`, `keep` and `undecided` are the shares
of the outcomes. `wrong` is the share of data sets in which update says move though the new
thresholds are not better on the population, or keep though they are better by more than the
margin. `gain` is the mean gain as a share of the loss of the old thresholds, by the population.
The form of the interval was chosen on other designs (normal scores, three classes, absolute loss
and the quadratic kappa, 300 rows), and the weight of the luck in it after a look at designs such as
these.

`python -m benchmarks updates` repeats the simulations.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import ordcut
from benchmarks.populations import POPULATIONS, Population

#: What is simulated: the population, the number of rows and of data sets, and the smoothing.
RUNS = [
    ("normal scores", 300, 1000, "auto"),
    ("quadratic kappa", 300, 1000, "auto"),
    ("uniform scores", 300, 1000, "auto"),
    ("random weights", 300, 1000, "auto"),
    ("normal scores", 300, 500, 0),
    ("quadratic kappa", 300, 500, 0),
    ("normal scores", 2000, 100, "auto"),
    ("quadratic kappa", 2000, 100, "auto"),
]
SHIFTS = {"moved 0.25": 0.25, "moved 0.5": 0.5}


def run(quick: bool) -> Iterator[dict[str, Any]]:
    by_name = {population.name: population for population in POPULATIONS}
    for name, n, n_data, smoothing in RUNS:
        yield from simulate(by_name[name], *((150, 3) if quick else (n, n_data)), smoothing)


def simulate(
    population: Population, n: int, n_data: int, smoothing: Any
) -> Iterator[dict[str, Any]]:
    """Yield the outcomes for each kind of old thresholds, over many data sets of n rows."""
    classes, sign = range(population.n_classes), 1 if population.objective.is_maximised else -1
    spread = float(np.std(population.quantile((np.arange(2001) + 0.5) / 2001)))
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for seed in range(n_data):
        rng = np.random.default_rng([seed, n])
        former = ordcut.optimal_thresholds(**population.draw(n, rng), smoothing=smoothing)
        old = {"best": population.best, "found": former.thresholds}
        old |= {name: population.best + shift * spread for name, shift in SHIFTS.items()}
        new = population.draw(n, rng)
        given = {key: new[key] for key in ("scores", "labels", "objective", "sample_weight")}
        for name, values in old.items():
            thresholds = ordcut.Thresholds.from_values(values, classes)
            update = ordcut.update(thresholds, **given, smoothing=smoothing)
            risk = population.risk(values)
            gain = sign * (population.risk(update.new.thresholds) - risk)
            loss = 1 - risk if sign > 0 else risk
            low, high = update.interval
            is_wrong = {"move": gain <= 0, "keep": gain > update.margin, "undecided": False}
            rows.setdefault(name, []).append(
                (low <= gain <= high, update.outcome, is_wrong[update.outcome], gain / loss)
            )
    for name, data in rows.items():
        covered, outcomes, wrong, gains = zip(*data, strict=True)
        yield {
            "population": population.name,
            "objective": population.objective.name,
            "smoothing": str(smoothing),
            "n": n,
            "data sets": n_data,
            "old thresholds": name,
            "coverage": float(np.mean(covered)),
            **{word: outcomes.count(word) / n_data for word in ("move", "keep", "undecided")},
            "wrong": float(np.mean(wrong)),
            "gain": float(np.mean(gains)),
        }
