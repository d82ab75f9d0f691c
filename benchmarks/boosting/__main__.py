"""Train, label and evaluate: python -m benchmarks.boosting [part ...].

Outputs of trees are cached in a temporary folder: a run that was interrupted continues, and a
second run only labels and evaluates. With a file named `closed` in the cache, it evaluates what is
there, and leaves out all else.
"""

import argparse
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from joblib import Parallel, delayed

from benchmarks.boosting import report


def _quiet(function: object, *given: object) -> list[dict]:
    warnings.simplefilter("ignore")
    return function(*given)


def _run(jobs: Iterable[tuple], n_jobs: int) -> Iterator[list[dict]]:
    return Parallel(n_jobs, return_as="generator")(delayed(_quiet)(*job) for job in jobs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.boosting", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(report.PARTS))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument(
        "--fewer-splits", type=int, default=2,
        help="for choosing, early stopping, XGBoost and other packages",
    )  # fmt: skip
    parser.add_argument("--most-sets", type=int, help="the smallest sets only")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=100, help="of the runs that are timed")
    parser.add_argument("--speed-rows", type=int, default=1_000_000)
    parser.add_argument(
        "--rival", action="append", default=[], metavar="NAME=PYTHON",
        help="a package of rival.py, and the interpreter of an environment that has it",
    )  # fmt: skip
    parser.add_argument("--rival-rows", type=int, default=20_000, help="of the fits to time")
    parser.add_argument("--repeats", type=int, default=3, help="of the runs that are timed")
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "ordcut-boosting"
    )
    parser.add_argument("--output", type=Path, default=report.RESULTS)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    for part in arguments.parts or report.PARTS:
        print(report.PARTS[part](arguments, lambda jobs: _run(jobs, arguments.jobs)))
