"""Headline numbers, each with the value that is required (`must`) and the value aimed at (`aim`).

Times are relative to `np.sort(scores)` in its fastest implementation, for whole calls on unsorted
float32 scores and small integer labels, in one thread unless stated otherwise.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import ordcut
from benchmarks import data, hard
from benchmarks.data import Problem
from benchmarks.memory import peak_extra_bytes
from benchmarks.rounders import quick_kappa, search, sklearn_kappa
from benchmarks.table1 import DATA_SETS
from benchmarks.timing import FULL, QUICK, best_of, clock, side_by_side, sorting

Row = dict[str, Any]
MILLION = 1_000_000


def run(quick: bool) -> Iterator[Row]:
    scale = 1_000 if quick else 1
    yield from _absolute(MILLION // scale, quick)
    yield from _ten_million(10 * MILLION // scale, quick)
    yield from _paper_sizes(scale, quick)
    yield from _other_costs(MILLION // scale, quick)
    yield from _kappa(MILLION // scale, quick)
    yield from _hard(quick)


def row_of(work: str, value: float, must: float, aim: float | None, at_least: bool = False) -> Row:
    def met(limit: float | None) -> str:
        if limit is None:
            return ""
        return "yes" if (value >= limit if at_least else value <= limit) else "no"

    return {
        "work": work,
        "value": value,
        "bound": "at least" if at_least else "at most",
        "must": must,
        "must met": met(must),
        "aim": aim,
        "aim met": met(aim),
    }


def call_of(problem: Problem, **options: Any) -> Callable[[], ordcut.Thresholds]:
    options = {"n_jobs": 1, **options}
    return partial(ordcut.optimal_thresholds, problem.scores, problem.labels, **options)


def over_sort(problem: Problem, calls: dict[str, Callable], quick: bool) -> dict[str, float]:
    with sorting(problem.scores) as sort:
        clocks = {name: clock(call) for name, call in calls.items()}
        seconds = side_by_side({"sort": sort, **clocks}, QUICK if quick else FULL)
    return {name: seconds[name] / seconds["sort"] for name in calls}


def _absolute(n: int, quick: bool) -> Iterator[Row]:
    problem = data.normal(n, 10)
    ratio = over_sort(problem, {"one": call_of(problem)}, quick)
    yield row_of(f"absolute, K = 10, n = {n}", ratio["one"], 0.9, 0.45)


def _ten_million(n: int, quick: bool) -> Iterator[Row]:
    problem = data.normal(n, 10)
    calls = {
        "one": call_of(problem),
        "two": call_of(problem, n_jobs=2),
        "read": lambda: (problem.scores.sum(), problem.labels.sum()),
    }
    ratio = over_sort(problem, calls, quick)
    peak = peak_extra_bytes(calls["one"]) / problem.n_bytes
    yield row_of(f"absolute, K = 10, n = {n}", ratio["one"], 0.9, 0.45)
    yield row_of(f"absolute, K = 10, n = {n}, 2 threads", ratio["two"], 0.55, 0.25)
    over_read = ratio["two"] / ratio["read"]
    yield row_of(f"time over a plain read, n = {n}, 2 threads", over_read, 6, 3)
    yield row_of(f"peak extra memory over input, n = {n}", peak, 1, 0.25)


def _paper_sizes(scale: int, quick: bool) -> Iterator[Row]:
    must = {"absolute": (4.0, 3.0, 2.5), "zero_one": (20, 14, 10)}
    aim = {"absolute": 1.5, "zero_one": 6}
    for i, (name, (n, n_classes)) in enumerate(DATA_SETS.items()):
        problem = data.normal(max(n // scale, 10 * n_classes), n_classes)
        calls = {objective: call_of(problem, objective=objective) for objective in must}
        for objective, ratio in over_sort(problem, calls, quick).items():
            yield row_of(f"{objective}, {name}", ratio, must[objective][i], aim[objective])


def _other_costs(n: int, quick: bool) -> Iterator[Row]:
    problem = data.normal(n, 10)
    costs: dict[str, str | np.ndarray] = {
        "squared": "squared",
        "random convex matrix": data.random_convex_cost(10),
    }
    calls = {name: call_of(problem, objective=cost) for name, cost in costs.items()}
    for name, ratio in over_sort(problem, calls, quick).items():
        yield row_of(f"{name}, K = 10, n = {n}", ratio, 1.1, 0.6)


def _kappa(n: int, quick: bool) -> Iterator[Row]:
    problem = data.on_label_scale(n, 5)
    call = call_of(problem, objective="quadratic_kappa")
    with sorting(problem.scores) as sort:
        effort = QUICK if quick else FULL
        seconds = side_by_side({"sort": sort, "kappa": clock(call)}, effort)
    ratio = seconds["kappa"] / seconds["sort"]
    yield row_of(f"quadratic kappa, K = 5, n = {n}", ratio, 1.5, 0.7)
    for name, kappa in {"scikit-learn's": sklearn_kappa, "a quick": quick_kappa}.items():
        # A search takes long and makes many calls, so it needs no warm-up.
        _, slow = best_of(partial(search, "Nelder-Mead", kappa, problem), effort)
        work = f"the same, times faster than Nelder-Mead with {name} kappa"
        yield row_of(work, slow / seconds["kappa"], 500, None, at_least=True)


def _hard(quick: bool) -> Iterator[Row]:
    rows = [row for row in hard.run(quick) if row["objective"] == "absolute"]
    worst = max(rows, key=lambda row: row["over sort"])
    work = f"worst of the hard data, n = {worst['n']}: {worst['data']}"
    yield row_of(work, worst["over sort"], 6, 2.5)
