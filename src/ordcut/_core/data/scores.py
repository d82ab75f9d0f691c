"""What is wrong with scores: not numbers, not one-dimensional, swapped, or too large for floats."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from ordcut._core.data.values import is_missing, is_tensor, of_tensor
from ordcut._core.numerics.exact import EXACT
from ordcut._core.typing import Array, ArrayLike, Floats

#: How many scores fit in cache together.
STRETCH = 1 << 18

#: What to do about a frame instead of scores.
FRAMES = (
    "For columns of a dataframe, use ordcut.frames.optimal_thresholds(frame, score=..., "
    "label=...), and ordcut.frames.predict(frame, thresholds, score=...) to label its rows."
)


def not_numbers(scores: ArrayLike, error: Exception) -> Exception:
    """Return the error for scores that are not numbers; for text, with the first that is not.

    Examples
    --------
    >>> print(not_numbers(["0.5", "high"], ValueError()))
    scores must be numbers, got 'high' at position 1.
    """
    if is_tensor(scores):
        return of_tensor("scores", error)
    kind = type(scores).__name__
    if isinstance(scores, str) or hasattr(scores, "columns") or kind in ("Expr", "Column"):
        got = f"the text {scores!r}" if isinstance(scores, str) else f"an object of type {kind}"
        return TypeError(f"scores must be numbers, one per row, got {got}. {FRAMES}")
    values = np.asarray(scores, dtype=object).ravel()
    if is_missing(values).any():
        position = int(is_missing(values).argmax())
        return ValueError(
            f"scores must be finite, got {values[position]} at position {position}. Drop or fix "
            "those rows."
        )
    for position, value in enumerate(values.tolist()):
        if isinstance(value, str):
            try:
                float(value)
            except ValueError:
                return TypeError(f"scores must be numbers, got {value!r} at position {position}.")
    return TypeError(f"scores must be numbers: {str(error).removesuffix('.')}.")


def swapped(scores: ArrayLike, labels: ArrayLike, classes: Any = None) -> ValueError | None:
    """Return the error for scores that hold classes while labels hold other numbers, if they do.

    Examples
    --------
    >>> print(swapped(["low", "high"], [0.2, 0.7]))
    scores hold classes such as 'low', and labels hold numbers such as 0.2: they seem to be swa...
    >>> swapped([0.2, 0.7], ["low", "high"])
    """
    try:
        given, numbers = np.asarray(scores), np.asarray(labels)
    except (ValueError, TypeError, RuntimeError):  # lists of unequal lengths, or a tensor
        return None
    if given.ndim != 1 or numbers.ndim != 1 or not len(given) or not len(numbers):
        return None
    if numbers.dtype.kind not in "iuf":
        return None
    are_classes = all(isinstance(value, str) for value in given.tolist())
    if not are_classes and np.iterable(classes) and given.dtype.kind in "biuf":
        known = np.asarray(list(classes))
        are_classes = bool(np.isin(given, known).all() and not np.isin(numbers, known).any())
    if not are_classes:
        return None
    first = given.tolist()[0]
    hint = "Exchange them."
    if isinstance(first, str) and any(character.isdigit() for character in first):
        hint = "If so, exchange them; if these are scores, pass the numbers in the text alone."
    return ValueError(
        f"scores hold classes such as {first!r}, and labels hold numbers such as "
        f"{numbers.tolist()[0]!r}: they seem to be swapped. {hint}"
    )


def shape_hint(scores: ArrayLike, array: Array) -> str:
    """Return what to do about scores that have two dimensions."""
    if array.ndim != 2:
        return " Pass a list, [score]." if array.ndim == 0 else ""
    if 1 in array.shape:
        return " Pass scores.squeeze()." if hasattr(scores, "squeeze") else " Pass a flat list."
    if hasattr(scores, "columns"):
        return f" {FRAMES}"
    if (array >= 0).all() and np.allclose(array.sum(axis=1), 1):
        return (
            " These look like class probabilities: pass their mean position, "
            f"proba @ np.arange({array.shape[1]}), or the score of a regressor."
        )
    return " Pass one score per row."


def check_exact(scores: ArrayLike, floats: Floats) -> None:
    """Raise an error if scores lose digits as floats, which could make distinct scores equal."""
    _check_distinct(scores, floats)
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


def _check_distinct(scores: ArrayLike, floats: Floats) -> None:
    """Raise an error if decimals, fractions or long floats that differ are equal as floats."""
    given = np.asarray(scores)
    is_long = given.dtype.kind == "f" and given.dtype.itemsize > 8
    if given.dtype.kind != "O" and not is_long:
        return
    values = list(given) if is_long else given.tolist()
    numbers = {
        value: number
        for value, number in zip(values, floats.tolist(), strict=True)
        if is_long or isinstance(value, Decimal | Fraction)
    }
    if len(set(numbers.values())) < len(numbers):
        seen: dict[float, Any] = {}
        twice = next(x for x, number in numbers.items() if seen.setdefault(number, x) != x)
        raise ValueError(
            "scores must differ in float64, which holds about 16 digits, and "
            f"{seen[numbers[twice]]} and {twice} do not. Subtract a common offset first, or round "
            "them."
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
