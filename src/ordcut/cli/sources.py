"""From a frame to a source, and from a source to thresholds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw

from ordcut.cli.columns import Columns
from ordcut.cli.options import read_classes
from ordcut.objectives import ObjectiveLike, n_classes_of
from ordcut.sources.frames import FrameSource
from ordcut.thresholds import Thresholds


def open_source(
    frame: Any,
    columns: Columns,
    objective: ObjectiveLike,
    classes: str | None,
    nulls: Any,
    tell: Callable[[str], None] | None,
) -> FrameSource:
    """Return the rows of a frame as a source, with classes as they are named on a command line."""
    assert columns.score is not None
    assert columns.label is not None
    kind = nw.from_native(frame).collect_schema()[columns.label]
    return FrameSource(
        frame,
        score=columns.score,
        label=columns.label,
        weight=columns.weight,
        classes=read_classes(classes, kind),
        n_classes=n_classes_of(objective),
        nulls=nulls,
        progress=tell or False,
    )
