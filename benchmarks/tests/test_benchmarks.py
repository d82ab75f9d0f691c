"""The benchmarks run from end to end on tiny data; no test depends on a time."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.methods import ALL

ROOT = Path(__file__).parents[2]
METHODS = set(ALL)
RATIOS = {
    "headline": "value",
    "inputs": "value",
    "auto": "auto over best",
    "distributions": "auto over best",
    "ten_million": "auto over best",
    "table1": "over sort",
    "growth": "over sort",
    "rivals": "time over ordcut",
    "hard": "over sort",
    "paths": "point over sort",
    "predictions": "predict over the search",
    "bootstrap": "replicate over sort",
    "coverage": "thresholds",
    "intervals": "coverage",
    "guarantees": "allowed",
    "promises": "allowed",
    "accepted": "allowed",
    "risk_control": "error",
    "segments": "value",
    "rows_needed": "best",
    "scale": "rows",
    "drift": "n",
    "gates": "months",
    "updates": "coverage",
    "bands": "bands",
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The rows of every benchmark by its name, from one quick run of them all."""
    folder = tmp_path_factory.mktemp("results")
    command = [sys.executable, "-m", "benchmarks", "--quick", "--output", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True)
    assert {file.stem for file in folder.glob("*.md")} == set(RATIOS)
    assert {file.stem for file in folder.glob("*.png")} == {"growth", "table1", "rivals"}
    rows = {}
    for file in folder.glob("*.csv"):
        with file.open(newline="") as stream:
            rows[file.stem] = list(csv.DictReader(stream))
    return rows


def test_agreement_of_simulated_raters_is_measured(tmp_path):
    names = ["agreement_fairness", "agreement_intervals"]
    command = [sys.executable, "-m", "benchmarks.judges", *names, "--quick", "--output", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True)
    assert {file.name for file in tmp_path.glob("*.csv")} == {f"{name}.csv" for name in names}


# One test for all claims: with one test per claim, parallel workers would each run all benchmarks.
def test_quick_benchmarks_write_rows_that_make_sense(results):
    assert set(results) == set(RATIOS)
    for name, column in RATIOS.items():
        ratios = [float(row[column]) for row in results[name] if row[column]]
        assert ratios, name
        assert all(ratio > 0 for ratio in ratios), name

    for grows in ("n", "K"):
        assert {row["method"] for row in results["growth"] if row["grows"] == grows} == METHODS

    processes = {row["process"] for row in results["table1"]}
    whole = {f"whole: {method}" for method in METHODS}
    assert {"P2-P3", "P4-P5", "blocks (2)", "blocks (3)", "blocks (4)"} | whole <= processes

    rivals = {row["rival"] for row in results["rivals"]}
    assert {"Nelder-Mead", "Powell", "optimized-rounder", "scikit-learn, grid of 100"} <= rivals
    for row in results["rivals"]:
        assert float(row["short of ordcut"]) >= -1e-12, row  # up to the rounding of the metric


def run_speed(*options):
    command = [sys.executable, "-m", "benchmarks.speed", "--rows", "1000", "--seconds", "0"]
    return subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)


def test_the_speed_of_every_call_is_measured_relative_to_a_sort():
    result = json.loads(run_speed("--classes", "3", "--json").stdout)
    assert (result["rows"], result["classes"]) == (1000, 3)
    assert "cores; " in result["machine"]
    assert {"absolute", "quadratic_kappa"} <= {call["objective"] for call in result["calls"]}
    assert all(call["over_sort"] > 0 for call in result["calls"])


def test_the_speed_is_printed_as_a_table():
    lines = run_speed("--classes", "3").stdout.splitlines()
    assert lines[0].startswith("1,000 rows, 3 classes. ")
    assert [line.split()[0] for line in lines[1:]] == [
        "objective", "absolute", "absolute", "squared", "quadratic_kappa", "zero_one",
    ]  # fmt: skip


def test_more_classes_than_rows_cannot_be_timed():
    done = run_speed("--classes", "2000")
    assert done.returncode == 2
    assert "not more than --rows" in done.stderr


def test_the_quick_benchmark_of_the_command_line_writes_its_ratios(tmp_path):
    command = [sys.executable, "-m", "benchmarks.cli", "--quick", "--output", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    with (tmp_path / "cli.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 4
    assert all(float(row["ratio"]) > 0 for row in rows)
    assert (tmp_path / "cli.md").read_text().startswith("# cli")
