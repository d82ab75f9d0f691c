"""The overhead of the command line: `python -m benchmarks.cli [--quick]`.

Each row has the time of a whole program, from start to exit, and its ratio to another one that is
timed in turns with it: `import click` for the help, and `import duckdb, numba` for a small file.
For a large file these are the first call of the frames function in a new process, without its
imports ("imports apart"), and the whole program that makes this call.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np

from benchmarks.data import normal
from benchmarks.reports import shown, write_csv, write_markdown
from benchmarks.timing import Clock, Effort, clock, side_by_side

#: The program that a user starts.
ORDCUT = [str(Path(sys.executable).parent / "ordcut")]

FIT = ["fit", "--score", "score", "--label", "label", "--quiet"]


def run(quick: bool) -> Iterator[dict[str, Any]]:
    with TemporaryDirectory() as folder:
        yield from _help(quick)
        yield from _small_file(Path(folder), quick)
        yield from _large_file(Path(folder), 1000 if quick else 10_000_000, quick)


def _help(quick: bool) -> Iterator[dict[str, Any]]:
    clocks = {"ordcut": _program([*ORDCUT, "--help"]), "imports": _python("import click")}
    seconds = _measure(clocks, quick)
    yield _row("ordcut --help over import click", seconds, "imports", must=3)


def _small_file(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    file = _write(normal(1000, 5), folder / "small.csv")
    clocks = {
        "ordcut": _program([*ORDCUT, *FIT, file]),
        "imports": _python("import duckdb, numba"),
    }
    seconds = _measure(clocks, quick)
    yield _row("ordcut fit, CSV of 1000 rows, over import duckdb, numba", seconds, "imports", 3)


def _large_file(folder: Path, n: int, quick: bool) -> Iterator[dict[str, Any]]:
    file = _write(normal(n, 10), folder / "large.parquet")
    script = [sys.executable, "-m", "benchmarks.cli.frames_function", file]
    clocks: dict[str, Clock] = {
        "ordcut": _program([*ORDCUT, *FIT, file]),
        "function": lambda: float(subprocess.run(script, capture_output=True, check=True).stdout),
        "program": _program(script),
    }
    seconds = _measure(clocks, quick)
    work = f"ordcut fit, Parquet of {n} rows, over"
    yield _row(f"{work} the frames function, imports apart", seconds, "function", 1.5)
    yield _row(f"{work} a program that calls the frames function", seconds, "program", 1.5)


def _measure(clocks: dict[str, Clock], quick: bool) -> dict[str, float]:
    if quick:
        return {name: seconds() for name, seconds in clocks.items()}
    return side_by_side(clocks, Effort(rounds=5, seconds=10))


def _row(work: str, seconds: dict[str, float], over: str, must: float) -> dict[str, Any]:
    ratio = seconds["ordcut"] / seconds[over]
    return {
        "work": work,
        "seconds": seconds["ordcut"],
        "ratio": ratio,
        "must be at most": must,
        "met": "yes" if ratio <= must else "no",
    }


def _program(command: list[str]) -> Clock:
    return clock(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True))


def _python(code: str) -> Clock:
    return _program([sys.executable, "-c", code])


def _write(problem: Any, file: Path) -> str:
    connection = duckdb.connect()
    columns = {"score": problem.scores, "label": problem.labels.astype(np.int32)}
    connection.register("rows", columns)
    how = "FORMAT parquet" if file.suffix == ".parquet" else "HEADER"
    connection.execute(f"COPY rows TO '{file}' ({how})")
    return str(file)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cli", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to check that it runs")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    rows = []
    for row in run(arguments.quick):
        print(" | ".join(map(shown, row.values())), flush=True)
        rows.append(row)
    arguments.output.mkdir(parents=True, exist_ok=True)
    write_csv(rows, arguments.output / "cli.csv")
    write_markdown(rows, __doc__, None, arguments.output / "cli.md")


if __name__ == "__main__":
    main()
