"""Files as frames of an engine: paths, types of columns, and engines that are missing."""

import gzip
import json
import re
import sys
from types import ModuleType, SimpleNamespace

import duckdb
import pandas as pd
import pytest

import ordcut as library
from tests.cli.cli_rows import CLASSES, make_rows


@pytest.fixture
def fit(ordcut, tmp_path):
    """Run ``fit`` on text in a file; it fails unless it finds thresholds, which are returned."""

    def call(text, name="rows.csv", *options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = ordcut("fit", path, "--score", "score", "--label", "label", "--json", *options)
        assert done.code == 0, done.err
        return json.loads(done.out)

    return call


def is_of(saved, scores, labels):
    """Whether thresholds are those of rows, with classes of the same values and types."""
    result = library.optimal_thresholds(scores, labels, classes=sorted(set(labels)))
    expected = result.classes.tolist()
    assert saved["classes"] == expected
    assert list(map(type, saved["classes"])) == list(map(type, expected))
    return saved["thresholds"] == result.thresholds.tolist()


@pytest.mark.parametrize(
    "name", ["we[i]rd*.csv", "it's; drop.csv", "naïve 日本 <b>.csv", "a?b.csv"]
)
def test_names_of_files_are_taken_as_they_are(fit, name):
    assert fit("score,label\n1,2\n2,3\n", name)["thresholds"] == [1.5]


@pytest.mark.parametrize(
    ("text", "scores", "labels"),
    [
        ("score;label\n1.5;a\n2;b\n", [1.5, 2], ["a", "b"]),
        ("\ufeffscore,label\n1.5,a\n2,b\n", [1.5, 2], ["a", "b"]),
        ("score\tlabel\r\n1.5\ta\r\n2\tb\r\n", [1.5, 2], ["a", "b"]),
        ('score,label\n1.5,"a, ""b"""\n2,c\n', [1.5, 2], ['a, "b"', "c"]),
        ("score,label\n1e3, 7\n-2,+6\n", [1000, -2], [7, 6]),
        ("score,label\n1,7\n2,7.5\n", [1, 2], [7.0, 7.5]),
        ("score,label\n2,true\n1,False\n", [2, 1], [True, False]),
        ("score,label\n1,7\n2,seven\n", [1, 2], ["7", "seven"]),
        ("score,label\n1,\n2,7\n3,8\n", [2, 3], [7, 8]),
    ],
)
def test_text_becomes_numbers_where_all_of_it_is(fit, text, scores, labels):
    order = [] if not isinstance(labels[0], str) else [
        "--classes", ",".join('"' + label.replace('"', '""') + '"' for label in sorted(labels)),
    ]  # fmt: skip
    assert is_of(fit(text, "rows.csv", "--nulls", "drop", *order), scores, labels)


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_fraction_after_many_whole_numbers_is_not_rounded(fit, format):
    values = [*range(30_000), 30_000.5]
    line = {"csv": "{0},{1}", "jsonl": '{{"score": {0}, "label": {1}}}'}[format]
    head = ["score,label"] if format == "csv" else []
    pairs = [line.format(value, min(value, 0.5) + 1) for value in values]
    pairs[:-1] = [line.format(value, 1) for value in values[:-1]]
    saved = fit("\n".join([*head, *pairs]), f"rows.{format}")
    assert saved["classes"] == [1.0, 1.5]
    assert saved["thresholds"] == [29_999.75]


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, in the code of Dask
@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
@pytest.mark.parametrize("separator", [";", "\t", "|", None])
def test_decimal_commas_are_read_by_every_engine(fit, engine, separator):
    mark = separator or ";"
    lines = ["score,label", "1.5,2.5", "-10,1", "2.5e3,3"]
    text = "\n".join(line.replace(",", mark).replace(".", ",") for line in lines)
    stated = [] if separator is None else ["--separator", separator]
    saved = fit(text, "rows.csv", "--engine", engine, "--decimal", ",", *stated)
    assert is_of(saved, [1.5, -10, 2500], [2.5, 1.0, 3.0])


@pytest.mark.parametrize(
    ("number", "decimal", "advice"),
    [
        ("1,5", ".", "pass --decimal ,"),
        ("1.234", ",", "pass --decimal ."),
        ("1.234,5", ",", "Fix that line"),
        ("x", ",", "Fix that line"),
    ],
)
def test_numbers_with_another_decimal_mark_are_never_guessed(
    ordcut, tmp_path, number, decimal, advice
):
    path = tmp_path / "rows.csv"
    path.write_text(f"score;label\n7;a\n{number};b\n")
    columns = "--score", "score", "--label", "label"
    done = ordcut("fit", path, *columns, "--decimal", decimal)
    assert done.code == 2
    said = f'must contain numbers, got "{re.escape(number)}" in line 3 of .*rows.csv.*{advice}'
    assert re.search(said, done.err)


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz", "rows.jsonl"])
def test_text_is_read_in_its_encoding(fit, encoding, engine, name):
    text = "score,label\n1.5,café\n2.5,thé\n"
    if name == "rows.jsonl":
        text = '{"score": 1.5, "label": "café"}\n{"score": 2.5, "label": "thé"}\n'
    encoded = text.encode(encoding)
    encoded = gzip.compress(encoded) if name.endswith(".gz") else encoded
    options = "--engine", engine, "--encoding", encoding, "--classes", "café,thé"
    saved = fit(encoded, name, *options)
    assert (saved["classes"], saved["thresholds"]) == (["café", "thé"], [2.0])


def test_the_option_is_named_where_text_is_not_utf_8(ordcut, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes("score,label\n1.5,café\n2.5,thé\n".encode("cp1252"))
    columns = "--score", "score", "--label", "label", "--classes", "café,thé"
    done = ordcut("fit", path, *columns)
    assert done.code == 2
    assert "pass --encoding" in done.err
    assert ordcut("fit", path, *columns, "--encoding", "windows-1252").code == 0
    done = ordcut("fit", path, *columns, "--encoding", "ascii")
    assert done.code == 2
    assert "--encoding must match the text" in done.err
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
    done = ordcut(*command, "--encoding", encoding, "--classes", "café,thé")
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


@pytest.mark.parametrize(
    ("master", "is_refused"), [("local[2]", False), ("spark://somewhere:7077", True)]
)
def test_a_cluster_is_not_sent_copies_that_only_this_machine_has(
    ordcut, tmp_path, monkeypatch, master, is_refused
):
    class Builder:
        def appName(self, _):  # noqa: N802 (Spark's name)
            return self

        def config(self, *_):
            return self

        def getOrCreate(self):  # noqa: N802
            def read_csv(*_, **__):
                raise ValueError("the rows were read")

            read = SimpleNamespace(csv=read_csv)
            return SimpleNamespace(sparkContext=SimpleNamespace(master=master), read=read)

    sql = ModuleType("pyspark.sql")
    sql.SparkSession = SimpleNamespace(builder=Builder())
    monkeypatch.setitem(sys.modules, "pyspark", ModuleType("pyspark"))
    monkeypatch.setitem(sys.modules, "pyspark.sql", sql)
    copied, plain = tmp_path / "wide.csv", tmp_path / "rows.csv"
    copied.write_text("score,label\n1.5,2\n", encoding="utf-16")
    plain.write_text("score,label\n1.5,2\n")
    options = "--score", "score", "--label", "label", "--engine", "spark"
    done = ordcut("fit", copied, *options, "--encoding", "utf-16")
    assert done.code == 2
    refusal = f"which the workers of {master} cannot read"
    assert (refusal if is_refused else "the rows were read") in done.err
    assert "the rows were read" in ordcut("fit", plain, *options).err


@pytest.mark.parametrize("option", [("--decimal", ","), ("--encoding", "latin-1")])
def test_options_of_text_are_refused_for_parquet(ordcut, tmp_path, option):
    path = tmp_path / "rows.parquet"
    duckdb.sql("SELECT 1 AS score, 2 AS label").write_parquet(str(path))
    done = ordcut("fit", path, "--score", "score", "--label", "label", *option)
    assert done.code == 2
    assert f"{option[0]} must be left out for files that are not csv" in done.err


def test_columns_of_several_files_are_matched_by_name(ordcut, tmp_path):
    (tmp_path / "a.csv").write_text("score,label\n1,2\n")
    (tmp_path / "b.csv").write_text("label,score\n3,4\n")
    done = ordcut("fit", f"{tmp_path}/*.csv", "--score", "score", "--label", "label", "--json")
    assert is_of(json.loads(done.out), [1, 4], [2, 3])


@pytest.mark.parametrize("command", ["fit", "evaluate", "report"])
def test_commands_offer_the_engines_that_there_are(ordcut, command):
    assert "--engine [duckdb|polars|dask|spark]" in ordcut(command, "--help").out


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
    result = library.optimal_thresholds(-scores, names)
    assert json.loads(done.out)["classes"] == order
    assert json.loads(done.out)["value"] == result.value


def test_parquet_files_with_different_orders_state_none(ordcut, tmp_path):
    for part, order in enumerate((CLASSES[::-1], CLASSES)):
        names = pd.Categorical(CLASSES, order, ordered=True)
        frame = pd.DataFrame({"score": [1.0, 2.0, 3.0], "label": names})
        frame.to_parquet(tmp_path / f"{part}.parquet")

    columns = "--score", "score", "--label", "label", "--json"
    first = ordcut("fit", tmp_path / "0.parquet", *columns)
    assert json.loads(first.out)["classes"] == CLASSES[::-1]
    both = ordcut("fit", tmp_path, *columns)
    assert both.code == 2
    assert "no stated order" in both.err
