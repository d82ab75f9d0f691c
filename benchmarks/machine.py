"""Describe the machine that times were measured on."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from experiments.versions import describe_versions
from ordcut._core.numerics.threads import count_cores

#: The packages whose versions are reported with times, besides ordcut.
PACKAGES = ["numpy", "numba", "scipy", "scikit-learn"]


def describe_machine() -> str:
    """Return one line about this machine and the versions of packages, for a report."""
    packages = [*PACKAGES, "torch"] if "torch" in sys.modules else PACKAGES
    versions = ", ".join(f"{name} {_version(name)}" for name in packages)
    return (
        f"{_processor()}, {count_cores()} cores; {platform.system()}, "
        f"Python {platform.python_version()}, {describe_versions()}, {versions}."
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
