"""Compiled kernels."""

import os
import stat
import subprocess
import sys
import threading

import numba
import numpy as np
import pytest

from ordcut._core.numerics import jit
from ordcut._core.numerics.jit import guard_cache


def double(values):
    for i in range(len(values)):
        values[i] *= 2


@pytest.fixture
def make_kernel(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def make():
        compiled = numba.njit(cache=True)(double)
        guard_cache(compiled)
        return compiled

    return make


def run(kernel):
    values = np.array([1, 2])
    kernel(values)
    assert values.tolist() == [2, 4]
    return sum(kernel.stats.cache_hits.values())


def test_code_is_not_read_from_the_cache_while_it_is_written(make_kernel, monkeypatch):
    writing, reading = make_kernel(), make_kernel()
    is_writing, may_write = threading.Event(), threading.Event()
    file, hits = writing._cache._cache_file, []
    save_data = file._save_data

    def save_slowly(name, data):
        is_writing.set()
        assert may_write.wait(60)
        save_data(name, data)

    def read():
        signature = (numba.typeof(np.array([1, 2])),)
        hits.append(reading._cache.load_overload(signature, reading.targetctx) is not None)

    monkeypatch.setattr(file, "_save_data", save_slowly)
    writer = threading.Thread(target=run, args=(writing,))
    reader = threading.Thread(target=read)
    writer.start()
    assert is_writing.wait(60)
    reader.start()  # the index names the code by now, which is not there yet
    reader.join(0.2)
    assert reader.is_alive()
    may_write.set()
    writer.join()
    reader.join()
    assert hits == [True]


def test_a_kernel_is_loaded_from_the_cache(make_kernel):
    assert (run(make_kernel()), run(make_kernel())) == (0, 1)


def empty(file):
    file.write_bytes(b"")


def truncate(file):
    file.write_bytes(file.read_bytes()[:-10])


def fill_with_zeros(file):
    file.write_bytes(bytes(file.stat().st_size))


def flip_a_bit(file):
    content = bytearray(file.read_bytes())
    content[-len(content) // 3] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize("damage", [empty, truncate, fill_with_zeros, flip_a_bit])
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_damaged_code_is_removed_and_compiled_again(make_kernel, tmp_path, damage, suffix):
    run(make_kernel())
    (file,) = tmp_path.rglob(f"*.{suffix}")
    damage(file)
    damaged = file.read_bytes()
    assert (run(make_kernel()), run(make_kernel())) == (0, 1)
    assert file.read_bytes() != damaged


def test_code_of_another_version_of_the_source_is_compiled_again(make_kernel, tmp_path):
    before = make_kernel()
    run(before)
    changed = make_kernel()
    changed._cache._cache_file._source_stamp = "changed"
    # The new index was written, and the code was not: the index names code of the old source.
    key = before._cache._index_key((numba.typeof(np.array([1, 2])),), before.targetctx.codegen())
    changed._cache._cache_file._save_index({key: changed._cache._cache_file._data_name(1)})
    assert run(changed) == 0


def test_a_kernel_is_compiled_in_memory_if_its_cache_goes_away(make_kernel, tmp_path):
    kernel = make_kernel()
    for folder in tmp_path.iterdir():
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        folder.write_text("a file where the folder was")
    assert run(kernel) == 0


def lock_held_in(folder):
    import fcntl

    (path,) = folder.rglob("*.lock")
    file = path.open("rb")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def run_for_a_minute(kernel):
    """Run a kernel that may wait forever."""
    hits = []
    thread = threading.Thread(target=lambda: hits.append(run(kernel)), daemon=True)
    thread.start()
    thread.join(60)
    (n_hits,) = hits
    return n_hits


@pytest.mark.skipif(sys.platform == "win32", reason="files are not locked")
def test_a_kernel_is_compiled_in_memory_if_its_cache_stays_locked(
    make_kernel, tmp_path, monkeypatch
):
    monkeypatch.setattr(jit, "PATIENCE", 0.1, raising=False)
    run(make_kernel())
    with lock_held_in(tmp_path):
        assert run_for_a_minute(make_kernel()) == 0
    assert run(make_kernel()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes")
def test_nobody_else_can_open_the_files_that_are_locked(make_kernel, tmp_path):
    run(make_kernel())
    (lock,) = tmp_path.rglob("*.lock")
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600
    assert stat.S_IMODE(lock.parent.stat().st_mode) == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes")
def test_files_in_a_folder_of_everybody_are_not_locked(make_kernel, tmp_path):
    run(make_kernel())
    (lock,) = tmp_path.rglob("*.lock")
    lock.parent.chmod(0o777)
    with lock_held_in(tmp_path):
        assert run_for_a_minute(make_kernel()) == 1


FULL = """
import resource
from pathlib import Path
import numpy as np
import ordcut
from ordcut._core.numerics.jit import running_kernels_as
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
with running_kernels_as("compiled"):
    print(ordcut.optimal_thresholds([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 2], method="dp").thresholds)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limits")
def test_kernels_are_compiled_in_memory_if_the_disk_is_full(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FULL],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[0.45 0.7 ]\n"
    assert not list(tmp_path.rglob("*.nb?"))
