"""Run a command line from end to end: every outcome becomes an exit code and words on stderr."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click

from ordcut.cli.commands import State, ordcut
from ordcut.cli.failures import explain, harmless, in_options
from ordcut.cli.signals import noticing_signals

#: What shells report of a program that a signal ended: this plus the signal's number.
ENDED_BY_SIGNAL = 128


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; no error leaves this function.

    0 is success, 2 a mistake in the command or the data, 1 any other failure, and 130 Ctrl-C.

    Examples
    --------
    >>> run(["--version"])
    ordcut, version 0.1.0
    0
    """
    state = State()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):  # streams that tests put in their place
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    with noticing_signals() as signals, _showing_warnings():
        try:
            code = ordcut.main(list(arguments), "ordcut", standalone_mode=False, obj=state)
            sys.stdout.flush()
            return code if isinstance(code, int) else 0
        except SystemExit as stop:  # how click ends a completion, and a broken pipe
            return stop.code if isinstance(stop.code, int) else 1
        except BaseException as error:
            if signals:
                # click has ended the line of the ^C itself, unless an engine hid it from click
                start = "" if isinstance(error, click.Abort) else "\n"
                click.echo(f"{start}Stopped. No file is left half-written.", err=True)
                return ENDED_BY_SIGNAL + signals[0]
            return _tell(error, state)


def _tell(error: BaseException, state: State) -> int:
    """Say on stderr what went wrong, and return the exit code."""
    if state.traceback:
        traceback.print_exception(error)
    if isinstance(error, BrokenPipeError):  # the reader has seen enough, and nobody is listening
        _forget_stdout()
        return 1
    if isinstance(error, click.ClickException):
        if isinstance(error, click.UsageError):
            error.show()
        else:
            click.echo(f"Error: {harmless(error.format_message())}", err=True)
        return error.exit_code
    message, code = explain(error)
    click.echo(f"Error: {harmless(message)}", err=True)
    if isinstance(error, OSError):
        _forget_stdout()  # if it is what failed, flushing it on the way out would fail again
    return code


def _forget_stdout() -> None:
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@contextmanager
def _showing_warnings() -> Iterator[None]:
    """Show warnings to users as plain words on stderr, and those to programmers not at all."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        click.echo(f"Warning: {harmless(in_options(str(message)))}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
