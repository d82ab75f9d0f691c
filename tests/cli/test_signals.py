"""Signals in a process that runs several commands: at once, later, and not twice."""

import subprocess
import sys

import pytest

#: A program in which DuckDB, once imported, or the search for thresholds raises a signal.
PROGRAM = """
import os, signal, sys
from importlib.abc import MetaPathFinder
from ordcut.cli import main

class Raising(MetaPathFinder):
    def find_spec(self, name, *_):
        if name == "duckdb":
            sys.meta_path.remove(self)
            signal.raise_signal(signal.{signal})
            print("survived", flush=True)

signal.signal(signal.SIGINT, signal.default_int_handler)
os._exit = sys.exit
for n in range(2):
    if n == 0:
        sys.meta_path.insert(0, Raising())
    sys.argv = ["ordcut", "fit", {file!r}, "--score", "score", "--label", "label", "-q"]
    try:
        main()
    except SystemExit as stop:
        print(stop.code, flush=True)
"""


@pytest.mark.parametrize(("signal", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_waits_for_an_import_and_does_not_interrupt_a_later_command(
    tmp_path, signal, code
):
    file = tmp_path / "rows.csv"
    file.write_text("score,label\n1,0\n2,1\n")
    program = PROGRAM.format(signal=signal, file=str(file))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["survived", str(code), "0"], done.stderr
    assert "Interrupted" in done.stderr
