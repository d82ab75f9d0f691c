"""``ordcut fit``: what it warns about, what it refuses, and what else it writes."""

import json
import re
import warnings

import pytest

import ordcut as library
from tests.cli.cli_rows import CLASSES

COLUMNS = "--score", "score", "--label", "label"
ORDER = "--classes", ",".join(CLASSES)


def test_intervals_are_on_the_page_that_is_written(ordcut, tmp_path, csv_file):
    page, out, again = tmp_path / "page.html", tmp_path / "t.json", tmp_path / "again.html"
    options = *COLUMNS, *ORDER, "--intervals", "--report", page, "-o", out, "-q"
    assert ordcut("fit", csv_file, *options).code == 0
    intervals = json.loads(out.read_text())["record"]["intervals"]
    assert content_of(page)["intervals"] == intervals
    assert ordcut("report", csv_file, "-t", out, "-o", again, "-q").code == 0
    assert content_of(again)["intervals"] == intervals
    saved = json.loads(out.read_text())
    saved["record"]["intervals"] = {"level": 2}
    out.write_text(json.dumps(saved))
    done = ordcut("report", csv_file, "-t", out, "-o", again, "--force")
    assert done.code == 2
    assert "intervals must hold a level, a pair for each of the 2 thresholds" in done.err


def content_of(page):
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="content">(.*?)</script>', text).group(1))


@pytest.mark.parametrize("digits", ["1700000000123456789", "-1700000000123456789", f"{2**53 + 1}"])
@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
def test_whole_numbers_in_csv_that_floats_do_not_hold_are_refused(ordcut, tmp_path, engine, digits):
    file = tmp_path / "rows.csv"
    file.write_text(f"score,label\n0.5,0\n{digits},1\n")
    done = ordcut("fit", file, *COLUMNS, "--engine", engine)
    assert done.code == 2
    assert f'whole numbers up to 2**53, and "score" holds {digits}. Subtract' in done.err


@pytest.mark.parametrize("digits", ["1e300", "1700000000000000000", "0.1234567890123456789", "nan"])
def test_other_numbers_in_csv_with_many_digits_are_scores(ordcut, tmp_path, digits):
    file = tmp_path / "rows.csv"
    file.write_text(f"score,label\n0.1,0\n{digits},1\n1e301,1\n")
    assert ordcut("fit", file, *COLUMNS, "--nulls", "drop").code == 0


FALLING = [(60 - i, i // 20) for i in range(60)]

#: Rows that the library warns about, and rows that it does not.
WARNED = {
    "falling scores": FALLING,
    "five falling rows": [(5, 0), (4, 0), (3, 1), (2, 1), (1, 2)],
}


@pytest.mark.parametrize("name", list(WARNED))
def test_warnings_are_those_of_the_library_one_line_each(start, name):
    scores, labels = zip(*WARNED[name], strict=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        library.optimal_thresholds(scores, labels)
    text = "score,label\n" + "".join(f"{score},{label}\n" for score, label in WARNED[name])
    process = start("fit", "-", *COLUMNS)
    out, err = process.communicate(text.encode())
    assert process.returncode == 0
    said = [str(warning.message).replace("classes=", "--classes") for warning in caught]
    said = [text.replace("pass -scores", "use a column of negated scores") for text in said]
    expected = [f"Warning: {text}" for text in said]
    assert err.decode().splitlines() == expected
    assert b"Warning" not in out


def test_few_rows_per_class_are_said_unless_they_are_smoothed(ordcut, csv_file):
    few = "score,label\n1,0\n2,0\n3,1\n4,1\n5,1\n"
    said = "fewer than 20 rows per class"
    assert said in ordcut("fit", "-", *COLUMNS, stdin=few).out
    assert said not in ordcut("fit", "-", *COLUMNS, "--smoothing", "0.5", stdin=few).out
    assert said not in ordcut("fit", csv_file, *COLUMNS, *ORDER).out


def test_large_whole_weights_need_their_type_where_the_number_of_rows_matters(ordcut, tmp_path):
    file = tmp_path / "films.csv"
    lines = [f"{i % 7 + i / 30},{i // 20},{1000 + 37 * i % 500}" for i in range(60)]
    file.write_text("score,label,votes\n" + "\n".join(lines) + "\n")
    command = "fit", file, *COLUMNS, "--weight", "votes"
    assert ordcut(*command, "-q").err == ""
    done = ordcut(*command, "--intervals", "-q")
    assert "Pass --weight-type repeats if that is right, and --weight-type importance" in done.err
    assert done.err.count("\n") == 1

    def width(weight_type):
        done = ordcut(*command, "--intervals", "--json", "--weight-type", weight_type)
        assert done.err.count("Warning") == 0
        low, high = json.loads(done.out)["record"]["intervals"]["value"]
        return high - low

    assert width("importance") > 10 * width("repeats")
    done = ordcut(*command, "--weight-type", "importance", "--constraint", "over 1 <= 0.9 with 90%")
    assert done.code == 2
    assert "--weight-type not importance" in done.err
