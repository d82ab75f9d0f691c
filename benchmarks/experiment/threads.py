"""Two threads against one: how much "pio" and "blocks" gain over "io", on sorted rows.

Milliseconds of a call on a table that has been sorted, absolute loss; the least of many calls, in
turns. `io / pio` and `io / blocks` are how many times as fast two threads are. The threads of "pio"
share the thresholds, as in the paper, so each reads all rows; those of "blocks" share the rows.
`work / pio` is the same ratio without waiting and without other programs on the machine: processor
time of all curves in one thread over that of the half that each thread gets.
"""

from collections.abc import Callable, Iterator
from functools import partial
from time import thread_time
from typing import Any

import ordcut
from benchmarks import data
from benchmarks.table1 import DATA_SETS
from benchmarks.timing import FULL, QUICK, clock, side_by_side
from ordcut import resolve_objective
from ordcut._core.solvers.choose import Plan
from ordcut._core.solvers.independent import solve_independently

SIZES = {"n = 10^6, K = 50": (10**6, 50), "n = 10^6, K = 10": (10**6, 10), **DATA_SETS}


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for name, (n, n_classes) in SIZES.items():
        problem = data.normal(10 * n_classes if quick else n, n_classes)
        table = ordcut.ScoreTable(problem.scores, problem.labels)
        calls: dict[str, Callable[[], Any]] = {"io": partial(table.solve, "absolute", "io")}
        for method in ("pio", "blocks"):
            calls[method] = partial(table.solve, "absolute", method, n_jobs=2)
        seconds = side_by_side(
            {method: clock(call) for method, call in calls.items()}, QUICK if quick else FULL
        )
        whole, half = _work(table, n_classes, n_calls=1 if quick else 50)
        yield {
            "data": name,
            **{f"{method}, ms": 1000 * value for method, value in seconds.items()},
            "io / pio": seconds["io"] / seconds["pio"],
            "io / blocks": seconds["io"] / seconds["blocks"],
            "work / pio": whole / half,
        }


def _work(table: ordcut.ScoreTable, n_classes: int, n_calls: int) -> tuple[float, float]:
    """Return the processor time of all curves, and of half of them."""
    rows = table._sorted.whole_kernel_rows
    assert rows is not None
    cost = resolve_objective("absolute", n_classes).cost.astype("int64")
    least = [float("inf"), float("inf")]
    for _ in range(n_calls):
        for i, part in enumerate((cost, cost[: n_classes // 2 + 1])):
            start = thread_time()
            solve_independently(rows, part, Plan())
            least[i] = min(least[i], thread_time() - start)
    return least[0], least[1]
