"""What people type at a prompt in their first hour."""

import io
import json
import sys

import numpy as np
import polars as pl
import pytest

from ordcut.cli.app import run
from tests.first_tries.rows import S, Y, best

COLUMNS = ["--score", "s", "--label", "y"]
FRAME = pl.DataFrame({"s": S, "y": Y})


@pytest.fixture
def ordcut(capfd, monkeypatch, tmp_path):
    """Run a command line in an empty folder; return its exit code and both outputs."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfd.readouterr()
        return run([*map(str, arguments)]), *capfd.readouterr()

    return call


def thresholds_in(text):
    return json.loads(text)["thresholds"]


def test_parquet_in_a_pipe_is_read(ordcut):
    FRAME.write_parquet("a.parquet")
    with open("a.parquet", "rb") as file:
        code, out, _ = ordcut("fit", "-", *COLUMNS, "--json", stdin=file.read())
    assert code == 0
    assert thresholds_in(out) == best().thresholds.tolist()


def test_feather_in_a_file_or_a_pipe_says_what_to_write_instead(ordcut):
    FRAME.write_ipc("a.feather")
    code, _, err = ordcut("fit", "a.feather", *COLUMNS)
    assert code == 2
    assert ".feather files are not read. Write Parquet instead" in err
    with open("a.feather", "rb") as file:
        code, _, err = ordcut("fit", "-", *COLUMNS, stdin=file.read())
    assert code == 2
    assert "Write Parquet instead" in err


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
@pytest.mark.parametrize("column", ["s", "y"])
def test_the_missing_values_of_r_are_missing(ordcut, engine, column):
    rows = [f"{s},{y}" for s, y in zip(S, Y, strict=True)]
    rows[3] = f"NA,{Y[3]}" if column == "s" else f"{S[3]},NA"
    with open("r.csv", "w", encoding="utf-8") as file:
        file.write("\n".join(["s,y", *rows]))
    code, _, err = ordcut("fit", "r.csv", *COLUMNS, "--engine", engine)
    assert code == 2
    assert "missing" in err
    code, out, _ = ordcut("fit", "r.csv", *COLUMNS, "--nulls", "drop", "--json", "--engine", engine)
    assert code == 0
    known = np.arange(len(Y)) != 3
    assert thresholds_in(out) == best(Y[known], S[known]).thresholds.tolist()


def test_decimal_commas_are_read_in_files_of_costs_too(ordcut):
    with open("a.csv", "w", encoding="utf-8") as file:
        file.write(
            "s;y\n" + "\n".join(f"{s};{y}".replace(".", ",") for s, y in zip(S, Y, strict=True))
        )
    costs = np.abs(np.subtract.outer(range(4), range(4))) * 0.5
    text = "\n".join(";".join(map(str, row)) for row in costs).replace(".", ",")
    with open("costs.csv", "w", encoding="utf-8") as file:
        file.write(text)
    options = "--objective", "costs.csv", "--decimal", ",", "--json"
    code, out, err = ordcut("fit", "a.csv", *COLUMNS, *options)
    assert code == 0, err
    assert thresholds_in(out) == best(objective=costs).thresholds.tolist()
    with open("t.json", "w", encoding="utf-8") as file:
        file.write(out)
    code, _, err = ordcut("evaluate", "a.csv", "-t", "t.json", *options)
    assert code == 0, err


@pytest.fixture
def gate(ordcut):
    """Evaluate thresholds against an earlier file."""

    def call(now, before, *options):
        pl.DataFrame({"s": S, "y": Y}).write_csv("a.csv")
        assert ordcut("fit", "a.csv", *COLUMNS, "-o", "t.json")[0] == 0
        for name, scores in (("now.csv", now), ("before.csv", before)):
            pl.DataFrame({"s": scores, "y": Y}).write_csv(name)
        return ordcut("evaluate", "now.csv", "-t", "t.json", "--against", "before.csv", *options)

    return call


def test_a_single_label_is_not_called_people(gate):
    _, out, _ = gate(S, S)
    assert "these thresholds: absolute" in out
    assert "people" not in out


@pytest.mark.parametrize(
    ("now", "before", "change"),
    [
        (Y + 0.1, S, "absolute is significantly better"),
        (S, Y + 0.1, "absolute is significantly worse"),
        (S, S, "absolute is neither significantly better nor worse"),
    ],
)
def test_a_loss_is_better_or_worse_than_before(gate, now, before, change):
    assert change in gate(now, before)[1]


def test_a_file_with_far_too_many_columns_is_refused_at_once(ordcut):
    with open("wide.csv", "w", encoding="utf-8") as file:
        file.write(",".join(f"c{i}" for i in range(100_000)) + "\n")
    code, _, err = ordcut("fit", "wide.csv", *COLUMNS)
    assert code == 2
    assert "at most 20,000 columns, and the header of wide.csv has 100,000" in err


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["fit", "a.csv", "--recall", "0.9"], "Pass --constraint"),
        (["fit", "a.csv", "--bootstrap", "200"], "Pass --intervals"),
        (["fit", "a.csv", "-s", "s"], "Pass --score"),
        (["fit", "https://example.com/a.csv", *COLUMNS], "Download it first"),
        (["fit", "a.pkl", *COLUMNS], ".pkl files are not read. Write Parquet instead"),
        (["fit", "a.sav", *COLUMNS], ".sav files are not read. Write Parquet instead"),
    ],
)
def test_another_option_or_file_is_an_error_that_says_what_to_pass(ordcut, arguments, advice):
    code, _, err = ordcut(*arguments)
    assert code == 2
    assert advice in err


def test_percent_signs_are_to_be_left_out(ordcut):
    with open("a.csv", "w", encoding="utf-8") as file:
        file.write("s,y\n1.5%,0\n2.5%,1\n")
    code, _, err = ordcut("fit", "a.csv", *COLUMNS)
    assert (code, "Leave the percent signs out" in err) == (2, True)


def test_labels_of_another_type_are_to_be_named(ordcut):
    FRAME.with_columns(name=pl.lit("low")).write_csv("a.csv")
    assert ordcut("fit", "a.csv", *COLUMNS, "-o", "cuts.json", "-q")[0] == 0
    code, _, err = ordcut("evaluate", "a.csv", "-t", "cuts.json", "--label", "name")
    assert (code, "Name another --label" in err) == (2, True)


def test_a_file_of_thresholds_is_shown_as_sql(ordcut):
    FRAME.write_csv("a.csv")
    assert ordcut("fit", "a.csv", *COLUMNS, "-o", "cuts.json", "-q")[0] == 0
    code, out, _ = ordcut("show", "cuts.json", "--sql", "t.s", "--dialect", "mysql")
    assert code == 0
    assert out.rstrip() == best().to_sql("t.s", "mysql")
    code, _, err = ordcut("show", "cuts.json", "--sql", "s", "--dialect", "oracle")
    assert (code, "dialect must be one of" in err) == (2, True)


def test_a_month_decides_about_the_thresholds_in_use(ordcut):
    FRAME.write_csv("may.csv")
    (FRAME + pl.DataFrame({"s": [0.8] * len(S), "y": [0] * len(S)})).write_csv("june.csv")
    assert ordcut("fit", "may.csv", *COLUMNS, "-o", "cuts.json", "-q")[0] == 0
    code, out, _ = ordcut("update", "june.csv", "-t", "cuts.json", "-o", "new.json")
    assert (code, "outcome             move" in out) == (5, True)
    code, out, _ = ordcut("diff", "cuts.json", "new.json")
    assert (code, "labels that change  about" in out) == (0, True)
    code, _, err = ordcut("update", "june.csv")
    assert (code, "--thresholds" in err) == (2, True)
    code, _, err = ordcut("diff", "cuts.json")
    assert (code, "NEW" in err) == (2, True)
    code, _, err = ordcut("diff", "june.csv", "cuts.json")
    assert (code, "OLD must be a file that ordcut fit wrote" in err) == (2, True)


def test_scores_without_labels_are_compared_with_the_file(ordcut):
    FRAME.write_csv("may.csv")
    assert ordcut("fit", "may.csv", *COLUMNS, "-o", "cuts.json", "-q")[0] == 0
    code, out, _ = ordcut("show", "cuts.json")
    assert (code, "\ndata " in out) == (0, True)
    FRAME.select("s").write_csv("june.csv")
    code, out, err = ordcut("drift", "june.csv", "-t", "cuts.json")
    assert (code, "stability index" in out, err) == (4 if "undecided" in out else 0, True, "")
    (FRAME.select("s") * 100).write_csv("percent.csv")
    code, out, _ = ordcut("drift", "percent.csv", "-t", "cuts.json", "--json")
    assert (code, json.loads(out)["outcome"]) == (5, "shifted")
    code, _, err = ordcut("drift", "cuts.json", "-t", "june.csv")
    assert (code, "--thresholds must be a file that ordcut fit wrote" in err) == (2, True)
    code, _, err = ordcut("show", "june.csv")
    assert (code, "FILE must be a file that ordcut fit wrote" in err) == (2, True)


def test_bands_of_a_pipe_and_of_true_and_false_are_found(ordcut):
    lines = [f"{i / 10},{str(i % 3 > 0 if i > 20 else i % 9 == 0).lower()}" for i in range(60)]
    text = "\n".join(["s,default", *lines]).encode()
    code, out, _ = ordcut("bands", "-", "--score", "s", "--outcome", "default", stdin=text)
    assert code == 0
    assert "default by s" in out
    assert "The rate rises from band to band." in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--label", "y"], "No such option"),
        (["--outcome", "t"], "--event yes"),
        (["--outcome", "y", "--bands", "many"], "from 2 on, or auto"),
        (["--outcome", "y", "--bands", "3", "--names", "low,high"], "names must be 3 names"),
    ],
)
def test_first_mistakes_with_bands_say_what_to_do(ordcut, options, message):
    rows = [f"{i},{i % 5 > 2},{'yes' if i % 5 > 2 else 'no'}" for i in range(40)]
    with open("a.csv", "w", encoding="utf-8") as file:
        file.write("\n".join(["s,y,t", *rows]))
    code, _, err = ordcut("bands", "a.csv", "--score", "s", *options)
    assert code == 2
    assert message in err
