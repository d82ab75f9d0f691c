"""Run a kernel as plain Python while the work is small, and compiled by Numba once it is not.

Importing Numba and loading a compiled kernel costs some tenths of a second; a few thousand rows
cost less in plain Python. So a kernel is rented before it is bought: it runs as plain Python until
the steps it has taken would have paid for compiling it. There is one definition of each kernel, and
both ways of running it give the same bits.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Literal, ParamSpec

import numpy as np

P = ParamSpec("P")
Mode = Literal["auto", "python", "compiled"]

#: Steps of plain Python that take about as long as importing Numba and loading a kernel, and as
#: loading a kernel alone.
STEPS_WORTH_IMPORTING, STEPS_WORTH_LOADING = 300_000, 50_000

_mode: Mode = "auto"


class Kernel(Generic[P]):
    """A loop over arrays, with an estimate of how many steps a call takes."""

    def __init__(self, python: Callable[P, None], steps: Callable[..., int]) -> None:
        functools.update_wrapper(self, python)
        self.python = python
        self._steps = steps
        self._steps_taken = 0
        self._compiled: Callable[P, None] | None = None
        self._lock = threading.Lock()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Run the kernel, in whichever way is quicker by now."""
        if _mode != "auto":
            is_compiled = _mode == "compiled"
        elif self._compiled is not None:
            is_compiled = True
        else:
            self._steps_taken += self._steps(*args, **kwargs)
            is_there = "numba" in sys.modules
            price = STEPS_WORTH_LOADING if is_there else STEPS_WORTH_IMPORTING
            is_compiled = self._steps_taken > price
        if is_compiled:
            self.compiled()(*args, **kwargs)
        else:
            with np.errstate(all="ignore"):  # compiled code does not warn either
                self.python(*args, **kwargs)

    def compiled(self) -> Callable[P, None]:
        """Return the compiled kernel; compile it, or load it from the cache, when first asked."""
        if self._compiled is None:
            with self._lock:
                if self._compiled is None:
                    self._compiled = _compile(self.python)
        return self._compiled


def kernel(steps: Callable[..., int]) -> Callable[[Callable[P, None]], Kernel[P]]:
    """Make a kernel of a plain loop; ``steps`` estimates the steps of a call from its arguments."""
    return lambda python: Kernel(python, steps)


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


def _compile(python: Callable[P, None]) -> Callable[P, None]:
    import numba

    options: dict[str, Any] = {"nogil": True}
    try:
        return numba.njit(cache=True, **options)(python)  # type: ignore[no-any-return]
    except RuntimeError:  # no folder that Numba may write its cache to
        return numba.njit(**options)(python)  # type: ignore[no-any-return]
