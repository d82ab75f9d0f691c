"""The protocol of every time: a warm-up, then the best of several rounds, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias

#: Does the work once and returns how many seconds it took.
Clock: TypeAlias = Callable[[], float]

#: Calls of one clock in a row, so that the second finds its data where the first left them.
IN_A_ROW = 2


@dataclass(frozen=True)
class Effort:
    """How long to measure: some rounds at least, and more until the seconds a clock are spent."""

    rounds: int
    seconds: float


FULL = Effort(rounds=3, seconds=1.0)
QUICK = Effort(rounds=1, seconds=0.0)


def clock(call: Callable[[], Any]) -> Clock:
    """Make a clock of a call.

    Examples
    --------
    >>> clock(lambda: sum(range(10)))() < 1
    True
    """

    def seconds() -> float:
        start = perf_counter()
        call()
        return perf_counter() - start

    return seconds


def side_by_side(clocks: Mapping[str, Clock], effort: Effort) -> dict[str, float]:
    """Return the best seconds of each clock.

    Rounds go through all clocks in turn, so that a slow spell of the machine hits all alike.
    """
    for seconds in clocks.values():
        seconds()  # compiles, imports and touches memory outside the measurement
    best = dict.fromkeys(clocks, float("inf"))
    start, n_rounds = perf_counter(), 0
    while n_rounds < effort.rounds or perf_counter() - start < effort.seconds * len(clocks):
        n_rounds += 1
        for name, seconds in clocks.items():
            best[name] = min(best[name], *(seconds() for _ in range(IN_A_ROW)))
    return best


def best_of(call: Callable[[], Any], effort: Effort) -> tuple[Any, float]:
    """Return a call's result and its best seconds, for rivals too slow to warm up and repeat.

    Repeats while the seconds of the effort last; the caller has warmed up, on less data if need be.
    """
    best, start = float("inf"), perf_counter()
    while True:
        before = perf_counter()
        result = call()
        best = min(best, perf_counter() - before)
        if perf_counter() - start >= effort.seconds:
            return result, best
