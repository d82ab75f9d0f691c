"""Thresholds with a threshold moved by hand."""

from __future__ import annotations

import numpy as np

from ordcut._core.solve import result_at
from ordcut._core.thresholds import Thresholds, original_rows


def moved_thresholds(thresholds: Thresholds, k: int, to: float) -> Thresholds:
    """Return thresholds with threshold ``k`` moved, and their value on their original rows."""
    known = original_rows(thresholds, "moved")
    values = np.array(thresholds.thresholds)
    if not -len(values) <= k < len(values):
        raise ValueError(f"k must be a position from 0 to {len(values) - 1}, got {k!r}.")
    values[k] = to
    if np.isnan(to) or (values[1:] < values[:-1]).any():
        raise ValueError(
            f"to must keep the thresholds in ascending order, got {to!r} for position {k} of "
            f"{thresholds.thresholds.tolist()}."
        )
    return result_at(known.origin, values)
