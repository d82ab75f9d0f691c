"""Exit codes, help, and what is said on which stream."""

import ast
import errno
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from ordcut import frames
from ordcut.cli import failures
from ordcut.cli.app import COMMANDS, LazyGroup
from ordcut.cli.app import ordcut as group
from ordcut.objectives import COSTS, KAPPAS


def test_every_command_has_help(ordcut):
    top = ordcut("--help")
    assert (top.code, top.err) == (0, "")
    for name, (_, line) in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(line)}$", top.out, re.MULTILINE)
        done = ordcut(name, "-h")
        assert (done.code, done.err) == (0, "")
        assert f"Usage: ordcut {name}" in done.out


def test_help_and_version_load_neither_numpy_nor_an_engine():
    code = (
        "import sys; from ordcut.cli.app import run; run(['--help']); run(['fit', '--help'])\n"
        "loaded = {'numpy', 'duckdb', 'rich', 'narwhals'} & set(sys.modules)\n"
        "sys.exit(' '.join(loaded) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


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
def test_every_error_becomes_words_and_a_code(ordcut, monkeypatch, error, code, words):
    @click.command()
    def failing():
        raise error

    monkeypatch.setattr(LazyGroup, "get_command", lambda *_: failing)
    # A broken pipe makes standard output go nowhere, which later tests still need.
    monkeypatch.setattr("ordcut.cli.app._detach_stdout", lambda: None)
    done = ordcut("fit")
    assert done.code == code
    assert words in done.err
    assert "Traceback" not in done.err
    if not isinstance(error, BrokenPipeError):  # nobody reads on, so there is nothing to say
        assert "Traceback" in ordcut("--traceback", "fit").err


def messages_about_frames():
    """The texts in the code for frames that name the argument, except for what is not a frame."""
    for path in sorted(Path(frames.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "").endswith("Error"):
                parts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
                text = "".join(part for part in parts if isinstance(part, str))
                if re.search(r"\bframe\b", text, re.I) and "narwhals" not in text:
                    yield text


def test_no_message_says_frame():
    texts = list(messages_about_frames())
    assert len(texts) >= 4
    for text in texts:
        assert not re.search(r"\bframe\b", failures.with_option_names(text), re.I), text


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


def test_python_m_ordcut_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "ordcut", "--version"], capture_output=True, text=True
    )
    assert done.stdout.startswith("ordcut, version ")


def test_without_click_it_says_how_to_install_it():
    code = "import sys; sys.modules['click'] = None; from ordcut.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert 'pip install "ordcut[cli]"' in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_are_printed(ordcut, shell):
    done = ordcut("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert f"_ORDCUT_COMPLETE={shell}_complete" in done.out


def completions(words, position, cwd):
    """What the shell is told when somebody presses the key."""
    import os

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


def test_all_options_are_explained():
    context = click.Context(group)
    for name in COMMANDS:
        command = group.get_command(context, name)
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{name} {parameter.opts}"


def test_messages_of_duckdb_are_cut_to_what_helps():
    import duckdb

    with pytest.raises(duckdb.Error) as caught:
        duckdb.sql("SELECT CAST('x' AS DOUBLE)").fetchall()
    message, code = failures.explain(caught.value)
    assert code == 2
    assert message.startswith("Could not convert string 'x' to DOUBLE")
