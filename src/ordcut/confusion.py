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
) -> Floats:
    """Add up the weight of each pair of predicted and true class, in the order of the rows.

    Examples
    --------
    >>> count_confusion(
    ...     np.array([0, 1, 1]), 2, codes=np.array([0, 0, 1]), soft=None, weights=None)
    array([[1., 0.],
           [1., 1.]])
    """
    if soft is not None:
        weighted = soft if weights is None else soft * weights[:, None]
        columns = [np.bincount(predicted, column, minlength=n_classes) for column in weighted.T]
        return np.stack(columns, axis=1)
    assert codes is not None
    pairs = predicted * n_classes + codes
    counts = np.bincount(pairs, weights, minlength=n_classes * n_classes)
    return counts.reshape(n_classes, n_classes).astype(np.float64)
