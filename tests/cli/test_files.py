"""Which files arguments name."""

import pytest

from ordcut.cli.failures import UserError
from ordcut.cli.files import find_files


def test_globs_and_folders_name_files_in_order(tmp_path):
    (tmp_path / "part=1").mkdir()
    for name in ["b.csv", "a.csv", "part=1/c.csv", ".hidden.csv", "_SUCCESS", "notes.md"]:
        (tmp_path / name).write_text("score,label\n")
    expected = [str(tmp_path / name) for name in ("a.csv", "b.csv", "part=1/c.csv")]
    assert list(find_files([f"{tmp_path}/**/*.csv"]).paths) == expected
    assert list(find_files([str(tmp_path)]).paths) == expected
    assert find_files([f"{tmp_path}/*.csv"]).name == "the 2 files"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.csv"], "missing.csv is not: No such file"),
        (["no-*.csv"], "none matches no-\\*.csv"),
        (["empty.csv"], "empty.csv is empty"),
        (["rows.csv", "rows.parquet"], "must be of one format"),
        (["notes.md"], "must end in one of .csv"),
        (["nothing"], "has no CSV, Parquet or JSON lines files"),
        (["-", "rows.csv"], "must be the only file"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nothing").mkdir()
    (tmp_path / "empty.csv").touch()
    for name in ["rows.csv", "rows.parquet", "notes.md"]:
        (tmp_path / name).write_text("score,label\n")
    with pytest.raises(UserError, match=message):
        find_files(arguments)
