"""Measure one engine in a process of its own, for one objective.

``python -m benchmarks.frames.one ENGINE FOLDER ROUNDS OBJECTIVE`` prints one line of JSON. The peak
memory of the process is then that of one engine.
"""

import json
import re
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.frames.engines import ENGINES
from ordcut import frames
from ordcut.frames.engine import Engine


def measure(engine: str, folder: Path, rounds: int, objective: str) -> dict[str, Any]:
    columns = {"score": "score", "label": "label"}
    rows_out: list[int] = []
    fetch = Engine.fetch

    def fetch_and_count(self: Engine, *args: Any, **options: Any) -> Any:
        found = fetch(self, *args, **options)
        rows_out[-1] += len(found["score"])
        return found

    Engine.fetch = fetch_and_count  # type: ignore[method-assign]
    with ENGINES[engine](folder) as bench:
        plain, ours = float("inf"), float("inf")
        for _ in range(rounds + 1):  # the first one is a warm-up, and is not the best
            start = perf_counter()
            bench.plain()
            plain = min(plain, perf_counter() - start)
            rows_out.append(0)
            start = perf_counter()
            found = frames.optimal_thresholds(bench.frame(), objective=objective, **columns)
            ours = min(ours, perf_counter() - start)
        peak = peak_memory()
        judged = frames.evaluate(bench.frame(), found, **columns)
    assert judged.value == found.value
    n_rows = int(judged.confusion.sum())
    return {
        "engine": engine,
        "objective": objective,
        "rows": n_rows,
        "plain group-by, s": plain,
        "thresholds, s": ours,
        "over plain": ours / plain,
        "passes": found.passes,
        "rows out": max(rows_out),
        "rows out, %": 100 * max(rows_out) / n_rows,
        "peak of the process, MiB": peak,
        "value": found.value,
    }


def peak_memory() -> float:
    """Return the peak memory of this process in MiB; getrusage includes its parent's."""
    status = Path("/proc/self/status").read_text()
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    return float(found[1]) / 1024 if found else float("nan")


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4])))
