"""A cell and a label of 8 bits as one number: engines group by one key faster than by two."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from ordcut.sources import habits
from ordcut.sources.asking import Columns
from ordcut.sources.nested import LARGEST_KEY
from ordcut.sources.zooming import NOWHERE

#: How many values a label of 8 bits can have.
N_LABELS = 256

#: The least of them, by its type.
LEAST = {nw.Int8: -N_LABELS // 2, nw.UInt8: 0}


def pair_of(frame: Any, key: Any, most_keys: int) -> Any:
    """Return the number of a key and the column ``label``; float64 is exact while it is small."""
    if most_keys * N_LABELS >= LARGEST_KEY:
        return key.cast(nw.Int64) * N_LABELS + nw.col("label").cast(nw.Int64)
    pair = key * N_LABELS + nw.col("label")
    return pair if habits.is_slow_at_casts(frame) else pair.cast(nw.Int64)


def taken_apart(columns: Columns, least: int) -> Columns:
    """Return columns with the key and the label in the place of their pair.

    Without a label or without a score there is no pair: no label, then, and the key of no cell.

    Examples
    --------
    >>> found = taken_apart({"pair": np.array([3 * 256 + 7.0, np.nan])}, 0)
    >>> found["key"], found["label"]
    (array([ 3, -2]), array([ 7., nan]))
    """
    pairs = columns["pair"]
    is_null = pairs != pairs if pairs.dtype.kind == "f" else np.zeros(len(pairs), np.bool_)
    pairs = np.where(is_null, NOWHERE * N_LABELS, pairs).astype(np.int64) - least
    key, place = np.divmod(pairs, N_LABELS)
    label = np.where(is_null, np.nan, place + least) if is_null.any() else place + least
    others = {name: values for name, values in columns.items() if name != "pair"}
    return {"key": key, "label": label, **others}
