"""Measure the experiment and write results/: ``python -m benchmarks.experiment [names]``."""

import argparse
from pathlib import Path

from benchmarks.experiment import passes, published, synthetic
from benchmarks.reports import shown, write_csv, write_markdown

BENCHMARKS = {"published": published, "synthetic": synthetic, "passes": passes}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.experiment", description=__doc__)
    known = ", ".join(BENCHMARKS)
    parser.add_argument("names", nargs="*", metavar="name", help=f"any of {known}")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that all runs")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"names must be among {known}, got {', '.join(unknown)}.")
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or BENCHMARKS:
        rows = []
        for row in BENCHMARKS[name].run(arguments.quick):
            print(f"{name}:", " | ".join(map(shown, row.values())), flush=True)
            rows.append(row)
        write_csv(rows, arguments.output / f"{name}.csv")
        about = BENCHMARKS[name].__doc__
        write_markdown(rows, about, None, arguments.output / f"{name}.md")


if __name__ == "__main__":
    main()
