"""Growth of time and memory with the rows and with the classes (absolute and zero-one loss).

Times are for whole calls on unsorted scores; pio and blocks use one thread per core, the others one
thread. The peak is that of memory beyond the scores and labels, also as a multiple of these.
Methods that take O(n K) time are left out where n K exceeds the limit in `growth.py`. The zero-one
loss is not convex and is solved only by methods that do not need a convex loss.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import ordcut
from benchmarks import data, methods
from benchmarks.memory import peak_extra_bytes
from benchmarks.timing import FULL, QUICK, clock, side_by_side, sorting

SIZES = [10_000, 100_000, 1_000_000, 10_000_000, 30_000_000]
CLASSES = [3, 10, 30, 100, 300]
#: The number of classes while n grows, and of rows while K grows.
N_CLASSES, N_ROWS = 10, 1_000_000
#: The largest n K for which the methods that take O(n K) time are run.
MOST_STEPS = 300_000_000
#: Methods that take O(n K) time.
TAKE_ALL_STEPS = {"dp", "io", "pio", "blocks"}

OBJECTIVES = {"absolute": methods.ALL, "zero_one": methods.FOR_ANY_OBJECTIVE}


def run(quick: bool) -> Iterator[dict[str, Any]]:
    sizes, classes, n_rows = ([1_000, 3_000], [3, 30], 2_000) if quick else (SIZES, CLASSES, N_ROWS)
    for n in sizes:
        yield from _run_one("n", n, N_CLASSES, quick)
    for n_classes in classes:
        yield from _run_one("K", n_rows, n_classes, quick)


def _run_one(grows: str, n: int, n_classes: int, quick: bool) -> Iterator[dict[str, Any]]:
    problem = data.normal(n, n_classes)
    calls = {
        (objective, method): partial(
            ordcut.optimal_thresholds,
            problem.scores,
            problem.labels,
            objective=objective,
            method=method,
        )
        for objective, able in OBJECTIVES.items()
        for method in able
        if n * n_classes <= MOST_STEPS or method not in TAKE_ALL_STEPS
    }
    clocks = {name: clock(call) for name, call in calls.items()}
    with sorting(problem.scores) as sort:
        seconds = side_by_side({"sort": sort, **clocks}, QUICK if quick else FULL)
    for (objective, method), call in calls.items():
        peak = peak_extra_bytes(call)
        yield {
            "grows": grows,
            "n": n,
            "K": n_classes,
            "objective": objective,
            "method": method,
            "seconds": seconds[objective, method],
            "sort seconds": seconds["sort"],
            "over sort": seconds[objective, method] / seconds["sort"],
            "peak MB": peak / 1e6,
            "peak over input": peak / problem.n_bytes,
        }
