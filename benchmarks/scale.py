"""How often thresholds warn of scores on another scale, for the same distribution and for others.

The thresholds of four classes are found on `rows` scores of a distribution, read from JSON, and
used on batches of 1000 scores: of the same distribution (`scale` is `same`), where every warning is
a false alarm, or of another scale. The highest class has about 5 % of the rows. Records are drawn
anew for every 200 batches. `alarms` is the share of batches with a warning. `logits` and `logs` are
of scores between 0 and 1; `standardised` scores have mean 0 and standard deviation 1.

`python -m benchmarks scale` repeats the simulations.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.special import expit, logit

import ordcut
from ordcut import DifferentScaleWarning

SIZES, BATCH, N_RECORDS, N_SAME, N_OTHER = (100, 1000, 10_000), 1000, 100, 200, 2

Scores = np.ndarray
Draw = Callable[[np.random.Generator, int], Scores]

DISTRIBUTIONS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.random(n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "probabilities": lambda rng, n: expit(2 * rng.normal(size=n)),
    "sharp probabilities": lambda rng, n: expit(12 * rng.normal(size=n)),
    "two groups": lambda rng, n: rng.normal(size=n) + 6 * (rng.random(n) < 0.1),
    "five values": lambda rng, n: rng.integers(0, 5, n) * 1.0,
    "one decimal": lambda rng, n: rng.normal(size=n).round(1),
    "95 % zeros": lambda rng, n: np.where(rng.random(n) < 0.95, 0.0, rng.random(n)),
    "99.8 % zeros": lambda rng, n: np.where(rng.random(n) < 0.998, 0.0, 1 + rng.random(n)),
    "float32": lambda rng, n: rng.normal(size=n).astype(np.float32),
}

SCALES: dict[str, Callable[[Scores], Scores]] = {
    "times 100": lambda scores: 100 * scores,
    "plus 10": lambda scores: scores + 10,
    "halved": lambda scores: scores / 2,
    "standardised": lambda scores: (scores - scores.mean()) / scores.std(),
    "logits": lambda scores: logit(scores.clip(1e-12, 1 - 1e-12)),
    "logs": lambda scores: np.log(scores.clip(1e-12)),
    "negative": lambda scores: -scores,
}
#: Distributions of scores between 0 and 1, and the scales for which other scales are tried.
PROBABILITIES = ("uniform", "probabilities", "sharp probabilities")
TRIED = ("normal", "exponential", *PROBABILITIES)


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for name, draw in DISTRIBUTIONS.items():
        for size in SIZES:
            yield simulate(name, draw, size, "same", lambda scores: scores, quick)
    for name in TRIED:
        for scale, change in SCALES.items():
            if name in PROBABILITIES or scale not in ("logits", "logs"):
                yield simulate(name, DISTRIBUTIONS[name], 1000, scale, change, quick)


def simulate(
    name: str, draw: Draw, size: int, scale: str, change: Callable[[Scores], Scores], quick: bool
) -> dict[str, Any]:
    """Return how often batches raise a warning."""
    n_records, n_batches = 2 if quick else N_RECORDS, N_SAME if scale == "same" else N_OTHER
    alarms = 0
    for seed in range(n_records):
        rng = np.random.default_rng([seed, size])
        result = found(draw(rng, size), rng)
        alarms += sum(
            has_warned(result, change(draw(rng, BATCH))) for _ in range(2 if quick else n_batches)
        )
    total = n_records * (2 if quick else n_batches)
    return {
        "distribution": name,
        "rows": size,
        "scale": scale,
        "batches": total,
        "warnings": alarms,
        "alarms": alarms / total,
    }


def found(scores: Scores, rng: np.random.Generator) -> ordcut.Thresholds:
    """Return thresholds for classes that follow the scores with noise, as a file holds them."""
    ranks = np.argsort(np.argsort(scores + 1e-9 * rng.random(len(scores)))) / len(scores)
    labels = np.digitize(ranks + 0.1 * rng.normal(size=len(scores)), [0.3, 0.6, 0.95])
    result = ordcut.optimal_thresholds(scores, labels, classes=range(4))
    return ordcut.Thresholds.from_json(result.to_json())


def has_warned(result: ordcut.Thresholds, scores: Scores) -> bool:
    """Return whether predictions come with a warning of another scale."""
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result.predict(scores)
    return any(issubclass(each.category, DifferentScaleWarning) for each in caught)
