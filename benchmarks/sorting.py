"""The yardstick, which ships with ordcut for ``ordcut bench``."""

from ordcut.bench.sorting import sorting

__all__ = ["sorting"]
