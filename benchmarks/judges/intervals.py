"""How often 95 % intervals over items hold the agreement of the same raters on all items.

Simulated ratings of 100,000 items from 1 to 5, by raters whose leniency has a standard deviation of
0.5; that of the quality of items is 1, and `noise` is that of each rating. Panels are drawn from
these items, without a share of their ratings (`gaps`). The quadratic kappa, of people with each
other and of a judge with people.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import ordcut
from benchmarks.judges.tasks import CLASSES, simulated_ratings

N_PANELS = 2000

#: The number of raters, the noise of a rating, and the share of ratings that are missing.
DESIGNS = ((2, 0.7, 0.0), (3, 1.0, 0.3), (5, 0.5, 0.4))


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for n_raters, noise, gaps in DESIGNS:
        for n in (50, 100, 200):
            yield simulate(n_raters, noise, gaps, n, 20 if quick else N_PANELS)


def simulate(n_raters: int, noise: float, gaps: float, n: int, n_panels: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    items = simulated_ratings(rng, 100_000, n_raters + 1, 0.5, noise)
    everybody = ordcut.Panel(items[:, :-1], classes=CLASSES)
    people, judge = everybody.agreement().value, everybody.agreement_with(items[:, -1]).value
    hits = []
    for _ in range(n_panels):
        drawn = items[rng.choice(len(items), n, replace=False)]
        table = drawn[:, :-1].astype(float)
        is_gap = rng.random(table.shape) < gaps
        is_gap[is_gap.all(axis=1)] = False
        panel = ordcut.Panel(np.where(is_gap, np.nan, table), classes=CLASSES)
        ends = [panel.agreement().interval(), panel.agreement_with(drawn[:, -1]).interval()]
        hits.append(
            [low <= value <= high for (low, high), value in zip(ends, (people, judge), strict=True)]
        )
    shares = np.mean(hits, axis=0)
    return {
        "raters": n_raters,
        "noise": noise,
        "gaps": gaps,
        "items": n,
        "panels": n_panels,
        "people with people": float(shares[0]),
        "judge with people": float(shares[1]),
    }
