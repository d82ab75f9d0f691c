"""Rows of a frame in memory, with the group of each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from ordcut._core.data import Groups, Rows, is_missing
from ordcut.frames import dialects
from ordcut.frames.columns import open_columns
from ordcut.frames.source import FrameSource
from ordcut.frames.validation import Nulls

#: The maximum number of groups, each of which takes passes of its own.
MOST_GROUPS = 1000


@dataclass(frozen=True)
class GroupedFrame:
    """A frame and its column of groups.

    Attributes
    ----------
    frame : dataframe
        The frame.
    group : str
        The name of the column.
    nulls : {"raise", "drop"}
        Whether rows without a group raise an error or are left out.
    read : callable
        Returns the source of the rows of a group.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"s": [0.1, 0.2, 0.3], "y": [0, 1, 1], "g": ["b", "a", "b"]})
    >>> read = lambda part: FrameSource(part, score="s", label="y", classes=[0, 1])
    >>> rows, groups, sources = GroupedFrame(frame, "g", "raise", read).rows()
    >>> rows.scores.tolist(), groups.codes.tolist()
    ([0.2, 0.1, 0.3], [0, 1, 1])
    """

    frame: Any
    group: str
    nulls: Nulls
    read: Callable[[Any], FrameSource]

    def rows(self) -> tuple[Rows, Groups, list[FrameSource]]:
        """Return all rows in memory, their groups, and the source of each group."""
        native, _ = open_columns(self.frame, {"groups": self.group})
        renamed, names = dialects.with_plain_names(native)
        column = names[self.group]
        labels = renamed.lazy().select(nw.col(column).alias("label")).unique()
        values = dialects.fetch_columns(labels)["label"]
        is_null = is_missing(values)
        if is_null.any() and self.nulls == "raise":
            raise ValueError(
                f"groups must not be missing, and column {self.group!r} has rows without a group. "
                'Give them a group, or pass nulls="drop".'
            )
        distinct = np.unique(values[~is_null])
        if len(distinct) > MOST_GROUPS:
            raise ValueError(
                f"groups must name a column of at most {MOST_GROUPS} groups, and {self.group!r} "
                f"has {len(distinct)}. Join groups first."
            )
        parts, sources = [], []
        for value in distinct.tolist():
            part = native.filter(nw.col(self.group) == value) if renamed is native else None
            if part is None:
                part = dialects.with_names(renamed.filter(nw.col(column) == value), list(names))
            source = self.read(part.to_native())
            try:
                rows = source.all_rows()
            finally:
                source.release()
            sources.append(source)
            if rows.weights is not None:
                rows = replace(rows, weights=rows.weights * rows.unit, unit=1.0)
            parts.append(rows)
        codes = np.repeat(np.arange(len(parts)), [part.n_rows for part in parts])
        return Rows.joined(parts), Groups(distinct, codes, self.group), sources
