"""The file of thresholds that ``fit`` writes and other commands read."""

import json

import pytest

from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns
from ordcut.cli.thresholds_file import read_thresholds_file

#: What ``fit`` of ordcut 0.1.0 wrote for costs in a file.
WRITTEN_BEFORE = """{
  "schema": "ordcut.thresholds",
  "version": 1,
  "objective": "custom cost",
  "value": 0.18237704918032788,
  "method": "pruned",
  "certificate": "convex objective (Theorem 2)",
  "classes": ["reject", "interview", "hire"],
  "thresholds": [4.875, 6.875],
  "ranges": [[4.75, 5.0], [6.75, 7.0]],
  "columns": {"score": "tests", "label": "decision", "weight": null},
  "cost": [[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [9.0, 3.0, 0.0]]
}
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "t.json"
    file.write_text(WRITTEN_BEFORE)
    return str(file)


def test_a_file_written_before_is_read_and_written_alike(path):
    file = read_thresholds_file(path, ["rows.csv"])
    assert file.thresholds.thresholds.tolist() == [4.875, 6.875]
    assert file.objective().cost.tolist() == [[0, 1, 5], [1, 0, 1], [9, 3, 0]]
    written = json.loads(file.as_text())
    assert written.pop("proof") == {"verified": "convex"}
    assert written == json.loads(WRITTEN_BEFORE)


def test_options_come_before_the_columns_and_the_objective_of_the_file(path):
    file = read_thresholds_file(path, ["rows.csv"])
    assert file.columns_for(Columns()) == Columns("tests", "decision")
    assert file.columns_for(Columns("s", weight="w")) == Columns("s", "decision", "w")
    assert file.objective("squared").name == "squared"


def test_only_one_of_thresholds_and_rows_can_be_standard_input():
    with pytest.raises(UserError, match="must not both be - "):
        read_thresholds_file("-", ["-"])
