"""The time of the paper's algorithms as literal Python loops, if need be extrapolated."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.data import Problem
from benchmarks.timing import clock
from experiments import literal

#: Runs that would take more seconds than this are extrapolated from one on the first rows.
LONGEST_RUN = 20.0
SAMPLE = 1_000
LONGEST_SAMPLE_RUN = 1.0


@dataclass(frozen=True)
class Process:
    """A process of the paper's Table 1: how to prepare it for some rows, and how its time grows."""

    prepare: Callable[[Problem, int], Callable[[], Any]]
    power: int


def run(process: Process, problem: Problem) -> tuple[float, bool, Any]:
    """Return the seconds of a process, whether they are extrapolated, and the result if not."""
    n = len(problem.scores)
    n_rows = min(n, SAMPLE)
    while True:
        call = process.prepare(problem, n_rows)
        results: list[Any] = []
        seconds = clock(lambda call=call, results=results: results.append(call()))()
        if n_rows == n:
            return seconds, False, results[0]
        expected = seconds * (n / n_rows) ** process.power
        if expected <= LONGEST_RUN:
            n_rows = n
        elif seconds >= LONGEST_SAMPLE_RUN:
            return expected, True, None
        else:
            n_rows = min(n, 2 * n_rows)


def _loss(k: int, y: int) -> int:
    return abs(k - y)


def _rows(problem: Problem, n_rows: int) -> tuple[list[float], list[int]]:
    """Return the first rows as Python numbers, with the paper's labels 1..K."""
    return problem.scores[:n_rows].tolist(), (problem.labels[:n_rows].astype(int) + 1).tolist()


def _sort_and_group(group: Callable, problem: Problem, n_rows: int) -> Callable[[], Any]:
    return partial(group, *_rows(problem, n_rows))


def _losses(problem: Problem, n_rows: int) -> Callable[[], Any]:
    a, groups = literal.group_with_dictionary(*_rows(problem, n_rows))
    return partial(_losses_and_candidates, a, groups, problem.n_classes)


def _losses_and_candidates(a: list, groups: list, n_classes: int) -> tuple[list, list]:
    return literal.losses(groups, n_classes, _loss), literal.candidates(a)


def _solve(algorithm: Callable, problem: Problem, n_rows: int) -> Callable[[], Any]:
    losses, candidates = _losses(problem, n_rows)()
    return partial(algorithm, losses, candidates, problem.n_classes)


def _in_blocks(n_blocks: int, losses: list, candidates: list, n_classes: int) -> list[float]:
    return literal.further_parallelised(losses, candidates, n_classes, n_blocks)


PROCESSES: dict[str, Process] = {
    "P2-P3": Process(partial(_sort_and_group, literal.group), power=2),
    "P2-P3 with a dictionary": Process(
        partial(_sort_and_group, literal.group_with_dictionary), power=1
    ),
    "P4-P5": Process(_losses, power=1),
    "dp": Process(partial(_solve, literal.dynamic_programme), power=1),
    "io": Process(partial(_solve, literal.independent_optimisation), power=1),
    **{
        f"blocks ({b})": Process(partial(_solve, partial(_in_blocks, b)), power=1)
        for b in (2, 3, 4)
    },
}
