"""The version and the commit that results were made with."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from ordcut import __version__

#: The files that results depend on. Changes of other files, such as results, make no commit dirty.
CODE = ("--", "src", ":(glob)experiments/**/*.py", ":(glob)benchmarks/**/*.py")


@cache
def made_with() -> dict[str, str]:
    """Return the version of ordcut and, in a checkout, its commit.

    Examples
    --------
    >>> "ordcut" in made_with()
    True
    """
    commit = _commit()
    return {"ordcut": __version__, **({"commit": commit} if commit else {})}


def describe_versions() -> str:
    """Return the version and the commit as words.

    Examples
    --------
    >>> describe_versions().startswith("ordcut ")
    True
    """
    return " ".join(f"{name} {value}" for name, value in made_with().items())


def _commit() -> str:
    """Return the short hash of the commit that is checked out, or nothing outside a checkout."""
    commit = _git("describe", "--always", "--abbrev=7")
    return f"{commit}-dirty" if commit and _git("diff", "--name-only", "HEAD", *CODE) else commit


def _git(*arguments: str) -> str:
    """Return what a git command prints, or nothing if it fails."""
    command, root = ["git", *arguments], Path(__file__).parents[1]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
