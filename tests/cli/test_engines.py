"""Files as frames of an engine: paths, types of columns, and engines that are missing."""

import gzip
import sys

import click
import pytest

from ordcut.cli.app import ordcut as group
from ordcut.cli.engines import ENGINES, PACKAGES, open_frame
from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns, find_files


@pytest.fixture(autouse=True)
def inside_a_command():
    """What a command has: a context that cleans up at its end."""
    with click.Context(click.Command("test")):
        yield


def read(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_frame("duckdb", find_files([str(path)]), Columns("score", "label")).fetchall()


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
    text = gzip.compress(b"score,label\n1,2\n")
    assert read(tmp_path / "rows.csv.gz", text) == [(1.0, 2)]


def test_columns_of_several_files_are_matched_by_name(tmp_path):
    (tmp_path / "a.csv").write_text("score,label\n1,2\n")
    (tmp_path / "b.csv").write_text("label,score\n3,4\n")
    files = find_files([f"{tmp_path}/*.csv"])
    relation = open_frame("duckdb", files, Columns("score", "label"))
    assert sorted(relation.fetchall()) == [(1.0, 2), (4.0, 3)]


def test_fit_offers_the_engines_that_there_are():
    fit = group.get_command(click.Context(group), "fit")
    choice = next(parameter.type for parameter in fit.params if parameter.name == "engine")
    assert list(choice.choices) == list(ENGINES) == list(PACKAGES)


def test_an_engine_that_is_missing_is_named(ordcut, csv_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    columns = "--score", "score", "--label", "label"
    done = ordcut("fit", csv_file, *columns, "--engine", "polars")
    assert done.code == 1
    assert "--engine polars needs polars" in done.err
    assert 'pip install "polars"' in done.err
