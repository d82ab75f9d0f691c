"""Labels in the containers of dataframes: columns, categoricals and the order that they state."""

from __future__ import annotations

import re
import warnings
from enum import Enum
from typing import Any

import numpy as np

from ordcut._core.errors import (
    MOST_SHOWN,
    UnorderedLabelsWarning,
    depth_of_caller,
    listed,
)
from ordcut._core.typing import Array

#: Text that is a number.
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.I)


def stated_order(labels: Any) -> list[Any] | None:
    """Return the categories of an ordered Categorical or an Enum; None where no order is stated.

    Members of Python's own ``Enum`` are in the order of their definition; members of an ``IntEnum``
    are numbers.

    Examples
    --------
    >>> Stage = Enum("Stage", {"LOW": "low", "HIGH": "high"})
    >>> stated_order([Stage.HIGH, Stage.LOW])
    ['low', 'high']
    """
    dtype = getattr(labels, "dtype", None)
    if bool(getattr(dtype, "ordered", False)):
        return list(labels.dtype.categories)
    if isinstance(labels, list | tuple) or getattr(dtype, "kind", "") == "O":
        first = next(iter(labels), None)
        if isinstance(first, Enum) and not isinstance(first, int):
            return [member.value for member in type(first)]
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


def listed_order(labels: Any) -> list[str] | None:
    """Return the categories that occur of an unordered Categorical of text, with a warning.

    None for anything else, and for categories that are numbers written as text.
    """
    categorical = getattr(labels, "cat", labels)
    if not (hasattr(categorical, "categories") and hasattr(categorical, "codes")):
        return None
    names: list[str] = categorical.categories[np.unique(np.asarray(categorical.codes))].tolist()
    if not all(isinstance(name, str) for name in names) or _are_numbers(names):
        return None
    warn_unordered(names, "an unordered categorical")
    return names


def order_of_text(names: Array) -> Array:
    """Return the order of distinct text by its values if all of it is numbers; else an error.

    Examples
    --------
    >>> order_of_text(np.array(["1", "3", "2"]))
    array([0, 2, 1])
    """
    check_text(names, "labels")
    if not _are_numbers(names.tolist()):
        _check_not_numbers(names.tolist())
        if len(names) == 1:
            return np.zeros(1, np.int64)
        raise ValueError(
            f"labels are text with no stated order: {listed(map(repr, names.tolist()))}. Pass "
            "classes= with all classes, lowest first, or labels as an ordered categorical."
        )
    values = names.astype(np.float64)
    order = np.argsort(values, kind="stable")
    first, second = names[order].tolist()[:2] if len(names) > 1 else ("", "")
    equal = np.flatnonzero(np.diff(values[order]) == 0)
    if len(equal):
        lower, upper = names[order[equal[0] : equal[0] + 2]].tolist()
        raise ValueError(
            f"labels must be the same text where they are the same number, got {lower!r} and "
            f"{upper!r}. Convert them to numbers; or, if these are two classes, list all in "
            "classes=."
        )
    if (np.diff(values[order]) != 1).any():
        warnings.warn(
            "labels are numbers written as text: they are ordered as numbers, but the distance of "
            f"neighbours, such as {first!r} and {second!r}, counts as 1. Pass "
            "labels.astype(float) for the distances of numbers, or classes= to state the order.",
            UnorderedLabelsWarning,
            stacklevel=depth_of_caller(),
        )
    return order


def check_text(names: Array, argument: str) -> None:
    r"""Raise an error if a name cannot be written to a file, since it has half a character.

    Examples
    --------
    >>> check_text(np.array(["\ud800"]), "classes")
    Traceback (most recent call last):
    ...
    ValueError: classes must be text that can be written as UTF-8, got '\ud800', which has ...
    """
    if names.dtype.kind != "U":
        return
    for name in names.tolist():
        try:
            name.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"{argument} must be text that can be written as UTF-8, got {name!a}, which has "
                "half of a character (a lone surrogate). Read the file in its own encoding, or "
                "rename the class."
            ) from None


def _check_not_numbers(names: list[str]) -> None:
    """Raise an error if most labels of text are numbers, and some are not."""
    numbers = [name for name in names if NUMBER.fullmatch(name)]
    others = [name for name in names if not NUMBER.fullmatch(name)]
    if others and len(numbers) > len(others):
        raise ValueError(
            f"labels must be all numbers, or text in a known order, got {others[0]!r} among "
            f"numbers such as {numbers[0]!r}. If it is a class, list all in classes=, lowest "
            "first. If it means that the label is missing, drop those rows."
        )


def warn_unordered(names: list[str], what: str) -> None:
    """Warn of the order that is assumed for labels that state none."""
    order = " < ".join(map(repr, names[:MOST_SHOWN]))
    more = f" < ... ({len(names)} in all)" if len(names) > MOST_SHOWN else ""
    warnings.warn(
        f"labels are {what}; assuming {order}{more}. Pass classes= with the lowest class first.",
        UnorderedLabelsWarning,
        stacklevel=depth_of_caller(),
    )


def _are_numbers(names: list[str]) -> bool:
    return all(NUMBER.fullmatch(name) for name in names)
