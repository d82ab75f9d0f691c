"""Threshold paths: the time per point, relative to sorting the scores and to separate calls."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import ordcut
from benchmarks import data
from benchmarks.timing import FULL, QUICK, clock, side_by_side, sorting
from ordcut.studies.paths import FACTORS

N_CLASSES = 10


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for n in [2_000] if quick else [100_000, 1_000_000]:
        problem = data.normal(n, N_CLASSES)
        rows = problem.scores, problem.labels
        with sorting(problem.scores) as sort:
            for objective in ("absolute", "zero_one", "quadratic_kappa"):
                clocks = {
                    "path": clock(partial(ordcut.asymmetry_path, *rows, objective=objective)),
                    "calls": clock(partial(_calls, problem, objective)),
                }
                seconds = side_by_side({"sort": sort, **clocks}, QUICK if quick else FULL)
                yield {
                    "n": n,
                    "K": N_CLASSES,
                    "objective": objective,
                    "points": len(FACTORS),
                    "seconds": seconds["path"],
                    "point over sort": seconds["path"] / len(FACTORS) / seconds["sort"],
                    "over separate calls": seconds["path"] / seconds["calls"],
                }


def _calls(problem: data.Problem, objective: str) -> list[ordcut.Thresholds]:
    base = ordcut.resolve_objective(objective, problem.n_classes)
    return [
        ordcut.optimal_thresholds(problem.scores, problem.labels, objective=base.asymmetric(factor))
        for factor in FACTORS
    ]
