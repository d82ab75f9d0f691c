"""Small files that would take gigabytes of memory are refused, and no others."""

import gzip
import sys
import zipfile

import pytest
import xlsxwriter

COLUMNS = "--score", "score", "--label", "label"

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="memory is measured in KiB on Linux only"
)

#: What the program takes for a small file, and some more, in MB.
MOST_MEMORY = 500


def write_sheet(path, cells):
    """Write a sheet of scores and labels with further cells by row and column."""
    with xlsxwriter.Workbook(path) as workbook:
        sheet = workbook.add_worksheet()
        for row, values in enumerate([["score", "label"], [1, 0], [2, 1]]):
            sheet.write_row(row, 0, values)
        for row, column in cells:
            sheet.write(row, column, 1)
    return path


def replace_sheet(path, change):
    """Change the XML of the sheet of a workbook."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, change(content) if "/sheet1.xml" in name else content)


def a_far_cell(path):
    write_sheet(path, [(1_048_575, 40)])


def a_far_row_after_a_wide_row_without_positions(path):
    write_sheet(path, [(1_048_575, 0)])
    row = b"<row>" + b"<c/>" * 100 + b"</row>"
    replace_sheet(path, lambda xml: xml.replace(b"</row><row", b"</row>" + row + b"<row", 1))


def a_far_cell_in_an_unusual_tag(path):
    write_sheet(path, [(1_048_575, 40)])
    position = b"<c\n note='>' r" + b" " * 3_000_000 + b"= 'ao1048576'"
    replace_sheet(path, lambda xml: xml.replace(b'<c r="AO1048576"', position))


@pytest.mark.parametrize(
    "write",
    [a_far_cell, a_far_row_after_a_wide_row_without_positions, a_far_cell_in_an_unusual_tag],
)
def test_a_sheet_with_a_far_cell_is_refused(peak_memory, tmp_path, write):
    path = tmp_path / "rows.xlsx"
    write(path)
    assert path.stat().st_size < 20_000
    code, errors, memory = peak_memory("fit", path, *COLUMNS)
    assert (code, memory < MOST_MEMORY) == (2, True), (errors, memory)
    assert "FILES in .xlsx must have their cells together" in errors


def test_a_workbook_that_expands_is_refused(peak_memory, tmp_path):
    path = write_sheet(tmp_path / "rows.xlsx", [])
    texts = b"<si><t/></si>" * 20_000_000
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", texts)
    code, errors, memory = peak_memory("fit", path, *COLUMNS)
    assert (code, memory < MOST_MEMORY) == (2, True), (errors, memory)
    assert "must not be much larger when decompressed" in errors


def test_a_sheet_with_some_cells_apart_is_read(ordcut, tmp_path):
    path = write_sheet(tmp_path / "rows.xlsx", [(3, 0), (3, 1), (99_999, 0), (99_999, 1)])
    assert ordcut("fit", path, *COLUMNS).code == 0


@pytest.mark.parametrize("start_of_file", [b"", b"score,label\n1,0\n2,1\n"])
@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_an_endless_line_is_refused(peak_memory, tmp_path, engine, start_of_file):
    path = tmp_path / "rows.csv.gz"
    with gzip.open(path, "wb", 1) as file:
        file.write(start_of_file)
        for _ in range(700):
            file.write(b"1" * (1 << 20))
    code, errors, memory = peak_memory("fit", path, *COLUMNS, "--engine", engine)
    assert (code, memory < MOST_MEMORY) == (2, True), (errors, memory)
    line = start_of_file.count(b"\n") + 1
    assert f"line {line} of {path} is longer" in errors


@pytest.mark.parametrize("option", ["--objective", "--thresholds"])
def test_costs_and_thresholds_without_an_end_are_refused(peak_memory, tmp_path, option):
    rows, path = tmp_path / "rows.csv", tmp_path / "endless.csv"
    rows.write_text("score,label\n1,0\n2,1\n")
    with path.open("wb") as file:
        file.truncate(1 << 36)  # which takes no space
    command = ["fit", rows, *COLUMNS] if option == "--objective" else ["evaluate", rows]
    code, errors, memory = peak_memory(*command, option, path)
    assert (code, memory < MOST_MEMORY) == (2, True), (errors, memory)
    assert "more than 64 MiB" in errors
