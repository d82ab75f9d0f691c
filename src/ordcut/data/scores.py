"""Scores as an array of floats, checked."""

from __future__ import annotations

import numpy as np

from ordcut.exact import EXACT
from ordcut.typing import Array, ArrayLike, Floats

#: How many scores fit in cache together.
STRETCH = 1 << 18


def as_scores(scores: ArrayLike) -> Array:
    """Return scores as a one-dimensional float array, in the dtype they came in.

    Integers become float64. ``check_finite`` checks whether they are finite.

    Examples
    --------
    >>> as_scores([1, 2])
    array([1., 2.])
    """
    try:
        given = np.asarray(scores)
        if given.dtype.kind == "c":
            raise TypeError("complex numbers have no order")
        if given.dtype.kind in "mM":
            raise TypeError(
                "dates and durations have a unit, which numbers lose. Convert them first, such as "
                "(dates - start) / numpy.timedelta64(1, 'D')"
            )
        is_float = given.dtype.kind == "f" and given.itemsize <= 8
        array = given if is_float else given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"scores must be numbers: {error}.") from error
    if array.ndim != 1:
        raise ValueError(
            f"scores must be one-dimensional, got shape {array.shape}.{_shape_hint(scores, array)}"
        )
    if not is_float or isinstance(scores, list | tuple):
        _check_exact(scores, array)
    return array


def _shape_hint(scores: ArrayLike, array: Array) -> str:
    """Return what to do about scores that have two dimensions."""
    if array.ndim != 2:
        return " Pass a list, [score]." if array.ndim == 0 else ""
    if 1 in array.shape:
        for method in ("squeeze", "to_series"):
            if hasattr(scores, method):
                return f" Pass scores.{method}()."
        return " Pass a flat list."
    if (array >= 0).all() and np.allclose(array.sum(axis=1), 1):
        return (
            " These look like class probabilities: pass their mean position, "
            f"proba @ np.arange({array.shape[1]}), or the score of a regressor."
        )
    return " Pass one score per row."


def _check_exact(scores: ArrayLike, floats: Floats) -> None:
    """Raise an error if integers lose digits as floats, which could make distinct scores equal."""
    if len(floats) == 0 or np.abs(floats).max() < EXACT:
        return
    integers = np.asarray(scores)
    if integers.dtype.kind not in "iu":
        integers = np.asarray(scores, dtype=object)  # Python compares integers with floats exactly
        pairs = enumerate(zip(integers.tolist(), floats.tolist(), strict=True))
        lost = [i for i, (n, x) in pairs if isinstance(n, int | np.integer) and int(n) != x]
    else:
        beyond = floats >= float(np.iinfo(integers.dtype).max)  # rounded up, to above the maximum
        with np.errstate(invalid="ignore"):
            lost = np.flatnonzero(beyond | (floats.astype(integers.dtype) != integers)).tolist()
    if lost:
        position = lost[0]
        raise ValueError(
            "scores must be exact in float64, which holds whole numbers up to 2**53, got "
            f"{integers[position]} at position {position}. Subtract a common offset first, such "
            "as scores - scores.min()."
        )


def check_finite(scores: Array, *, infinite: bool = False) -> None:
    """Raise an error if a score is NaN, or infinite where ``infinite`` does not allow it."""
    if len(scores) == 0:
        return
    # The extremes are NaN if any score is, and infinite if any score is: no mask is needed. Taken
    # stretch by stretch, the second pass finds the scores in cache.
    if len(scores) <= STRETCH:
        low, high = scores.min(), scores.max()
    else:
        stretches = [scores[i : i + STRETCH] for i in range(0, len(scores), STRETCH)]
        low = np.min([stretch.min() for stretch in stretches])
        high = np.max([stretch.max() for stretch in stretches])
    if -np.inf < low and high < np.inf:
        return
    if np.isnan(low) or not (infinite or np.isfinite([low, high]).all()):
        bad = np.isnan(scores) if infinite else ~np.isfinite(scores)
        position = int(np.flatnonzero(bad)[0])
        must = "must not be NaN" if infinite else "must be finite"
        raise ValueError(
            f"scores {must}, got {scores[position]} at position {position} "
            f"({int(bad.sum())} of {len(scores)} in total). Drop or fix those rows."
        )
