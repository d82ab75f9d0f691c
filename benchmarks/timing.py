"""Measure times side by side, and that of the sort which they are relative to."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

#: A function that does the work once and returns how many seconds it took.
Clock: TypeAlias = Callable[[], float]

#: Calls of one clock in succession, so that the second finds its data in cache.
IN_SUCCESSION = 2


@dataclass(frozen=True)
class Effort:
    """How long to measure: at least ``rounds``, and until each clock has run for ``seconds``."""

    rounds: int
    seconds: float


FULL = Effort(rounds=3, seconds=1.0)
QUICK = Effort(rounds=1, seconds=0.0)


def clock(call: Callable[[], Any]) -> Clock:
    """Return a clock of a call."""

    def seconds() -> float:
        start = perf_counter()
        call()
        return perf_counter() - start

    return seconds


def side_by_side(clocks: Mapping[str, Clock], effort: Effort) -> dict[str, float]:
    """Return the best seconds of each clock, after a call of each to warm up.

    Each round goes through all clocks, so that a slow phase of the machine affects all alike.
    """
    for seconds in clocks.values():
        seconds()  # compiles, imports and touches memory outside the measurement
    best = dict.fromkeys(clocks, float("inf"))
    start, n_rounds = perf_counter(), 0
    while n_rounds < effort.rounds or perf_counter() - start < effort.seconds * len(clocks):
        n_rounds += 1
        for name, seconds in clocks.items():
            best[name] = min(best[name], *(seconds() for _ in range(IN_SUCCESSION)))
    return best


def best_of(call: Callable[[], Any], effort: Effort) -> tuple[Any, float]:
    """Return the result of a call and its best seconds, without a call to warm up.

    The call is repeated until the seconds of the effort have passed. Warm up on less data first.
    """
    best, start = float("inf"), perf_counter()
    while True:
        before = perf_counter()
        result = call()
        best = min(best, perf_counter() - before)
        if perf_counter() - start >= effort.seconds:
            return result, best


#: Environments that lead to different code paths of NumPy. The second turns AVX-512 off, by its
#: name since NumPy 2.4 and by the one before; NumPy ignores names that it or the processor does not
#: know.
SORT_ENVIRONMENTS: list[dict[str, str]] = [
    {},
    {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_SKX"},
]

#: A program that sorts the scores in a file for each line of its input, and prints the seconds.
SORT_PROGRAM = """
import sys
from time import perf_counter
import numpy as np
scores = np.load(sys.argv[1])
print("ready", flush=True)
for _ in sys.stdin:
    start = perf_counter()
    np.sort(scores)
    print(perf_counter() - start, flush=True)
"""


@contextmanager
def sorting(scores: np.ndarray) -> Iterator[Clock]:
    """Yield a clock of ``np.sort(scores)`` by the fastest code path of the machine.

    On some processors NumPy's AVX-512 sort, the default, is several times slower than its AVX2
    sort, and ratios to the slow one would look too good. A process chooses its code path when it
    imports NumPy, so each path runs in a process of its own. The clock sorts once by every path and
    returns the least seconds.
    """
    with TemporaryDirectory() as folder, ExitStack() as stack:
        file = Path(folder) / "scores.npy"
        np.save(file, scores)
        processes = [
            stack.enter_context(_sorting_process(file, environment))
            for environment in SORT_ENVIRONMENTS
        ]
        running = [process for process in processes if process is not None]
        yield lambda: min(_sort_once(process) for process in running)


@contextmanager
def _sorting_process(
    file: Path, environment: dict[str, str]
) -> Iterator[subprocess.Popen[str] | None]:
    """Yield a process that sorts, or None if NumPy does not start in that environment."""
    process = subprocess.Popen(
        [sys.executable, "-c", SORT_PROGRAM, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore", **environment},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        is_ready = process.stdout.readline() != ""
        yield process if is_ready else None
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def _sort_once(process: subprocess.Popen[str]) -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("sort\n")
    process.stdin.flush()
    return float(process.stdout.readline())
