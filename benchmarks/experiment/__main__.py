"""Measure the experiment and write results/: ``python -m benchmarks.experiment [names]``."""

from pathlib import Path

from benchmarks.__main__ import main
from benchmarks.experiment import like_for_like, passes, published, synthetic, tabular, threads

BENCHMARKS = {
    "published": published,
    "like_for_like": like_for_like,
    "synthetic": synthetic,
    "passes": passes,
    "threads": threads,
    "tabular": tabular,
}

if __name__ == "__main__":
    main(BENCHMARKS, "python -m benchmarks.experiment", Path(__file__).parent / "results")
