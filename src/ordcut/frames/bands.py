"""Bands of a frame of any engine: the engine counts its rows by score and outcome."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from ordcut._core.errors import TooManyRowsError
from ordcut._core.limits import Constraints, Grid
from ordcut._core.typing import Floats
from ordcut.bands import Bands, grid_of
from ordcut.bands import optimal_bands as optimal_bands_of_arrays
from ordcut.frames import dialects
from ordcut.frames.columns import as_number, n_at_or_below, open_columns
from ordcut.frames.engine import Progress, announcer
from ordcut.frames.validation import Nulls, check_nulls, refuse_missing

#: The largest number of values between which an engine counts rows.
MOST_VALUES = 500


def optimal_bands(
    frame: Any,
    score: str,
    outcome: str,
    *,
    exposure: str | None = None,
    weight: str | None = None,
    event: Any = None,
    constraints: Constraints = (),
    nulls: Nulls = "raise",
    max_rows: int = 2_000_000,
    progress: Progress = False,
    **options: Any,
) -> Bands:
    """Cut a score of a frame into ordered bands by an outcome.

    The engine counts rows by score, outcome and exposure. If these are more than ``max_rows``, it
    counts them between the values that thresholds may take, by ``"digits 1"`` or
    ``"allowed 500 550 600"``.

    Parameters
    ----------
    frame : dataframe
        A frame of any library that narwhals supports: pandas, Polars, DuckDB, Dask, PySpark, ...
    score, outcome : str
        The names of the columns with the scores and the outcomes.
    exposure, weight : str, optional
        The names of the columns with the exposure of counts, and with row weights.
    event : object, optional
        The outcome that counts as an event, such as ``"yes"``; all others do not.
    constraints : sequence of str or constraints, optional
        What must hold, as in :func:`ordcut.optimal_bands`.
    nulls : {"raise", "drop"}
        Whether rows with a null or NaN in one of the columns raise an error or are dropped.
    max_rows : int
        The maximum number of rows, or counts, that are fetched.
    progress : bool or callable
        Whether to write a line to standard error after each pass; or a function to call before
        each, with a description of it.
    **options
        Other options of :func:`ordcut.optimal_bands`.

    Returns
    -------
    Bands
        The bands, as for arrays.

    Examples
    --------
    >>> import duckdb
    >>> rows = duckdb.sql("select i // 10 as risk, i > 70 as default from range(100) t(i)")
    >>> optimal_bands(rows, score="risk", outcome="default", n_bands=2).thresholds
    array([6.5])
    """
    check_nulls(nulls)
    say = announcer(progress)
    names = {"score": score, "outcome": outcome, "exposure": exposure, "weight": weight}
    given = {key: name for key, name in names.items() if name is not None}
    rows, dtypes = open_columns(frame, names)
    rows, plain = dialects.with_plain_names(rows.lazy())
    columns = {}
    for key, name in given.items():
        if key == "outcome" and event is not None:
            given_outcome = nw.col(plain[name])
            is_event = (given_outcome == event).cast(nw.Float64)
            columns[key] = nw.when(~given_outcome.is_null()).then(is_event)
        elif key == "outcome" and isinstance(dtypes[name], nw.String):
            raise TypeError(
                f"outcome must name a column of numbers or booleans, got {name!r} of text. "
                "Name the text that counts as an event: event='yes', or --event yes in a shell."
            )
        else:
            columns[key] = as_number(rows, plain[name], dtypes[name], key)
    rows = rows.select(**columns)
    say("counting missing values")
    is_missing = {key: nw.col(key).is_null() | nw.col(key).is_nan() for key in given}
    counted = rows.select(**{key: each.cast(nw.Int64).sum() for key, each in is_missing.items()})
    missing = {key: int(counts.to_list()[0] or 0) for key, counts in _columns(counted).items()}
    if any(missing.values()):
        refuse_missing({name: missing[key] for key, name in given.items()}, nulls)
        rows = rows.filter(*(~each for each in is_missing.values()))
    keys = [key for key in given if key != "weight"]
    if weight is None:
        rows = rows.group_by(keys).agg(nw.len().alias("weight"))
        options["weight_type"] = "repeats"
    say("counting rows by score and outcome")
    values = None
    if (n := _length(rows)) > max_rows:
        grid = grid_of(constraints)
        if weight is None and grid is not None:
            values = _values(rows, grid)
            below = n_at_or_below(nw.col("score"), values.tolist())
            rows = rows.with_columns(score=below).group_by(keys).agg(nw.col("weight").sum())
            n = _length(rows)
        if n > max_rows:
            raise TooManyRowsError(
                f"bands need at most max_rows={max_rows} rows, or counts by score and outcome, got "
                f'{n}. Choose thresholds from fewer values, such as constraints="digits 1" without '
                "a weight; or load the columns as arrays, and pass them to ordcut.optimal_bands."
            )
    say("fetching the counts")
    arrays = {key: np.asarray(each.to_numpy(), np.float64) for key, each in _columns(rows).items()}
    if values is not None:
        lowest = np.nextafter(values[0], -np.inf)
        arrays["score"] = np.append(lowest, values)[arrays["score"].astype(np.int64)]
    return optimal_bands_of_arrays(
        arrays["score"],
        arrays["outcome"],
        exposure=arrays.get("exposure"),
        sample_weight=arrays["weight"],
        constraints=constraints,
        **options,
    )


def _columns(rows: Any) -> dict[str, Any]:
    """Return the columns of a lazy frame, in memory."""
    frame = rows.collect()
    return {name: frame[name] for name in frame.columns}


def _length(rows: Any) -> int:
    return int(_columns(rows.select(n=nw.len()))["n"].to_list()[0])


def _values(rows: Any, grid: Grid) -> Floats:
    """Return the finite values of a grid around the scores of rows."""
    ends = _columns(rows.select(low=nw.col("score").min(), high=nw.col("score").max()))
    low, high = (float(end.to_list()[0]) for end in ends.values())
    values = grid.values_between(low, high, MOST_VALUES)
    if values is None or not 0 < len(values) <= MOST_VALUES + 5:
        raise TooManyRowsError(
            f"thresholds must be chosen from at most {MOST_VALUES} values where rows stay in their "
            f"engine, got scores from {low:g} to {high:g}. Use fewer digits, or arrays."
        )
    return np.asarray(values[np.isfinite(values)])
