"""The bootstrap: the time per replicate, including preparation, relative to sorting the scores.

Replicates draw m of n rows and solve them exactly. `all rows` draws n rows, as an ordinary
bootstrap does, to show what that would cost.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import ordcut
from benchmarks import data
from benchmarks.timing import FULL, QUICK, clock, side_by_side, sorting

N_CLASSES, N_REPLICATES = 10, 1000
OBJECTIVES = ("absolute", "squared", "zero_one", "quadratic_kappa", "linear_kappa")
#: The time per replicate that is required, and the time aimed at, in sorts.
MUST, AIM = 4.0, 1.0


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for n in [2_000] if quick else [100_000, 1_000_000]:
        problem = data.normal(n, N_CLASSES)
        with sorting(problem.scores) as sort:
            for objective in OBJECTIVES:
                yield from _measure(problem, objective, sort, quick)


def _measure(problem: data.Problem, objective: str, sort: Any, quick: bool) -> Iterator[dict]:
    found = ordcut.optimal_thresholds(problem.scores, problem.labels, objective=objective)
    n = len(problem.scores)
    n_replicates = 20 if quick else N_REPLICATES * 100_000 // n
    ways = {"m of n": {}, "m of n, 2 threads": {"n_jobs": 2}}
    if objective == "absolute" and n <= 100_000:
        ways["all rows"] = {"size": n}
    calls = {way: partial(found.bootstrap, n_replicates, **extra) for way, extra in ways.items()}
    clocks = {way: clock(call) for way, call in calls.items()}
    seconds = side_by_side({"sort": sort, **clocks}, QUICK if quick else FULL)
    for way in ways:
        ratio = seconds[way] / n_replicates / seconds["sort"]
        yield {
            "n": n,
            "K": problem.n_classes,
            "objective": objective,
            "way": way,
            "rows per replicate": ways[way].get("size", round(n**0.8)),
            "replicates": n_replicates,
            "seconds": seconds[way],
            "replicate over sort": ratio,
            "must met": "yes" if ratio <= MUST else "no",
            "aim met": "yes" if ratio <= AIM else "no",
        }
