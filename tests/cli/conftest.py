"""The command line in this process, for most tests, and as a program of its own, for some."""

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec

import pytest

import ordcut as library
from ordcut import frames
from ordcut.cli import app, main
from tests.cli.cli_rows import CLASSES, make_rows, write_csv

#: Engines that `make check` does not install, and their packages.
ENGINES = {"dask": "dask", "spark": "pyspark"}


def pytest_collection_modifyitems(items):
    """Skip what needs an engine that is not installed, as in `make check-lowest`."""
    missing = {engine for engine, package in ENGINES.items() if find_spec(package) is None}
    for item in items:
        values = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if any(isinstance(value, str) and value in missing for value in values):
            item.add_marker(pytest.mark.skip(reason="the engine is not installed"))


#: The program, with a limit on the size of its files. It limits itself: a function between fork and
#: exec needs a fork, which fails where each connection of DuckDB 1.5.0 has reserved most of memory.
LIMITED = """
import resource, runpy, sys
most_bytes = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
runpy.run_module("ordcut", run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True)
class Outcome:
    """What a command line came to."""

    code: int
    out: str
    err: str


@pytest.fixture
def ordcut(capfd, monkeypatch):
    """Run a command line in this process, from end to end."""

    def call(*arguments, stdin=""):
        capfd.readouterr()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        monkeypatch.setattr(sys, "argv", ["ordcut", *map(str, arguments)])
        # The file that stands for standard output is read after errors, too, so it must stay.
        monkeypatch.setattr(app, "_detach_stdout", lambda: None)
        with pytest.raises(SystemExit) as stop:
            main()
        return Outcome(stop.value.code, *capfd.readouterr())

    return call


@pytest.fixture
def while_fitting(monkeypatch):
    """Give a function whose argument ``fit`` then calls when it starts to seek thresholds."""
    find_thresholds = frames.thresholds_of

    def set_action(action):
        def act_first(*args):
            action()
            return find_thresholds(*args)

        monkeypatch.setattr(frames, "thresholds_of", act_first)

    return set_action


@pytest.fixture
def start(tmp_path):
    """Start the program itself, with a folder of its own for temporary files."""
    started = []

    def popen(*arguments, scratch=None, most_bytes=None, **options):
        environment = {**os.environ, "TMPDIR": str(scratch or tmp_path)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        program = ["-m", "ordcut"] if most_bytes is None else ["-c", LIMITED, str(most_bytes)]
        command = [sys.executable, *program, *map(str, arguments)]
        process = subprocess.Popen(command, env=environment, **{**pipes, **options})
        started.append(process)
        return process

    yield popen
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def rows():
    return make_rows(300)


@pytest.fixture
def csv_file(tmp_path, rows):
    return write_csv(tmp_path / "rows.csv", *rows)


@pytest.fixture
def result(rows):
    """The thresholds of the rows, by the library."""
    return library.optimal_thresholds(*rows, classes=CLASSES)


@pytest.fixture
def thresholds_file(tmp_path, result):
    path = tmp_path / "thresholds.json"
    path.write_text(result.to_json(), encoding="utf-8")
    return path


#: Run a program from a small process, since a process starts with the peak of memory of its parent.
MEASURED = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, capture_output=True, text=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(json.dumps([done.returncode, done.stderr, peak]))
"""


@pytest.fixture
def peak_memory(tmp_path):
    """Run the program, and return its exit code, its errors and its peak of memory in MB."""

    def run(*arguments):
        program = [sys.executable, "-m", "ordcut", *map(str, arguments)]
        command = [sys.executable, "-c", MEASURED, *program]
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        return json.loads(subprocess.check_output(command, env=environment))

    return run
