"""The ``ordcut`` command. Each subcommand is imported when it is called."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType


def main() -> None:
    """Run the command line and exit, or print how to install it."""
    _open_closed_streams()
    before = signal.getsignal(signal.SIGINT)
    with suppress(ValueError):  # only the main thread can set handlers
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, _leave)  # until signals are caught: imports take a while
    try:
        _run()
    finally:
        if signal.getsignal(signal.SIGINT) is _leave:
            signal.signal(signal.SIGINT, before)


def _open_closed_streams() -> None:
    """Open standard streams that are closed, so that no other file gets their descriptors.

    Standard error goes nowhere then, standard input is empty, and writing to standard output is an
    error, as it was.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _leave(number: int, _: FrameType | None) -> None:
    """Exit at Ctrl-C, while there is nothing to clean up."""
    os.write(2, b"\nInterrupted. No partial output was left behind.\n")
    os._exit(128 + number)


def _run() -> None:
    try:
        import click  # noqa: F401
    except ImportError:
        sys.exit(
            "The ordcut command needs click, which is not installed. Install its extra in a "
            'checkout of ordcut with: pip install ".[cli]".'
        )
    from ordcut.cli.app import ENDED_BY_SIGNAL, run

    code = run(sys.argv[1:])
    if code >= ENDED_BY_SIGNAL:
        # Everything is cleaned up. A signal that came during an import could make Python end by
        # that signal a second time on a normal exit, which would change the exit code.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
