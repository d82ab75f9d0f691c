"""The peak memory of a call, beyond what was allocated before it."""

import tracemalloc
from collections.abc import Callable
from typing import Any


def peak_extra_bytes(call: Callable[[], Any]) -> int:
    """Return the peak of a call; tracemalloc sees what NumPy and Numba allocate."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
