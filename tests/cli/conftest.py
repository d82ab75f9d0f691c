"""The command line in this process, for most tests, and as a program of its own, for some."""

import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import ordcut as library
from ordcut.cli.running import run


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
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *capfd.readouterr())

    return call


@pytest.fixture
def start(tmp_path):
    """Start the program itself, with a folder of its own for temporary files."""
    started = []

    def popen(*arguments, scratch=None, **options):
        environment = {**os.environ, "TMPDIR": str(scratch or tmp_path)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [sys.executable, "-m", "ordcut", *map(str, arguments)]
        process = subprocess.Popen(command, env=environment, **{**pipes, **options})
        started.append(process)
        return process

    yield popen
    for process in started:
        process.kill()
        process.communicate()


CLASSES = ["bad", "fair", "good"]


def make_rows(n_rows, seed=0):
    """Scores, and three classes that follow them with some noise."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n_rows).round(3)
    labels = np.digitize(scores + 0.5 * rng.normal(size=n_rows), [-0.5, 0.5])
    return scores, np.array(CLASSES)[labels]


def write_csv(path, scores, labels, separator=",", header=("score", "label")):
    """Write rows with an id of leading zeros, which must stay as it is."""
    lines = [separator.join(["id", *header])]
    pairs = zip(scores.tolist(), labels.tolist(), strict=True)
    lines += [f"{i:04d}{separator}{s}{separator}{y}" for i, (s, y) in enumerate(pairs)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def rows():
    return make_rows(300)


@pytest.fixture
def csv_file(tmp_path, rows):
    return write_csv(tmp_path / "rows.csv", *rows)


@pytest.fixture
def found(rows):
    """The thresholds of the rows, by the library."""
    return library.optimal_thresholds(*rows, classes=CLASSES)


@pytest.fixture
def thresholds_file(tmp_path, found):
    path = tmp_path / "thresholds.json"
    path.write_text(found.to_json(), encoding="utf-8")
    return path


def names_in(folder):
    """The names of all files in a folder, hidden ones included."""
    return sorted(path.name for path in Path(folder).iterdir())
