"""The ``ordcut`` command. Each subcommand is imported when it is called."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType


def main() -> None:
    """Run the command line and exit, or print how to install it."""
    before = signal.getsignal(signal.SIGINT)
    with suppress(ValueError):  # only the main thread can set handlers
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, _leave)  # until signals are caught: imports take a while
    try:
        _run()
    finally:
        if signal.getsignal(signal.SIGINT) is _leave:
            signal.signal(signal.SIGINT, before)


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
