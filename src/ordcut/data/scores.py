"""What is wrong with scores that floats cannot hold, or that are not one-dimensional."""

from __future__ import annotations

import numpy as np

from ordcut.exact import EXACT
from ordcut.typing import Array, ArrayLike, Floats


def shape_hint(scores: ArrayLike, array: Array) -> str:
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


def check_exact(scores: ArrayLike, floats: Floats) -> None:
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
