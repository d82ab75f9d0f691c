"""How much memory a call takes at its peak, beyond what was taken before it."""

import tracemalloc
from collections.abc import Callable
from typing import Any


def peak_extra_bytes(call: Callable[[], Any]) -> int:
    """Return the peak of a call that has been warmed up; NumPy and Numba both report to Python."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
