"""Outputs appear complete or not at all, and overwrite no file unless forced to."""

import os
import stat

import pytest

from ordcut.cli.failures import UserError
from ordcut.cli.outputs import Outputs


def test_nothing_has_the_name_of_an_output_until_all_are_published(tmp_path):
    with Outputs(force=False) as outputs:
        page = outputs.add("--report", str(tmp_path / "page.html"))
        table = outputs.add("--output", str(tmp_path / "table.json"))
        page.write("page")
        table.write(b"table")
        assert not (tmp_path / "page.html").exists()
        outputs.publish()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "page.html": "page",
        "table.json": "table",
    }


def test_an_error_leaves_nothing(tmp_path):
    def fail():
        with Outputs(force=False) as outputs:
            outputs.add("--output", str(tmp_path / "page.html")).write("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_stays_unless_forced(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    with Outputs(force=False) as outputs, pytest.raises(UserError, match="pass --force"):
        outputs.add("--output", str(path))
    assert path.read_text() == "old"
    with Outputs(force=True) as outputs:
        outputs.add("--output", str(path)).write("new")
        assert path.read_text() == "old"
        outputs.publish()
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_appears_meanwhile_stays_as_well(tmp_path):
    path = tmp_path / "page.html"
    with Outputs(force=False) as outputs:
        outputs.add("--output", str(path)).write("mine")
        path.write_text("theirs")
        with pytest.raises(UserError, match="exists"):
            outputs.publish()
    assert path.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_system_without_links_gets_the_file_renamed(tmp_path, monkeypatch):
    def no_links(*_):
        raise OSError("operation not supported")

    monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "page.html"
    with Outputs(force=False) as outputs:
        outputs.add("--output", str(path)).write("new")
        outputs.publish()
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_replaced_file_keeps_its_permissions_and_its_links(tmp_path):
    path, link = tmp_path / "page.html", tmp_path / "link.html"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with Outputs(force=True) as outputs:
        outputs.add("--output", str(link)).write("new")
        outputs.publish()
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_permissions_of_any_other(tmp_path):
    other = tmp_path / "other"
    other.touch()
    with Outputs(force=False) as outputs:
        outputs.add("--output", str(tmp_path / "page.html")).write("new")
        outputs.publish()
    assert (tmp_path / "page.html").stat().st_mode == other.stat().st_mode


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing/page.html", "must be in a folder that exists"),
        (".", "is a folder"),
        ("file/page.html", "must be in a folder that exists"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_is_computed(tmp_path, name, message):
    (tmp_path / "file").touch()
    with Outputs(force=False) as outputs, pytest.raises(UserError, match=message):
        outputs.add("--output", str(tmp_path / name))


def test_two_outputs_must_not_be_one_file(tmp_path):
    with Outputs(force=True) as outputs:
        outputs.add("--output", str(tmp_path / "page"))
        with pytest.raises(UserError, match="--report must differ from --output"):
            outputs.add("--report", str(tmp_path / "." / "page"))


def test_a_named_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with Outputs(force=False) as outputs:
        outputs.add("--output", str(pipe)).write("through")
        outputs.publish()
    assert os.read(reading, 100) == b"through"
    os.close(reading)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_an_engine_can_write_to_standard_output(capfdbinary):
    with Outputs(force=False) as outputs:
        with (
            outputs.add("--output", "-").path_for_engine() as path,
            open(path, "wb") as engine,
        ):
            engine.write(b"x" * 1_000_000)
        outputs.publish()
    assert capfdbinary.readouterr().out == b"x" * 1_000_000
