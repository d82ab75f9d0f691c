"""The coverage of 95 % intervals, for populations whose best thresholds and risks are known.

The chances of each class are given functions of the score, so that the best thresholds of the
population and the risk of any thresholds on new rows can be computed on a grid of scores;
`benchmarks/populations.py` has the designs. `thresholds` is how often intervals contain the best
thresholds, the mean over data sets and thresholds, with its standard error, and `lowest` the least
of the thresholds. `value` is how often the interval for the value contains the risk that the
thresholds found have on new rows. `low` says which of the three are below the level by more than
0.03. `m of n` is `Thresholds.bootstrap`; `n of n, percentile` and `n of n, basic` are the two usual
intervals of a bootstrap that draws n rows, which is not consistent for thresholds. `smoothed only`
is what the replicates of smoothed thresholds would give without the plain ones, and `replicates
only` has the interval for the value without its bounds for few errors. Each bootstrap has 100
replicates. The size m and the scaling were chosen on other designs: absolute loss, normal
scores, three, four and six classes, up to 5000 rows. That intervals end at scores, and the form of
the interval for the value, were chosen after a look at designs such as these.

`python -m benchmarks coverage` repeats the simulations.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import ordcut
from benchmarks.populations import POPULATIONS, Population

LEVEL, N_REPLICATES, TOLERANCE = 0.95, 100, 0.03
#: The numbers of rows, and how many data sets are drawn of each.
SIZES = {200: 400, 1_000: 300, 10_000: 200}
#: Intervals of all rows are compared for so many of the populations.
N_COMPARED = 3
N_OF_N = {"n of n, basic", "n of n, percentile"}
TAILS = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for number, population in enumerate(POPULATIONS):
        for n, n_data in [(200, 3)] if quick else SIZES.items():
            ways = ["m of n"]
            if number < N_COMPARED:
                ways += sorted(N_OF_N)
            if "few" in population.name:
                ways += ["replicates only"]
            if "smoothing" in population.options:  # which takes ten times as long
                ways, n_data = [*ways, "smoothed only"], -(-n_data // 2)
            yield from simulate(population, n, n_data, ways)


def simulate(
    population: Population,
    n: int,
    n_data: int,
    ways: list[str],
    n_replicates: int = N_REPLICATES,
) -> Iterator[dict[str, Any]]:
    """Yield the coverage of each kind of intervals, over many data sets of n rows."""
    held: dict[str, list] = {way: [] for way in ways}
    for seed in range(n_data):
        found = ordcut.optimal_thresholds(**population.draw(n, np.random.default_rng([seed, n])))
        risk = population.risk(found.thresholds)
        boot = found.bootstrap(n_replicates)
        all_rows = found.bootstrap(n_replicates, size=n) if {*ways} >= N_OF_N else None
        for way in ways:
            intervals, (low, high) = _intervals(way, boot, all_rows)
            is_held = (intervals[:, 0] <= population.best) & (population.best <= intervals[:, 1])
            # Infinite ends are as wide as can be; two at the same end are of no width.
            same = intervals[:, 0] == intervals[:, 1]
            with np.errstate(invalid="ignore"):
                widths = np.where(same, 0, intervals[:, 1] - intervals[:, 0])
            held[way].append((is_held, np.median(widths), low <= risk <= high, high - low))
    for way, rows in held.items():
        is_held, widths, value, value_widths = (
            np.array(column) for column in zip(*rows, strict=True)
        )
        coverage = {
            "thresholds": float(is_held.mean()),
            "lowest": float(is_held.mean(axis=0).min()),
            "value": float(value.mean()),
        }
        yield {
            "population": population.name,
            "objective": population.objective.name,
            "K": population.n_classes,
            "n": n,
            "interval": way,
            "data sets": n_data,
            **coverage,
            "standard error": float(is_held.mean(axis=1).std() / np.sqrt(n_data)),
            "median width": float(np.median(widths)),
            "median width, value": float(np.median(value_widths)),
            "low": ", ".join(k for k, share in coverage.items() if share < LEVEL - TOLERANCE),
        }


def _intervals(
    way: str, boot: ordcut.Bootstrap, all_rows: ordcut.Bootstrap | None
) -> tuple[np.ndarray, np.ndarray]:
    found = boot.result
    if way == "smoothed only":
        only = replace(boot, plain_thresholds=boot.thresholds, centres=found.thresholds)
        return only.intervals(LEVEL), boot.value_interval(LEVEL)
    if way == "replicates only":
        return boot.intervals(LEVEL), values_of_replicates(boot)
    if all_rows is None or way == "m of n":
        return boot.intervals(LEVEL), boot.value_interval(LEVEL)
    low, high = np.quantile(all_rows.thresholds, TAILS, axis=0, method="nearest")
    values = np.quantile(all_rows.values, TAILS)
    if way == "n of n, percentile":
        return np.array([low, high]).T, values
    return (2 * found.thresholds - np.array([high, low])).T, 2 * found.value - values[::-1]


def values_of_replicates(boot: ordcut.Bootstrap) -> np.ndarray:
    """Return the interval for the value that the replicates have by themselves."""
    found = boot.result.value
    strays = np.sqrt(boot.size / boot.n_rows) * (boot.values - found)
    return np.quantile(strays, TAILS) + found - boot.optimism
