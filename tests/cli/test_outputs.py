"""Outputs appear complete or not at all, and overwrite no file unless forced to."""

import os
import stat
import subprocess
import sys

import pytest

import ordcut as library
from tests.cli.cli_rows import CLASSES, names_in


@pytest.fixture
def folder(tmp_path):
    """A folder for outputs, apart from the rows."""
    path = tmp_path / "outputs"
    path.mkdir()
    return path


@pytest.fixture
def fit(ordcut, csv_file):
    """Run ``fit`` with options about its outputs."""

    def call(*options):
        columns = "--score", "score", "--label", "label", "--classes", ",".join(CLASSES)
        return ordcut("fit", csv_file, *columns, *options, "-q")

    return call


def is_complete(path, result):
    """Whether a file has thresholds; an engine finds them by another method than arrays do."""
    saved = library.Thresholds.from_json(path.read_text("utf-8"))
    return saved.thresholds.tolist() == result.thresholds.tolist()


def test_nothing_has_the_name_of_an_output_until_all_are_complete(
    fit, folder, result, while_fitting
):
    seen = []
    while_fitting(lambda: seen.extend(names_in(folder)))
    assert fit("-o", folder / "t.json", "--report", folder / "page.html").code == 0
    assert not {"t.json", "page.html"} & set(seen)
    assert names_in(folder) == ["page.html", "t.json"]
    assert is_complete(folder / "t.json", result)
    assert (folder / "page.html").read_text("utf-8").rstrip().endswith("</html>")


def test_an_error_leaves_nothing(fit, folder, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(library.report, "page_from_source", fail)
    assert fit("-o", folder / "t.json", "--report", folder / "page.html").code == 1
    assert names_in(folder) == []


def test_a_file_that_is_there_stays_unless_forced(fit, folder, result, while_fitting):
    path = folder / "t.json"
    path.write_text("old")
    done = fit("-o", path)
    assert done.code == 2
    assert "pass --force" in done.err
    assert path.read_text() == "old"
    seen = []
    while_fitting(lambda: seen.append(path.read_text()))
    assert fit("-o", path, "--force").code == 0
    assert seen == ["old"]
    assert is_complete(path, result)
    assert names_in(folder) == ["t.json"]


def no_links(*_):
    raise OSError("operation not supported")


@pytest.mark.parametrize("has_links", [True, False])
def test_a_file_that_appears_meanwhile_stays_as_well(
    fit, folder, while_fitting, monkeypatch, has_links
):
    if not has_links:
        monkeypatch.setattr(os, "link", no_links)
    path = folder / "t.json"
    while_fitting(lambda: path.write_text("theirs"))
    done = fit("-o", path)
    assert done.code == 2
    assert "exists" in done.err
    assert path.read_text() == "theirs"
    assert names_in(folder) == ["t.json"]


def test_a_file_system_without_links_gets_the_file_renamed(fit, folder, result, monkeypatch):
    monkeypatch.setattr(os, "link", no_links)
    assert fit("-o", folder / "t.json").code == 0
    assert is_complete(folder / "t.json", result)
    assert names_in(folder) == ["t.json"]


def test_a_replaced_file_keeps_its_permissions_and_its_links(fit, folder, result):
    path, link = folder / "t.json", folder / "link.json"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    assert fit("-o", link, "--force").code == 0
    assert link.is_symlink()
    assert is_complete(path, result)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("option", ["-o", "--report"])
def test_what_replaces_a_private_file_is_private_from_the_start(fit, folder, monkeypatch, option):
    path, seen = folder / "t.json", []
    path.write_text("old")
    path.chmod(0o600)
    fsync = os.fsync

    def record(descriptor):
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", record)
    assert fit(option, path, "--force").code == 0
    assert seen == [0o600]


def test_rows_that_replace_a_private_file_are_private_while_an_engine_writes(
    ordcut, csv_file, folder, thresholds_file, monkeypatch
):
    path, seen = folder / "rows.csv", []
    path.write_text("old")
    path.chmod(0o600)
    fsync = os.fsync

    def record(descriptor):
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", record)
    words = ("-t", thresholds_file, "--score", "score", "--name", "new", "-o", path, "--force")
    assert ordcut("predict", csv_file, *words).code == 0
    assert seen == [0o600]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives away")
def test_a_replaced_file_keeps_its_owner(fit, folder):
    path = folder / "t.json"
    path.write_text("old")
    os.chown(path, 12345, 23456)
    assert fit("-o", path, "--force").code == 0
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_standard_streams_are_no_error_if_files_are_written(
    csv_file, folder, thresholds_file, closed
):
    run = f"exec {sys.executable} -m ordcut"
    rows, cuts = folder / "rows.csv", folder / "t.json"
    columns = f"--score score --label label --classes {','.join(CLASSES)}"
    fitted = f"{run} fit {csv_file} {columns} -o {cuts} {closed}"
    labelled = f"{run} predict {csv_file} -t {cuts} --name new -o {rows} {closed}"
    assert subprocess.run(fitted, shell=True).returncode == 0
    assert subprocess.run(labelled, shell=True).returncode == 0
    assert len(rows.read_text().splitlines()) == 301


def test_rows_that_go_to_a_closed_standard_output_are_an_error(csv_file, thresholds_file):
    words = f"predict {csv_file} -t {thresholds_file} --score score --name new -o - >&-"
    done = subprocess.run(
        f"{sys.executable} -m ordcut {words}", shell=True, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "Error" in done.stderr


def test_a_new_file_has_the_permissions_of_any_other(fit, folder):
    other = folder / "other"
    other.touch()
    assert fit("-o", folder / "t.json").code == 0
    assert (folder / "t.json").stat().st_mode == other.stat().st_mode


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing/page.html", "must be in a folder that exists"),
        (".", "is a folder"),
        ("file/page.html", "must be in a folder that exists"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_is_computed(
    fit, folder, while_fitting, name, message
):
    (folder / "file").touch()
    seen = []
    while_fitting(lambda: seen.append("computed"))
    done = fit("-o", folder / name)
    assert done.code == 2
    assert message in done.err
    assert seen == []


def test_two_outputs_must_not_be_one_file(fit, folder):
    done = fit("-o", folder / "page", "--report", f"{folder}/./page", "--force")
    assert done.code == 2
    assert "--report must differ from --output" in done.err


def test_a_named_pipe_is_written_to_and_not_replaced(fit, folder, result):
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert fit("-o", pipe).code == 0
    text = os.read(reading, 10_000).decode()
    assert library.Thresholds.from_json(text).thresholds.tolist() == result.thresholds.tolist()
    os.close(reading)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_an_engine_can_write_much_to_standard_output(ordcut, tmp_path, thresholds_file):
    file = tmp_path / "many.csv"
    file.write_text("score\n" + "0.25\n" * 100_000)
    done = ordcut("predict", file, "-t", thresholds_file, "--score", "score", "-o", "-")
    assert done.code == 0
    lines = done.out.splitlines()
    assert len(lines) == 100_001
    assert len(set(lines[1:])) == 1
