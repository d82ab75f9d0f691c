"""What a result depends on besides the code: the processor and the versions."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ordcut.threads import count_cores

PACKAGES = ["ordcut", "numpy", "numba", "scipy", "scikit-learn"]


def describe() -> str:
    """Return one line for the head of every report.

    Examples
    --------
    >>> "cores; " in describe() and "numpy " in describe()
    True
    """
    packages = [*PACKAGES, "torch"] if "torch" in sys.modules else PACKAGES
    versions = ", ".join(f"{name} {_version(name)}" for name in packages)
    return (
        f"{_processor()}, {count_cores()} cores; {platform.system()}, "
        f"Python {platform.python_version()}, {versions}."
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(none)"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(": ")[1] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration, IndexError):
        return platform.processor() or platform.machine()
