"""Tables of soft labels: a weight for each row and class."""

from __future__ import annotations

import numpy as np

from ordcut.typing import Array, Floats

#: Ratings are at most this high.
HIGHEST_RATING = 100


def check_soft_labels(table: Array, *, is_named: bool = False) -> Floats:
    """Return a table of soft labels as floats; an error unless all are finite and not negative.

    ``is_named`` says that the columns have the names of the classes.

    Examples
    --------
    >>> check_soft_labels(np.array([[1, 3], [3, 3]]))
    Traceback (most recent call last):
    ...
    ValueError: labels must say what their 2 columns are: a table of small whole numbers can be ...
    """
    if table.dtype.kind not in "biuf":
        raise TypeError(
            f"soft labels must be numbers, got values of type {table.dtype}. For the ratings of "
            "several raters, pass ordcut.Panel(labels)."
        )
    soft: Floats = table.astype(np.float64, copy=False)
    if len(soft) == 0:
        raise ValueError("labels must hold at least one row, got none.")
    bad = np.argwhere(~np.isfinite(soft) | (soft < 0))
    if len(bad):
        row, column = (int(index) for index in bad[0])
        raise ValueError(
            "soft labels must be finite and not negative, "
            f"got {soft[row, column]} in row {row}, column {column}."
        )
    if not is_named and table.dtype.kind != "b" and _may_be_ratings(soft):
        raise ValueError(
            f"labels must say what their {soft.shape[1]} columns are: a table of small whole "
            "numbers can be two things. If a column has the ratings of a rater, pass "
            "ordcut.Panel(labels). If it has the weight of a class, pass shares of each row, "
            "labels / labels.sum(axis=1, keepdims=True), with sample_weight=labels.sum(axis=1)."
        )
    return soft


def _may_be_ratings(soft: Floats) -> bool:
    """Return whether rows may be ratings by several raters as well as counts of classes.

    They are counts if all rows have the same sum, or if no row has more than one class.
    """
    sums = soft.sum(axis=1)
    if (sums == sums[0]).all() or soft.max() > HIGHEST_RATING:
        return False
    return bool((soft == np.rint(soft)).all() and (np.count_nonzero(soft, axis=1) > 1).any())
