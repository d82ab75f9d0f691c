"""What docs/command_line.md shows is what the program prints."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "command_line.md"


def examples():
    """Each command of the page, with the lines that it is said to print."""
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        for example in block.split("$ ")[1:]:
            command, _, printed = example.partition("\n")
            yield command, printed


def said(text):
    """Lines without blanks at their ends; a line of dots stands for all that follows."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return lines[: lines.index("...")] if "..." in lines else lines


@pytest.fixture
def program(tmp_path):
    """Put a program called ordcut, of this very source, where shells look for it."""
    script = tmp_path / "bin" / "ordcut"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ordcut "$@"\n')
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}"}


def test_every_example_of_the_page_prints_what_it_says(ordcut, tmp_path, monkeypatch, program):
    shutil.copy(PAGE.parent / "data" / "applicants.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    seen = 0
    for command, printed in examples():
        if re.fullmatch(r"ordcut [^|>]*", command):
            done = ordcut(*shlex.split(command)[1:])
            out = done.out + done.err
        else:
            done = subprocess.run(
                ["bash", "-c", command], env=program, capture_output=True, text=True
            )
            out = done.stdout + done.stderr
        expected = said(printed)
        lines = said(out)
        assert lines[: len(expected)] == expected if "..." in printed else lines == expected, (
            command
        )
        seen += 1
    assert seen > 8
