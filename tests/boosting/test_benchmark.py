"""The benchmark of boosted trees runs from end to end on tiny data; no test depends on a time."""

import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_small_run_writes_rows_that_make_sense(tmp_path):
    options = "--splits 1 --folds 2 --most-rows 300 --jobs 1 --speed-rows 3000 --rounds 2"
    parts = ["reporting", "speed"]
    command = [sys.executable, "-m", "benchmarks.boosting", *parts, *options.split()]
    folders = ["--cache", str(tmp_path / "cache"), "--output", str(tmp_path), "--repeats", "1"]
    subprocess.run([*command, *folders], cwd=ROOT, check=True, capture_output=True)
    assert {file.stem for file in tmp_path.glob("*.md")} >= {"reporting", "speed"}
    with (tmp_path / "reporting.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["library"] for row in rows} == {"LightGBM", "XGBoost"}
    assert {"cumulative + thresholds", "L2 + thresholds"} <= {row["method"] for row in rows}
    assert all(0 < float(row["risk"]) < 5 for row in rows)
