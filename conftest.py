"""Fixtures and settings that all tests share."""

import builtins
import os
import random
import sys
from pathlib import Path

# Tests run in parallel: threads of each that wait for each other would take most of the time.
# Libraries read this when they are imported, so it comes first.
os.environ |= {"OMP_NUM_THREADS": "1", "LOKY_MAX_CPU_COUNT": "1", "POLARS_MAX_THREADS": "1"}

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.database import DirectoryBasedExampleDatabase, ReadOnlyDatabase

from ordcut._core.numerics.jit import running_kernels_as

#: Examples that failed once, found by ``make fuzz`` and replayed by ``make test``.
CORPUS = DirectoryBasedExampleDatabase(Path(__file__).parent / "tests" / "corpus")

# A test must not depend on time or chance: by default, its examples are the same in every run.
settings.register_profile(
    "ordcut",
    deadline=None,
    derandomize=True,
    max_examples=300,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
for name, options in {
    "fuzz": {"max_examples": 1000, "database": CORPUS},
    "replay": {"phases": [Phase.reuse], "database": ReadOnlyDatabase(CORPUS)},
}.items():
    settings.register_profile(name, settings.get_profile("ordcut"), derandomize=False, **options)
settings.load_profile("ordcut")


@pytest.fixture(autouse=True)
def seeds():
    """Start every test from the same state of every global generator of random numbers."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


@pytest.fixture(params=["python", "compiled"])
def either_way(request):
    """Run a test with kernels as plain Python, and again with kernels compiled by Numba."""
    with running_kernels_as(request.param):
        yield request.param


@pytest.fixture
def as_python():
    """Run kernels as plain Python."""
    with running_kernels_as("python"):
        yield


@pytest.fixture
def without(monkeypatch):
    """Give a function after which importing a package fails as if it were not installed."""

    def refuse_package(package):
        real = builtins.__import__

        def refuse(name, *args, **kwargs):
            if name.startswith(package):
                raise ImportError(name)
            return real(name, *args, **kwargs)

        monkeypatch.setattr(builtins, "__import__", refuse)

    return refuse_package
