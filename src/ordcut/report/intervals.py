"""Bootstrap intervals for files and pages: plain values, infinite ones as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ordcut.thresholds import LEVEL, Thresholds, as_written

if TYPE_CHECKING:
    from ordcut.uncertainty import Bootstrap


def intervals_of(bootstrap: Bootstrap, level: float = LEVEL) -> dict[str, Any]:
    """Return the intervals of thresholds and of their value, ready to be written as JSON.

    Examples
    --------
    >>> import ordcut
    >>> result = ordcut.optimal_thresholds([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 0, 1, 1, 1])
    >>> list(intervals_of(result.bootstrap(n=100)))
    ['level', 'replicates', 'thresholds', 'value']
    """
    pairs = bootstrap.intervals(level).tolist()
    return {
        "level": level,
        "replicates": len(bootstrap.thresholds),
        "thresholds": [[as_written(end) for end in pair] for pair in pairs],
        "value": bootstrap.value_interval(level).tolist(),
    }


def check_intervals(intervals: Any, n_thresholds: int) -> dict[str, Any]:
    """Return intervals that were read from a file, after a check of their form.

    Examples
    --------
    >>> check_intervals({"level": 0.9}, 1)
    Traceback (most recent call last):
    ...
    ValueError: intervals must hold a level, a pair for each of the 1 thresholds and one for ...
    """
    try:
        pairs = [*intervals["thresholds"], intervals["value"]]
        ends = [(float(low), float(high)) for low, high in pairs]
        is_right = len(pairs) == n_thresholds + 1 and all(low <= high for low, high in ends)
        if not is_right or not 0 < intervals["level"] < 1 or intervals["replicates"] < 1:
            raise ValueError
    except (TypeError, ValueError, KeyError) as error:
        raise ValueError(
            f"intervals must hold a level, a pair for each of the {n_thresholds} thresholds and "
            f"one for their value, got {intervals!r}."
        ) from error
    checked: dict[str, Any] = intervals
    return checked


def thresholds_and_intervals(
    thresholds: Thresholds | None, bootstrap: Bootstrap | None
) -> tuple[Thresholds | None, dict[str, Any] | None]:
    """Return the initial thresholds of a page and their intervals, if a bootstrap is given."""
    if bootstrap is None:
        return thresholds, None
    if thresholds is not None and thresholds != bootstrap.result:
        raise ValueError(
            "bootstrap must be of the initial thresholds of the page, got one of others. "
            "Pass thresholds.bootstrap(), or leave thresholds out."
        )
    return bootstrap.result, intervals_of(bootstrap)
