"""The (predicted, true) table of weights, from which every objective gets its value."""

from __future__ import annotations

import numpy as np

from ordcut.arrays import Array, Floats, Numbers


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
