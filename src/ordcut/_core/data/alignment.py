"""Whether rows that belong together have the same names, from an index or a panel."""

from __future__ import annotations

import sys
import warnings
from itertools import pairwise
from typing import Any

from ordcut._core.errors import DifferentIndexWarning, depth_of_caller
from ordcut._core.protocols import LabelSource


def check_aligned(**arguments: Any) -> None:
    """Raise an error, or warn, if the indexes of pandas objects say that rows do not match.

    The items of a panel are an index, too. Rows are matched by position, as in NumPy. The same
    index labels in another order are an error; other labels are a warning, since they are usual
    after ``reset_index``. Anything without an index is left out. Lengths are checked elsewhere.

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
        name: index
        for name, values in arguments.items()
        if (index := _index_of(values, pandas)) is not None
    }
    for (name, index), (other_name, other) in pairwise(indexes.items()):
        if len(index) != len(other) or index is other or index.equals(other):
            continue
        is_alike = index.nlevels == other.nlevels
        if is_alike and index.isin(other).all() and other.isin(index).all():
            raise ValueError(
                f"{name} and {other_name} must have the same index in the same order, got the same "
                "index labels in different orders. Rows are matched by position: reorder them, "
                f"for example with {_in_order(arguments, name, other_name)}."
            )
        warnings.warn(
            f"{name} and {other_name} have different indexes{_repeated(indexes)}. Rows are matched "
            f"by position. If that is right, {_by_position(arguments, name, other_name)}; if not, "
            "align them by their index first.",
            DifferentIndexWarning,
            stacklevel=depth_of_caller(),
        )


def _index_of(values: Any, pandas: Any) -> Any:
    """Return the index of a pandas object or of a panel's items; None without names."""
    if isinstance(values, LabelSource):
        names = values.row_names
        return None if names is None else pandas.Index(names)
    return values.index if isinstance(values, pandas.Series | pandas.DataFrame) else None


def _repeated(indexes: dict[str, Any]) -> str:
    """Return which names an index repeats, for a message."""
    repeated = {name: index[index.duplicated()] for name, index in indexes.items()}
    parts = [f"{name} repeat {names[0]!r}" for name, names in repeated.items() if len(names)]
    return f": {' and '.join(parts)}" if parts else ""


def _in_order(arguments: dict[str, Any], name: str, other_name: str) -> str:
    """Return how to put one of two arguments in the order of the other, and what to do instead."""
    if isinstance(arguments[other_name], LabelSource):
        order = f"{name}.loc[panel.items]"
    elif isinstance(arguments[name], LabelSource):
        order = f"{other_name}.loc[panel.items]"
    else:
        order = f"{other_name}.loc[{name}.index]"
    return f"{order}, or, if the positions are right, {_by_position(arguments, name, other_name)}"


def _by_position(arguments: dict[str, Any], name: str, other_name: str) -> str:
    """Return how to say that rows are to be matched by position."""
    if isinstance(arguments[other_name], LabelSource):
        return f"pass {name}.to_numpy()"
    if isinstance(arguments[name], LabelSource):
        return f"pass {other_name}.to_numpy()"
    return "call reset_index(drop=True) on both"
