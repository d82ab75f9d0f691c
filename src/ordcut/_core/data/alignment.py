"""Whether series of pandas that belong together have the same index."""

from __future__ import annotations

import sys
import warnings
from itertools import pairwise
from typing import Any

from ordcut._core.errors import DifferentIndexWarning, depth_of_caller


def check_aligned(**arguments: Any) -> None:
    """Raise an error, or warn, if the indexes of pandas objects say that rows do not match.

    Rows are matched by position, as in NumPy. The same index labels in another order are an error;
    other labels are a warning, since they are usual after ``reset_index``. Anything without an
    index is left out. Lengths are checked elsewhere.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.Series([0.1, 0.9], index=["a", "b"])
    >>> check_aligned(scores=scores, labels=pd.Series([1, 0], index=["b", "a"]))
    Traceback (most recent call last):
    ...
    ValueError: scores and labels must have the same index in the same order, got the same ...
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return
    indexes = {
        name: values.index
        for name, values in arguments.items()
        if isinstance(values, pandas.Series | pandas.DataFrame)
    }
    for (name, index), (other_name, other) in pairwise(indexes.items()):
        if len(index) != len(other) or index is other or index.equals(other):
            continue
        is_alike = index.nlevels == other.nlevels
        if is_alike and index.isin(other).all() and other.isin(index).all():
            raise ValueError(
                f"{name} and {other_name} must have the same index in the same order, got the same "
                "index labels in different orders. Rows are matched by position: reorder them, "
                f"for example with {other_name}.loc[{name}.index], or, if the positions are "
                "right, call reset_index(drop=True) on both."
            )
        warnings.warn(
            f"{name} and {other_name} have different indexes. Rows are matched by position. If "
            "that is right, call reset_index(drop=True) on both; if not, align them by their index "
            "first.",
            DifferentIndexWarning,
            stacklevel=depth_of_caller(),
        )
