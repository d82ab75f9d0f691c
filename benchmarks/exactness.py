"""Problems made to break arithmetic, against a brute force in fractions.

Costs and weights from 1e-300 to 1e300, near ties, costs that mean "never", tenths and sevenths,
mixed at random; up to eight rows and four classes, so that all ordered labelings can be tried in
`fractions.Fraction`. `additive` are cost matrices of any shape, and `kappa` kappas with such
weights: every method must return the lowest optimum, or refuse the problem with an error. `row
costs` are costs of each row, entries below 0 among them, and `balanced` weigh all classes the same,
with weights of the rows of any kind. `constraints` have one or two random limits, on costs or on
kappas, and must keep them exactly at the least cost, or be refused because no thresholds keep them.
`gaps` have a gap between thresholds, alone or with another limit: all real thresholds are compared.
`scores with class weights` are macro-F1 and its like, `near-optimal ranges within limits` keep a
minimum F1 and other limits at every position, and `costs of constraints` are the differences to the
best values without each. `limits for groups` are about the rows of a group, and `populations` have
given shares of the classes, both on arrays and in DuckDB, Polars and pandas. `bands` of an outcome
have up to 12 rows and five bands, and two in three have limits; `bands in cells` are searched as if
there were many rows.
`solved` counts problems that at least one method solved, `results` the results of single methods,
all of which were compared with the brute force. The others were drawn with costs that are not
finite, or were refused.

`make bench-exact` repeats them.
"""

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.reports import shown, write_csv, write_markdown
from tests.bands.problems import check as check_bands
from tests.bands.problems import check_in_cells
from tests.limits.adversarial_groups import check_groups
from tests.limits.adversarial_limits import check_gaps, check_limits
from tests.limits.adversarial_populations import check_populations
from tests.limits.adversarial_scores import (
    check_balanced_scores,
    check_constraint_costs,
    check_near_optimal,
)
from tests.solvers.adversarial import check_additive, check_balanced, check_kappa, check_row_costs

#: How many problems there are of each kind; those that engines solve, too, take longer.
N_PROBLEMS, N_IN_ENGINES = 20_000, 5_000

#: What is checked, and the seed of the first problem.
CHECKS = {
    "additive": (check_additive, 0),
    "kappa": (check_kappa, 10**6),
    "constraints": (check_limits, 2 * 10**6),
    "row costs": (check_row_costs, 3 * 10**6),
    "balanced": (check_balanced, 4 * 10**6),
    "gaps": (check_gaps, 5 * 10**6),
    "scores with class weights": (check_balanced_scores, 6 * 10**6),
    "near-optimal ranges within limits": (check_near_optimal, 7 * 10**6),
    "costs of constraints": (check_constraint_costs, 8 * 10**6),
    "limits for groups": (check_groups, 9 * 10**6),
    "populations": (check_populations, 10 * 10**6),
    "bands": (check_bands, 11 * 10**6),
    "bands in cells": (check_in_cells, 12 * 10**6),
}

#: What is checked in engines, too.
IN_ENGINES = (check_groups, check_populations)


def run(quick: bool, n_jobs: int | None = None) -> Iterator[dict[str, Any]]:
    for name, (check, first) in CHECKS.items():
        n_problems = N_IN_ENGINES if check in IN_ENGINES else N_PROBLEMS
        n_problems = 40 if quick else n_problems
        with ProcessPoolExecutor(n_jobs) as pool:
            seeds = range(first, first + n_problems)
            found = list(pool.map(judge, [check] * n_problems, seeds, chunksize=100))
        yield {
            "problems": name,
            "drawn": n_problems,
            "solved": sum(number > 0 for number in found),
            "results": sum(max(0, number) for number in found),
            "wrong": found.count(-1),
        }


def judge(check: Callable[[int], int], seed: int) -> int:
    """Return how many results of a problem are right; -1 if any is wrong, with a message."""
    try:
        return int(check(seed))
    except Exception as error:  # a crash is as wrong as a wrong result
        print(f"{check.__name__}({seed}): {type(error).__name__}: {error}", flush=True)
        return -1


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exactness", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few problems, to check that it runs")
    parser.add_argument("--jobs", type=int, help="the number of processes; all cores by default")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    rows = []
    for row in run(arguments.quick, arguments.jobs):
        print(" | ".join(map(shown, row.values())), flush=True)
        rows.append(row)
    arguments.output.mkdir(parents=True, exist_ok=True)
    write_csv(rows, arguments.output / "exactness.csv")
    write_markdown(rows, __doc__, None, arguments.output / "exactness.md")
    if any(row["wrong"] for row in rows):
        raise SystemExit("Some results are wrong: see the messages above.")


if __name__ == "__main__":
    main()
