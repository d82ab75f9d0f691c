"""The benchmarks of the experiment run from end to end on tiny data; no time is judged."""

import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_benchmarks_run_from_end_to_end(tmp_path):
    command = [sys.executable, "-m", "benchmarks.experiment", "--quick", "--output", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    rows = {}
    for name in ("published", "like_for_like", "synthetic", "passes", "threads", "tabular"):
        assert (tmp_path / f"{name}.md").read_text().startswith(f"# {name}\n")
        with (tmp_path / f"{name}.csv").open() as stream:
            rows[name] = list(csv.DictReader(stream))
    assert len(rows["published"]) == 6
    for row in rows["like_for_like"]:
        if row["method"] in ("literal", "dp"):
            assert float(row["over DP"]) == float(row["total over DP"]) == 1
    assert {row["method"] for row in rows["like_for_like"]} >= {"literal-blocks-2", "blocks-2"}
    assert any(row["row"].startswith("t_PIO / t_DP") for row in rows["synthetic"])
    assert all(float(row["io / pio"]) > 0 for row in rows["threads"])
    assert len(rows["tabular"]) == 2 * 3 * 20  # networks, task losses and combinations
    assert [row["epoch"] for row in rows["passes"]] == ["1"]
