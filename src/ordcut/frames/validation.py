"""Errors for rows that cannot be used: not valid, or not the same in every query.

Rows are not valid if values are missing, scores infinite or weights below 0. That a frame returns
the same rows in every query is checked by the sums of cells and classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ordcut._core.data import check_plausible_classes, is_missing, warn_reversed
from ordcut._core.data.rows import FEWEST_TO_JUDGE, MOST_TO_JUDGE, STRONG
from ordcut._core.numerics.exact import rounding_bound
from ordcut._core.typing import Floats, Ints, Numbers

if TYPE_CHECKING:
    from ordcut.frames.columns import Columns

Nulls: TypeAlias = Literal["raise", "drop"]

#: A sample of at least this many fractional labels that are all different is an error.
FEWEST_TO_REFUSE = 2000


def refuse(problems: dict[str, int], names: dict[str, str | None], nulls: Nulls) -> None:
    """Raise an error for rows that are not valid, unless they may be dropped."""
    if problems["infinite"]:
        raise ValueError(
            f"score must name a column of finite numbers, got {problems['infinite']} rows "
            f"with an infinite score in {names['score']!r}. Drop or fix those rows."
        )
    if problems.get("bad weight"):
        raise ValueError(
            "weight must name a column of finite numbers that are not negative, "
            f"got {problems['bad weight']} rows with others in {names['weight']!r}."
        )
    if problems["any"] and nulls == "raise":
        of_columns = {"score": "x", "label": "label", "weight": "weight"}
        counts = {
            names[argument]: problems[column]
            for argument, column in of_columns.items()
            if problems.get(column)
        }
        refuse_missing(counts, nulls)


def refuse_missing(counts: Mapping[str | None, int], nulls: Nulls) -> None:
    """Raise an error for missing values, by the name of their column, unless rows may be dropped.

    Examples
    --------
    >>> refuse_missing({"score": 2}, "raise")
    Traceback (most recent call last):
    ValueError: frame must not have missing values, got 2 in 'score'. Fill them in, or leave ...
    """
    if nulls == "raise":
        each = ", ".join(f"{count} in {name!r}" for name, count in counts.items())
        raise ValueError(
            f"frame must not have missing values, got {each}. Fill them in, or leave those rows "
            'out with nulls="drop".'
        )


def check_nulls(nulls: Nulls) -> None:
    """Raise an error unless ``nulls`` says what to do about missing values.

    Examples
    --------
    >>> check_nulls("ignore")
    Traceback (most recent call last):
    ValueError: nulls must be "raise" or "drop", got 'ignore'.
    """
    if nulls not in ("raise", "drop"):
        raise ValueError(f'nulls must be "raise" or "drop", got {nulls!r}.')


def check_sample(sample: Columns) -> None:
    """Raise an error if no label occurs twice, before an engine counts the rows of each."""
    if sample["label"].dtype.kind not in "fO":
        return
    is_there = np.isfinite(sample["x"]) & ~is_missing(sample["label"])
    scores, labels = sample["x"][is_there], sample["label"][is_there]
    is_decimal = labels.dtype.kind == "O" and all(isinstance(label, Decimal) for label in labels)
    if len(labels) < FEWEST_TO_REFUSE or not (labels.dtype.kind == "f" or is_decimal):
        return
    distinct = np.unique(labels)
    if len(distinct) == len(labels):
        check_plausible_classes(distinct.astype(np.float64), scores)


def changed(difference: str) -> RuntimeError:
    """Return the error for a frame that did not return the rows of the queries before."""
    return RuntimeError(
        f"the frame must return the same rows in every query, but {difference}. Write it to a "
        "file or a table first, or make it repeatable: give random functions and samples a seed, "
        "sort rows by all columns before taking the first ones, and do not update a table while "
        "it is read."
    )


def check_sums(counted: Numbers, again: Numbers, n_rows: Ints) -> None:
    """Raise an error unless the weight of each cell and class is the same as before.

    Sums of fractions may differ by the rounding of as many additions as cells have rows.

    Examples
    --------
    >>> check_sums(np.array([[0.1 + 0.2]]), np.array([[0.3]]), np.array([2]))
    >>> check_sums(np.array([[3, 4], [5, 6]]), np.array([[3, 4], [6, 5]]), np.array([7, 11]))
    Traceback (most recent call last):
    RuntimeError: the frame must return the same rows in every query, but the sums of 1 of 2 ...
    """
    rounding = 0 if counted.dtype == np.int64 else rounding_bound(counted, n_rows[:, None])
    is_other = (np.abs(counted - again) > rounding).reshape(len(counted), -1).any(axis=1)
    if is_other.any():
        raise changed(
            f"the sums of {is_other.sum()} of {len(is_other)} cells differ from those counted "
            "before"
        )


def check_between(counted: Numbers, cells: Ints, between: Floats, n_rows: int) -> None:
    """Raise an error unless sums between values agree with the sums of cells, as far as they can.

    ``cells`` holds the cell of each value: cells before it are below the value, those after it are
    above.

    Examples
    --------
    >>> counted = np.array([[2, 0], [1, 1], [0, 2]])
    >>> check_between(counted, np.array([1]), np.array([[2.0, 1.0], [1.0, 2.0]]), 6)
    >>> check_between(counted, np.array([1]), np.array([[1.0, 1.0], [2.0, 2.0]]), 6)
    Traceback (most recent call last):
    RuntimeError: the frame must return the same rows in every query, but the sums between ...
    """
    below = np.concatenate([np.zeros((1, counted.shape[1])), np.cumsum(counted, axis=0)])
    total = np.cumsum(between, axis=0)
    least, most = np.append(cells, len(counted)), np.append(cells + 1, len(counted))
    rounding = 0 if counted.dtype == np.int64 else rounding_bound(below[-1], n_rows)
    if (np.maximum(below[least] - total, total - below[most]) > rounding).any():
        raise changed("the sums between thresholds differ from those counted before")


def warn_if_reversed(counts: Numbers, n_rows: int) -> None:
    """Warn if scores clearly fall as classes rise, judged by the counts of ascending cells."""
    shares = counts / counts.sum()
    by_cell, by_class = shares.sum(axis=1), shares.sum(axis=0)
    rank = np.cumsum(by_cell) - by_cell / 2 - 0.5
    code = np.arange(len(by_class)) - by_class @ np.arange(len(by_class))
    spread = np.sqrt((rank**2 @ by_cell) * (code**2 @ by_class))
    if n_rows >= FEWEST_TO_JUDGE and spread > 0:
        correlation = rank @ shares @ code / spread
        if correlation * np.sqrt(min(n_rows, MOST_TO_JUDGE)) < -STRONG:
            warn_reversed()
