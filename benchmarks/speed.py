"""Time ordcut on this machine, relative to sorting: ``python -m benchmarks.speed``.

Each line has the time of a complete call, from unsorted float32 scores and small integer labels to
thresholds, and its ratio to the fastest `np.sort` of the scores.
"""

import argparse
import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.data import normal
from benchmarks.machine import describe_machine
from benchmarks.timing import Effort, clock, side_by_side, sorting
from ordcut import optimal_thresholds
from ordcut._core.numerics.jit import running_kernels_as

#: The calls that are measured: an objective and ``n_jobs``, where -1 means one thread per core.
CALLS = [
    ("absolute", 1),
    ("absolute", -1),
    ("squared", 1),
    ("quadratic_kappa", 1),
    ("zero_one", 1),
]


def run(n_rows: int, n_classes: int, effort: Effort) -> Iterator[dict[str, Any]]:
    """Measure each call side by side with a sort of the same scores in one thread."""
    problem = normal(n_rows, n_classes)
    # Otherwise small problems would run as plain Python until compiling pays off.
    with running_kernels_as("compiled"), sorting(problem.scores) as sort:
        for objective, threads in CALLS:
            call = partial(optimal_thresholds, problem.scores, problem.labels, objective=objective)
            clocks = {"sort": sort, "call": clock(partial(call, n_jobs=threads))}
            seconds = side_by_side(clocks, effort)
            yield {
                "objective": objective,
                "threads": threads,
                "seconds": seconds["call"],
                "over_sort": seconds["call"] / seconds["sort"],
            }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="the number of rows")
    parser.add_argument("--classes", type=int, default=10, help="the number of classes")
    parser.add_argument("--seconds", type=float, default=0.3, help="the least time for each call")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    arguments = parser.parse_args()
    if not 2 <= arguments.classes <= arguments.rows:
        parser.error("--classes must be 2 or more, and not more than --rows.")
    rows = run(arguments.rows, arguments.classes, Effort(rounds=2, seconds=arguments.seconds))
    if arguments.json:
        sizes = {"rows": arguments.rows, "classes": arguments.classes}
        print(json.dumps({"machine": describe_machine(), **sizes, "calls": list(rows)}, indent=2))
        return
    print(f"{arguments.rows:,} rows, {arguments.classes} classes. {describe_machine()}")
    print(f"{'objective':20}{'threads':>12}{'time':>12}{'over np.sort':>16}")
    for row in rows:
        threads = "all cores" if row["threads"] == -1 else row["threads"]
        milliseconds = f"{1000 * row['seconds']:.3g} ms"
        print(f"{row['objective']:20}{threads:>12}{milliseconds:>12}{row['over_sort']:>16.3g}")


if __name__ == "__main__":
    main()
