"""The paper's Table 1, the part about thresholds, at the sizes of its data sets (absolute loss).

Milliseconds of each process as the paper's literal Python loops (~ marks a time extrapolated from
a sample), in plain NumPy and in ordcut. P2-P3 sort and group the rows, P4-P5 sum the losses and
compute the candidates; dp is Algorithm 2, io and pio are Algorithm 3 in one thread and in one
thread per core, blocks is Algorithm 4, with a block per thread or (b) with b blocks. These start
from prepared data; the whole calls start from unsorted scores. `over sort` is ordcut's time
relative to `np.sort(scores)`. `2 threads` is the measured speed-up of two threads over one, for
what has threads.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import ordcut
from benchmarks import data, literal_loops, methods, plain_numpy
from benchmarks.timing import FULL, QUICK, clock, side_by_side, sorting
from ordcut._core.numerics.threads import count_cores

#: Training rows and classes of the paper's data sets.
DATA_SETS = {"MORPH-2": (49_512, 55), "CACD": (143_462, 49), "AFAD": (147_976, 26)}
N_BLOCKS = (2, 3, 4)


def run(quick: bool) -> Iterator[dict[str, Any]]:
    for name, (n, n_classes) in DATA_SETS.items():
        problem = data.normal(n // 100 if quick else n, n_classes)
        yield from _run_one(name, problem, quick)


def _run_one(name: str, problem: data.Problem, quick: bool) -> Iterator[dict[str, Any]]:
    by_numpy, by_ordcut = numpy_calls(problem), ordcut_calls(problem)
    check_agreement(problem, by_numpy, by_ordcut)
    clocks = {("NumPy", process): clock(call) for process, call in by_numpy.items()}
    clocks |= {("ordcut", process): clock(call) for process, call in by_ordcut.items()}
    for n_threads in (1, 2):
        threaded = threaded_calls(problem, n_threads)
        clocks |= {(n_threads, process): clock(call) for process, call in threaded.items()}
    with sorting(problem.scores) as sort:
        seconds = side_by_side({"sort": sort, **clocks}, QUICK if quick else FULL)
    in_loops = time_loops(problem)
    for process in dict.fromkeys(["P2-P3", "P2-P3 with a dictionary", *by_ordcut]):
        loops, is_extrapolated = in_loops.get(process, (None, False))
        ours = seconds.get(("ordcut", process))
        one_thread = seconds.get((1, process))
        yield {
            "data set": name,
            "n": len(problem.scores),
            "K": problem.n_classes,
            "process": process,
            "loops ms": _ms(loops),
            "extrapolated": "~" if is_extrapolated else "",
            "NumPy ms": _ms(seconds.get(("NumPy", process))),
            "ordcut ms": _ms(ours),
            "over sort": ours and ours / seconds["sort"],
            "2 threads": one_thread and one_thread / seconds[2, process],
        }


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else 1000 * seconds


def ordcut_calls(problem: data.Problem) -> dict[str, Callable[[], Any]]:
    table = ordcut.ScoreTable(problem.scores, problem.labels)
    whole = partial(ordcut.optimal_thresholds, problem.scores, problem.labels)
    calls: dict[str, Callable[[], Any]] = {
        "P2-P3": lambda: ordcut.ScoreTable(problem.scores, problem.labels),
        "P4-P5": lambda: (table.loss_sums("absolute"), table.candidates),
    }
    for method in methods.ALL:
        solve = partial(table.solve, "absolute", method)
        if method == "blocks":
            calls["blocks"] = solve
            for b in N_BLOCKS:
                size = -(-(len(table.scores) + 1) // b)
                calls[f"blocks ({b})"] = partial(solve, block_size=size)
        elif method != "pruned":  # which does not start from sorted data
            calls[method] = solve
    calls |= {f"whole: {method}": partial(whole, method=method) for method in methods.ALL}
    return {**calls, "whole: zero-one, auto": partial(whole, objective="zero_one")}


def threaded_calls(problem: data.Problem, n_jobs: int) -> dict[str, Callable[[], Any]]:
    """Return the processes that have threads, with so many of them."""
    table = ordcut.ScoreTable(problem.scores, problem.labels)
    whole = partial(ordcut.optimal_thresholds, problem.scores, problem.labels, n_jobs=n_jobs)
    return {
        "P4-P5": lambda: (table.loss_sums("absolute", n_jobs=n_jobs), table.candidates),
        **{m: partial(table.solve, "absolute", m, n_jobs=n_jobs) for m in ("pio", "blocks")},
        **{f"whole: {m}": partial(whole, method=m) for m in ("pio", "blocks", "pruned")},
    }


def numpy_calls(problem: data.Problem) -> dict[str, Callable[[], Any]]:
    cost = ordcut.resolve_objective("absolute", problem.n_classes).cost
    n_threads = count_cores()
    groups = plain_numpy.sort_and_group(problem.scores, problem.labels)
    losses, _ = plain_numpy.losses_and_candidates(*groups, cost)

    def whole(solve: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        groups = plain_numpy.sort_and_group(problem.scores, problem.labels)
        return solve(plain_numpy.losses_and_candidates(*groups, cost)[0])

    return {
        "P2-P3": lambda: plain_numpy.sort_and_group(problem.scores, problem.labels),
        "P4-P5": lambda: plain_numpy.losses_and_candidates(*groups, cost),
        "dp": lambda: plain_numpy.dynamic_programme(losses),
        "io": lambda: plain_numpy.independent(losses),
        "pio": lambda: plain_numpy.independent_in_threads(losses, n_threads),
        **{f"blocks ({b})": partial(plain_numpy.in_blocks, losses, b, n_threads) for b in N_BLOCKS},
        "whole: dp": lambda: whole(plain_numpy.dynamic_programme),
        "whole: io": lambda: whole(plain_numpy.independent),
    }


def time_loops(problem: data.Problem) -> dict[str, tuple[float, bool]]:
    """Time the loops, and check the thresholds of those that are run in full."""
    right = cuts_of(ordcut.optimal_thresholds(problem.scores, problem.labels).thresholds, problem)
    times = {}
    for name, process in literal_loops.PROCESSES.items():
        seconds, is_extrapolated, result = literal_loops.run(process, problem)
        if not (name.startswith("P") or is_extrapolated):
            assert (cuts_of(result, problem) == right).all(), f"the loops of {name} disagree"
        times[name] = seconds, is_extrapolated
    return times


def check_agreement(problem: data.Problem, by_numpy: dict, by_ordcut: dict) -> None:
    """Check that all calls find the same thresholds before their times are compared."""
    right = cuts_of(ordcut.optimal_thresholds(problem.scores, problem.labels).thresholds, problem)
    for name, call in by_numpy.items():
        if not name.startswith("P"):
            assert (call() == right).all(), f"NumPy's {name} disagrees"
    for name, call in by_ordcut.items():
        if not (name.startswith("P") or "zero-one" in name):
            assert (cuts_of(call().thresholds, problem) == right).all(), f"{name} disagrees"


def cuts_of(thresholds: Any, problem: data.Problem) -> np.ndarray:
    """Return the distinct score next above each threshold, however its midpoint was rounded."""
    return np.searchsorted(np.unique(problem.scores).astype(np.float64), thresholds)
