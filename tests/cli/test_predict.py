"""``ordcut predict``: what the library predicts, in every format, with all columns."""

import csv
import gzip
import io
import json
import math

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ordcut as library
from tests.cli.cli_rows import IS_DUCKDB_2


def read_back(path):
    return duckdb.sql(f"SELECT * FROM '{path}'").fetchall()


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet", "out.jsonl"])
def test_rows_keep_their_order_and_columns_and_get_the_labels_of_the_library(
    ordcut, tmp_path, csv_file, thresholds_file, rows, result, name
):
    out = tmp_path / name
    done = ordcut("predict", csv_file, "-t", thresholds_file, "--score", "score", "-o", out,
                  "--name", "predicted")  # fmt: skip
    assert (done.code, done.out, done.err) == (0, "", f"Wrote 300 rows to {out}.\n")
    scores, labels = rows
    ids = [f"{number:04d}" for number in range(300)]
    expected = list(zip(ids, scores.tolist(), labels.tolist(), result.predict(scores), strict=True))
    assert read_back(out) == expected


def test_text_goes_through_csv_untouched(ordcut, tmp_path, thresholds_file):
    text = 'code,score,note\n007,1.50,"a, ""b"""\n1e5,-2,naïve 日本\n'
    done = ordcut("predict", "-", "-t", thresholds_file, "--score", "score", "-o", "-", stdin=text)
    header, first, second = csv.reader(io.StringIO(done.out))
    assert header == ["code", "score", "note", "label"]
    assert first == ["007", "1.50", 'a, "b"', "good"]
    assert second == ["1e5", "-2", "naïve 日本", "bad"]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    scores=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8),
    cuts=st.lists(st.floats(allow_nan=False), min_size=1, max_size=4),
)
def test_any_finite_float_gets_the_class_that_the_library_gives_it(ordcut, tmp_path, scores, cuts):
    cuts = np.sort(cuts)
    result = library.Thresholds.from_values(cuts, range(len(cuts) + 1))
    (tmp_path / "t.json").write_text(result.to_json())
    finite = cuts[np.abs(cuts) < np.finfo(float).max]
    numbers = scores + finite.tolist() + np.nextafter(finite, -np.inf).tolist()
    text = "score\n" + "\n".join(map(repr, numbers)) + "\n"
    done = ordcut("predict", "-", "-t", tmp_path / "t.json", "--score", "score", "-o", "-",
                  stdin=text)  # fmt: skip
    predicted = [int(row["label"]) for row in csv.DictReader(io.StringIO(done.out))]
    assert predicted == result.predict(numbers).tolist()


@pytest.mark.parametrize("column", ['a "b"', "<script>", "it's; --", "naïve 日本", "select", "{x}"])
def test_columns_of_any_name_are_found(ordcut, tmp_path, thresholds_file, column):
    name = '"' + column.replace('"', '""') + '"'
    done = ordcut("predict", "-", "-t", thresholds_file, "--score", column, "-o", "-",
                  "--name", column + "!", stdin=f"{name}\n9\n")  # fmt: skip
    if '"' in column and not IS_DUCKDB_2:
        assert done.code == 2
        assert f"quotation marks in their names before DuckDB 2, got {column}." in done.err
        return
    assert done.code == 0, done.err
    assert list(csv.reader(io.StringIO(done.out))) == [[column, column + "!"], ["9", "good"]]


def test_nan_in_parquet_stops_it_or_stays_without_a_label(ordcut, tmp_path, thresholds_file):
    rows, out = tmp_path / "rows.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"score": [9.0, math.nan, 9.0]}), rows)  # its statistics leave NaN out
    command = "predict", rows, "-t", thresholds_file, "--score", "score", "-o", out
    done = ordcut(*command)
    assert done.code != 0
    assert '"score" is missing in some row' in done.err
    assert ordcut(*command, "--nulls", "keep").code == 0
    assert [label for _, label in read_back(out)] == ["good", None, "good"]


def test_missing_scores_stop_it_or_stay_without_a_label(ordcut, tmp_path, thresholds_file):
    text = "score,x\n1,a\n,b\nNaN,c\n"
    command = "predict", "-", "-t", thresholds_file, "--score", "score", "-o"
    out = tmp_path / "out.csv"
    done = ordcut(*command, out, stdin=text)
    assert done.code == 2
    assert "must not be missing" in done.err
    assert "--nulls keep" in done.err
    assert not out.exists()
    done = ordcut(*command, "-", "--nulls", "keep", stdin=text)
    assert [row["label"] for row in csv.DictReader(io.StringIO(done.out))] == ["good", "", ""]


def test_json_lines_hold_no_nan(ordcut, tmp_path, thresholds_file):
    done = ordcut("predict", "-", "-t", thresholds_file, "--score", "score", "-o", "-", "--nulls",
                  "keep", "--output-format", "json", stdin="score\n1.5\nNaN\ninf\n")  # fmt: skip
    lines = [json.loads(line, parse_constant=pytest.fail) for line in done.out.splitlines()]
    assert lines == [
        {"score": 1.5, "label": "good"},
        {"score": None, "label": None},
        {"score": None, "label": "good"},
    ]


def test_json_lines_and_parquet_are_read(ordcut, tmp_path, thresholds_file):
    lines = tmp_path / "rows.jsonl"
    lines.write_text('{"score": 9, "x": [1, 2]}\n{"score": -9.5, "x": []}\n')
    out = tmp_path / "out.parquet"
    assert ordcut("predict", lines, "-t", thresholds_file, "--score", "score", "-o", out).code == 0
    assert read_back(out) == [(9.0, [1, 2], "good"), (-9.5, [], "bad")]
    again = tmp_path / "again.jsonl"
    done = ordcut("predict", out, "-t", thresholds_file, "--score", "score", "--name", "b",
                  "-o", again)  # fmt: skip
    assert done.code == 0
    assert [row[-1] for row in read_back(again)] == ["good", "bad"]


def test_thresholds_of_float32_scores_label_them_as_intended(ordcut, tmp_path):
    low = np.float32(1.0)
    scores = np.array([low, np.nextafter(low, np.float32(2))])
    result = library.optimal_thresholds(scores, [0, 1])
    (tmp_path / "t.json").write_text(result.to_json())
    duckdb.sql(
        "SELECT unnest([1.0::FLOAT, 1.00000011920928955078125::FLOAT]) AS score"
    ).write_parquet(str(tmp_path / "rows.parquet"))
    out = tmp_path / "out.parquet"
    ordcut("predict", tmp_path / "rows.parquet", "-t", tmp_path / "t.json", "--score", "score",
           "-o", out)  # fmt: skip
    assert [label for _, label in read_back(out)] == [0, 1]


def test_a_file_can_take_the_place_of_its_input_if_forced(ordcut, csv_file, thresholds_file):
    before = csv_file.read_text().splitlines()
    command = "predict", csv_file, "-t", thresholds_file, "--score", "score", "-o", csv_file
    assert ordcut(*command, "--name", "new").code == 2
    assert csv_file.read_text().splitlines() == before
    assert ordcut(*command, "--name", "new", "--force").code == 0
    after = csv_file.read_text().splitlines()
    assert [line.rsplit(",", 1)[0] for line in after] == before


def test_compressed_input_is_read(ordcut, tmp_path, thresholds_file):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"score\n9\n"))
    done = ordcut("predict", path, "-t", thresholds_file, "--score", "score", "-o", "-")
    assert done.out == "score,label\n9,good\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--score", "scor"], 'Did you mean "score"?'),
        (["--score", "label"], 'column "label" must contain numbers, got "'),
        ([], "--score must be given"),
        (["--score", "score", "--name", "Label"], 'already has "Label"'),
    ],
)
def test_a_mistake_is_explained_and_nothing_is_written(
    ordcut, tmp_path, csv_file, thresholds_file, options, message
):
    out = tmp_path / "out.csv"
    name = [] if "--name" in options else ["--name", "new"]
    done = ordcut("predict", csv_file, "-t", thresholds_file, "-o", out, *options, *name)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""
    assert not out.exists()


@pytest.mark.parametrize("text", ["", "{}", "no json", '{"schema": "ordcut.thresholds"}', "\x00"])
def test_a_file_that_holds_no_thresholds_is_refused(ordcut, tmp_path, csv_file, text):
    path = tmp_path / "t.json"
    path.write_text(text)
    done = ordcut("predict", csv_file, "-t", path, "--score", "score", "-o", "-")
    assert done.code == 2
    assert "--thresholds must be a file that ordcut fit wrote" in done.err


def test_thresholds_come_from_standard_input_too(ordcut, csv_file, thresholds_file):
    command = "predict", csv_file, "--score", "score", "--name", "new", "-o", "-", "-t"
    by_file = ordcut(*command, thresholds_file)
    by_stdin = ordcut(*command, "-", stdin=thresholds_file.read_text())
    assert by_file == by_stdin
    both = ordcut("predict", "-", "-t", "-", "--score", "score", "-o", "-")
    assert both.code == 2
    assert "must not both be -" in both.err


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("stated", [False, True])
def test_csv_keeps_its_separator(ordcut, thresholds_file, separator, stated):
    lines = ["id,score,note", "1,9,a", "2,-9,b"]
    text = "\n".join(line.replace(",", separator) for line in lines) + "\n"
    option = ["--separator", separator] if stated else []
    done = ordcut("predict", "-", "-t", thresholds_file, "--score", "score", "-o", "-", *option,
                  stdin=text)  # fmt: skip
    expected = ["id,score,note,label", "1,9,a,good", "2,-9,b,bad"]
    assert done.out.splitlines() == [line.replace(",", separator) for line in expected]


@pytest.mark.parametrize("name", ["out.tsv", "out.TSV", "out.tsv.gz"])
def test_tsv_has_tabs(ordcut, tmp_path, csv_file, thresholds_file, name):
    out = tmp_path / name
    done = ordcut("predict", csv_file, "-t", thresholds_file, "--score", "score", "--name", "new",
                  "-o", out)  # fmt: skip
    assert done.code == 0, done.err
    opener = gzip.open if name.endswith(".gz") else open
    with opener(out, "rt") as file:
        assert next(file) == "id\tscore\tlabel\tnew\n"


@pytest.mark.parametrize("name", ["labelled.ods", "labelled.feather", "a.gz", "a.parquet.gz"])
def test_formats_that_cannot_be_written_are_refused(
    ordcut, tmp_path, csv_file, thresholds_file, name
):
    out = tmp_path / name
    done = ordcut("predict", csv_file, "-t", thresholds_file, "--score", "score", "-o", out)
    assert done.code == 2
    assert "--output must end in one of .csv, .tsv, .txt, .parquet, .pq, .jsonl" in done.err
    assert "pass --output-format" in done.err
    assert not out.exists()


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_decimal_commas_are_read_and_kept_in_csv(ordcut, tmp_path, thresholds_file, name):
    file, out = tmp_path / "rows.csv", tmp_path / name
    file.write_text("score;x\n9,5;0,25\n-9,5;0,5\n")
    command = "predict", file, "-t", thresholds_file, "--score", "score", "-o", out
    done = ordcut(*command)
    assert done.code == 2
    assert 'got "9,5" in line 2' in done.err
    assert "pass --decimal ," in done.err
    assert ordcut(*command, "--decimal", ",").code == 0
    if name == "out.csv":
        assert out.read_text() == "score;x;label\n9,5;0,25;good\n-9,5;0,5;bad\n"
    else:
        assert read_back(out) == [(9.5, 0.25, "good"), (-9.5, 0.5, "bad")]


def test_gzip_is_read_from_standard_input(thresholds_file, start):
    process = start("predict", "-", "-t", thresholds_file, "--score", "score", "-o", "-", "-q")
    out, err = process.communicate(gzip.compress(b"score\n9\n"))
    assert (process.returncode, err) == (0, b"")
    assert out == b"score,label\n9,good\n"


@pytest.mark.parametrize("options", [[], ["--format", "csv"]])
def test_scores_on_another_scale_get_a_warning(ordcut, csv_file, tmp_path, result, options):
    path, other = tmp_path / "cuts.json", tmp_path / "other.csv"
    path.write_text(result.to_json(), encoding="utf-8")
    other.write_text("score\n" + "\n".join(str(100 + i) for i in range(300)), encoding="utf-8")
    arguments = ["predict", other, "-t", path, "--score", "score", *options]
    done = ordcut(*arguments, "-o", tmp_path / "out.csv")
    assert done.code == 0
    assert "Warning: scores must be on the scale" in done.err
    done = ordcut(*arguments, "-o", tmp_path / "strict.csv", "--strict")
    assert done.code == 2
    assert "Pass scores of the same model" in done.err
    assert not (tmp_path / "strict.csv").exists()
    done = ordcut("predict", csv_file, "-t", path, "--score", "score", "-o", tmp_path / "in.csv")
    assert "Warning" not in done.err
