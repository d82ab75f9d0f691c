"""Run benchmarks and write their results: ``python -m benchmarks [names] [--quick]``."""

import argparse
from pathlib import Path
from types import ModuleType

from benchmarks import (
    accepted,
    auto,
    bands,
    bootstrap,
    coverage,
    distributions,
    drift,
    gates,
    growth,
    guarantees,
    hard,
    headline,
    inputs,
    intervals,
    paths,
    pictures,
    predictions,
    promises,
    risk_control,
    rivals,
    rows_needed,
    scale,
    segments,
    table1,
    ten_million,
    updates,
)
from benchmarks.reports import shown, write_csv, write_markdown
from ordcut._core.numerics.jit import running_kernels_as

BENCHMARKS = {
    "headline": headline,
    "inputs": inputs,
    "auto": auto,
    "distributions": distributions,
    "ten_million": ten_million,
    "table1": table1,
    "growth": growth,
    "rivals": rivals,
    "hard": hard,
    "paths": paths,
    "predictions": predictions,
    "bootstrap": bootstrap,
    "coverage": coverage,
    "intervals": intervals,
    "guarantees": guarantees,
    "promises": promises,
    "risk_control": risk_control,
    "accepted": accepted,
    "segments": segments,
    "rows_needed": rows_needed,
    "scale": scale,
    "drift": drift,
    "gates": gates,
    "updates": updates,
    "bands": bands,
}


def main(
    benchmarks: dict[str, ModuleType] = BENCHMARKS,
    prog: str = "python -m benchmarks",
    output: Path = Path(__file__).parent / "results",
) -> None:
    known = ", ".join(benchmarks)
    parser = argparse.ArgumentParser(prog=prog, description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"any of {known}")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to check that it runs")
    parser.add_argument("--output", type=Path, default=output)
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(benchmarks)
    if unknown:
        parser.error(f"names must be among {known}, got {', '.join(unknown)}.")
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or benchmarks:
        measure(name, benchmarks[name], arguments.quick, arguments.output)


def measure(name: str, benchmark: ModuleType, quick: bool, output: Path) -> None:
    """Run one benchmark, print each row as soon as it is measured, and write its files."""
    rows = []
    # Otherwise small problems would run as plain Python until compiling pays off.
    with running_kernels_as("compiled"):
        for row in benchmark.run(quick):
            print(f"{name}:", " | ".join(map(shown, row.values())), flush=True)
            rows.append(row)
    picture = f"{name}.png" if name in pictures.DRAW else None
    if picture:
        pictures.DRAW[name](rows, output / picture)
    write_csv(rows, output / f"{name}.csv")
    write_markdown(rows, benchmark.__doc__, picture, output / f"{name}.md")


if __name__ == "__main__":
    main()
