"""The agreement of a judge who is just one more rater, minus that of people with each other.

Simulated ratings from 1 to 5. Raters differ in leniency, a constant of each with the given standard
deviation; that of the quality of items is 1. `difference` is the mean over panels of the judge with
people minus people with people, by the quadratic kappa; a fair measure gives 0. `pooled` is that
difference where chance is that of all ratings together, as usual: Fleiss' kappa of the people, and
the kappa of the judge with the shares of the ratings of each item.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import ordcut
from benchmarks.judges.tasks import CLASSES, simulated_ratings

N_PANELS = 4000


def run(quick: bool) -> Iterator[dict[str, Any]]:
    n_panels = 20 if quick else N_PANELS
    for n_raters in (2, 3, 5):
        for leniency in (0.0, 0.5):
            for n in (50, 200):
                yield simulate(n_raters, leniency, n, n_panels)


def simulate(n_raters: int, leniency: float, n: int, n_panels: int) -> dict[str, Any]:
    rng, fair, pooled = np.random.default_rng(0), [], []
    for _ in range(n_panels):
        table = simulated_ratings(rng, n, n_raters + 1, leniency)
        panel = ordcut.Panel(table[:, :-1], classes=CLASSES)
        judge = panel.agreement_with(table[:, -1]).value
        fair.append(judge - panel.agreement().value)
        usual = ordcut.evaluate(panel, table[:, -1], "quadratic_kappa")
        pooled.append(usual - panel.agreement(coefficient="fleiss").value)
    return {
        "raters": n_raters,
        "leniency": leniency,
        "items": n,
        "panels": n_panels,
        "difference": float(np.mean(fair)),
        "standard error": float(np.std(fair) / np.sqrt(n_panels)),
        "pooled": float(np.mean(pooled)),
    }
