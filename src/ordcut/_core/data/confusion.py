"""Tables of the weight of each predicted and true class.

Inside the library they are (predicted, true), as cost matrices are. Users get
(true, predicted), as in scikit-learn; ``truth_in_rows`` turns the first into the second.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ordcut._core.numerics.jit import kernel
from ordcut._core.typing import Array, Floats, Numbers

#: The weight of every row where rows have none, by dtype.
ONE_OF = {np.dtype(dtype): np.ones(1, dtype) for dtype in (np.int64, np.float64)}


def count_confusion(
    predicted: Array,
    n_classes: int,
    *,
    codes: Array | None,
    soft: Floats | None,
    weights: Numbers | None,
    n_predicted: int | None = None,
) -> Floats:
    """Add up the weight of each pair of predicted and true class, in the order of the rows.

    ``n_predicted`` is the number of rows of the table, where predictions are not classes.

    Examples
    --------
    >>> count_confusion(
    ...     np.array([0, 1, 1]), 2, codes=np.array([0, 0, 1]), soft=None, weights=None)
    array([[1., 0.],
           [1., 1.]])
    """
    n_predicted = n_classes if n_predicted is None else n_predicted
    if soft is not None:
        weighted = soft if weights is None else soft * weights[:, None]
        columns = [np.bincount(predicted, column, minlength=n_predicted) for column in weighted.T]
        return np.stack(columns, axis=1)
    assert codes is not None
    pairs = predicted * n_classes + codes
    counts = np.bincount(pairs, weights, minlength=n_predicted * n_classes)
    return counts.reshape(n_predicted, n_classes).astype(np.float64)


def count_between(
    scores: Array, thresholds: Floats, codes: Array, weights: Numbers | None, classes: Array
) -> Floats:
    """Add up the weight of each class between ascending thresholds, in the order of the rows.

    Examples
    --------
    >>> scores, codes = np.array([0.1, 0.5, 0.9]), np.array([0, 0, 1])
    >>> count_between(scores, np.array([0.5]), codes, None, np.array([0, 1]))
    array([[1., 0.],
           [1., 1.]])
    """
    is_whole = weights is None or weights.dtype == np.int64
    totals = np.zeros((len(thresholds) + 1, len(classes)), np.int64 if is_whole else np.float64)
    row_weights, stride = (ONE_OF[totals.dtype], 0) if weights is None else (weights, 1)
    add_between(scores, thresholds, codes, row_weights, stride, totals)
    return totals.astype(np.float64)


@kernel("scores", "thresholds", steps=3)
def add_between(
    scores: Array, thresholds: Floats, codes: Array, weights: Numbers, stride: int, totals: Numbers
) -> None:
    """Add the weight of each row to the total of its class and of how many thresholds it reaches.

    Row ``i`` has weight ``weights[i * stride]``. Every score is compared with all thresholds, with
    no branch, which is fastest for few thresholds. O(n K) time.
    """
    for i in range(len(scores)):
        score = np.float64(scores[i])
        n_reached = 0
        for k in range(len(thresholds)):
            n_reached += score >= thresholds[k]
        totals[n_reached, np.int64(codes[i])] += weights[i * stride]


def truth_in_rows(table: Floats) -> Floats:
    """Return a (predicted, true) table as users get it: with the true classes in rows.

    Examples
    --------
    >>> truth_in_rows(np.array([[2.0, 1.0], [0.0, 5.0]])).tolist()
    [[2.0, 0.0], [1.0, 5.0]]
    """
    return np.ascontiguousarray(table.T)


def confusions_of(thresholds: Floats, count: Callable[[Floats], Floats]) -> Floats:
    """Return the (predicted, true) tables of many sets of thresholds, by counting once.

    Parameters
    ----------
    thresholds : ndarray of shape (m, K - 1)
        Sets of ascending thresholds.
    count : callable
        Takes P ascending finite positions and returns the weight of each class between them,
        (P + 1, K).

    Returns
    -------
    ndarray of shape (m, K, K)
        A table for each set.

    Examples
    --------
    >>> between = {0.2: [[1, 0], [1, 2]], 0.45: [[2, 0], [0, 2]]}
    >>> def count(positions):
    ...     return np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> confusions_of(np.array([[0.2], [0.45]]), count).tolist() == list(between.values())
    True
    """
    positions = np.unique(thresholds[np.isfinite(thresholds)])
    below = np.cumsum(count(positions), axis=0)
    below = np.concatenate([np.zeros_like(below[:1]), below])
    # Below a threshold lies all up to its position; below -inf nothing, below inf everything.
    index = np.searchsorted(positions, thresholds, side="left") + 1
    index[thresholds == -np.inf] = 0
    ends = np.zeros((len(thresholds), 1), np.int64)
    edges = np.concatenate([ends, index, ends + len(positions) + 1], axis=1)
    return np.asarray(np.diff(below[edges], axis=1))
