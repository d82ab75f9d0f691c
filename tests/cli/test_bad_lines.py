"""Lines of files that engines cannot read: the file and the line are named, in our words."""

import gzip

import pytest

COLUMNS = "--score", "score", "--label", "label"
GOOD = "score,label\n1,0\n2,1\n3,1\n"

#: Words of DuckDB's advice and of its settings.
ADVICE = "strict_mode", "null_padding", "ignore_errors", "Possible", "CAST", "ordcut-"


def check_said(done, *words):
    assert done.code == 2
    for word in words:
        assert word in done.err
    for word in (*ADVICE, "Traceback"):
        assert word not in done.err


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
@pytest.mark.parametrize("n_before", [1, 30_000])
def test_a_line_with_too_many_fields_is_named(ordcut, tmp_path, engine, n_before):
    (tmp_path / "a.csv").write_text(GOOD)
    lines = ["score,label", *(f"{i},{i % 2}" for i in range(n_before)), "3,1,9", "4,1"]
    (tmp_path / "b.csv").write_text("\n".join(lines))
    done = ordcut("fit", tmp_path / "*.csv", *COLUMNS, "--engine", engine)
    check_said(done, f"{tmp_path}/b.csv has 3 instead of 2 in line {n_before + 2}")


def test_a_line_with_too_few_fields_is_named(ordcut, tmp_path):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b'"score","la,bel",label\n1,x,0\n2\n3,x,1\n'))
    check_said(ordcut("fit", path, *COLUMNS), "rows.csv.gz has 1 instead of 3 in line 3")


def test_lines_of_standard_input_and_of_copies_are_named_as_such(ordcut, tmp_path):
    text = "score,label\n1,0\n2,1,3\n"
    done = ordcut("fit", "-", *COLUMNS, stdin=text)
    check_said(done, "standard input has 3 instead of 2 in line 3")
    path = tmp_path / "rows.csv"
    path.write_text(text, encoding="utf-16")
    done = ordcut("fit", path, *COLUMNS, "--encoding", "utf-16")
    check_said(done, f"{path} has 3 instead of 2 in line 3")


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_text_in_a_numeric_column_is_named_with_its_file(ordcut, tmp_path, engine):
    (tmp_path / "a.csv").write_text(GOOD)
    (tmp_path / "b.csv").write_text("score,label\n1,0\n\nx,1\n")
    done = ordcut("fit", tmp_path, *COLUMNS, "--engine", engine)
    check_said(done, f'"score" must contain numbers, got "x" in line 4 of {tmp_path}/b.csv')


def test_a_damaged_file_among_others_is_named(ordcut, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"score": 1, "label": 0}\n{"score": 2, "label": 1}\n')
    (tmp_path / "b.jsonl").write_text('{"score": 1, "label": 0}\n{"score": 2, "label":\n')
    check_said(ordcut("fit", tmp_path, *COLUMNS), "b.jsonl", "line 3")


def test_a_file_in_utf_16_among_others_is_named(ordcut, tmp_path):
    (tmp_path / "a.csv").write_text(GOOD)
    (tmp_path / "b.csv").write_text(GOOD, encoding="utf-16")
    check_said(ordcut("fit", tmp_path, *COLUMNS), f"{tmp_path}/b.csv is in UTF-16")


def test_messages_are_of_bounded_length(ordcut, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(",".join(f"column_{i}" for i in range(10_000)) + "\n")
    done = ordcut("fit", path, *COLUMNS)
    check_said(done, "--score must name a column", "...")
    assert len(done.err) < 1500
