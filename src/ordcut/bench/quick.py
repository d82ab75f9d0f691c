"""What ``ordcut bench`` measures: whole calls on a million rows, as ratios to ``np.sort``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ordcut.api import optimal_thresholds
from ordcut.bench.problems import Problem, normal
from ordcut.bench.sorting import sorting
from ordcut.bench.timing import Clock, Effort, clock, side_by_side
from ordcut.jit import running_kernels_as

#: The calls that are measured: an objective, and -1 for as many threads as there are cores.
CALLS = [
    ("absolute", 1),
    ("absolute", -1),
    ("squared", 1),
    ("quadratic_kappa", 1),
    ("zero_one", 1),
]


@dataclass(frozen=True)
class Measurement:
    """How long one call took, and how many times the sort of the scores that is."""

    objective: str
    threads: int
    seconds: float
    over_sort: float


def measure(n_rows: int, n_classes: int, effort: Effort) -> Iterator[Measurement]:
    """Measure every call side by side with a sort of the same float32 scores, in one thread.

    Examples
    --------
    >>> [one.objective for one in measure(1000, 5, Effort(rounds=1, seconds=0))][:2]
    ['absolute', 'absolute']
    """
    problem = normal(n_rows, n_classes)
    # Small problems would otherwise run as plain Python until they have paid for a compile.
    with running_kernels_as("compiled"), sorting(problem.scores) as sort:
        for objective, threads in CALLS:
            clocks = {"sort": sort, "call": _clock(problem, objective, threads)}
            seconds = side_by_side(clocks, effort)
            ratio = seconds["call"] / seconds["sort"]
            yield Measurement(objective, threads, seconds["call"], ratio)


def _clock(problem: Problem, objective: str, threads: int) -> Clock:
    call = partial(optimal_thresholds, objective=objective, n_jobs=threads)
    return clock(lambda: call(problem.scores, problem.labels))
