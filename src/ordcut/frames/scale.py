"""Whether the scores of a frame are on the scale of thresholds, from few of its rows."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from ordcut._core.thresholds import (
    SAMPLE_SIZE,
    NewScores,
    Thresholds,
    say_problem,
    scale_problem,
)
from ordcut._core.typing import Floats
from ordcut.frames import dialects
from ordcut.frames.columns import as_narwhals, as_number, columns_of, n_at_or_below


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
    rows = as_narwhals(frame)
    dtype = columns_of(rows, {"score": score})[score]
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
    x = nw.col("x")
    rows = rows.filter(~x.is_null()).filter(~x.is_nan())
    outside = nw.when((x < known.low) | (x > known.high)).then(nw.lit(1)).otherwise(nw.lit(0))
    code = n_at_or_below(x, thresholds.thresholds.tolist())
    counts = rows.select(code=code, outside=outside, x=x).group_by("code").agg(
        n=nw.len(), outside=nw.col("outside").sum(), low=nw.col("x").min(), high=nw.col("x").max()
    ).collect()  # fmt: skip
    columns = {name: np.array(counts.get_column(name).to_list()) for name in counts.columns}
    decided = np.zeros(len(thresholds.thresholds) + 1, np.int64)
    decided[columns["code"].astype(np.int64)] = columns["n"]
    outside_sum = int(columns["outside"].sum())
    return NewScores(
        decided, outside_sum, float(columns["low"].min()), float(columns["high"].max())
    )
