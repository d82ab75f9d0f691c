"""Classes that are intervals of pandas, as ``pandas.cut`` returns them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ordcut._core.typing import Array


def is_interval(value: Any) -> bool:
    """Return whether a value is an interval of pandas, which need not be installed."""
    return type(value).__name__ == "Interval" and hasattr(value, "closed")


def are_intervals(values: Array) -> bool:
    """Return whether an array holds intervals only.

    Examples
    --------
    >>> import pandas as pd
    >>> are_intervals(np.array([pd.Interval(0, 5)])), are_intervals(np.array(["(0, 5]"]))
    (True, False)
    """
    return values.dtype.kind == "O" and all(map(is_interval, values.ravel().tolist()))


def intervals_as_text(classes: Array) -> Array:
    """Return intervals as text, for systems that have no intervals; other classes as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> intervals_as_text(np.array([pd.Interval(0, 5)])).tolist()
    ['(0, 5]']
    """
    return np.array([*map(str, classes.tolist())]) if classes.dtype.kind == "O" else classes


def to_fields(classes: Array) -> list[Any]:
    """Return classes as JSON can hold them: the ends of intervals, anything else as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> to_fields(np.array([pd.Interval(0, float("inf"))]))
    [{'left': 0, 'right': 'inf', 'closed': 'right'}]
    """
    values: list[Any] = classes.tolist()
    if not are_intervals(classes):
        return values
    return [
        {"left": _written(each.left), "right": _written(each.right), "closed": each.closed}
        for each in values
    ]


def from_fields(fields: Any) -> Any:
    """Return a class of ``to_fields``; a ValueError if it is neither a class nor an interval.

    Examples
    --------
    >>> from_fields({"left": 0, "right": "inf", "closed": "right"})
    Interval(0, inf, closed='right')
    """
    if isinstance(fields, str | int | float):
        return fields
    if not (isinstance(fields, dict) and fields.keys() == {"left", "right", "closed"}):
        raise ValueError("a class must be a number, a boolean, text or an interval.")
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "classes that are intervals need pandas, which is not installed. Install it with: "
            "pip install pandas"
        ) from error
    return pd.Interval(_read(fields["left"]), _read(fields["right"]), closed=fields["closed"])


def _written(end: Any) -> Any:
    """Return an end as a number, or as text if it is a time or not finite."""
    if hasattr(end, "isoformat"):
        return end.isoformat()
    number = end.item() if isinstance(end, np.generic) else end
    return number if math.isfinite(number) else str(number)


def _read(end: Any) -> Any:
    """Return the end that was written: a number, a time or a duration."""
    if type(end) in (int, float):
        return end
    if end in ("inf", "-inf"):
        return float(end)
    import pandas as pd

    return pd.Timedelta(end) if str(end).startswith("P") else pd.Timestamp(str(end))
