"""Whether the scores of a frame are on the scale of thresholds, from few of its rows."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from ordcut._core.thresholds import (
    SAMPLE_SIZE,
    NewScores,
    Thresholds,
    regrouped,
    say_problem,
    scale_problem,
)
from ordcut._core.typing import Floats, Ints
from ordcut.frames import dialects
from ordcut.frames.columns import as_number, n_at_or_below, open_columns


def check_scale(frame: Any, thresholds: Thresholds, *, score: str, strict: bool = False) -> None:
    """Warn, or raise an error, if scores of a frame cannot be on the scale of thresholds.

    Few rows are looked at, the first ones of a lazy frame, and all rows only if these seem to be on
    another scale.

    Examples
    --------
    >>> import polars as pl, ordcut
    >>> result = ordcut.optimal_thresholds(np.arange(100) / 100, np.repeat([0, 1], 50))
    >>> check_scale(pl.DataFrame({"s": np.arange(100)}), result, score="s", strict=True)
    Traceback (most recent call last):
    ...
    ValueError: scores must be on the scale that the thresholds were found on, from 0 to 0.99...
    """
    record = thresholds.record
    if record is None or record.scores is None:
        return
    rows, schema = open_columns(frame, {"score": score})
    dtype = schema[score]
    rows, plain = dialects.with_plain_names(rows)
    rows = rows.select(x=as_number(rows, plain[score], dtype, "score"))
    first = _numbers(_few_rows(rows))
    if len(first) == 0 or _problem_of(thresholds, first) is None:
        return
    problem = scale_problem(thresholds, _counted(rows.lazy(), thresholds))
    if problem is not None:
        say_problem(problem, strict=strict)


def _few_rows(rows: Any) -> Any:
    if isinstance(rows, nw.DataFrame):
        return rows.gather_every(len(rows) // SAMPLE_SIZE + 1)
    return dialects.first_rows(rows, SAMPLE_SIZE).collect()


def _numbers(rows: Any) -> Floats:
    """Return the scores of rows in memory that are numbers."""
    values = rows.get_column("x").to_list()
    scores = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return scores[~np.isnan(scores)]


def _problem_of(thresholds: Thresholds, scores: Floats) -> str | None:
    assert thresholds.record is not None
    new = NewScores.of(thresholds.thresholds, thresholds.record, scores)
    return scale_problem(thresholds, new)


def _counted(rows: Any, thresholds: Thresholds) -> NewScores:
    """Count all rows of a lazy frame by decision, in a query."""
    assert thresholds.record is not None
    known = thresholds.record.scores
    assert known is not None
    ends = np.array([known.low, np.nextafter(known.high, np.inf)])
    finite = thresholds.thresholds[np.isfinite(thresholds.thresholds)]
    positions = np.union1d(ends, finite)
    counts, low, high = _between(rows, positions)
    decided = regrouped(counts, positions, thresholds.thresholds)
    below, _, above = regrouped(counts, positions, ends)
    return NewScores(decided, int(below + above), low, high)


def score_counts(frame: Any, positions: Floats, *, score: str) -> Ints:
    """Return the number of scores of a frame between ascending positions, in a query.

    Examples
    --------
    >>> import polars as pl
    >>> score_counts(pl.DataFrame({"s": [0.0, 1.0, None]}), np.array([0.5]), score="s")
    array([1, 1])
    """
    rows, schema = open_columns(frame, {"score": score})
    dtype = schema[score]
    rows, plain = dialects.with_plain_names(rows)
    rows = rows.lazy().select(x=as_number(rows, plain[score], dtype, "score"))
    return _between(rows, positions)[0]


def _between(rows: Any, positions: Floats) -> tuple[Ints, float, float]:
    """Return the number of rows between positions, and their lowest and highest score."""
    x = nw.col("x")
    rows = rows.filter(~x.is_null()).filter(~x.is_nan())
    code = n_at_or_below(x, positions.tolist())
    counted = rows.select(code=code, x=x).group_by("code").agg(
        n=nw.len(), low=nw.col("x").min(), high=nw.col("x").max()
    ).collect()  # fmt: skip
    columns = {name: np.array(counted.get_column(name).to_list()) for name in counted.columns}
    if len(columns["n"]) == 0:
        raise ValueError("scores must hold at least one number, got none.")
    counts = np.zeros(len(positions) + 1, np.int64)
    counts[columns["code"].astype(np.int64)] = columns["n"]
    return counts, float(columns["low"].min()), float(columns["high"].max())
