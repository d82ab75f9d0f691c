"""The yardstick: ``np.sort(scores)`` by the fastest code path that the machine has.

On some processors NumPy's AVX-512 sort, the default, is several times slower than its AVX2 sort,
and beating the slow one would prove nothing. A process decides on its code path when it imports
NumPy, so each path gets a process of its own, which sorts whenever it is asked to.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ordcut.arrays import Array
from ordcut.bench.timing import Clock, clock

#: Environments that lead to different code paths. The second turns AVX-512 off, by its name since
#: NumPy 2.4 and by the one before; NumPy ignores names that it or the processor does not know.
PATHS: list[dict[str, str]] = [{}, {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_SKX"}]


@contextmanager
def sorting(scores: Array) -> Iterator[Clock]:
    """Give a clock that sorts the scores once by every code path and returns the least seconds.

    Examples
    --------
    >>> with sorting(np.array([3.0, 1.0, 2.0])) as sort:
    ...     sort() < 1
    True
    """
    with TemporaryDirectory() as folder, ExitStack() as stack:
        file = Path(folder) / "scores.npy"
        np.save(file, scores)
        processes = [stack.enter_context(_sorting_process(file, path)) for path in PATHS]
        working = [process for process in processes if process is not None]
        yield lambda: min(_sort_once(process) for process in working)


@contextmanager
def _sorting_process(file: Path, path: dict[str, str]) -> Iterator[subprocess.Popen[str] | None]:
    """Start a process that sorts; None if NumPy refuses to start in that environment."""
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", **path}
    process = subprocess.Popen(
        [sys.executable, "-m", "ordcut.bench.sorting", str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
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


def _serve(file: str) -> None:
    scores = np.load(file)
    sort = clock(lambda: np.sort(scores))
    print("ready", flush=True)
    for _ in sys.stdin:
        print(sort(), flush=True)


if __name__ == "__main__":
    _serve(sys.argv[1])
