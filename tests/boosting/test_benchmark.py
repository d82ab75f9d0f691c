"""The benchmark of boosted trees runs from end to end on tiny data; no test depends on a time."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.boosting.columns import first_share
from benchmarks.boosting.datasets import load_all
from benchmarks.boosting.summary import ratios, risks_by_split, standard_error, summarise

ROOT = Path(__file__).parents[2]


def test_a_small_run_writes_rows_that_make_sense(tmp_path):
    options = "--splits 1 --fewer-splits 1 --most-sets 2"
    command = [sys.executable, "-m", "benchmarks.boosting", "reporting", "training"]
    folders = ["--cache", str(tmp_path / "cache"), "--output", str(tmp_path)]
    subprocess.run([*command, *options.split(), *folders], cwd=ROOT, check=True)
    assert {file.stem for file in tmp_path.glob("*.md")} == {"reporting", "training"}
    with (tmp_path / "reporting.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["library"] for row in rows} == {"LightGBM", "XGBoost", "none"}
    assert {"L2", "link, mean class", "mord LogisticAT"} <= {row["method"] for row in rows}
    assert all(0 < float(row["risk"]) < 5 for row in rows)


def test_sets_that_report_are_many_and_others_than_those_that_choose():
    every = load_all()
    names = {role: {data.name for data in every if data.role == role}
             for role in ("chooses", "reports")}  # fmt: skip
    assert len(names["reports"]) >= 12
    assert not names["reports"] & names["chooses"]
    for data in every:
        train, test = data.split(0)
        assert len(train) <= 1000
        assert not np.intersect1d(train, test).size


def rows_of(**by_method):
    """Return rows of two sets: for each method, the risks of splits 0, 1, ... of both."""
    about = {"library": "LightGBM", "objective": "absolute", "rows": 1000}
    return [
        {**about, "dataset": name, "method": method, "split": split, "risk": risk}
        for name in ("one", "two")
        for method, risks in by_method.items()
        for split, risk in enumerate(risks)
    ]


def test_methods_are_compared_on_the_splits_that_both_have():
    risks = risks_by_split(rows_of(L2=[1.0, 3.0, 100.0], multiclass=[2.0, 4.0]))
    result = ratios(risks, ("LightGBM", "multiclass"), ("LightGBM", "L2"), "absolute")
    assert result == {"one": 1.5, "two": 1.5}


def test_a_summary_has_geometric_means_and_the_worst_set():
    rows = rows_of(L2=[2.0], ours=[1.0])
    rows[-1]["risk"] = 4.0
    _, ours = summarise(rows, ("LightGBM", "L2"))
    assert ours["MAE"] == pytest.approx(1.0)
    assert (ours["worst"], ours["worst set"], ours["sets above 1.03"]) == (2.0, "two", 1)
    assert ours["MAE, error"] == pytest.approx(standard_error([0.5, 2.0]), abs=1e-4)


def test_a_score_that_is_right_gets_all_of_the_weight():
    y = np.array([0, 1, 2])
    wrong = np.array([2.0, 0.0, 1.0])
    assert first_share(y, y.astype(float), wrong) == 1
    assert first_share(y, wrong, y.astype(float)) == 0
