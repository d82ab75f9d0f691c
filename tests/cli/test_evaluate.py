"""``ordcut evaluate`` and ``report``: the values of the library for the same rows."""

import json
import re

import duckdb
import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

import ordcut as library
from tests.cli.cli_rows import CLASSES, make_rows, names_in, write_csv
from tests.tables import OBJECTIVES

#: How the tables and the JSON call what they compare.
OURS, OPTIMAL = "these thresholds", "optimal for these rows"


@pytest.fixture
def saved(ordcut, tmp_path, csv_file):
    """Thresholds for some rows, as fit saves them."""
    path = tmp_path / "saved.json"
    options = "--score", "score", "--label", "label", "--classes", ",".join(CLASSES)
    assert ordcut("fit", csv_file, *options, "-o", path, "-q").code == 0
    return path


@pytest.fixture
def other_rows(tmp_path):
    """Other rows, and predictions for them from elsewhere."""
    scores, labels = make_rows(250, seed=1)
    others = np.array(CLASSES)[np.arange(250) % 3]
    file = tmp_path / "other.csv"
    lines = [f"{s},{y},{p}" for s, y, p in zip(scores.tolist(), labels, others, strict=True)]
    file.write_text("\n".join(["score,label,theirs", *lines]))
    return file, scores, labels, others


def test_values_are_those_of_the_library(ordcut, saved, other_rows, result):
    file, scores, labels, others = other_rows
    done = ordcut("evaluate", file, "-t", saved, "--against", "theirs", "--json")
    assert (done.code, done.err) == (0, "")
    facts = json.loads(done.out)
    assert facts["rows"] == 250
    for objective in OBJECTIVES:
        for name, predictions in ((OURS, result.predict(scores)), ("theirs", others)):
            expected = library.evaluate(labels, predictions, objective, classes=CLASSES)
            assert facts["values"][name][objective] == pytest.approx(expected, rel=1e-12)
        best = library.optimal_thresholds(scores, labels, classes=CLASSES, objective=objective)
        assert facts["values"][OPTIMAL][objective] == pytest.approx(best.value, rel=1e-12)
    assert {"class means", "class shares", "ordinal logistic model"} <= set(facts["values"])


def test_the_confusion_matrix_and_the_classes_add_up(ordcut, saved, other_rows, result):
    file, scores, labels, _ = other_rows
    facts = json.loads(ordcut("evaluate", file, "-t", saved, "--json").out)
    predicted = result.predict(scores)
    expected = confusion_matrix(labels, predicted, labels=CLASSES).tolist()
    assert facts["confusion"] == expected
    for k, row in enumerate(facts["by_class"]):
        assert row["class"] == CLASSES[k]
        assert row["true"] == (labels == CLASSES[k]).sum()
        assert row["recall"] == pytest.approx(expected[k][k] / row["true"])
        assert row["precision"] == pytest.approx(expected[k][k] / row["predicted"])


def test_the_tables_star_the_best(ordcut, saved, other_rows):
    file, *_ = other_rows
    done = ordcut("evaluate", file, "-t", saved)
    assert (done.code, done.err) == (0, "")
    line = next(line for line in done.out.splitlines() if line.startswith(OPTIMAL))
    assert line.count("*") == len(OBJECTIVES)
    assert re.search(r"^bad +\d+ +\d+ +\d+ *$", done.out, re.MULTILINE)
    assert "mean steps off" in done.out


def test_whole_numbers_are_compared_with_rounding(ordcut, tmp_path):
    scores, labels = np.array([0.9, 1.2, 2.4, 2.6, 3.3]), np.array([1, 1, 2, 3, 3])
    file, out = write_csv(tmp_path / "rows.csv", scores, labels), tmp_path / "t.json"
    assert ordcut("fit", file, "--score", "score", "--label", "label", "-o", out, "-q").code == 0
    facts = json.loads(ordcut("evaluate", file, "-t", out, "--json").out)
    rounded = np.clip(np.round(scores), 1, 3).astype(int)
    assert facts["values"]["rounding"]["absolute"] == library.evaluate(labels, rounded)


def test_weights_and_costs_come_along(ordcut, tmp_path, rows):
    scores, labels = rows
    weights = np.arange(len(scores)) % 4 / 2
    file, out, cost = (tmp_path / name for name in ("w.parquet", "w.json", "cost.csv"))
    connection = duckdb.connect()
    connection.register("rows", {"s": scores, "y": labels, "w": weights})
    connection.execute(f"COPY rows TO '{file}' (FORMAT parquet)")
    cost.write_text("0,1,3\n2,0,1\n9,3,0\n")
    options = "--score", "s", "--label", "y", "--weight", "w", "--classes", ",".join(CLASSES)
    assert ordcut("fit", file, *options, "--objective", cost, "-o", out, "-q").code == 0
    facts = json.loads(ordcut("evaluate", file, "-t", out, "--json").out)
    value = library.Thresholds.from_json(out.read_text()).value
    assert facts["values"][OURS]["custom cost"] == pytest.approx(value)
    assert facts["values"][OPTIMAL]["custom cost"] == pytest.approx(value)
    assert np.sum(facts["confusion"]) == pytest.approx(weights.sum())


@pytest.mark.parametrize("engine", ["polars", "dask"])
def test_every_engine_gives_the_same(ordcut, tmp_path, saved, engine):
    scores, labels = make_rows(250, seed=1)
    columns = {"score": scores, "label": labels, "theirs": labels[::-1], "w": np.arange(250) % 3}
    file = tmp_path / "other.parquet"
    connection = duckdb.connect()
    connection.register("rows", columns)
    missing = "SELECT NULL, 'bad', 'good', 1"
    connection.execute(f"COPY (FROM rows UNION ALL {missing}) TO '{file}' (FORMAT parquet)")
    options = "-t", saved, "--weight", "w", "--nulls", "drop"
    evaluate = "evaluate", file, *options, "--against", "theirs", "--json"
    by_duckdb, done = ordcut(*evaluate), ordcut(*evaluate, "--engine", engine)
    assert done.code == 0, done.err
    assert done.out == by_duckdb.out
    theirs = json.loads(done.out)["values"]["theirs"]["absolute"]
    expected = library.evaluate(labels, labels[::-1], classes=CLASSES, sample_weight=columns["w"])
    assert theirs == pytest.approx(expected)
    page = "report", file, *options, "-o", "-", "-q"
    assert ordcut(*page, "--engine", engine).out == ordcut(*page).out


@pytest.mark.parametrize("text", ["balanced", "good=4,bad=0.5", None, "none"])
def test_weights_of_classes_are_an_option_or_those_of_fit(
    ordcut, tmp_path, csv_file, other_rows, text
):
    file, scores, labels, others = other_rows
    out = tmp_path / "weighted.json"
    columns = "--score", "score", "--label", "label", "--classes", ",".join(CLASSES)
    fit = ordcut("fit", csv_file, *columns, "--class-weight", "fair=3", "-o", out, "-q")
    assert fit.code == 0, fit.err
    option = [] if text is None else ["--class-weight", text]
    done = ordcut("evaluate", file, "-t", out, "--against", "theirs", "--json", *option)
    assert done.code == 0, done.err
    values = json.loads(done.out)["values"]
    weights = {
        "balanced": "balanced", "good=4,bad=0.5": [0.5, 1, 4], None: [1, 3, 1], "none": None
    }[text]  # fmt: skip
    predicted = library.Thresholds.from_json(out.read_text()).predict(scores)
    how = {"classes": CLASSES, "class_weight": weights}
    for objective in OBJECTIVES:
        for name, labeling in ((OURS, predicted), ("theirs", others)):
            expected = library.evaluate(labels, labeling, objective, **how)
            assert values[name][objective] == pytest.approx(expected, rel=1e-12)
        best = library.optimal_thresholds(scores, labels, objective=objective, **how)
        assert values[OPTIMAL][objective] == pytest.approx(best.value, rel=1e-12)
    page = ordcut("report", file, "-t", out, "-o", "-", "-q", *option)
    assert page.code == 0, page.err


@pytest.fixture
def file_without_costs(tmp_path, rows):
    """Thresholds for costs of the user's own, without a record that holds them."""
    path = tmp_path / "without_costs.json"
    cost = [[0, 1, 3], [2, 0, 1], [9, 3, 0]]
    result = library.optimal_thresholds(*rows, classes=CLASSES, objective=cost)
    data = json.loads(result.to_json())
    del data["record"]
    path.write_text(json.dumps(data))
    return path


def test_costs_that_the_file_does_not_hold_must_be_given(
    ordcut, tmp_path, csv_file, file_without_costs
):
    cost, page = tmp_path / "cost.csv", tmp_path / "page.html"
    cost.write_text("0,1,3\n2,0,1\n9,3,0\n")
    given = csv_file, "-t", file_without_costs, "--score", "score", "--label", "label"
    for command in (["evaluate"], ["report", "-o", page]):
        done = ordcut(*command, *given)
        assert (done.code, done.out) == (2, "")
        assert "--objective must be given for thresholds that were found for" in done.err
        assert "Pass --objective with a CSV file of costs, or another name." in done.err
        assert not page.exists()
    value = library.Thresholds.from_json(file_without_costs.read_text()).value
    facts = json.loads(ordcut("evaluate", *given, "--objective", cost, "--json").out)
    assert facts["values"][OURS]["custom cost"] == pytest.approx(value)
    assert ordcut("report", *given, "--objective", cost, "-o", page).code == 0
    facts = json.loads(ordcut("evaluate", *given, "--objective", "squared", "--json").out)
    assert list(facts["values"][OURS]) == OBJECTIVES


@pytest.mark.parametrize("cost", [[[0, 1], [1, 0]], "dear", [[0, 1, 2], [1, 0]], {}])
def test_costs_that_are_none_are_refused(ordcut, tmp_path, csv_file, result, cost):
    path, data = tmp_path / "damaged.json", json.loads(result.to_json())
    path.write_text(json.dumps(data | {"record": data["record"] | {"cost": cost}}))
    done = ordcut("evaluate", csv_file, "-t", path, "--score", "score", "--label", "label")
    assert done.code == 2
    assert f"--thresholds must be a file that ordcut fit wrote, but {path} is not" in done.err


def test_many_rows_are_evaluated_by_the_engine(ordcut, tmp_path):
    scores, labels = make_rows(30_000)
    file, out, page = (tmp_path / name for name in ("many.csv", "many.json", "many.html"))
    write_csv(file, scores, labels)
    options = "--score", "score", "--label", "label", "--classes", ",".join(CLASSES)
    assert ordcut("fit", file, *options, "-o", out, "-q").code == 0
    facts = json.loads(ordcut("evaluate", file, "-t", out, "--json").out)
    for objective in OBJECTIVES:
        best = library.optimal_thresholds(scores, labels, classes=CLASSES, objective=objective)
        assert facts["values"][OPTIMAL][objective] == pytest.approx(best.value, rel=1e-12)
    assert ordcut("report", file, "-t", out, "-o", page, "-q").code == 0
    assert len(page.read_bytes()) < 1_000_000


def test_the_printed_table_has_the_true_classes_down(ordcut, tmp_path):
    file, thresholds = tmp_path / "rows.csv", tmp_path / "thresholds.json"
    file.write_text("score,label\n1,0\n3,0\n3,0\n3,1\n")
    thresholds.write_text(library.Thresholds.from_values([2.0], [0, 1]).to_json())
    options = "--score", "score", "--label", "label", "--objective", "absolute"
    printed = ordcut("evaluate", file, "-t", thresholds, *options).out
    table = printed.partition("Rows by true class (down) and predicted class (across)")[2]
    lines = [line.split() for line in table.splitlines()[1:4]]
    assert lines == [["0", "1"], ["0", "1", "2"], ["1", "0", "1"]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--against", "thers"], 'Did you mean "theirs"?'),
        (["--label", "theirs", "--against", "gaps"], '"gaps" has some'),
        (["--against", "score"], "must be of the same type"),
    ],
)
def test_a_mistake_is_explained(ordcut, tmp_path, saved, options, words):
    file = tmp_path / "gaps.csv"
    file.write_text("score,label,theirs,gaps\n1,good,good,good\n-1,bad,fair,\n0,fair,bad,bad\n")
    done = ordcut("evaluate", file, "-t", saved, *options)
    assert done.code == 2
    assert words in done.err
    assert done.out == ""


def test_labels_must_be_among_the_classes(ordcut, tmp_path, saved):
    done = ordcut("evaluate", "-", "-t", saved, stdin="score,label\n1,great\n")
    assert done.code == 2
    assert "must be among the classes bad, fair, good, got 'great'" in done.err


def test_a_page_is_made_of_files_and_thresholds(ordcut, tmp_path, csv_file, saved):
    page = tmp_path / "page.html"
    done = ordcut("report", csv_file, "-t", saved, "-o", page, "--title", "</title><b>Mine")
    assert (done.code, done.out, done.err) == (0, "", f"Wrote {page}.\n")
    text = page.read_text(encoding="utf-8")
    assert "&lt;/title&gt;&lt;b&gt;Mine" in text
    assert "</title><b>" not in text
    assert ordcut("report", csv_file, "-t", saved, "-o", page).code == 2
    by_pipe = ordcut("report", csv_file, "-t", saved, "-o", "-", "-q")
    assert by_pipe.out.startswith("<!doctype html>")


def test_columns_must_be_named_somewhere(ordcut, tmp_path, csv_file, thresholds_file):
    before = names_in(tmp_path)
    for option, more in (("--score", []), ("--label", ["--score", "score"])):
        done = ordcut("evaluate", csv_file, "-t", thresholds_file, *more)
        assert done.code == 2
        assert f"{option} must be given" in done.err
    assert names_in(tmp_path) == before
