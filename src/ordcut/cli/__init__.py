"""The ``ordcut`` command; each of its commands is imported when it is called."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit, or say how to install it."""
    try:
        import click  # noqa: F401
    except ImportError:
        sys.exit('The ordcut command needs click. Install it with: pip install "ordcut[cli]".')
    from ordcut.cli.running import run

    sys.exit(run(sys.argv[1:]))
