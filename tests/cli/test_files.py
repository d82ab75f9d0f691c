"""Which files arguments name."""

import json

import pytest

COLUMNS = "--score", "score", "--label", "label"


def test_globs_and_folders_name_files_without_hidden_and_other_ones(ordcut, tmp_path):
    (tmp_path / "part=1").mkdir()
    for name in ["b.csv", "a.csv", "part=1/c.csv", ".hidden.csv", "_SUCCESS", "notes.md"]:
        (tmp_path / name).write_text("score,label\n1,0\n2,1\n")

    def n_rows(*files):
        done = ordcut("fit", *files, *COLUMNS, "--json")
        return json.loads(done.out)["rows"]

    assert n_rows(f"{tmp_path}/**/*.csv") == n_rows(tmp_path) == 6
    assert n_rows(f"{tmp_path}/*.csv") == n_rows(tmp_path / "a.csv", tmp_path / "b.csv") == 4


def test_several_files_are_called_by_their_number(ordcut, tmp_path):
    for name in ["a.csv", "b.csv"]:
        (tmp_path / name).write_text("score,label\n1,0\n")
    done = ordcut("fit", f"{tmp_path}/*.csv", "--score", "s", "--label", "label")
    assert "--score must name a column of the 2 files" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.csv"], "missing.csv is not: No such file"),
        (["no-*.csv"], "none matches no-*.csv"),
        (["empty.csv"], "empty.csv is empty"),
        (["rows.csv", "rows.parquet"], "must be of one format"),
        (["notes.md"], "must end in one of .csv"),
        (["nothing"], "has no CSV, Parquet, JSON or Excel files"),
        (["-", "rows.csv"], "must be the only file"),
    ],
)
def test_what_cannot_be_read_is_named(ordcut, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nothing").mkdir()
    (tmp_path / "empty.csv").touch()
    for name in ["rows.csv", "rows.parquet", "notes.md"]:
        (tmp_path / name).write_text("score,label\n")
    done = ordcut("fit", *arguments, *COLUMNS)
    assert done.code == 2
    assert message in done.err
