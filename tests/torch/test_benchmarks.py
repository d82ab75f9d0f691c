"""The benchmarks of `ordcut.torch` run from end to end on tiny data; no time is judged."""

import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_quick_measurements_write_rows_that_make_sense(tmp_path):
    command = [sys.executable, "-m", "benchmarks.torch", "--quick", "--output", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    rows = {}
    for file in tmp_path.glob("*.csv"):
        with file.open(newline="") as stream:
            rows[file.stem] = list(csv.DictReader(stream))
    assert set(rows) == {file.stem for file in tmp_path.glob("*.md")}
    assert set(rows) == {"on_device", "tracking", "passes", "evaluation"}
    assert {row["objective"] for row in rows["on_device"]} >= {"absolute", "zero_one", "kappa"}
    assert all(float(row["scan over sort"]) > 0 for row in rows["on_device"])
    assert [row["work"] for row in rows["tracking"]] == ["update", "compute", "compare", "all"]
    for row in rows["passes"]:
        change = float(row["error by training"]) - float(row["error by evaluation"])
        assert abs(float(row["change"]) - change) < 1e-6
    assert [row["pass"] for row in rows["evaluation"]] == [
        "evaluation pass", "forward pass", "without gradients",
    ]  # fmt: skip
    assert float(rows["evaluation"][1]["over forward"]) == 1
