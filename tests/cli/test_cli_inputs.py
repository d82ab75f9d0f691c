"""Which files arguments name, and what columns of text turn into."""

import click
import pytest

from ordcut.cli.columns import Columns
from ordcut.cli.duck import open_columns
from ordcut.cli.failures import UserError
from ordcut.cli.inputs import find_files
from ordcut.cli.objective import read_objective


@pytest.fixture(autouse=True)
def inside_a_command():
    """What a command has: a context that cleans up at its end."""
    with click.Context(click.Command("test")):
        yield


def read(path, text, label="label", **options):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_columns(find_files([str(path)], **options), Columns("score", label)).fetchall()


def test_globs_and_folders_name_files_in_order(tmp_path):
    (tmp_path / "part=1").mkdir()
    for name in ["b.csv", "a.csv", "part=1/c.csv", ".hidden.csv", "_SUCCESS", "notes.md"]:
        (tmp_path / name).write_text("score,label\n")
    expected = [str(tmp_path / name) for name in ("a.csv", "b.csv", "part=1/c.csv")]
    assert list(find_files([f"{tmp_path}/**/*.csv"]).paths) == expected
    assert list(find_files([str(tmp_path)]).paths) == expected
    assert find_files([f"{tmp_path}/*.csv"]).name == "the 2 files"


@pytest.mark.parametrize(
    "name", ["we[i]rd*.csv", "it's; drop.csv", "naïve 日本 <b>.csv", "a?b.csv"]
)
def test_names_of_files_are_taken_as_they_are(tmp_path, name):
    assert read(tmp_path / name, "score,label\n1,2\n") == [(1.0, 2)]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("score;label\n1,5;a\n", None),
        ("score;label\n1.5;a\n", [(1.5, "a")]),
        ("\ufeffscore,label\n1.5,a\n", [(1.5, "a")]),
        ("score\tlabel\r\n1.5\ta\r\n", [(1.5, "a")]),
        ('score,label\n1.5,"a, ""b"""\n', [(1.5, 'a, "b"')]),
        ("score,label\n1e3, 7\n-2,+8\n", [(1000.0, 7), (-2.0, 8)]),
        ("score,label\n1,7\n2,7.5\n", [(1.0, 7.0), (2.0, 7.5)]),
        ("score,label\n1,true\n2,False\n", [(1.0, True), (2.0, False)]),
        ("score,label\n1,7\n2,seven\n", [(1.0, "7"), (2.0, "seven")]),
        ("score,label\n1,\n2,7\n", [(1.0, None), (2.0, 7)]),
    ],
)
def test_text_becomes_numbers_where_all_of_it_is(tmp_path, text, rows):
    if rows is None:
        with pytest.raises(UserError, match='"score" must hold numbers, got "1,5" in row 1'):
            read(tmp_path / "rows.csv", text)
    else:
        assert read(tmp_path / "rows.csv", text) == rows


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_fraction_after_many_whole_numbers_is_not_rounded(tmp_path, format):
    values = [*range(30_000), 30_000.5]
    line = {"csv": "{0},{0}", "jsonl": '{{"score": {0}, "label": {0}}}'}[format]
    head = ["score,label"] if format == "csv" else []
    text = "\n".join([*head, *map(line.format, values)])
    assert read(tmp_path / f"rows.{format}", text)[-1] == (30_000.5, 30_000.5)


def test_compressed_text_is_read(tmp_path):
    import gzip

    text = gzip.compress(b"score,label\n1,2\n")
    assert read(tmp_path / "rows.csv.gz", text) == [(1.0, 2)]


def test_columns_of_several_files_are_matched_by_name(tmp_path):
    (tmp_path / "a.csv").write_text("score,label\n1,2\n")
    (tmp_path / "b.csv").write_text("label,score\n3,4\n")
    relation = open_columns(find_files([f"{tmp_path}/*.csv"]), Columns("score", "label"))
    assert sorted(relation.fetchall()) == [(1.0, 2), (4.0, 3)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.csv"], "missing.csv is not: No such file"),
        (["no-*.csv"], "none matches no-\\*.csv"),
        (["empty.csv"], "empty.csv is empty"),
        (["rows.csv", "rows.parquet"], "must be of one format"),
        (["notes.md"], "must end in one of .csv"),
        (["nothing"], "has no CSV, Parquet or JSON lines in it"),
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


def test_a_matrix_of_costs_is_read(tmp_path):
    path = tmp_path / "cost.csv"
    path.write_text("0;1.5\n4;0\n\n")
    assert read_objective(str(path)) == [[0.0, 1.5], [4.0, 0.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n", "square matrix"),
        ("0,1\n1,0,1\n", "2 lines of 2 or 3 numbers"),
        ("a,b\n0,1\n", "numbers only"),
        ("", "0 lines of no numbers"),
        (None, "No such file"),
    ],
)
def test_a_bad_matrix_of_costs_is_refused(tmp_path, text, message):
    path = tmp_path / "cost.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_objective(str(path))


def test_a_misspelt_objective_is_corrected():
    with pytest.raises(UserError, match='Did you mean "quadratic_kappa"'):
        read_objective("quadratic_kapa")
