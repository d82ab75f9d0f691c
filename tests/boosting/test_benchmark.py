"""The benchmark of boosted trees runs from end to end on tiny data; no test depends on a time."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.boosting.summary import in_hindsight, ratios, risks_by_split

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


def risks_of(**by_method):
    """Return risks of a set and library: for each method, those of splits 0, 1, ..."""
    about = {"dataset": "set", "library": "LightGBM", "objective": "absolute"}
    return risks_by_split(
        [
            {**about, "method": method, "split": split, "risk": risk}
            for method, risks in by_method.items()
            for split, risk in enumerate(risks)
        ]
    )


def test_methods_are_compared_on_the_splits_that_both_have():
    risks = risks_of(L2=[1.0, 3.0, 100.0], multiclass=[2.0, 4.0])
    assert ratios(risks, "LightGBM", "multiclass", "L2", "absolute") == {"set": 1.5}


def test_the_lowest_risk_in_hindsight_is_that_of_the_best_method():
    risks = risks_of(L2=[2.0, 2.0], L1=[3.0, 3.0], ours=[1.0, 2.0])
    assert in_hindsight(risks, "LightGBM", "L2") == pytest.approx(0.75)
