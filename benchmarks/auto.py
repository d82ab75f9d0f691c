"""The methods that `method="auto"` chooses from, and how close its choice comes to the fastest.

Milliseconds of whole calls in one thread. `auto over best` is the time of `"auto"` relative to the
fastest method; it should be at most 1.25 everywhere. The rule is `FEWEST_STEPS_TO_PRUNE` in
`ordcut/_core/solvers/choose.py`.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import ordcut
from benchmarks import data
from benchmarks.inputs import wide
from benchmarks.timing import QUICK, Effort, clock, side_by_side

#: Every method that can be the fastest, by objective.
METHODS = {
    "absolute": ("nested", "io", "pruned"),
    "quadratic_kappa": ("nested", "pruned"),
    "zero_one": ("zero_one", "dp", "pruned"),
    "random costs": ("dp", "pruned"),
    "linear_kappa": ("dp", "pruned"),
}
SIZES = (1_000, 10_000, 50_000, 100_000, 300_000, 1_000_000, 10_000_000)
N_CLASSES = (3, 5, 10, 25, 50)

#: Larger problems of many classes take long by their slow methods.
MOST_CHOICES = 3 * 10**7
EFFORT = Effort(rounds=3, seconds=0.15)


def run(quick: bool) -> Iterator[dict[str, Any]]:
    sizes = (1_000,) if quick else SIZES
    for n, n_classes, dtype in product(sizes, N_CLASSES, ("float32", "float64")):
        if n * n_classes > MOST_CHOICES:
            continue
        problem = data.normal(n, n_classes) if dtype == "float32" else wide(n, n_classes)
        costs = np.random.default_rng(0).integers(0, 9, (n_classes, n_classes))
        weights = np.random.default_rng(1).random(n)
        for name, weighted in product(METHODS, (False, True)):
            if weighted and (name != "absolute" or dtype == "float32"):
                continue
            options: dict[str, Any] = {"objective": costs if name == "random costs" else name}
            if weighted:
                options["sample_weight"] = weights
            yield _row(problem, name, dtype, options, quick)


def _row(
    problem: data.Problem, name: str, dtype: str, options: dict[str, Any], quick: bool
) -> dict[str, Any]:
    call = partial(ordcut.optimal_thresholds, problem.scores, problem.labels, n_jobs=1, **options)
    clocks = {m: clock(partial(call, method=m)) for m in ("auto", *METHODS[name])}
    seconds = side_by_side(clocks, QUICK if quick else EFFORT)
    best = min(METHODS[name], key=seconds.__getitem__)
    return {
        "n": len(problem.scores),
        "K": problem.n_classes,
        "objective": name,
        "scores": dtype,
        "weights": "float" if "sample_weight" in options else "",
        "auto is": call(method="auto").method,
        "fastest": best,
        **{f"{m} ms": 1000 * seconds[m] if m in seconds else None for m in _all_methods()},
        "auto ms": 1000 * seconds["auto"],
        "auto over best": seconds["auto"] / seconds[best],
    }


def _all_methods() -> list[str]:
    return list(dict.fromkeys(method for some in METHODS.values() for method in some))
