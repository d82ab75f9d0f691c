"""The group of all commands, and how a command line runs from start to exit code."""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from ordcut import __version__
from ordcut._core.errors import printable, shortened
from ordcut.cli.failures import explain, explain_in, with_hint, with_option_names
from ordcut.cli.signals import catch_signals

if TYPE_CHECKING:
    from ordcut.cli.files import Columns, Files

#: The name of each command, where it is defined, and its line of help: what ``ordcut --help``
#: shows without importing any of them.
COMMANDS = {
    "fit": ("ordcut.cli.fit:fit", "Find the optimal thresholds of a score in files."),
    "bands": ("ordcut.cli.bands:bands", "Cut a score into ordered bands by an outcome."),
    "predict": ("ordcut.cli.predict:predict", "Label the rows of files with thresholds."),
    "evaluate": ("ordcut.cli.evaluate:evaluate", "Evaluate thresholds by every objective."),
    "drift": ("ordcut.cli.drift:drift", "Test whether scores of files have moved."),
    "update": ("ordcut.cli.update:update", "Decide whether to keep thresholds or to move them."),
    "diff": ("ordcut.cli.diff:diff", "Compare two files of thresholds."),
    "show": ("ordcut.cli.show:show", "Show the rule and the evidence in a file of thresholds."),
    "report": ("ordcut.cli.report:report", "Write an interactive HTML page about thresholds."),
    "demo": ("ordcut.cli.demo:demo", "Compare thresholds with rounding on real data."),
    "completion": ("ordcut.cli.app:completion", "Print a completion script for a shell."),
}

#: How each shell loads completions at its start.
SHELLS = {
    "bash": 'eval "$(ordcut completion bash)"    # in ~/.bashrc',
    "zsh": 'eval "$(ordcut completion zsh)"     # in ~/.zshrc',
    "fish": "ordcut completion fish | source    # in ~/.config/fish/config.fish",
}

#: Shells report a program that was ended by a signal as this plus the number of the signal.
ENDED_BY_SIGNAL = 128


@dataclass
class State:
    """The options of ``ordcut`` itself, which apply to every command."""

    traceback: bool = False
    files: Files | None = None  # what the command reads, for messages
    columns: Columns | None = None
    connection: Any = None  # of DuckDB, for progress
    has_published: bool = False  # whether all outputs are complete


class LazyGroup(click.Group):
    """A group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(
        self,
        ctx: click.Context,
        cmd_name: str,
    ) -> click.Command | None:
        """Import and return a command; an error suggests one if no command has that name."""
        if cmd_name not in COMMANDS:
            if ctx.resilient_parsing:  # while a shell completes the name
                return None
            near = get_close_matches(cmd_name, COMMANDS, n=1, cutoff=0.5)
            hint = f"Did you mean {near[0]!r}?" if near else f"Commands are: {', '.join(COMMANDS)}."
            ctx.fail(f"No such command {cmd_name!r}. {hint}")
        module, name = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. An error of an engine is explained while copies of files still exist."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            message = explain_in(error, ctx.obj.files, ctx.obj.columns)
            if message is None:
                raise
            raise message from error

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        """Write a line for each command, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with ordcut demo. For completion by the Tab key, see ordcut completion --help.",
)
@click.version_option(__version__, prog_name="ordcut")
@click.option("--traceback", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def ordcut(ctx: click.Context, traceback: bool) -> None:
    """Find the exactly optimal thresholds that turn scores into ordered labels."""
    ctx.ensure_object(State).traceback = traceback


@click.command(epilog="\b\n" + "\n".join(SHELLS.values()))
@click.argument("shell", type=click.Choice(list(SHELLS)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script for SHELL that completes commands, options, files and columns."""
    from click.shell_completion import get_completion_class

    completion_class = get_completion_class(shell)
    assert completion_class is not None
    # Only the text is needed. The method that prints it would first run the shell.
    script = completion_class(ctx.find_root().command, {}, "ordcut", "_ORDCUT_COMPLETE")
    click.echo(script.source_template % script.source_vars())


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code. No error leaves this function.

    0 means success, 2 a mistake in the command or the data, 1 any other failure, and 130 Ctrl-C.

    Examples
    --------
    >>> run(["--version"])
    ordcut, version 0.2.0
    0
    """
    state = State()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):  # streams that tests have replaced
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    with catch_signals() as signals, _show_warnings():
        try:
            code = ordcut.main(list(arguments), "ordcut", standalone_mode=False, obj=state)
            sys.stdout.flush()
            return code if isinstance(code, int) else 0
        except SystemExit as stop:  # how click ends a completion, and a broken pipe
            return stop.code if isinstance(stop.code, int) else 1
        except BaseException as error:
            if signals:
                # click ends the line of the ^C itself, unless an engine wrapped the error
                start = "" if isinstance(error, click.Abort) else "\n"
                click.echo(f"{start}Interrupted. No partial output was left behind.", err=True)
                return ENDED_BY_SIGNAL + signals[0]
            return _report(error, state)


def _report(error: BaseException, state: State) -> int:
    """Print an error to standard error, and return the exit code."""
    if state.traceback:
        traceback.print_exception(error)
    if isinstance(error, OSError) and error.errno in (errno.EPIPE, errno.EBADF):
        _detach_stdout()  # which was closed, or the reader has closed the pipe
        if state.has_published:
            return 0
        if isinstance(error, BrokenPipeError):
            return 1
    if isinstance(error, click.ClickException):
        if isinstance(error, click.UsageError):
            with_hint(error).show()
        else:
            click.echo(f"Error: {printable(shortened(error.format_message()))}", err=True)
        return error.exit_code
    message, code = explain(error)
    click.echo(f"Error: {printable(shortened(message))}", err=True)
    if isinstance(error, OSError):
        _detach_stdout()  # if this is what failed, the flush at exit would fail again
    return code


def _detach_stdout() -> None:
    with suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


@contextmanager
def _show_warnings() -> Iterator[None]:
    """Print warnings for users to standard error, and hide those for programmers."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        click.echo(f"Warning: {printable(with_option_names(str(message)))}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("ignore", DeprecationWarning)  # also of those that are both
        warnings.showwarning = show
        yield
