"""The check that a frame returns the same rows in every query: sums of cells and classes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ordcut.exact import rounding_bound
from ordcut.typing import Floats, Ints, Numbers


def changed(difference: str) -> RuntimeError:
    """Return the error for a frame that did not return the rows of the queries before."""
    return RuntimeError(
        f"the frame must return the same rows in every query, but {difference}. Write it to a "
        "file or a table first, or make it repeatable: give random functions and samples a seed, "
        "sort rows by all columns before taking the first ones, and do not update a table while "
        "it is read."
    )


@contextmanager
def same_labels() -> Iterator[None]:
    """Turn an error about labels into one about rows that have changed: labels were checked."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise changed("it returned labels that it had not returned before") from error


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
    is_other = (np.abs(counted - again) > rounding).any(axis=1)
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
