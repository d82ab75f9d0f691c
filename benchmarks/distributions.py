"""Scores of many distributions: `"auto"` and the best method, relative to a sort.

Whole calls in one thread over the fastest code path of `np.sort(scores)` for the same scores.
`auto over best` should be at most 1.25 everywhere. The first rows are one million rows of five
classes without weights; then, one of these is changed at a time. Ten million rows are measured by
`python -m benchmarks ten_million`.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import ordcut
from benchmarks import data
from benchmarks.timing import QUICK, Effort, clock, side_by_side, sorting

METHODS = {
    "absolute": ("nested", "pruned"),
    "zero_one": ("zero_one", "dp", "pruned"),
    "quadratic_kappa": ("nested", "pruned"),
}
MILLION = 1_000_000
SETTINGS = [
    (MILLION, 5, False),
    (MILLION, 5, True),
    *((n, 5, False) for n in (10_000, 30_000, 100_000, 300_000)),
    *((MILLION, n_classes, False) for n_classes in (3, 10, 50)),
]


EFFORT = Effort(rounds=3, seconds=0.1)


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for setting in SETTINGS[1:2] if quick else SETTINGS:
        yield from rows_of(*setting, quick)


def rows_of(n: int, n_classes: int, weighted: bool, quick: bool) -> Iterator[dict[str, Any]]:
    """Measure all distributions for one size, number of classes, and with weights or without."""
    for name, dtype in product(data.DISTRIBUTIONS, ("float64", "float32")):
        problem = data.distributed(name, 1_000 if quick else n, n_classes, dtype)
        yield from _rows(name, problem, weighted, quick)


def _rows(
    name: str, problem: data.Problem, weighted: bool, quick: bool
) -> Iterator[dict[str, Any]]:
    scores, options = problem.scores, {"n_jobs": 1}
    if weighted:
        options["sample_weight"] = np.random.default_rng(1).random(len(scores))
    with sorting(scores) as sort:
        for objective, methods in METHODS.items():
            call = partial(
                ordcut.optimal_thresholds, scores, problem.labels, objective=objective, **options
            )
            clocks = {m: clock(partial(call, method=m)) for m in ("auto", *methods)}
            effort = QUICK if quick else EFFORT
            seconds = side_by_side({"sort": sort, **clocks}, effort)
            best = min(methods, key=seconds.__getitem__)
            yield {
                "scores": name,
                "dtype": str(scores.dtype),
                "n": len(scores),
                "K": problem.n_classes,
                "weights": "float" if weighted else "",
                "objective": objective,
                "sort ms": 1000 * seconds["sort"],
                "auto is": call(method="auto").method,
                "auto over sort": seconds["auto"] / seconds["sort"],
                "best": best,
                "best over sort": seconds[best] / seconds["sort"],
                "auto over best": seconds["auto"] / seconds[best],
            }
