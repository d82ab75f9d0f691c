"""Weights as whole multiples of a common unit, whose sums are exact in every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from ordcut._core.numerics.exact import EXACT, MOST_DISTINCT, weight_scale
from ordcut._core.typing import Floats
from ordcut.frames.columns import Columns

if TYPE_CHECKING:
    from ordcut.frames.engine import Engine
    from ordcut.frames.grid import Root

#: Sums of multiples below this are exact, and no multiple was rounded to another.
LARGEST_TOTAL = EXACT / 32

#: Sums of weights beyond this, or below its inverse, are refused. On arrays, they are scaled, and
#: weights that vanish next to others are still added up without rounding.
LARGEST_FOR_ENGINES = 2.0**200


def weighted_count(engine: Engine, root: Root, sample: Columns) -> tuple[Columns, int, int | None]:
    """Count valid rows by the cells of the root and by label, and find a unit of the weights.

    Return the counts, the number of rows with nulls, and the scale: weights are counted in whole
    multiples of 1 / scale, or as they are, if it is None. A sample suggests the scale, and the
    count checks it; only if it does not hold, the engine is queried for the distinct weights, and
    counts once more.
    """
    scale = _scale_of(sample["weight"])
    counted, n_missing = engine.count_first(root, scale or 1)
    total = float(counted["weight"].sum())
    if not np.isfinite(total):
        raise ValueError("weight must have a finite sum, got inf. Scale the weights down.")
    if not 1 / LARGEST_FOR_ENGINES < total < LARGEST_FOR_ENGINES:
        raise ValueError(
            f"weight must have a sum between {1 / LARGEST_FOR_ENGINES:.0e} and "
            f"{LARGEST_FOR_ENGINES:.0e}, since engines add up floats, got {total:g}. Multiply all "
            "weights by a factor, and drop rows of negligible weight."
        )
    is_whole = not counted["fractions"].any()
    if is_whole and total < (LARGEST_TOTAL if (scale or 1) > 1 else EXACT):
        return counted, n_missing, scale or 1
    if scale is None or (is_whole and scale == 1):
        return counted, n_missing, None
    distinct = engine.distinct_weights(MOST_DISTINCT + 1)
    is_few = len(distinct) <= MOST_DISTINCT
    known = weight_scale(distinct, total / scale) if is_few else None
    if known is not None or scale > 1:
        counted, n_missing = engine.count_first(root, known or 1)
    return counted, n_missing, known


def _scale_of(weights: Floats) -> int | None:
    """Return the scale of a sample of weights, or None if there are too many different ones."""
    distinct = np.unique(weights[np.isfinite(weights) & (weights > 0)])
    if len(distinct) > MOST_DISTINCT // 4:
        return None
    return weight_scale(distinct, float(distinct.sum()))


def with_multiples(frame: Any, scale: int) -> Any:
    """Return a lazy frame with weights in whole multiples of 1 / scale.

    The new column ``fractions`` is 1 for a weight that is not the float next to a multiple. With
    a scale of 1, weights stay as they are.

    Examples
    --------
    >>> import polars as pl
    >>> frame = nw.from_native(pl.LazyFrame({"weight": [0.1, 0.3, 0.25]}))
    >>> with_multiples(frame, 10).collect().rows()
    [(1.0, 0), (3.0, 0), (3.0, 1)]
    """
    weight, multiple = nw.col("weight"), nw.col("multiple")
    # Products of larger weights could overflow.
    whole = nw.when(weight < EXACT).then((weight * scale + 0.5).floor()).otherwise(weight)
    frame = frame.with_columns(whole.alias("multiple"))
    # Polars multiplies by the rounded reciprocal of a constant, but divides by a column.
    is_other = (multiple / (multiple * 0 + scale) != weight).cast(nw.Int64).alias("fractions")
    frame = frame.with_columns(is_other)
    if scale > 1:
        frame = frame.with_columns(multiple.alias("weight"))
    return frame.drop("multiple")
