"""Weights whose sums are exact in every engine: multiples of a unit, or split into limbs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from ordcut._core.numerics.exact import EXACT, MOST_DISTINCT, weight_scale
from ordcut._core.numerics.limbs import AS_GIVEN, Limbs
from ordcut._core.pruning import SAMPLE_SIZE
from ordcut._core.typing import Array, Floats
from ordcut.frames.columns import Columns

if TYPE_CHECKING:
    from ordcut.frames.engine import Engine
    from ordcut.frames.grid import Root

#: Sums of multiples below this are exact, and no multiple was rounded to another.
LARGEST_TOTAL = EXACT / 32

#: Sums of weights beyond this, or below its inverse, are refused. On arrays, they are scaled.
LARGEST_FOR_ENGINES = 2.0**200

#: Engines add up limbs as floats, which are exact below two to this power. That is faster than to
#: cast them to integers, although limbs are shorter, and there are more of them.
BITS_OF_SUMS = 52

#: Weights of more limbs than this, which lie very far apart, are added up by the engine.
MOST_LIMBS = 8


class Summands(NamedTuple):
    """How an engine adds up weights.

    Attributes
    ----------
    scale : int
        Weights are counted in whole multiples of ``1 / scale``.
    limbs : Limbs
        How other weights are split.
    is_exact : bool
        Whether sums have no rounding.
    """

    scale: int = 1
    limbs: Limbs = AS_GIVEN
    is_exact: bool = True

    @property
    def names(self) -> list[str]:
        """The names of the columns of sums."""
        return [f"limb{i}" for i in range(self.limbs.n_limbs)] or ["weight"]

    def added_to(self, frame: Any) -> Any:
        """Return a lazy frame with a column for each limb of its weights.

        All steps are exact. Each limb is a column, so that engines compute it once.

        Examples
        --------
        >>> import polars as pl
        >>> frame = nw.from_native(pl.LazyFrame({"weight": [0.75]}))
        >>> Summands(1, Limbs(1, 8, 2)).added_to(frame).select("limb0", "limb1").collect().rows()
        [(1.0, 128.0)]
        """
        if self.limbs.n_limbs == 0:
            return frame
        first, step = self.limbs.factors
        frame = frame.with_columns((nw.col("weight") * first).alias("rest"))
        for name in self.names:
            frame = frame.with_columns(nw.col("rest").floor().alias(name))
            rest = (nw.col("rest") - nw.col(name)) * step
            frame = frame.with_columns(rest.alias("rest"))
        return frame

    def of(self, columns: Columns) -> Array:
        """Return the weights of columns, or their sums: a number each, or limbs (n, n_limbs)."""
        if self.limbs.n_limbs == 0 or self.names[0] not in columns:
            return columns["weight" if "weight" in columns else "rows"]
        return np.stack([columns[name].astype(np.float64) for name in self.names], axis=1)


def weighted_count(engine: Engine, root: Root, sample: Columns) -> tuple[Columns, int, Summands]:
    """Count valid rows by the cells of the root and by label, and find how to add up weights.

    Return the counts, the number of rows with nulls, and how weights were added up. A sample
    suggests a common unit, and the count checks it; only if it does not hold, the engine is queried
    for the distinct weights, and counts once more. Weights of many different values are split into
    limbs, for which the engine is queried for the least and the largest.
    """
    few = _few_values(sample["weight"])
    scale = None if few is None else weight_scale(few, float(few.sum()))
    total = None
    if scale is not None:
        counted, n_missing = engine.count_first(root, Summands(scale))
        total = float(counted["weight"].sum()) / scale
        _check_total(total)
        most = LARGEST_TOTAL if scale > 1 else EXACT
        if not counted["fractions"].any() and total * scale < most:
            return counted, n_missing, Summands(scale)
    known = None
    if few is not None:
        few = engine.distinct_weights(MOST_DISTINCT + 1)
        if len(few) <= MOST_DISTINCT:
            total = engine.extent_of_weights()[2] if total is None else total
            _check_total(total)
            known = weight_scale(few, total)
    summands = _limbs_of(engine) if known is None else Summands(known)
    counted, n_missing = engine.count_first(root, summands)
    return counted, n_missing, summands


def _few_values(sample: Floats) -> Floats | None:
    """Return the distinct weights of a sample; None if all rows probably have too many."""
    distinct = np.unique(sample[np.isfinite(sample) & (sample > 0)])
    is_many = len(sample) >= SAMPLE_SIZE and len(distinct) > MOST_DISTINCT // 4
    return None if is_many else distinct


def _limbs_of(engine: Engine) -> Summands:
    """Return how to add up weights by limbs; by the engine, if they lie too far apart."""
    least, largest, total, n_rows = engine.extent_of_weights()
    _check_total(total)
    limbs = Limbs.between(least, largest, n_rows, BITS_OF_SUMS)
    is_few = 0 < limbs.n_limbs <= MOST_LIMBS
    return Summands(limbs=limbs) if is_few else Summands(is_exact=False)


def _check_total(total: float) -> None:
    """Raise an error unless engines can add up weights."""
    if not np.isfinite(total):
        raise ValueError("weight must have a finite sum, got inf. Scale the weights down.")
    if not 1 / LARGEST_FOR_ENGINES < total < LARGEST_FOR_ENGINES:
        raise ValueError(
            f"weight must have a sum between {1 / LARGEST_FOR_ENGINES:.0e} and "
            f"{LARGEST_FOR_ENGINES:.0e}, since engines add up floats, got {total:g}. Multiply all "
            "weights by a factor, and drop rows of negligible weight."
        )


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
