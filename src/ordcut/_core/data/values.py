"""Labels that came as Python objects, as arrays of numbers, booleans or text."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np
from numpy import ma

from ordcut._core.numerics.exact import EXACT
from ordcut._core.typing import Array, Bools, Floats


def from_objects(values: Array, argument: str) -> Array:
    """Return objects as an array of numbers or text; an error if they are neither."""
    flat = [*map(plain_value, values.ravel().tolist())]
    for position, value in enumerate(flat):
        if isinstance(value, list | tuple | set | dict | np.ndarray):
            raise not_single(argument, value, position)
        if isinstance(value, str) and "\0" in value:
            raise ValueError(
                f"{argument} must not contain NUL, got {value!r} at position {position}. NumPy, "
                "databases and files take it for the end of the text."
            )
    missing = np.flatnonzero(is_missing(values.ravel()))
    if len(missing):
        raise missing_error(argument, flat[missing[0]], values, int(missing[0]))
    n_text = sum(isinstance(value, str) for value in flat)
    if n_text == len(flat):
        return np.array(flat, dtype=str).reshape(values.shape)
    if n_text > 0:
        position = next(i for i, value in enumerate(flat) if not isinstance(value, str))
        check_no_reviews([value for value in flat if isinstance(value, str)], argument)
        raise TypeError(
            f"{argument} must be all text or all numbers, "
            f"got {flat[position]!r} among text at position {position}."
        )
    if any(isinstance(value, Decimal) for value in flat):
        flat = _plain_numbers(flat, argument)
    numbers = np.array(flat).reshape(values.shape)
    if numbers.dtype.kind in "fO" and all(isinstance(value, int) for value in flat):
        raise ValueError(
            f"{argument} must be whole numbers of at most 64 bits, got numbers from {min(flat)} to "
            f"{max(flat)}. Subtract a common offset first."
        )
    return numbers


def check_no_reviews(names: list[str], argument: str) -> None:
    """Raise an error if predictions have the names of reviews where classes are not text."""
    if argument == "predictions" and any(" or " in name for name in names):
        raise TypeError(
            "predictions must be classes, got reviews among them. To judge thresholds with "
            "reviews, use ordcut.judge(thresholds, scores, labels)."
        )


def plain_value(name: Any) -> Any:
    """Return the value of a member of an Enum; anything else as it is.

    Examples
    --------
    >>> plain_value(Enum("Stage", {"EARLY": "early"}).EARLY), plain_value(2)
    ('early', 2)
    """
    return name.value if isinstance(name, Enum) else name


def _plain_numbers(values: list[Any], argument: str) -> list[Any]:
    """Return decimals as integers if all numbers are whole, and as floats otherwise."""
    distinct = set(values)
    try:
        if all(value == int(value) for value in distinct):
            return [int(value) for value in values]
    except (OverflowError, ValueError):  # an infinite number, or a NaN
        pass
    as_float = {value: float(value) for value in distinct}
    if len(set(as_float.values())) < len(distinct):
        raise ValueError(
            f"{argument} must differ in float64, which holds about 16 digits, and these decimals "
            "do not all differ. Round them first."
        )
    return [as_float[value] for value in values]


def check_not_masked(values: Any, argument: str) -> None:
    """Raise an error for an array of NumPy with masked values, which are missing.

    Examples
    --------
    >>> check_not_masked(ma.array([1, 2], mask=[False, True]), "scores")
    Traceback (most recent call last):
    ...
    ValueError: scores must not be masked, got 1 masked value, the first at position 1. ...
    """
    if not ma.is_masked(values):
        return
    is_masked = ma.getmaskarray(values)
    number = int(is_masked.sum())
    first = [int(index) for index in np.argwhere(is_masked)[0]]
    raise ValueError(
        f"{argument} must not be masked, got {number} masked value{'s' * (number > 1)}, the first "
        f"at position {first[0] if len(first) == 1 else first}. Drop those rows, or fill them in "
        "with .filled(...)."
    )


def is_tensor(values: object) -> bool:
    """Return whether values are a tensor of PyTorch, without importing it."""
    return type(values).__module__.partition(".")[0] == "torch"


def of_tensor(argument: str, error: Exception) -> TypeError:
    """Return the error for a tensor that NumPy cannot read."""
    reason = str(error).partition(". Use")[0].removesuffix(".")
    return TypeError(
        f"{argument} is a tensor that NumPy cannot read: {reason}. Use "
        "ordcut.torch.optimal_thresholds(scores, labels), which takes any tensor, or pass "
        f"{argument}.detach().float().cpu()."
    )


def not_single(argument: str, value: object, position: int) -> TypeError:
    """Return the error for a row that has a collection instead of a label."""
    return TypeError(
        f"{argument} must be numbers, booleans or text, got a {type(value).__name__}, "
        f"{value!r:.60}, at position {position}. Each row has a single class; pass the ratings of "
        "several raters as ordcut.Panel(labels)."
    )


def as_floats(values: Any, argument: str) -> Floats:
    """Return real numbers as float64; an error for numbers that float64 would change, and others.

    These are masked values, dates, durations, complex numbers, and whole numbers beyond 2**53. Text
    and other objects are an error as well.

    Examples
    --------
    >>> as_floats([1, 2**53 + 1], "costs")
    Traceback (most recent call last):
    ...
    ValueError: costs must be exact in float64, which holds whole numbers up to 2**53, got 900719...
    """
    check_not_masked(values, argument)
    is_list = isinstance(values, list | tuple)
    kind = "" if is_list else np.asarray(values).dtype.kind
    if kind and kind in "cmM":
        what = "complex numbers" if kind == "c" else "dates or durations"
        raise TypeError(f"{argument} must be real numbers, got {what}. Convert them first.")
    try:
        floats = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{argument} must be numbers: {str(error).removesuffix('.')}.") from error
    if kind != "f" and floats.size and np.abs(floats).max() >= EXACT:
        given = np.asarray(values, dtype=object).ravel().tolist()
        pairs = zip(given, floats.ravel().tolist(), strict=True)
        lost = [
            n for n, x in pairs if isinstance(n, int | np.integer) and x < np.inf and n != int(x)
        ]
        if lost:
            raise ValueError(
                f"{argument} must be exact in float64, which holds whole numbers up to 2**53, got "
                f"{lost[0]}. Divide them by a common factor."
            )
    return floats


def missing_error(argument: str, value: object, values: Array, index: int) -> ValueError:
    """Return the error for a missing label or group: the value at an index among all values."""
    position = [int(i) for i in np.unravel_index(index, values.shape)]
    where = position[0] if len(position) == 1 else position
    remedy = (
        f"Drop those rows, or give them a {'group' if argument == 'groups' else 'class'}."
        if len(position) == 1
        else "For the ratings of several raters, of whom some did not rate every row, pass "
        f"ordcut.Panel({argument}). Otherwise drop those rows, or fill in their weights."
    )
    return ValueError(f"{argument} must not be missing, got {value} at position {where}. {remedy}")


def is_missing(labels: Array) -> Bools:
    """Return which labels are None, NaN or pandas.NA.

    Examples
    --------
    >>> is_missing(np.array(["a", None], dtype=object))
    array([False,  True])
    """
    if labels.dtype.kind == "f":
        return np.isnan(labels)
    if labels.dtype.kind not in "OT":
        return np.zeros(len(labels), np.bool_)
    # pandas.NA has no truth value, so it is recognised by its type.
    return np.array(
        [v is None or type(v).__name__ == "NAType" or v != v for v in labels.tolist()],
        dtype=np.bool_,
    )


def numbers_in(column: Any) -> Array | None:
    """Return a dataframe's column of numbers as an array, NaN where one is missing.

    None if it is not a column of a dataframe, or not one of integers or floats. Nothing is a Python
    object on the way, and PyArrow does not import pandas.

    Examples
    --------
    >>> import pyarrow as pa
    >>> numbers_in(pa.chunked_array([[1, 2], [3]])), numbers_in(pa.chunked_array([[1, None]]))
    (array([1, 2, 3]), array([ 1., nan]))
    """
    if isinstance(column, np.ndarray | list | tuple):
        return None
    import narwhals as nw

    series: Any = nw.from_native(column, series_only=True, pass_through=True)
    dtype = getattr(series, "dtype", None) if isinstance(series, nw.Series) else None
    if dtype is None or not (dtype.is_integer() or dtype.is_float()):
        return None
    is_null = series.is_null()
    if not is_null.any():
        return _complete_array(series)
    numbers = np.full(len(series), np.nan)
    numbers[_complete_array(is_null.cast(nw.UInt8)) == 0] = _complete_array(series.drop_nulls())
    return numbers


def _complete_array(series: Any) -> Array:
    """Return a series of numbers without nulls as an array."""
    if not series.implementation.is_pyarrow():
        return np.asarray(series.to_numpy())
    chunks = [np.from_dlpack(chunk) for chunk in series.to_native().chunks]
    return np.concatenate(chunks) if chunks else np.empty(0)
