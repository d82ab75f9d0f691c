"""The gate of single labels: how often `ordcut.gate` says that thresholds have changed, or decides.

Thresholds are found on a month of 300 rows of a population of `benchmarks/populations.py`, and
judged on 300 other rows, whose scores are moved by `shift` times their standard deviation, against
the first month. `changed` is the share of months in which either test says that something has
changed: the value has got worse (`worse`), or labels have moved against the true classes
(`moved`). Without a shift these are false alarms. `decided wrongly` is how often the gate says that
a target is reached or missed that is exactly the value of these thresholds on the population of the
first month.

`python -m benchmarks gates` repeats the simulations.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import ordcut
from benchmarks.populations import POPULATIONS, Population

N_ROWS, N_MONTHS, SHIFTS = 300, 1000, (0.0, 0.25, 0.5)
NAMES = ("normal scores", "uniform scores", "quadratic kappa", "ties")


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for population in POPULATIONS:
        if population.name in NAMES:
            yield from simulate(population, 3 if quick else N_MONTHS)


def simulate(population: Population, n_months: int) -> Iterator[dict[str, Any]]:
    """Yield how often a gate has each outcome, for each shift."""
    spread = float(np.std(population.quantile((np.arange(2001) + 0.5) / 2001)))
    rows: dict[float, list[tuple[bool, ...]]] = {shift: [] for shift in SHIFTS}
    for seed in range(n_months):
        rng = np.random.default_rng([seed, N_ROWS])
        before, now = (population.draw(N_ROWS, rng) for _ in range(2))
        result = ordcut.optimal_thresholds(**before)
        against = before["scores"], before["labels"]
        risk = population.risk(result.thresholds)
        for shift in SHIFTS:
            scores = now["scores"] + shift * spread
            gate = ordcut.gate(result, scores, now["labels"], target=risk, against=against)
            ((value, bias),) = gate.changes.values()
            is_worse = value.has_worsened(population.objective.is_maximised)
            has_moved = bias is not None and bias.is_significant
            is_decided = gate.verdict is not None and gate.verdict.outcome != "undecided"
            rows[shift].append((is_worse or has_moved, is_worse, has_moved, is_decided))
    for shift, months in rows.items():
        changed, worse, moved, decided = np.mean(months, axis=0).tolist()
        yield {
            "population": population.name,
            "objective": population.objective.name,
            "months": n_months,
            "shift": shift,
            "changed": changed,
            "standard error": float(np.sqrt(changed * (1 - changed) / n_months)),
            "worse": worse,
            "moved": moved,
            "decided wrongly": None if shift else decided,
        }
