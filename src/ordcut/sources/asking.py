"""Questions put to an engine: told of, counted, and named in its errors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ordcut.arrays import Array
from ordcut.sources import habits
from ordcut.sources.expressions import as_array
from ordcut.sources.zooming import NOWHERE

Columns: TypeAlias = dict[str, Array]
Progress: TypeAlias = bool | Callable[[str], None]


class Asking:
    """How an engine is asked.

    Parameters
    ----------
    engine
        Its name, for errors.
    progress
        Whether to write a line to standard error after each pass; or what to call before each, with
        words on what it is about.

    Examples
    --------
    >>> import narwhals as nw, polars as pl
    >>> asking = Asking("polars", progress=print)
    >>> asking.collect(nw.from_native(pl.LazyFrame({"x": [1, 2]})), "all rows")
    all rows
    {'x': array([1, 2])}
    >>> asking.passes
    1
    """

    def __init__(self, engine: str, progress: Progress = False) -> None:
        self._engine = engine
        self._progress = progress
        self.passes = 0

    def ask(self, question: Callable[[], Any], about: str, *, is_pass: bool = True) -> Any:
        """Return the engine's answer; an error of its own says what was asked."""
        if callable(self._progress) and is_pass:
            self._progress(about)
        try:
            answer = question()
        except Exception as error:
            error.add_note(f"ordcut asked {self._engine} for {about}.")
            raise
        self.passes += is_pass
        if self._progress is True and is_pass:
            came = f": {len(answer)} rows" if hasattr(answer, "__len__") else ""
            print(f"ordcut: pass {self.passes}: {about}{came}", file=sys.stderr)
        return answer

    def collect(self, frame: Any, about: str, *, is_pass: bool = True) -> Columns:
        """Return the rows of a lazy frame as arrays."""
        done = self.ask(lambda: habits.collect(frame), about, is_pass=is_pass)
        columns = {name: as_array(done[name]) for name in done.columns}
        if "key" in columns:  # a whole number in float64, which spares engines a cast of all rows
            keys = columns["key"]
            columns["key"] = np.where(keys == keys, keys, NOWHERE).astype(np.int64)
        return columns
