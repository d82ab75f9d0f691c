"""Fixtures and settings that all tests share."""

import builtins

import pytest
from hypothesis import settings

from ordcut.jit import running_kernels_as

settings.register_profile("ordcut", deadline=None, max_examples=300, print_blob=True)
settings.load_profile("ordcut")


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


@pytest.fixture(scope="module")
def one_torch_thread():
    """Let PyTorch use one thread: threads that wait for each other are slow in parallel tests."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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
