"""Growth of time and memory with the rows and with the classes (absolute and zero-one loss).

Whole calls from unsorted scores; pio and blocks use one thread a core, the others one thread. The
peak is of memory beyond the scores and labels, also in multiples of these. Methods that take
O(n K) time are left out where n K exceeds the limit given in `growth.py`; zero-one, which is not
convex, is solved by the methods that do not need a convex loss.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import ordcut
from benchmarks import data, methods
from benchmarks.memory import peak_extra_bytes
from benchmarks.sorting import sorting
from benchmarks.timing import FULL, QUICK, clock, side_by_side

SIZES = [10_000, 100_000, 1_000_000, 10_000_000, 30_000_000]
CLASSES = [3, 10, 30, 100, 300]
#: The number of classes while the rows grow, and of rows while the classes grow.
N_CLASSES, N_ROWS = 10, 1_000_000
#: Steps n K that the methods which take them all are still run for.
MOST_STEPS = 300_000_000
#: These take time in proportion to n K at any size.
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
