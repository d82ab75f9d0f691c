"""Compiled kernels."""

import threading

import numba
import numpy as np
import pytest

from ordcut.jit import lock_cache


def double(values):
    for i in range(len(values)):
        values[i] *= 2


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    compiled = numba.njit(cache=True)(double)
    lock_cache(compiled)
    return compiled


def test_code_is_not_read_from_the_cache_while_it_is_written(kernel, monkeypatch):
    file = kernel._cache._cache_file
    is_writing, may_write = threading.Event(), threading.Event()
    save_data, found = file._save_data, []

    def save_slowly(name, data):
        is_writing.set()
        assert may_write.wait(60)
        save_data(name, data)

    monkeypatch.setattr(file, "_save_data", save_slowly)
    writer = threading.Thread(target=file.save, args=("key", "code"))
    reader = threading.Thread(target=lambda: found.append(file.load("key")))
    writer.start()
    assert is_writing.wait(60)
    reader.start()  # the index names the code by now, which is not there yet
    reader.join(0.2)
    assert reader.is_alive()
    may_write.set()
    writer.join()
    reader.join()
    assert found == ["code"]


def test_a_kernel_with_a_locked_cache_is_loaded_from_it(kernel):
    values = np.array([1, 2])
    kernel(values)
    again = numba.njit(cache=True)(double)
    lock_cache(again)
    again(values)
    assert values.tolist() == [4, 8]
    assert sum(again.stats.cache_hits.values()) == 1
