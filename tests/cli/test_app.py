"""Exit codes, help, and what is said on which stream."""

import ast
import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ordcut import frames
from ordcut._core.objectives.named import COSTS, KAPPAS
from ordcut.cli.options import SECTIONS

COMMANDS = [
    "fit", "bands", "predict", "evaluate", "drift", "update", "diff", "show", "report", "demo",
    "completion",
]  # fmt: skip


def test_every_command_has_help(ordcut):
    top = ordcut("--help")
    assert (top.code, top.err) == (0, "")
    lines = re.findall(r"^  (\w+) {2,}(.+)$", top.out.partition("Commands:")[2], re.MULTILINE)
    assert [name for name, _ in lines] == COMMANDS
    for name, line in lines:
        done = ordcut(name, "-h")
        assert (done.code, done.err) == (0, "")
        assert f"Usage: ordcut {name}" in done.out
        assert line.endswith(".")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["fit", "--help"]])
def test_help_and_version_load_neither_numpy_nor_an_engine(arguments):
    command = [sys.executable, "-X", "importtime", "-m", "ordcut", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0
    loaded = set(re.findall(r"\| +(\w+)$", done.stderr, re.MULTILINE))
    assert "click" in loaded
    assert not {"numpy", "duckdb", "rich", "narwhals"} & loaded


@pytest.fixture
def fails(ordcut, monkeypatch, csv_file):
    """Give a function that runs ``fit`` such that it fails with an error while it computes."""

    def call(error, *options):
        def fail(*_):
            raise error

        monkeypatch.setattr(frames, "thresholds_of", fail)
        columns = "--score", "score", "--label", "label", "--classes", "bad,fair,good"
        return ordcut(*options, "fit", csv_file, *columns)

    return call


def test_the_options_of_fit_are_in_sections_with_an_example_at_the_end(ordcut):
    text, _, example = ordcut("fit", "--help").out.partition("Example")
    *titles, last = re.findall(r"^(\w.*):$", text, re.MULTILINE)
    others = ("Thresholds", "Comparison", "Bands")
    assert titles == [title for title in SECTIONS if title not in others]
    assert re.findall(r"--\w+", text.partition(f"{last}:")[2]) == ["--help"]
    assert "ordcut fit " in example
    assert "ordcut completion" in example


def test_help_of_fit_names_every_objective(ordcut):
    words = set(re.findall(r"\w+", ordcut("fit", "--help").out))
    assert words >= {*COSTS, *KAPPAS}


def test_a_wrong_command_line_is_a_mistake(ordcut):
    for arguments in [["fitt"], ["fit"], ["predict", "--nope"], ["fit", "--review", "x"]]:
        done = ordcut(*arguments)
        assert done.code == 2
        assert done.out == ""
        assert "Usage: ordcut" in done.err


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ValueError("labels must be 1. Pass classes=."), 2, "Pass --classes."),
        (OSError(errno.ENOSPC, "No space left on device", "out.csv"), 1, "out.csv: No space left"),
        (PermissionError(errno.EACCES, "Permission denied", "out.csv"), 2, "out.csv: Permission"),
        (MemoryError(), 1, "not enough memory"),
        (ImportError("needs matplotlib"), 1, "needs matplotlib"),
        (RuntimeError("oh"), 1, "RuntimeError: oh"),
        (KeyError("column"), 1, "please report it"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 1, ""),
        (ValueError("bad \x1b[31m text"), 2, "bad \\x1b[31m text"),
    ],
)
def test_every_error_becomes_words_and_a_code(fails, monkeypatch, error, code, words):
    # A broken pipe makes standard output go nowhere, which later tests still need.
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    done = fails(error)
    assert done.code == code
    assert words in done.err
    assert "Traceback" not in done.err
    if not isinstance(error, BrokenPipeError):  # nobody reads on, so there is nothing to say
        assert "Traceback" in fails(error, "--traceback").err


def messages_about_frames():
    """The texts in the code for frames that name the argument, except for what is not a frame."""
    for path in sorted(Path(frames.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "").endswith("Error"):
                parts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
                text = "".join(part for part in parts if isinstance(part, str))
                if re.search(r"\bframe\b", text, re.I) and "narwhals" not in text:
                    yield text


def test_no_message_says_frame(fails):
    texts = list(messages_about_frames())
    assert len(texts) >= 4
    for text in texts:
        assert not re.search(r"\bframe\b", fails(ValueError(text)).err, re.I), text


@pytest.mark.parametrize("rows", ["1,0\n,1\n", "1,\n2,\n"])
def test_missing_values_are_said_to_be_in_files(ordcut, rows):
    for nulls in ("raise", "drop"):
        done = ordcut("fit", "-", "--score", "score", "--label", "label", "--nulls", nulls,
                      stdin="score,label\n" + rows)  # fmt: skip
        assert "frame" not in done.out + done.err
        if nulls == "raise":
            assert "Error: FILES must not have missing values" in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_does_not_say_frame(ordcut, command):
    assert "frame" not in ordcut(command, "--help").out.replace("dataframe", "").lower()


def test_without_click_it_says_how_to_install_it():
    code = "import sys; sys.modules['click'] = None; from ordcut.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert 'pip install ".[cli]"' in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_are_printed(ordcut, shell):
    done = ordcut("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert f"_ORDCUT_COMPLETE={shell}_complete" in done.out


def completions(words, position, cwd):
    """What the shell is told when somebody presses the key."""
    environment = {
        **os.environ,
        "_ORDCUT_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(position),
    }
    command = [sys.executable, "-c", "from ordcut.cli import main; main()"]
    done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True)
    assert done.stderr == ""
    return [line.split(",", 1)[1] for line in done.stdout.splitlines() if line]


def test_commands_and_columns_complete(tmp_path):
    (tmp_path / "rows.csv").write_text("score,label,scale\n1,2,3\n")
    assert completions(["ordcut", "re"], 1, tmp_path) == ["report"]
    line = ["ordcut", "fit", "rows.csv", "--score", "sc"]
    assert completions(line, 4, tmp_path) == ["score", "scale"]
    assert completions(["ordcut", "fit", "missing.csv", "--score", "sc"], 4, tmp_path) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_all_options_are_explained(ordcut, command):
    lines = ordcut(command, "--help").out.splitlines()
    options = [i for i, line in enumerate(lines) if line.startswith("  -")]
    assert options
    for i in options:
        is_explained_beside = re.match(r"  -.*\S {2,}\S", lines[i])
        assert is_explained_beside or lines[i + 1].startswith(" " * 10), lines[i]


def test_messages_of_duckdb_are_cut_to_what_helps(fails):
    import duckdb

    with pytest.raises(duckdb.Error) as caught:
        duckdb.sql("SELECT CAST('x' AS DOUBLE)").fetchall()
    done = fails(caught.value)
    assert done.code == 2
    assert done.err.startswith("Error: Could not convert string 'x' to DOUBLE")
