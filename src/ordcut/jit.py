"""Run a kernel as plain Python while the work is small, and compiled by Numba once it is not.

Importing Numba and loading a compiled kernel costs some tenths of a second; a few thousand rows
cost less in plain Python. So a kernel runs as plain Python until the steps it has taken would have
paid for compiling it. There is one definition of each kernel, and both ways of running it give the
same bits.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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

_mode: Mode = "auto"

#: Functions that kernels call and that Numba has not been told of yet.
_functions_of_kernels: list[Callable[..., Any]] = []
_compiling = threading.Lock()


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
        self._lock = threading.Lock()

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
            with self._lock:
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
    from numba.extending import register_jitable

    with _compiling:
        while _functions_of_kernels:
            register_jitable(_functions_of_kernels.pop())
    options: dict[str, Any] = {"nogil": True}
    try:
        compiled = numba.njit(cache=True, **options)(python)
    except RuntimeError:  # no folder that Numba may write its cache to
        return numba.njit(**options)(python)  # type: ignore[no-any-return]
    lock_cache(compiled)
    return compiled  # type: ignore[no-any-return]


def lock_cache(compiled: Any) -> None:
    """Let only one process at a time read or write the cached code of a kernel.

    Numba writes its index before the code that the index names, so that a second process could load
    code of other types, or of an older version, in between.

    This patches private names of Numba. What is public, ``Dispatcher.compile`` inside a lock, would
    need the types of all arguments at every call, to know whether the cache will be used.
    ``numba.typeof`` takes about 10 us per argument, and a short kernel takes less. If a version of
    Numba lacks these names, its cache is used without the lock.
    """
    cache: Any = getattr(compiled, "_cache", None)
    file: Any = getattr(cache, "_cache_file", None)
    if cache is None or not all(hasattr(file, name) for name in ("_index_name", "load", "save")):
        return
    path = os.path.join(cache.cache_path, f"{file._index_name}.lock")
    file.load, file.save = _locked(file.load, path), _locked(file.save, path)


def _locked(function: Callable[Q, R], path: str) -> Callable[Q, R]:
    def locked(*args: Q.args, **kwargs: Q.kwargs) -> R:
        try:
            import fcntl

            os.makedirs(os.path.dirname(path), exist_ok=True)
            lock = open(path, "ab")  # noqa: SIM115 (it is closed below)
        except (ImportError, OSError):  # no such locks on Windows; or a cache that is read only
            return function(*args, **kwargs)
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # until it is closed
            return function(*args, **kwargs)

    return locked
