"""Score, label and evaluate: python -m benchmarks.generalisation [reporting] [simulated] ...

Scores are cached in a temporary folder, so that a second run only labels and evaluates.
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks.generalisation import report
from benchmarks.generalisation.datasets import load_all
from benchmarks.generalisation.scores import N_SPLITS
from ordcut._core.numerics.jit import running_kernels_as

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.generalisation", description=__doc__
    )
    parser.add_argument(
        "parts", nargs="*", metavar="part", help=f"any of {', '.join(report.PARTS)}"
    )
    parser.add_argument("--splits", type=int, default=N_SPLITS)
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "ordcut-generalisation"
    )
    parser.add_argument("--output", type=Path, default=report.RESULTS)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    every = load_all()
    with running_kernels_as("compiled"):
        for part in arguments.parts or report.PARTS:
            print(report.PARTS[part](every, arguments.cache, arguments.splits, arguments.output))
