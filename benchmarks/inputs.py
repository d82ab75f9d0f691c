"""Common inputs: float64 scores, int64 or text labels, weights, zero-one loss, few rows.

Times are relative to `np.sort(scores)` in its fastest implementation, for whole calls in one thread
unless stated otherwise; K = 5 unless stated otherwise. `must` is required, `aim` is aimed at. Two
threads of "blocks" gain less than required on the paper's three data sets, and enough on 10^6 rows.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

import ordcut
from benchmarks import data, distributions
from benchmarks.headline import Row, call_of, over_sort, row_of
from benchmarks.memory import peak_extra_bytes
from benchmarks.table1 import DATA_SETS
from benchmarks.timing import FULL, QUICK, clock, side_by_side

SIZES = (10**5, 10**6, 10**7)


def run(quick: bool) -> Iterator[Row]:
    scale = 1_000 if quick else 1
    yield from _prepared(scale, quick)
    for i, n in enumerate(SIZES):
        yield from _float64(i, n // scale, quick)
    yield from _float32(10**7 // scale, quick)
    yield from _log_normal(10**6 // scale, quick)
    yield from _distributions(quick)
    yield from _text(10**6 // scale, quick)
    yield from _few_rows(quick)
    yield from _smoothing(scale, quick)


def wide(n: int, n_classes: int) -> data.Problem:
    """Return a problem with float64 scores and int64 labels."""
    problem = data.normal(n, n_classes)
    noise = np.random.default_rng(1).normal(size=n) * 1e-9
    scores = problem.scores.astype(np.float64) + noise
    return data.Problem(scores, problem.labels.astype(np.int64), n_classes)


def _prepared(scale: int, quick: bool) -> Iterator[Row]:
    """Threads against one thread, on data that are prepared."""
    must = (4.0, 4.0, 3.5)
    sizes = {**DATA_SETS, "n = 10^6, K = 10": (10**6, 10), "n = 10^6, K = 50": (10**6, 50)}
    for i, (name, (n, n_classes)) in enumerate(sizes.items()):
        problem = data.normal(max(n // scale, 10 * n_classes), n_classes)
        table = ordcut.ScoreTable(problem.scores, problem.labels)
        calls = {
            "io": partial(table.solve, "absolute", "io"),
            "blocks": partial(table.solve, "absolute", "blocks", n_jobs=2),
        }
        ratio = over_sort(problem, calls, quick)
        work = f'"io" over 2-thread "blocks", {name}'
        yield row_of(work, ratio["io"] / ratio["blocks"], 1.6, 1.9, at_least=True)
        if name in DATA_SETS:
            yield row_of(f'"io", prepared, {name}', ratio["io"], must[i], 2)


def _float64(i: int, n: int, quick: bool) -> Iterator[Row]:
    problem = wide(n, 5)
    weights = np.random.default_rng(2).random(n)
    limits = {
        "absolute": ((5, 0.55, 0.42), (3, 0.4, 0.3)),
        "absolute, float weights": ((7, 1.5, 1.0), (4, 0.8, 0.6)),
        "zero_one": ((6, 2, 1.5), (3.5, 1, 0.7)),
        "quadratic_kappa": ((6, 0.85, 0.45), (3, 0.6, 0.35)),
    }
    calls = {
        "absolute": call_of(problem),
        "absolute, float weights": call_of(problem, sample_weight=weights),
        "zero_one": call_of(problem, objective="zero_one"),
        "quadratic_kappa": call_of(problem, objective="quadratic_kappa"),
    }
    if i == 2:
        calls["absolute, 2 threads"] = call_of(problem, n_jobs=2)
        limits["absolute, 2 threads"] = ((0, 0, 0.28), (0, 0, 0.2))
    for name, ratio in over_sort(problem, calls, quick).items():
        must, aim = limits[name]
        yield row_of(f"{name}, float64, n = {n}", ratio, must[i], aim[i])
    if i == 2:
        for name, must, aim in (("absolute", 0.4, 0.25), ("zero_one", 1, 0.4)):
            peak = peak_extra_bytes(calls[name]) / problem.n_bytes
            yield row_of(f"peak extra memory over input, {name}, float64, n = {n}", peak, must, aim)


def _float32(n: int, quick: bool) -> Iterator[Row]:
    problem = data.normal(n, 10)
    ratio = over_sort(problem, {"one": call_of(problem, objective="zero_one")}, quick)
    yield row_of(f"zero_one, float32, K = 10, n = {n}", ratio["one"], 2, 0.9)


def _log_normal(n: int, quick: bool) -> Iterator[Row]:
    problem = data.hard("log-normal", n, 10)
    ratio = over_sort(problem, {"one": call_of(problem)}, quick)
    yield row_of(f"absolute, log-normal float32 scores, K = 10, n = {n}", ratio["one"], 1.8, 1.2)


def _distributions(quick: bool) -> Iterator[Row]:
    """The slowest of the distributions, for each objective and dtype."""
    limits = {"absolute": (2.5, 1.2), "zero_one": (5, 2), "quadratic_kappa": (4, 1.6)}
    rows = list(distributions.rows_of(*distributions.SETTINGS[0], quick))
    for objective, dtype in product(limits, ("float64", "float32")):
        chosen = [row for row in rows if (row["objective"], row["dtype"]) == (objective, dtype)]
        worst = max(chosen, key=lambda row: row["auto over sort"])
        work = f"{objective}, {dtype}, n = {worst['n']}, slowest scores: {worst['scores']}"
        yield row_of(work, worst["auto over sort"], *limits[objective])


def _text(n: int, quick: bool) -> Iterator[Row]:
    problem = wide(n, 5)
    names = np.array(["poor", "fair", "good", "better", "best"])
    labels = names[problem.labels]
    call = partial(
        ordcut.optimal_thresholds, problem.scores, labels, classes=names.tolist(), n_jobs=1
    )
    ratio = over_sort(problem, {"one": call}, quick)
    yield row_of(f"absolute, text labels, float64, n = {n}", ratio["one"], 1.5, 1)


def _few_rows(quick: bool) -> Iterator[Row]:
    problem = wide(1000, 5)
    scores, labels = problem.scores, problem.labels

    def plain() -> np.ndarray:
        order = np.argsort(scores)
        np.cumsum(labels[order])
        return np.searchsorted(scores[order], [-1.0, -0.5, 0.5, 1.0])

    calls = {
        "plain": plain,
        "absolute": call_of(problem),
        "quadratic_kappa": call_of(problem, objective="quadratic_kappa"),
    }
    clocks = {name: clock(call) for name, call in calls.items()}
    seconds = side_by_side(clocks, QUICK if quick else FULL)
    for name, must, aim in (("absolute", 3.5, 2.5), ("quadratic_kappa", 8, 5)):
        work = f"{name}, float64, n = 1000, over argsort, cumsum and searchsorted"
        yield row_of(work, seconds[name] / seconds["plain"], must, aim)


def _smoothing(scale: int, quick: bool) -> Iterator[Row]:
    for n, must, aim in ((3000, 30, 10), (30_000, 10, 5), (3 * 10**6, 8, 3)):
        problem = wide(max(500, n // scale), 5)
        calls = {"plain": call_of(problem), "smoothed": call_of(problem, smoothing="auto")}
        clocks = {name: clock(call) for name, call in calls.items()}
        seconds = side_by_side(clocks, QUICK if quick else FULL)
        work = f'smoothing="auto" over the plain call, float64, n = {n}'
        yield row_of(work, seconds["smoothed"] / seconds["plain"], must, aim)
