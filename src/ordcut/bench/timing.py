"""How times are measured: clocks side by side, the sort they are relative to, and the machine."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from ordcut.threads import count_cores
from ordcut.typing import Array

#: The packages whose versions go with a time.
PACKAGES = ["ordcut", "numpy", "numba", "scipy", "scikit-learn"]

#: Does the work once and returns how many seconds it took.
Clock: TypeAlias = Callable[[], float]

#: Calls of one clock in succession, so that the second finds its data in cache.
IN_SUCCESSION = 2


@dataclass(frozen=True)
class Effort:
    """How long to measure: at least some rounds, and more until each clock had its seconds."""

    rounds: int
    seconds: float


FULL = Effort(rounds=3, seconds=1.0)
QUICK = Effort(rounds=1, seconds=0.0)


def clock(call: Callable[[], Any]) -> Clock:
    """Return a clock of a call.

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
    """Return a call's result and its best seconds, for calls too slow to warm up and repeat.

    It repeats while the seconds of the effort last. The caller warms up, on less data if need be.
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

#: Sorts the scores in a file once for each line of standard input, and prints the seconds.
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
def sorting(scores: Array) -> Iterator[Clock]:
    """Give a clock of ``np.sort(scores)`` by the fastest code path that the machine has.

    On some processors NumPy's AVX-512 sort, the default, is several times slower than its AVX2
    sort, and comparing with the slow one would flatter. A process decides on its code path when it
    imports NumPy, so each path runs in a process of its own. The clock sorts once by every path and
    returns the least seconds.

    Examples
    --------
    >>> with sorting(np.array([3.0, 1.0, 2.0])) as sort:
    ...     sort() < 1
    True
    """
    with TemporaryDirectory() as folder, ExitStack() as stack:
        file = Path(folder) / "scores.npy"
        np.save(file, scores)
        processes = [stack.enter_context(_sorting_process(file, e)) for e in SORT_ENVIRONMENTS]
        working = [process for process in processes if process is not None]
        yield lambda: min(_sort_once(process) for process in working)


@contextmanager
def _sorting_process(
    file: Path, environment: dict[str, str]
) -> Iterator[subprocess.Popen[str] | None]:
    """Start a process that sorts; None if NumPy refuses to start in that environment."""
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


def describe_machine() -> str:
    """Return one line about this machine, for the head of a report.

    Examples
    --------
    >>> "cores; " in describe_machine() and "numpy " in describe_machine()
    True
    """
    packages = [*PACKAGES, "torch"] if "torch" in sys.modules else PACKAGES
    versions = ", ".join(f"{name} {_version(name)}" for name in packages)
    return (
        f"{_processor()}, {count_cores()} cores; {platform.system()}, "
        f"Python {platform.python_version()}, {versions}."
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(none)"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(": ")[1] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration, IndexError):
        return platform.processor() or platform.machine()
