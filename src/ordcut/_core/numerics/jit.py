"""Run a kernel as plain Python while the work is small, and compiled by Numba once it is not.

Importing Numba and loading a compiled kernel costs some tenths of a second; a few thousand rows
cost less in plain Python. So a kernel runs as plain Python until the steps it has taken would have
paid for compiling it. There is one definition of each kernel, and both ways of running it give the
same bits.
"""

from __future__ import annotations

import functools
import logging  # noqa: F401 (its lock must be taken after ours when a process is forked)
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from inspect import signature
from math import prod
from typing import Any, Generic, Literal, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
Mode = Literal["auto", "python", "compiled"]

#: Steps of plain Python that take about as long as importing Numba and loading a kernel, and as
#: loading a kernel alone.
STEPS_WORTH_IMPORTING, STEPS_WORTH_LOADING = 300_000, 50_000

#: How long a process waits for another that reads or writes the same cached code, in seconds.
PATIENCE = 5.0

_mode: Mode = "auto"

#: Functions that kernels call and that Numba has not been told of yet.
_functions_of_kernels: list[Callable[..., Any]] = []
#: Held while Numba is imported and kernels are prepared for it.
_compiling = threading.RLock()
_held: list[Any] = []  # while a process is forked


class Kernel(Generic[P]):
    """A loop over arrays, with an estimate of how many steps a call takes.

    Parameters
    ----------
    python : callable
        The loop.
    over : sequence of str
        The arguments that it loops over: arrays, of which the length counts.
    steps : int
        About how many steps it takes for each combination of their entries.
    """

    def __init__(self, python: Callable[P, None], over: Sequence[str], steps: int) -> None:
        functools.update_wrapper(self, python)
        self.python = python
        names = list(signature(python).parameters)
        self._positions = [names.index(name) for name in over]
        self._steps = steps
        self._steps_taken = 0
        self._compiled: Callable[P, None] | None = None

    def __call__(self, *args: Any) -> None:
        """Run the kernel, in whichever way is quicker by now."""
        compiled = self._compiled
        if compiled is not None and _mode == "auto":
            compiled(*args)  # type: ignore[call-arg]
        elif self.is_compiled_after(self._steps * prod(len(args[i]) for i in self._positions)):
            self.compiled()(*args)  # type: ignore[call-arg]
        else:
            with np.errstate(all="ignore"):  # compiled code does not warn either
                self.python(*args)  # type: ignore[call-arg]

    def is_compiled_after(self, n_steps: int) -> bool:
        """Count some more steps, and return whether the kernel should run compiled by now."""
        if _mode != "auto":
            return _mode == "compiled"
        if self._compiled is not None:
            return True
        self._steps_taken += n_steps
        price = STEPS_WORTH_LOADING if _numba_is_imported() else STEPS_WORTH_IMPORTING
        return self._steps_taken > price

    def compiled(self) -> Callable[P, None]:
        """Return the compiled kernel; compile it, or load it from the cache, when first used."""
        if self._compiled is None:
            with _compiling:
                if self._compiled is None:
                    self._compiled = _compile(self.python)
        return self._compiled


def inlined(function: Callable[Q, R]) -> Callable[Q, R]:
    """Make a small function one that compiled kernels may call; it stays plain Python itself."""
    _functions_of_kernels.append(function)
    return function


def kernel(*over: str, steps: int) -> Callable[[Callable[P, None]], Kernel[P]]:
    """Make a kernel of a plain loop over some of its arguments; see ``Kernel``."""
    return lambda python: Kernel(python, over, steps)


@contextmanager
def running_kernels_as(mode: Mode) -> Iterator[None]:
    """Run every kernel in one way, ``"python"`` or ``"compiled"``, for tests and measurements.

    Examples
    --------
    >>> import ordcut
    >>> with running_kernels_as("python"):
    ...     ordcut.optimal_thresholds([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 2]).thresholds
    array([0.45, 0.7 ])
    """
    global _mode
    before, _mode = _mode, mode
    try:
        yield
    finally:
        _mode = before


def _numba_is_imported() -> bool:
    return "numba" in sys.modules


def _compile(python: Callable[P, None]) -> Callable[P, None]:
    import numba
    import numpy.ma  # noqa: F401 (which Numba imports when a kernel is first called)
    from numba.extending import register_jitable

    while _functions_of_kernels:
        register_jitable(_functions_of_kernels.pop())
    # Divisions are not checked for 0, which would keep LLVM from vectorising loops with divisions.
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        compiled = numba.njit(cache=True, **options)(python)
    except (OSError, RuntimeError):  # no folder that Numba may write its cache to
        return numba.njit(**options)(python)  # type: ignore[no-any-return]
    guard_cache(compiled)
    return compiled  # type: ignore[no-any-return]


def guard_cache(compiled: Any) -> None:
    """Let a kernel be compiled in memory if its cached code cannot be read or written.

    Cached code is stored with a digest, and removed if it is damaged. Only one process at a time
    reads or writes the cached code of a kernel: Numba writes its index before the code that the
    index names, so that a second process could load code of other types, or of an older version, in
    between. A process that waits for more than ``PATIENCE`` seconds does without the cache.

    Files that are locked are in a folder that is private to the user. Anybody who may read a file
    may lock it, and the cache may be in a folder of everybody.

    This patches private names of Numba. What is public, ``Dispatcher.compile`` inside a lock, would
    need the types of all arguments at every call, to know whether the cache will be used.
    ``numba.typeof`` takes about 10 us per argument, and a short kernel takes less. If a version of
    Numba lacks these names, its cache is used as it is.
    """
    from glob import escape, glob
    from hashlib import sha256

    cache: Any = getattr(compiled, "_cache", None)
    file: Any = getattr(cache, "_cache_file", None)
    if not all(hasattr(file, name) for name in ("_index_path", "_source_stamp", "_dump", "load")):
        return
    base, read, write = file._index_path.removesuffix(".nbi"), file.load, file.save

    def digest(key: Any, code: bytes) -> bytes:
        return sha256(repr((file._source_stamp, key)).encode() + code).digest()

    def load(key: Any) -> Any:
        entry = read(key)
        if entry is None:
            return None
        expected, code = entry
        if digest(key, code) != expected:
            raise ValueError(f"{base} is damaged.")
        return pickle.loads(code)

    def save(key: Any, data: Any) -> None:
        code = file._dump(data)
        write(key, (digest(key, code), code))

    def remove() -> None:
        for path in glob(f"{escape(base)}.*nb[ci]"):
            with suppress(OSError):
                os.unlink(path)

    folder, name = os.path.split(base)
    file.load, file.save = load, save
    lock = os.path.join(folder, "locks", f"{name}.lock")
    cache.load_overload = _guarded(cache.load_overload, lock, remove)
    cache.save_overload = _guarded(cache.save_overload, lock, lambda: None)


def _guarded(
    function: Callable[Q, R], lock: str, recover: Callable[[], None]
) -> Callable[Q, R | None]:
    """Return a function that locks a file, and that recovers from an error and returns None.

    It returns None as well if another process holds the lock for too long.
    """

    def guarded(*args: Q.args, **kwargs: Q.kwargs) -> R | None:
        with ExitStack() as stack:
            try:
                _lock(stack, lock)
            except BlockingIOError:
                return None
            except (ImportError, OSError):  # Windows; a folder that is read only, full or another's
                pass
            try:
                return function(*args, **kwargs)
            except Exception:  # what a damaged pickle may raise, or a full disk
                recover()
                return None

    return guarded


def _lock(stack: ExitStack, path: str) -> None:
    """Lock a file in a private folder, and unlock it when the stack is closed.

    It raises ``BlockingIOError`` if another process holds the lock for too long.
    """
    import fcntl

    folder = os.path.dirname(path)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    status = os.stat(folder)
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise PermissionError(f"{folder} must be private to the user.")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    stack.callback(os.close, descriptor)
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _hold_locks() -> None:
    """Wait until no thread imports Numba or compiles.

    A process that is forked meanwhile has the locks of that thread but not the thread, and would
    wait forever.
    """
    _compiling.acquire()
    _held.append(_compiling)
    if "numba.core.compiler_lock" in sys.modules:
        _held.append(sys.modules["numba.core.compiler_lock"].global_compiler_lock)
        _held[-1].acquire()


def _release_locks() -> None:
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_hold_locks, after_in_parent=_release_locks, after_in_child=_release_locks
    )
