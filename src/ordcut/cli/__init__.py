"""The ``ordcut`` command. Each subcommand is imported when it is called."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line and exit, or print how to install it."""
    try:
        import click  # noqa: F401
    except ImportError:
        sys.exit('The ordcut command needs click. Install it with: pip install "ordcut[cli]".')
    from ordcut.cli.app import ENDED_BY_SIGNAL, run

    code = run(sys.argv[1:])
    if code >= ENDED_BY_SIGNAL:
        # Everything is cleaned up. A signal that came during an import could make Python end by
        # that signal a second time on a normal exit, which would change the exit code.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
