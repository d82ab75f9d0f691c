"""Hard data: the time of "auto" in one thread, relative to sorting as many normal scores."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import ordcut
from benchmarks import data
from benchmarks.timing import FULL, QUICK, clock, side_by_side, sorting

N_ROWS, N_CLASSES = 1_000_000, 10


def run(quick: bool) -> Iterator[dict[str, Any]]:
    n = 3_000 if quick else N_ROWS
    reference = data.normal(n, N_CLASSES)
    with sorting(reference.scores) as sort:
        for name in data.HARD:
            problem = data.hard(name, n, N_CLASSES)
            calls = {
                objective: partial(
                    ordcut.optimal_thresholds,
                    problem.scores,
                    problem.labels,
                    objective=objective,
                    n_jobs=1,
                )
                for objective in ("absolute", "zero_one")
            }
            clocks = {objective: clock(call) for objective, call in calls.items()}
            seconds = side_by_side({"sort": sort, **clocks}, QUICK if quick else FULL)
            for objective, call in calls.items():
                yield {
                    "data": name,
                    "n": n,
                    "K": N_CLASSES,
                    "objective": objective,
                    "method": call().method,
                    "seconds": seconds[objective],
                    "over sort": seconds[objective] / seconds["sort"],
                }
