"""Decisions that are not classes, review and constraints on the command line."""

import csv
import io
import json

import numpy as np
import pytest

import ordcut as library
from tests.cli.cli_rows import CLASSES, names_in

COLUMNS = "--score", "score", "--label", "label"
ORDER = "--classes", ",".join(CLASSES)
COSTS = [[0, 1, 5], [9, 3, 0]]
LIMITS = ["recall good >= 0.9", "share good <= 0.6", "digits 1"]


def as_options(constraints):
    return [word for text in constraints for word in ("--constraint", text)]


@pytest.fixture
def costs(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in COSTS))
    return path


@pytest.fixture
def fit(ordcut, csv_file, tmp_path):
    """Fit with options, and return the thresholds that were written."""

    def call(*options):
        out = tmp_path / "cuts.json"
        done = ordcut("fit", csv_file, *COLUMNS, *ORDER, "-o", out, *options)
        assert done.code == 0, done.err
        return library.Thresholds.from_json(out), done.out

    return call


def same(result, expected):
    """Whether two results decide the same for the same reason, whatever solver ran."""
    return (
        result.thresholds.tolist() == expected.thresholds.tolist()
        and result.decisions.tolist() == expected.decisions.tolist()
        and result.value == expected.value
        and result.review_share == expected.review_share
        and [constraint.to_dict() for constraint in result.constraints]
        == [constraint.to_dict() for constraint in expected.constraints]
    )


def test_review_gives_the_thresholds_of_the_library(fit, rows):
    result, _ = fit("--review", "0.2")
    assert same(result, library.optimal_thresholds(*rows, classes=CLASSES, review=0.2))


@pytest.mark.parametrize("limits", [[], ["share fair or higher <= 0.6"]], ids=str)
def test_a_share_of_reviews_gives_the_thresholds_of_the_library(fit, rows, limits):
    result, _ = fit("--review-share", "0.2", *as_options(limits))
    expected = library.optimal_thresholds(
        *rows, classes=CLASSES, review_share=0.2, constraints=limits
    )
    assert same(result, expected)
    assert result.objective == expected.objective


def test_thresholds_of_a_share_of_reviews_are_evaluated_by_the_cost_that_was_found(
    fit, ordcut, csv_file, tmp_path
):
    result, _ = fit("--review-share", "0.2")
    done = ordcut("evaluate", csv_file, "-t", tmp_path / "cuts.json", "--json")
    assert done.code == 0, done.err
    assert f"{result.objective}" in done.out
    assert f"{result.value:.12g}"[:12] in done.out


def test_decisions_give_the_thresholds_of_the_library(fit, rows, costs):
    result, _ = fit("--decisions", "wait,act", "--objective", costs)
    assert same(
        result,
        library.optimal_thresholds(
            *rows, classes=CLASSES, objective=COSTS, decisions=["wait", "act"]
        ),
    )


def test_the_summary_has_a_line_for_each_decision_and_each_constraint(fit):
    result, printed = fit("--review", "0.2", "--constraint", "under good <= 0.01")
    lines = printed.splitlines()
    assert lines[1].split()[0] == "decision"
    for name, line in zip(result.decisions, lines[2:], strict=False):
        assert line.startswith(name)
    (outcome,) = result.constraints
    assert f"constraint {outcome}" in lines
    assert f"handed over for review: {result.review_share:.6g} of rows" in lines


def test_json_has_what_came_of_each_constraint(ordcut, csv_file):
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, "--json", *as_options(LIMITS))
    outcomes = json.loads(done.out)["constraints"]
    assert [outcome["constraint"] for outcome in outcomes] == LIMITS
    assert all(set(outcome) == {"constraint", "reached", "cost"} for outcome in outcomes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--constraint", "recal good >= 0.9"], "Did you mean 'recall good >= 0.9'?"),
        (["--constraint", "recall best >= 0.9"], "must name a class, one of bad, fair, good"),
        (["--review", "-1"], "--review must be a finite cost that is not negative"),
        (["--review", "1", "--objective", "kappa"], "--review needs an additive loss"),
        (["--review-share", "2"], "--review-share must be a number from 0 to 1, got 2"),
        (["--review-share", "0.1", "--review", "1"], "--review-share cannot be combined with"),
        (["--review-share", "0.1", "--smoothing", "1"], "cannot be combined with smoothing"),
        (["--decisions", "a,a"], "--decisions must"),
        (["--decisions", "a,b", "--objective", "kappa"], "--decisions cannot be used"),
    ],
)
def test_mistakes_end_with_the_message_of_the_library(ordcut, csv_file, options, message):
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, *options)
    assert done.code == 2
    assert message in done.err


def test_constraints_that_cannot_hold_are_named_and_nothing_is_written(ordcut, csv_file, tmp_path):
    before = names_in(tmp_path)
    limits = ["share good <= 0.01", "recall good >= 0.9", "digits 1"]
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, "-o", tmp_path / "t.json", *as_options(limits))
    assert done.code == 2
    assert "'share good <= 0.01' and 'recall good >= 0.9' cannot hold together" in done.err
    assert "The nearest limit that could" in done.err
    assert names_in(tmp_path) == before


@pytest.mark.parametrize(
    "text",
    [
        ",bad,fair,good\nwait,0,1,5\nact,9,3,0\n",
        "good,bad,fair\n5,0,1\n0,9,3\n",
        "act;9;3;0\nwait;0;1;5\n",
        ",good,fair,bad\nact,0,3,9\nwait,5,1,0\n",
    ],
    ids=["both", "header", "first column", "in another order"],
)
def test_files_of_costs_may_name_decisions_and_classes(fit, costs, text):
    plain, _ = fit("--decisions", "wait,act", "--objective", costs)
    costs.write_text(text)
    named, _ = fit("--decisions", "wait,act", "--objective", costs, "--force")
    assert named == plain


def test_a_first_column_may_name_decisions_by_numbers_below_an_empty_cell(fit, costs):
    plain, _ = fit("--decisions", "0,1", "--objective", costs)
    costs.write_text(",bad,fair,good\n0,0,1,5\n1,9,3,0\n")
    named, _ = fit("--decisions", "0,1", "--objective", costs, "--force")
    assert named == plain


@pytest.mark.parametrize(
    ("text", "decisions", "message"),
    [
        ("0,1,5\n9,3,0\n", None, "name them with --decisions"),
        ("0,1,5\n9,3,0\n", "a,b,c,d", "one line for each of the 4 decisions"),
        ("no,0,1,5\nyes,9,3,0\n", "wait,act", "must name each decision once in its first column"),
        ("x,y,z\n0,1,5\n9,3,0\n", "wait,act", "must name each class once in its header"),
        ("0,1\n9,3\n", "wait,act", "must be a (2, 3) matrix for 3 classes"),
        ("no,0,1\nyes,9,3\n", None, "name them with --decisions"),
    ],
)
def test_costs_that_do_not_fit_the_decisions_are_refused(
    ordcut, csv_file, costs, text, decisions, message
):
    costs.write_text(text)
    given = [] if decisions is None else ["--decisions", decisions]
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, "--objective", costs, *given)
    assert done.code == 2
    assert message in done.err


def test_predict_writes_decisions(ordcut, fit, csv_file, rows, tmp_path):
    result, _ = fit("--review", "0.2")
    done = ordcut("predict", csv_file, "-t", tmp_path / "cuts.json", "--name", "do", "-o", "-")
    assert done.code == 0, done.err
    written = [row["do"] for row in csv.DictReader(io.StringIO(done.out))]
    assert written == result.predict(rows[0]).tolist()


def test_evaluate_judges_decisions_by_the_costs_of_the_file(ordcut, fit, csv_file, costs, tmp_path):
    result, _ = fit("--decisions", "wait,act", "--objective", costs)
    done = ordcut("evaluate", csv_file, "-t", tmp_path / "cuts.json", "--json")
    assert done.code == 0, done.err
    evaluation = json.loads(done.out)
    assert evaluation["values"] == {
        name: {"custom cost": result.value}
        for name in ("these thresholds", "optimal for these rows")
    }
    assert (np.array(evaluation["confusion"]).T * COSTS).sum() / 300 == pytest.approx(result.value)


def test_evaluate_shows_the_share_handed_over_for_review(ordcut, fit, csv_file, tmp_path):
    result, _ = fit("--review", "0.2")
    path = tmp_path / "cuts.json"
    assert json.loads(ordcut("evaluate", csv_file, "-t", path, "--json").out)[
        "review_share"
    ] == pytest.approx(result.review_share)
    printed = ordcut("evaluate", csv_file, "-t", path).out
    assert f"handed over for review: {result.review_share:.6g} of rows" in printed
    assert "Rows by true class (down) and decision (across)" in printed


def test_evaluate_compares_decisions_with_those_in_a_column(ordcut, fit, rows, costs, tmp_path):
    fit("--decisions", "wait,act", "--objective", costs)
    scores, labels = rows
    path = tmp_path / "more.csv"
    lines = [f"{s},{y},act" for s, y in zip(scores, labels, strict=True)]
    path.write_text("\n".join(["score,label,other", *lines]))
    done = ordcut("evaluate", path, "-t", tmp_path / "cuts.json", "--against", "other", "--json")
    assert done.code == 0, done.err
    always = np.mean([COSTS[1][CLASSES.index(label)] for label in labels])
    assert json.loads(done.out)["values"]["other"]["custom cost"] == pytest.approx(always)


def test_evaluate_says_which_constraints_hold_on_other_rows(ordcut, fit, rows, tmp_path):
    result, _ = fit("--constraint", "share good <= 0.2", "--constraint", "digits 1")
    scores, labels = rows
    path = tmp_path / "shifted.csv"
    lines = [f"{s + 1},{y}" for s, y in zip(scores, labels, strict=True)]
    path.write_text("\n".join(["score,label", *lines]))
    done = ordcut("evaluate", path, "-t", tmp_path / "cuts.json", "--json")
    share = np.mean(result.predict(scores + 1) == "good")
    assert json.loads(done.out)["constraints"] == [
        {"constraint": "share good <= 0.2", "reached": share, "holds": False},
        {"constraint": "digits 1", "reached": result.thresholds.tolist(), "holds": True},
    ]
    printed = ordcut("evaluate", path, "-t", tmp_path / "cuts.json").out
    assert f"constraint share good <= 0.2: broken, reached {share:.6g}" in printed


@pytest.mark.parametrize("options", [["--review", "0.2"], ["--constraint", "share good <= 0.2"]])
def test_plots_and_pages_are_written(ordcut, csv_file, tmp_path, options):
    plot, page = tmp_path / "p.svg", tmp_path / "p.html"
    done = ordcut("fit", csv_file, *COLUMNS, *ORDER, *options, "--plot", plot, "--report", page)
    assert done.code == 0, done.err
    assert plot.stat().st_size > 1000
    text = page.read_text(encoding="utf-8")
    assert ("bad or fair" in text) == ("--review" in options)
    assert ("share good \\u003c= 0.2" in text) == ("--constraint" in options)


def test_report_reads_decisions_and_constraints_from_the_file(ordcut, fit, csv_file, tmp_path):
    fit("--review", "0.2", "--constraint", "under good <= 0.01")
    page = tmp_path / "page.html"
    done = ordcut("report", csv_file, "-t", tmp_path / "cuts.json", "-o", page)
    assert done.code == 0, done.err
    text = page.read_text(encoding="utf-8")
    assert '"decisions":["bad","bad or fair","fair","fair or good","good"]' in text
    assert "under good \\u003c= 0.01" in text


@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
def test_constraints_give_the_thresholds_of_the_library_by_every_engine(fit, rows, engine):
    result, _ = fit("--engine", engine, *as_options(LIMITS))
    assert same(result, library.optimal_thresholds(*rows, classes=CLASSES, constraints=LIMITS))


def test_intervals_of_thresholds_between_decisions_have_one_per_threshold(fit, tmp_path):
    result, printed = fit("--review", "0.2", "--intervals")
    intervals = json.loads((tmp_path / "cuts.json").read_text())["record"]["intervals"]
    assert len(intervals["thresholds"]) == len(result.thresholds) == 4
    assert "95% interval of from" in printed


def test_constraints_that_need_more_rows_than_may_be_loaded_name_the_option(ordcut, csv_file):
    limits = as_options(["share fair <= 0.05"])
    options = ["fit", csv_file, *COLUMNS, *ORDER, *limits]
    refused = ordcut(*options, "--max-rows", "100")
    assert refused.code == 2
    assert "--max-rows must be at least" in refused.err
    assert ordcut(*options, "--max-rows", "300").code == 0
