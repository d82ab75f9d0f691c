"""Measure engines: python -m benchmarks.frames [--rows N] [--engines ...] [--rounds N].

Dask and Spark get files of at most ``MOST_CLUSTER_ROWS`` rows.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

from benchmarks import reports
from benchmarks.frames import files
from benchmarks.frames.engines import ENGINES

CLUSTERS = ("dask", "spark")
MOST_CLUSTER_ROWS = 20_000_000
OBJECTIVES = ("absolute", "zero_one", "quadratic_kappa")

ABOUT = """
The time of exact thresholds inside an engine, relative to a plain group-by of the same Parquet
files that returns the number of rows and the lowest and highest score of each label. Float32
scores, normal or sharp probabilities (the logistic function of 8 times a normal score), int8
labels, ten classes; the best of several rounds after a warm-up, each engine in its own
process. The value found is checked by one more pass. `rows out` are the candidates that left the
engine; in addition, 4096 scores are read to choose the cells. Dask has two worker processes, Spark
is `local[2]`.
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=100_000_000)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for n_rows, scores in product((options.rows // 10, options.rows), files.SCORES):
            kept = Path(folder) / f"{scores} {n_rows}"
            files.write(n_rows, kept, scores)
            for engine, objective in product(options.engines, OBJECTIVES):
                if engine in CLUSTERS and n_rows > MOST_CLUSTER_ROWS:
                    continue
                row = in_a_process(engine, kept, options.rounds, objective)
                rows.append({"scores": scores, **row})
                print(rows[-1], flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    reports.write_csv(rows, options.output / "engines.csv")
    reports.write_markdown(rows, ABOUT, None, options.output / "engines.md")


def in_a_process(engine: str, folder: Path, rounds: int, objective: str) -> dict[str, object]:
    command = [sys.executable, "-m", "benchmarks.frames.one", engine, str(folder), str(rounds)]
    command.append(objective)
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
