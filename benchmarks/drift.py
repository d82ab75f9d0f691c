"""Drift without labels: how often `drift` says stable, undecided or shifted.

The record has 2000 rows of a distribution. New rows are of the same distribution, moved by
`shift` standard deviations: normal scores (also with one decimal), probabilities on the scale of
their logits, and exponential scores by that share of their size. `index` is the population
stability index of the two distributions, over ten parts of equal share, by two million rows of
each; scores count as shifted above 0.1. `coverage` is how often the 95 % interval contains that
index. `stable`, `undecided` and `shifted` are the shares of the outcomes, and `wrong` is the share
that are on the wrong side of the limit. `p index` and `p distance` are how often the p-values are
at most 0.05, which without a shift should be in about 5 % of the data sets.

`python -m benchmarks drift` repeats the simulations.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.special import expit

import ordcut

N_KNOWN, N_DATA, LIMIT, N_TRUTH = 2000, 300, 0.1, 2_000_000
SIZES, SHIFTS = (300, 1000, 10_000), (0.0, 0.25, 0.5)

Draw = Callable[[np.random.Generator, int, float], np.ndarray]

DISTRIBUTIONS: dict[str, Draw] = {
    "normal": lambda rng, n, shift: rng.normal(size=n) + shift,
    "one decimal": lambda rng, n, shift: (rng.normal(size=n) + shift).round(1),
    "probabilities": lambda rng, n, shift: expit(2 * (rng.normal(size=n) + shift)),
    "exponential": lambda rng, n, shift: rng.exponential(size=n) * (1 + shift),
}


def run(quick: bool) -> Iterator[dict[str, Any]]:
    n_truth = 20_000 if quick else N_TRUTH
    for name, draw in DISTRIBUTIONS.items():
        for shift in SHIFTS:
            known, moved = (
                draw(np.random.default_rng(seed), n_truth, by)
                for seed, by in enumerate((0.0, shift))
            )
            index = index_of(known, moved) if shift else 0.0
            for n in SIZES[:1] if quick else SIZES:
                results = [drift_of(draw, n, shift, seed) for seed in range(3 if quick else N_DATA)]
                outcomes = [each.outcome for each in results]
                side = "stable" if index > LIMIT else "shifted"
                yield {
                    "distribution": name,
                    "shift": shift,
                    "index": index,
                    "n": n,
                    "data sets": len(results),
                    "coverage": float(
                        np.mean([each.interval[0] <= index <= each.interval[1] for each in results])
                    ),
                    **{
                        word: outcomes.count(word) / len(outcomes)
                        for word in ("stable", "undecided", "shifted")
                    },
                    "wrong": outcomes.count(side) / len(outcomes),
                    **{
                        f"p {key}": float(np.mean([each.p_values[key] <= 0.05 for each in results]))
                        for key in ("index", "distance")
                    },
                }


def drift_of(draw: Draw, n: int, shift: float, seed: int) -> Any:
    """Return the drift of n new rows for a record of other rows."""
    rng = np.random.default_rng([seed, n])
    scores = draw(rng, N_KNOWN, 0.0)
    labels = scores + rng.normal(size=N_KNOWN) > np.median(scores)
    result = ordcut.optimal_thresholds(scores, labels)
    return result.drift(draw(rng, n, shift), limit=LIMIT)


def index_of(known: np.ndarray, new: np.ndarray) -> float:
    """Return the population stability index over tenths of known scores."""
    ends = np.unique(np.quantile(known, np.linspace(0, 1, 11)[1:-1]))
    p, q = (
        np.bincount(np.searchsorted(ends, scores, side="left"), minlength=len(ends) + 1)
        / len(scores)
        for scores in (known, new)
    )
    p, q = np.maximum(p, 0.5 / len(known)), np.maximum(q, 0.5 / len(new))
    return float(((p - q) * np.log(p / q)).sum())
