"""Ctrl-C, a full disk, a reader that goes away: nothing half-written, no traceback."""

import json
import os
import shutil
import signal
import tempfile
import time
from contextlib import suppress

import duckdb
import pytest

MANY_ROWS = 10_000_000
STOPPED = b"\nInterrupted. No partial output was left behind.\n"


@pytest.fixture(scope="module")
def many_rows(tmp_path_factory):
    """Rows that take seconds to write as text, so that a signal comes while that lasts."""
    path = tmp_path_factory.mktemp("many") / "rows.parquet"
    duckdb.sql(
        f"SELECT i AS id, (hash(i) % 1000003) / 1000003.0 AS score, "
        f"['bad', 'fair', 'good'][1 + (i % 3)] AS label FROM range({MANY_ROWS}) t(i)"
    ).write_parquet(str(path))
    return path


@pytest.fixture
def folders(tmp_path):
    """One for outputs and one for temporary files: both must be as before."""
    folders = tmp_path / "out", tmp_path / "scratch"
    for folder in folders:
        folder.mkdir()
    return folders


def wait_until(happened, process, seconds=60):
    end = time.monotonic() + seconds
    while not happened():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.005)


def files_in(*folders):
    return [path for folder in folders for path in folder.rglob("*")]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_rows_are_written_leaves_nothing(
    start, many_rows, thresholds_file, folders, number, code
):
    out, scratch = folders
    process = start("predict", many_rows, "-t", thresholds_file, "--score", "score", "--name",
                    "new", "-o", out / "labelled.csv", scratch=scratch)  # fmt: skip

    def is_writing():
        with suppress(FileNotFoundError):  # the file was complete before its size was read
            return any(path.stat().st_size > 0 for path in out.glob(".labelled.csv.*.part"))
        return False

    wait_until(is_writing, process)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (code, STOPPED)
    assert files_in(*folders) == []


def test_ctrl_c_while_thresholds_are_sought_leaves_nothing(start, many_rows, folders):
    out, scratch = folders
    process = start("fit", many_rows, many_rows, many_rows, "--score", "score", "--label", "label",
                    "--classes", "bad,fair,good", "--objective", "zero_one", "-o", out / "t.json",
                    "--report", out / "page.html", scratch=scratch)  # fmt: skip
    wait_until(lambda: list(scratch.glob("ordcut-*")), process)
    time.sleep(0.3)  # it has found its files; now it counts
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, STOPPED)
    assert files_in(*folders) == []


def test_ctrl_c_while_standard_input_is_read_leaves_nothing(start, thresholds_file, folders):
    out, scratch = folders
    process = start("predict", "-", "-t", thresholds_file, "--score", "score", "-o",
                    out / "labelled.csv", scratch=scratch)  # fmt: skip
    process.stdin.write(b"score\n1\n")
    process.stdin.flush()
    wait_until(lambda: list(scratch.glob("ordcut-*/stdin")), process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert files_in(*folders) == []


@pytest.mark.parametrize("name", ["labelled.csv", "labelled.parquet", "labelled.jsonl"])
def test_a_full_disk_is_a_failure_that_leaves_nothing(
    start, many_rows, thresholds_file, folders, name
):
    out, scratch = folders
    process = start("predict", many_rows, "-t", thresholds_file, "--score", "score", "--name",
                    "new", "-o", out / name, scratch=scratch, most_bytes=300_000)  # fmt: skip
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.startswith(b"Error: ")
    assert b"Traceback" not in err
    assert files_in(*folders) == []


def test_a_full_disk_fails_a_fit_with_all_its_outputs(start, csv_file, folders):
    out, scratch = folders
    # The thresholds would fit, the page does not: neither appears.
    process = start("fit", csv_file, "--score", "score", "--label", "label", "-o", out / "t.json",
                    "--classes", "bad,fair,good", "--report", out / "page.html", scratch=scratch,
                    most_bytes=20_000)  # fmt: skip
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.endswith(b"File too large. Free some space, or write elsewhere.\n")
    assert files_in(*folders) == []


@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_results_that_cannot_be_printed_are_a_failure(start, csv_file, thresholds_file, command):
    columns = "--score", "score", "--label", "label"
    more = ["--classes", "bad,fair,good"] if command == "fit" else ["-t", thresholds_file]
    with open("/dev/full", "wb") as full:
        process = start(command, csv_file, *columns, *more, "--json", stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err == b"Error: No space left on device. Free some space, or write elsewhere.\n"


def test_a_terminal_is_told_the_passes(start, csv_file):
    screen, terminal = os.openpty()
    process = start("fit", csv_file, "--score", "score", "--label", "label", "--classes",
                    "bad,fair,good", "--json", stderr=terminal)  # fmt: skip
    out, _ = process.communicate(timeout=60)
    os.close(terminal)
    told = os.read(screen, 100_000).decode()
    os.close(screen)
    assert process.returncode == 0
    assert "pass 3: all rows" in told  # the last one stays until the bar goes
    assert json.loads(out)["passes"] == 2  # and nothing of the bar came here


def test_a_device_without_room_is_a_failure(start, csv_file, thresholds_file):
    with open("/dev/full", "wb") as full:
        process = start("predict", csv_file, "-t", thresholds_file, "--score", "score", "--name",
                        "new", "-o", "-", stdout=full)  # fmt: skip
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err == b"Error: No space left on device. Free some space, or write elsewhere.\n"


def test_a_reader_that_goes_away_is_no_drama(start, many_rows, thresholds_file):
    process = start("predict", many_rows, "-t", thresholds_file, "--score", "score", "--name",
                    "new", "-o", "-")  # fmt: skip
    assert process.stdout.readline() == b"id,score,label,new\n"
    process.stdout.close()
    err = process.stderr.read()
    assert process.wait(timeout=60) == 1
    assert err == b""


def test_output_is_appended_where_the_shell_says_so(start, csv_file, thresholds_file, tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("before\n")
    with open(log, "ab") as appended:
        process = start("predict", csv_file, "-t", thresholds_file, "--score", "score", "--name",
                        "new", "-o", "-", stdout=appended)  # fmt: skip
        assert process.wait(timeout=60) == 0
    lines = log.read_text().splitlines()
    assert lines[:2] == ["before", "id,score,label,new"]
    assert len(lines) == 302


def test_commands_can_be_piped(tmp_path, start, csv_file, thresholds_file):
    first = start("predict", csv_file, "-t", thresholds_file, "--score", "score", "--name", "one",
                  "-o", "-", "-q")  # fmt: skip
    second = start("predict", "-", "-t", thresholds_file, "--score", "score", "--name", "two", "-o",
                   tmp_path / "out.csv", "-q", stdin=first.stdout)  # fmt: skip
    assert second.wait(timeout=60) == 0
    assert (tmp_path / "out.csv").read_text().startswith("id,score,label,one,two\n")


@pytest.fixture
def as_nobody():
    """Run a test without the powers of root, who may read and write everything."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    yield
    if is_root:
        os.seteuid(0)


def test_what_may_not_be_read_or_written_is_named(ordcut, result, as_nobody):
    folder = tempfile.mkdtemp()  # pytest's own folders are closed to others
    try:
        locked, rows, saved = (os.path.join(folder, name) for name in ("locked", "r.csv", "t.json"))
        for path, text in ((rows, "score\n1\n"), (saved, result.to_json())):
            with open(path, "w") as file:
                file.write(text)
        os.mkdir(locked, 0o000)
        command = "predict", "--score", "score", "-t", saved, "-o"
        for arguments, word in [
            ((*command, os.path.join(locked, "out.csv"), rows), "--output must be in a folder"),
            ((*command, "-", locked), "Permission denied"),
            ((*command, "-", os.path.join(locked, "rows.csv")), "Permission denied"),
        ]:
            done = ordcut(*arguments)
            assert done.code == 2
            assert word in done.err
            assert "Traceback" not in done.err
    finally:
        os.chmod(locked, 0o700)
        shutil.rmtree(folder)


def test_a_truncated_parquet_file_is_named(ordcut, tmp_path, many_rows, thresholds_file):
    path = tmp_path / "cut.parquet"
    path.write_bytes(many_rows.read_bytes()[:10_000])
    done = ordcut("predict", path, "-t", thresholds_file, "--score", "score", "-o", "-")
    assert done.code == 2
    assert "cut.parquet" in done.err
    assert "Write it again, leave it out, or pass --format" in done.err
