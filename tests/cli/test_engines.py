"""Files as frames of an engine: paths, types of columns, and engines that are missing."""

import gzip
import json
import sys

import click
import duckdb
import narwhals as nw
import pandas as pd
import pytest
from cli_rows import CLASSES, make_rows

import ordcut as library
from ordcut.cli.app import ordcut as group
from ordcut.cli.engines import ENGINES, PACKAGES, _check_reachable, open_frame, stated_order
from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns, Reading, find_files

COLUMNS = Columns("score", "label")


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
        with pytest.raises(UserError, match='"score" must contain numbers, got "1,5" in row 1'):
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


def read_with(engine, path, **reading):
    """The rows of a file in order, whatever the engine reads them into."""
    frame = open_frame(engine, find_files([str(path)], Reading(**reading)), COLUMNS)
    rows = nw.from_native(frame).lazy().collect().rows()
    return sorted(tuple(row) for row in rows)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, in the code of Dask
@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
@pytest.mark.parametrize("separator", [";", "\t", "|", None])
def test_decimal_commas_are_read_by_every_engine(tmp_path, engine, separator):
    path = tmp_path / "rows.csv"
    mark = separator or ";"
    lines = ["score,label", "1.5,2.5", "-10,3", "2.5e3,3"]
    text = "\n".join(line.replace(",", mark).replace(".", ",") for line in lines)
    path.write_text(text)
    expected = [(-10.0, 3.0), (1.5, 2.5), (2500.0, 3.0)]
    assert read_with(engine, path, decimal=",", separator=separator) == expected


@pytest.mark.parametrize(
    ("number", "decimal", "advice"),
    [
        ("1,5", ".", "pass --decimal ,"),
        ("1.234", ",", "pass --decimal ."),
        ("1.234,5", ",", "Fix that row"),
        ("x", ",", "Fix that row"),
    ],
)
def test_numbers_with_another_decimal_mark_are_never_guessed(tmp_path, number, decimal, advice):
    path = tmp_path / "rows.csv"
    path.write_text(f"score;label\n7;a\n{number};b\n")
    with pytest.raises(UserError, match=f'got "{number}" in row 2.*{advice}'):
        read_with("duckdb", path, decimal=decimal)


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz", "rows.jsonl"])
def test_text_is_read_in_its_encoding(tmp_path, encoding, engine, name):
    path = tmp_path / name
    text = "score,label\n1.5,café\n"
    if name == "rows.jsonl":
        text = '{"score": 1.5, "label": "café"}\n'
    encoded = text.encode(encoding)
    path.write_bytes(gzip.compress(encoded) if name.endswith(".gz") else encoded)
    assert read_with(engine, path, encoding=encoding) == [(1.5, "café")]


def test_the_option_is_named_where_text_is_not_utf_8(ordcut, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes("score,label\n1.5,café\n2.5,thé\n".encode("cp1252"))
    columns = "--score", "score", "--label", "label"
    done = ordcut("fit", path, *columns)
    assert done.code == 2
    assert "pass --encoding" in done.err
    assert ordcut("fit", path, *columns, "--encoding", "windows-1252").code == 0
    done = ordcut("fit", path, *columns, "--encoding", "ascii")
    assert done.code == 2
    assert "--encoding must be that of the text" in done.err
    done = ordcut("fit", path, *columns, "--encoding", "base64")
    assert done.code == 2
    assert "'base64' is not an encoding" in done.err


@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_every_engine_names_the_option_for_another_encoding(ordcut, tmp_path, engine, encoding):
    path = tmp_path / "rows.csv"
    path.write_bytes("score,label\n1.5,café\n2.5,thé\n".encode(encoding))
    command = "fit", path, "--score", "score", "--label", "label", "--engine", engine
    done = ordcut(*command)
    assert done.code == 2
    assert "ass --encoding" in done.err
    done = ordcut(*command, "--encoding", encoding)
    assert done.code == 0, done.err
    assert "café" in done.out


@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
def test_every_engine_reads_gzip_from_standard_input(start, engine):
    columns = "--score", "score", "--label", "label"
    process = start("fit", "-", *columns, "--engine", engine, "--json")
    out, err = process.communicate(gzip.compress(b"score,label\n1,0\n2,0\n3,1\n"))
    assert (process.returncode, err) == (0, b"")
    assert json.loads(out)["thresholds"] == [2.5]


def test_standard_input_has_a_name_in_messages(ordcut):
    done = ordcut("fit", "-", "--score", "s", "--label", "label", stdin="score,label\n1,2\n")
    assert "--score must name a column of standard input" in done.err


@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
def test_every_engine_names_the_option_for_json_in_another_encoding(ordcut, tmp_path, engine):
    path = tmp_path / "rows.jsonl"
    path.write_bytes('{"score": 1.5, "label": "café"}\n'.encode("cp1252"))
    done = ordcut("fit", path, "--score", "score", "--label", "label", "--engine", engine)
    assert done.code == 2
    assert "pass --encoding" in done.err


def test_a_cluster_is_not_sent_copies_that_only_this_machine_has(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("score;label\n1,5;2\n", encoding="utf-16")
    copies = find_files([str(path)], Reading(encoding="utf-16")).paths
    _check_reachable("local[2]", copies)
    _check_reachable("spark://somewhere:7077", [str(path)])
    with pytest.raises(UserError, match="which the workers of spark://somewhere:7077 cannot read"):
        _check_reachable("spark://somewhere:7077", copies)


@pytest.mark.parametrize("option", [("--decimal", ","), ("--encoding", "latin-1")])
def test_options_of_text_are_refused_for_parquet(ordcut, tmp_path, option):
    path = tmp_path / "rows.parquet"
    duckdb.sql("SELECT 1 AS score, 2 AS label").write_parquet(str(path))
    done = ordcut("fit", path, "--score", "score", "--label", "label", *option)
    assert done.code == 2
    assert f"{option[0]} must be left out for files that are not csv" in done.err


def test_compressed_text_is_read(tmp_path):
    text = gzip.compress(b"score,label\n1,2\n")
    assert read(tmp_path / "rows.csv.gz", text) == [(1.0, 2)]


def test_columns_of_several_files_are_matched_by_name(tmp_path):
    (tmp_path / "a.csv").write_text("score,label\n1,2\n")
    (tmp_path / "b.csv").write_text("label,score\n3,4\n")
    files = find_files([f"{tmp_path}/*.csv"])
    relation = open_frame("duckdb", files, Columns("score", "label"))
    assert sorted(relation.fetchall()) == [(1.0, 2), (4.0, 3)]


@pytest.mark.parametrize("command", ["fit", "evaluate", "report"])
def test_commands_offer_the_engines_that_there_are(command):
    parameters = group.get_command(click.Context(group), command).params
    choice = next(parameter.type for parameter in parameters if parameter.name == "engine")
    assert list(choice.choices) == list(ENGINES) == list(PACKAGES)


def test_an_engine_that_is_missing_is_named(ordcut, csv_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    columns = "--score", "score", "--label", "label"
    done = ordcut("fit", csv_file, *columns, "--engine", "polars")
    assert done.code == 1
    assert "--engine polars needs polars" in done.err
    assert 'pip install "polars"' in done.err


@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
def test_parquet_of_pandas_keeps_the_order_of_its_categories(ordcut, tmp_path, engine):
    scores, labels = make_rows(60)
    order = [*CLASSES[::-1], "unused"]
    names = pd.Categorical(labels, order, ordered=True)
    frame = pd.DataFrame({"score": -scores, "label": names})
    for part in range(2):
        frame[part::2].to_parquet(tmp_path / f"{part}.parquet", row_group_size=10)
    options = ["--score", "score", "--label", "label", "--engine", engine, "--json"]
    done = ordcut("fit", tmp_path, *options)
    assert (done.code, done.err) == (0, "")
    found = library.optimal_thresholds(-scores, names)
    assert json.loads(done.out)["classes"] == order
    assert json.loads(done.out)["value"] == found.value


def test_parquet_files_with_different_orders_state_none(tmp_path):
    for part, order in enumerate((CLASSES, CLASSES[::-1])):
        names = pd.Categorical(CLASSES, order, ordered=True)
        pd.DataFrame({"label": names}).to_parquet(tmp_path / f"{part}.parquet")
    assert stated_order(find_files([str(tmp_path / "0.parquet")]), "label") == CLASSES
    assert stated_order(find_files([str(tmp_path)]), "label") is None
    assert stated_order(find_files([str(tmp_path)]), "other") is None
