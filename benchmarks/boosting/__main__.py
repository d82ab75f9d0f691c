"""Train, label and evaluate: python -m benchmarks.boosting [part ...].

Outputs of trees are cached in a temporary folder, so that a second run only labels and evaluates.
"""

import argparse
import tempfile
import warnings
from pathlib import Path

from joblib import Parallel, delayed

from benchmarks.boosting import report


def _delayed(job: tuple) -> object:
    function, *given = job
    return delayed(function)(*given)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.boosting", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(report.PARTS))
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--most-rows", type=int, default=50_000, help="leave out larger sets")
    parser.add_argument(
        "--large", type=int, default=6000,
        help="from this many rows on, only L2 and ours, and a third of the splits; L1 and "
        "multiclass have a third of the splits on all sets",
    )  # fmt: skip
    parser.add_argument("--jobs", type=int, default=2)
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
    with Parallel(n_jobs=arguments.jobs) as parallel:
        for part in arguments.parts or report.PARTS:
            print(report.PARTS[part](arguments, lambda jobs: parallel(map(_delayed, jobs))))
