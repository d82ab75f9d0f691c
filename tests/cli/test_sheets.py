"""Excel files in and out, and arrays of JSON."""

import datetime
import gzip
import json
import subprocess
import sys

import polars as pl
import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook

import ordcut as library
from tests.cli.cli_rows import CLASSES, make_rows

COLUMNS = ("--score", "score", "--label", "label", "--classes", ",".join(CLASSES))


def write_sheet(path, *rows):
    options = {"default_date_format": "yyyy-mm-dd", "strings_to_formulas": False}
    with xlsxwriter.Workbook(path, options) as workbook:
        sheet = workbook.add_worksheet()
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
        workbook.add_worksheet().write_row(0, 0, ["another", "sheet"])
    return path


def read_sheet(path):
    with CalamineWorkbook.from_path(path) as workbook:
        return workbook.get_sheet_by_index(0).to_python()


@pytest.fixture
def sheet(tmp_path):
    """The rows of the other tests, in an Excel file."""
    scores, labels = make_rows(300)
    rows = zip(scores.tolist(), labels.tolist(), strict=True)
    return write_sheet(tmp_path / "rows.xlsx", ["score", "label"], *rows)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, in the code of Dask
@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
def test_thresholds_of_a_sheet_are_those_of_its_rows(ordcut, sheet, engine):
    done = ordcut("fit", sheet, *COLUMNS, "--engine", engine, "--json")
    assert done.code == 0, done.err
    expected = library.optimal_thresholds(*make_rows(300), classes=CLASSES)
    assert json.loads(done.out)["thresholds"] == expected.thresholds.tolist()


def test_a_sheet_is_labelled_as_a_sheet_with_all_that_it_holds(ordcut, tmp_path, thresholds_file):
    day = datetime.date(2026, 2, 3)
    path = write_sheet(
        tmp_path / "rows.xlsx",
        ["id", "score", "day", "is new", "note", "mixed"],
        ["007", 9.5, day, True, "=1+1", 1],
        ["008", -9.5, day, False, "http://localhost", "x"],
        [],
        ["009", 0.1, day, True, None, 2.5],
    )
    out = tmp_path / "out.xlsx"
    done = ordcut("predict", path, "-t", thresholds_file, "--score", "score", "-o", out)
    assert (done.code, done.err) == (0, f"Wrote 3 rows to {out}.\n")
    header, *rows = read_sheet(out)
    assert header == ["id", "score", "day", "is new", "note", "mixed", "label"]
    rule = library.Thresholds.from_json(thresholds_file)
    labels = rule.predict([9.5, -9.5, 0.1]).tolist()
    assert rows == [
        ["007", 9.5, day, True, "=1+1", "1", labels[0]],
        ["008", -9.5, day, False, "http://localhost", "x", labels[1]],
        ["009", 0.1, day, True, "", "2.5", labels[2]],
    ]


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.jsonl"])
def test_a_sheet_becomes_any_format(ordcut, tmp_path, sheet, thresholds_file, name):
    out = tmp_path / name
    done = ordcut(
        "predict", sheet, "-t", thresholds_file, "--score", "score", "--name", "new", "-o", out
    )
    assert done.code == 0, done.err
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "jsonl": pl.read_ndjson}
    scores, labels = make_rows(300)
    rows = read[name.split(".")[1]](out)
    assert rows["score"].to_list() == scores.tolist()
    assert rows["label"].to_list() == labels.tolist()


def test_a_sheet_passes_through_standard_input_and_output(start, sheet, thresholds_file):
    process = start("predict", "-", "--format", "excel", "-t", thresholds_file, "--score", "score",
                    "--name", "new", "-o", "-")  # fmt: skip
    out, err = process.communicate(sheet.read_bytes())
    assert process.returncode == 0, err
    (sheet.parent / "out.xlsx").write_bytes(out)
    assert len(read_sheet(sheet.parent / "out.xlsx")) == 301


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["score", "score"], [1, 2]], 'has "score" 2 times'),
        ([], "the first sheet of"),
        ([["skore", "label"], [1, "bad"]], 'Did you mean "skore"'),
    ],
)
def test_sheets_that_cannot_be_used_are_named(ordcut, tmp_path, rows, message):
    path = write_sheet(tmp_path / "rows.xlsx", *rows)
    done = ordcut("fit", path, *COLUMNS)
    assert done.code == 2
    assert message in done.err


def test_a_file_that_is_no_workbook_is_named(ordcut, tmp_path):
    path = tmp_path / "rows.xlsx"
    path.write_text("score,label\n1,bad\n")
    done = ordcut("fit", path, *COLUMNS)
    assert done.code == 2
    assert "rows.xlsx cannot be read" in done.err
    assert "save it as CSV" in done.err


def test_a_sheet_with_too_many_rows_is_refused(ordcut, tmp_path, thresholds_file):
    path, out = tmp_path / "rows.parquet", tmp_path / "out.xlsx"
    pl.DataFrame({"score": pl.zeros(1 << 20, eager=True)}).write_parquet(path)
    done = ordcut("predict", path, "-t", thresholds_file, "--score", "score", "-o", out)
    assert done.code == 2
    assert "at most 1,048,575 rows" in done.err
    assert not out.exists()


@pytest.mark.parametrize(
    ("package", "words"),
    [
        ("python_calamine", ["fit", "rows.xlsx", *COLUMNS]),
        (
            "xlsxwriter",
            ["predict", "rows.csv", "-t", "thresholds.json", "--score", "score", "-o", "o.xlsx"],
        ),
    ],
)
def test_a_missing_package_is_named_with_how_to_install_it(sheet, thresholds_file, package, words):
    (sheet.parent / "rows.csv").write_text("score\n1\n")
    code = f"import sys; sys.modules[{package!r}] = None; from ordcut.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=sheet.parent, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert f"pip install {package.replace('_', '-')}, or" in done.stderr
    assert "Traceback" not in done.stderr


def as_array(scores):
    return json.dumps([{"score": score} for score in scores], indent=1)


def as_lines(scores):
    return "".join(json.dumps({"score": score}) + "\n" for score in scores)


@pytest.mark.parametrize("out", ["out.json", "out.json.gz", "-"])
@pytest.mark.parametrize("write", [as_array, as_lines])
def test_an_array_of_json_stays_an_array_and_lines_stay_lines(
    ordcut, tmp_path, thresholds_file, write, out
):
    path = tmp_path / "rows.json"
    path.write_text(write([9.5, -9.5]))
    target = out if out == "-" else tmp_path / out
    done = ordcut("predict", path, "-t", thresholds_file, "--score", "score", "-o", target)
    assert done.code == 0, done.err
    text = done.out
    if out != "-":
        content = target.read_bytes()
        text = (gzip.decompress(content) if out.endswith(".gz") else content).decode()
    rows = json.loads(text) if write is as_array else list(map(json.loads, text.splitlines()))
    assert [row["score"] for row in rows] == [9.5, -9.5]
    assert [row["label"] for row in rows] == ["good", "bad"]


def test_an_array_of_json_becomes_lines_where_the_name_says_so(ordcut, tmp_path, thresholds_file):
    path, out = tmp_path / "rows.json", tmp_path / "out.jsonl"
    path.write_text(as_array([9.5, -9.5]))
    assert ordcut("predict", path, "-t", thresholds_file, "--score", "score", "-o", out).code == 0
    assert [json.loads(line)["label"] for line in out.read_text().splitlines()] == ["good", "bad"]


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, in the code of Dask
@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
def test_every_engine_reads_an_array_of_json(ordcut, tmp_path, engine):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{"score": 1.5, "label": 0}, {"score": 3, "label": 1}]))
    done = ordcut("fit", path, "--score", "score", "--label", "label", "--engine", engine, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["thresholds"] == [2.25]
