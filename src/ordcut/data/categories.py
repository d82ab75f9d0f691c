"""Labels in the containers of dataframes: columns, categoricals and the order that they state."""

from __future__ import annotations

from typing import Any

import numpy as np


def only_column(labels: Any) -> Any:
    """Return the column of a frame with a single column; anything else as it is."""
    if len(getattr(labels, "shape", ())) != 2 or isinstance(labels, np.ndarray):
        return labels
    import narwhals as nw

    frame: Any = nw.from_native(labels, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame) and len(frame.columns) == 1:
        return frame.get_column(frame.columns[0]).to_native()  # whose name may be a number
    return labels


def intervals_as_text(labels: Any) -> Any:
    """Return the intervals of pandas.cut as an ordered categorical of text; others as they are."""
    categories: Any = getattr(getattr(labels, "dtype", None), "categories", None)
    if not str(getattr(categories, "dtype", "")).startswith("interval"):
        return labels
    names = [str(interval) for interval in categories]
    return getattr(labels, "cat", labels).rename_categories(names)


def stated_order(labels: Any) -> list[Any] | None:
    """Return the categories of an ordered Categorical or an Enum; None where no order is stated."""
    if bool(getattr(getattr(labels, "dtype", None), "ordered", False)):
        return list(labels.dtype.categories)
    if isinstance(labels, np.ndarray | list | tuple):
        return None
    if getattr(getattr(labels, "type", None), "ordered", False):  # a dictionary of Arrow
        chunk = labels.chunk(0) if hasattr(labels, "chunk") else labels
        return list(chunk.dictionary.to_pylist())
    import narwhals as nw

    series: Any = nw.from_native(labels, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and isinstance(series.dtype, nw.Enum):
        return list(series.dtype.categories)
    return None
