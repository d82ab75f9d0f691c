"""The file of thresholds that ``fit`` writes and other commands read."""

import json

import pytest

import ordcut as library

#: What ``fit`` writes for costs in a file.
WRITTEN = """{
  "schema": "ordcut.thresholds",
  "version": 3,
  "objective": "custom cost",
  "value": 0.18237704918032788,
  "method": "pruned",
  "certificate": "convex objective (Theorem 2)",
  "proof": {"verified": "convex"},
  "classes": ["reject", "interview", "hire"],
  "thresholds": [4.875, 6.875],
  "ranges": [[4.75, 5.0], [6.75, 7.0]],
  "record": {
    "ordcut": "0.2.0",
    "decided": [210.0, 120.0, 158.0],
    "cost": [
      [0.0, 1.0, 5.0],
      [1.0, 0.0, 1.0],
      [9.0, 3.0, 0.0]
    ]
  },
  "columns": {"score": "tests", "label": "decision", "weight": null}
}
"""
CLASSES = ["reject", "interview", "hire"]
RECORD = {"ordcut": "0.2.0", "decided": [1, 2, 3]}
COST = [[0, 1, 5], [1, 0, 1], [9, 3, 0]]
ROWS = [(4, "reject", "hire", 1), (5, "reject", "reject", 3), (7, "hire", "interview", 2)]


@pytest.fixture
def evaluate(ordcut, tmp_path):
    """Evaluate the thresholds of the file on a few rows."""
    thresholds, rows = tmp_path / "t.json", tmp_path / "rows.csv"
    thresholds.write_text(WRITTEN)
    lines = ["tests,decision,other,w", *(",".join(map(str, row)) for row in ROWS)]
    rows.write_text("\n".join(lines))

    def call(*options):
        done = ordcut("evaluate", rows, "-t", thresholds, "--json", *options)
        assert (done.code, done.err) == (0, "")
        return json.loads(done.out)["values"]

    return call


def value_of(objective, column=1, weights=None):
    labels = [row[column] for row in ROWS]
    predicted = ["reject", "interview", "hire"]  # of the scores 4, 5 and 7
    return library.evaluate(labels, predicted, objective, classes=CLASSES, sample_weight=weights)


def first_of(values):
    return next(iter(values.values()))


def test_a_file_has_thresholds_columns_and_costs(evaluate):
    assert first_of(evaluate())["custom cost"] == pytest.approx(value_of(COST))


def test_a_file_is_read_and_written_alike():
    written = json.loads(library.Thresholds.from_json(WRITTEN).to_json(time=False))
    before = json.loads(WRITTEN)
    assert written == {key: before[key] for key in written}
    assert set(before) - set(written) == {"columns"}


def test_options_come_before_the_columns_and_the_objective_of_the_file(evaluate):
    other = first_of(evaluate("--label", "other"))
    assert other["custom cost"] == pytest.approx(value_of(COST, column=2))
    weighted = first_of(evaluate("--weight", "w"))
    assert weighted["custom cost"] == pytest.approx(value_of(COST, weights=[1, 3, 2]))
    squared = first_of(evaluate("--objective", "squared"))
    assert "custom cost" not in squared
    assert squared["squared"] == pytest.approx(value_of("squared"))


def test_only_one_of_thresholds_and_rows_can_be_standard_input(ordcut):
    done = ordcut("evaluate", "-", "-t", "-")
    assert done.code == 2
    assert "must not both be - " in done.err


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"version": True}, "version must be"),
        ({"thresholds": [4.875, 10**400]}, "thresholds must be numbers"),
        ({"thresholds": [4.875] * 10**6}, "thresholds must be numbers"),
        (
            {"record": RECORD | {"cost": [["0", "1", "5"], [1, 0, 1], [9, 3, 0]]}},
            "cost of a record",
        ),
        (
            {"record": RECORD | {"cost": [[0, 1, 10**400], [1, 0, 1], [9, 3, 0]]}},
            "cost of a record",
        ),
        ({"record": RECORD | {"cost": [[0, 1]] * 10**5}}, "cost of a record"),
        ({"record": RECORD | {"is_kappa": 1}}, "is_kappa of a record"),
        ({"record": RECORD | {"class_weight": [True, 1, 1]}}, "class_weight of a record"),
        ({"record": RECORD | {"intervals": {"level": 10**400}}}, "intervals must hold a level"),
        ({"record": RECORD | {"intervals": [1] * 10**6}}, "intervals must hold a level"),
    ],
)
def test_hostile_fields_are_a_mistake_that_is_named_in_few_words(ordcut, tmp_path, fields, message):
    path, rows = tmp_path / "t.json", tmp_path / "rows.csv"
    path.write_text(json.dumps({**json.loads(WRITTEN), **fields}))
    rows.write_text("tests,decision\n4,hire\n")
    done = ordcut("evaluate", rows, "-t", path)
    assert done.code == 2
    assert message in done.err
    assert done.err.startswith("Error: --thresholds must be a file that ordcut fit wrote")
    assert len(done.err) < 1500
    assert "Traceback" not in done.err


def test_nesting_without_an_end_is_a_mistake(ordcut, tmp_path):
    path, rows = tmp_path / "t.json", tmp_path / "rows.csv"
    path.write_text('{"a":' * 100_000)
    rows.write_text("tests,decision\n4,hire\n")
    done = ordcut("evaluate", rows, "-t", path)
    assert (done.code, "Traceback" in done.err, len(done.err) < 1500) == (2, False, True)
