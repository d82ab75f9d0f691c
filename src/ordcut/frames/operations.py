"""Find, apply and evaluate thresholds on frames of any engine and size.

Rows stay in the engine. It counts them a few times, by cells of the scores and by label, and
returns the few rows that can be next to a threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import narwhals as nw

from ordcut._core.data import (
    ClassWeight,
    WeightType,
    codes_of,
    intervals_as_text,
    truth_in_rows,
)
from ordcut._core.limits import (
    Constraint,
    Constraints,
    check_groups_used,
    limits_for,
    read_constraints,
)
from ordcut._core.objectives import Objective, ObjectiveLike, n_classes_of, resolve_objective
from ordcut._core.problem import Problem, Sample
from ordcut._core.review import with_reviews
from ordcut._core.smoothing import Smoothing, check_smoothing
from ordcut._core.solve import optimum, smoothed_problem
from ordcut._core.thresholds import Thresholds, objective_for
from ordcut._core.typing import Array, ArrayLike, Floats
from ordcut.frames import dialects
from ordcut.frames.columns import (
    as_number,
    confusion_of,
    n_at_or_below,
    open_columns,
    whole_thresholds,
)
from ordcut.frames.engine import Engine, Progress
from ordcut.frames.grouped import GroupedFrame
from ordcut.frames.rated import RatedItems
from ordcut.frames.scale import check_scale
from ordcut.frames.source import FrameSource
from ordcut.frames.validation import Nulls
from ordcut.panels import Panel

#: The name of a column for the position of the predicted class, which no frame should have.
CODE = "ordcut: position of the class"

#: The name of the new column where columns are renamed.
NEW = "label"


def optimal_thresholds(
    frame: Any,
    score: str,
    label: str | Sequence[str],
    *,
    weight: str | None = None,
    sample_weight: str | None = None,
    weight_type: WeightType | None = None,
    objective: ObjectiveLike = "absolute",
    classes: Sequence[Any] | Array | None = None,
    decisions: Sequence[Any] | Array | None = None,
    review: float | None = None,
    review_share: float | None = None,
    constraints: Constraints = (),
    groups: str | None = None,
    class_weight: ClassWeight | None = None,
    class_shares: Mapping[Any, float] | ArrayLike | None = None,
    smoothing: Smoothing | None = None,
    nulls: Nulls = "raise",
    max_rows: int = 2_000_000,
    progress: Progress = False,
) -> Thresholds:
    """Find the thresholds of least empirical loss, or of the highest kappa, for a frame.

    They equal the result of :func:`ordcut.optimal_thresholds` to the last bit, for any weights that
    do not lie extremely far apart. ``value`` is equal to the last bit for whole weights, and may
    differ in the last digits for others.

    Parameters
    ----------
    frame : dataframe
        A frame of any library that narwhals supports: pandas, Polars (eager or lazy), PyArrow,
        DuckDB, Dask, PySpark, Ibis. It is only read, by several queries.
    score : str
        The name of the column with the scores. Integers that float64 cannot represent, such as
        nanoseconds since 1970, are an error.
    label : str or list of str
        The name of the column with the true classes; decimals become integers if all are whole, and
        floats otherwise. Or a list with a column for each of several raters, who may leave gaps: as
        for :class:`ordcut.Panel`, each row counts once, whatever the number of its ratings. The
        columns of scores, ratings and weights are then fetched, up to ``max_rows`` rows, since a
        panel is small. Of a large table of Spark or Dask, pass the rated rows only.
    weight, sample_weight : str, optional
        The name of the column of row weights; both arguments mean the same.
    weight_type : {"repeats", "importance"}, optional
        What weights are, as in :func:`ordcut.optimal_thresholds`.
    objective : str, array-like of shape (D, K), callable, Kappa or Objective
        The objective, as in :func:`ordcut.optimal_thresholds`.
    classes : sequence, optional
        All classes, lowest first, also if they do not occur. By default the classes that occur,
        in ascending order, or the order that an Enum or an ordered categorical states.
    decisions, review, review_share
        Other decisions than the classes, as in :func:`ordcut.optimal_thresholds`. For a share of
        reviews, the engine counts rows several times more.
    constraints : sequence of constraints or str, optional
        Constraints, as in :func:`ordcut.optimal_thresholds`. Limits on single thresholds of a
        convex objective (``under``, ``over``, ``fixed``, ``between``, and the recall, share or
        count of the lowest or the highest decision) are solved in the engine, with at most
        a further pass, and so are all limits if thresholds are chosen from up to 500 values
        (``allowed``, ``digits``). If the best thresholds break any other constraint, all rows are
        fetched, which must not be more than ``max_rows``.
    groups : str, optional
        The name of the column with the group of each row, for constraints on a group, such as
        ``"recall urgent >= 0.9 where F"``. All rows are fetched, group by group.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each class count in the objective, as in
        :func:`ordcut.optimal_thresholds`.
    class_shares : dict or array-like of shape (n_classes,), optional
        The share of each class in the population, as in :func:`ordcut.optimal_thresholds`.
    smoothing : float from 0 to 1, "auto" or "bagging", optional
        The amount of smoothing, as in :func:`ordcut.optimal_thresholds`; by default 0, or
        ``"auto"`` for several raters. All rows are fetched, which must not be more than
        ``max_rows``. With many rows, plain thresholds generalise as well.
    nulls : {"raise", "drop"}
        Whether rows with a null or NaN score, label or weight raise an error or are dropped.
        ``dropped`` of the result is their number. An infinite score is always an error. Of several
        raters, each rates the rows that have a class in its column; a row without any is dropped.
    max_rows : int
        The maximum number of rows that are fetched at once.
    progress : bool or callable
        Whether to write a line to standard error after each pass over the frame; or a function to
        call before each pass, with a description of it.

    Returns
    -------
    Thresholds
        The thresholds; ``passes`` is the number of passes over the frame.

    Examples
    --------
    >>> import duckdb
    >>> rows = duckdb.sql("select i / 10 as risk, i // 40 as grade from range(100) t(i)")
    >>> result = optimal_thresholds(rows, score="risk", label="grade")
    >>> result.thresholds
    array([3.95, 7.95])
    >>> result.passes
    2

    Ratings of several raters, with gaps:

    >>> import polars as pl
    >>> essays = pl.DataFrame({
    ...     "score": [0.1, 0.5, 0.7, 0.8],
    ...     "ann": [1, 2, 3, 2],
    ...     "ben": [1, None, 3, 3],
    ...     "eve": [2, 2, None, 3],
    ... })
    >>> optimal_thresholds(essays, score="score", label=["ann", "ben", "eve"]).thresholds
    array([0.3, 0.6])
    """
    weight = _weight_of(weight, sample_weight)
    names = label if isinstance(label, list | tuple) else [label]
    is_rated = len(names) != 1
    if smoothing is None:
        smoothing = Panel.default_smoothing if is_rated and review_share is None else 0.0
    if smoothing != 0:
        check_smoothing(smoothing)
    open_source: Callable[..., Any] = RatedItems.read if is_rated else FrameSource
    read = partial(
        open_source,
        score=score,
        label=names if is_rated else names[0],
        weight=weight,
        weight_type=weight_type,
        nulls=nulls,
        max_rows=max_rows,
        progress=progress,
    )
    n_classes = n_classes_of(objective, decisions is not None)
    source = read(frame, classes=classes, n_classes=n_classes)
    resolved = resolve_objective(objective, source.classes, decisions)
    if review is not None or review_share is not None:
        resolved = with_reviews(resolved, review, review_share, source.classes)
    parsed = read_constraints(constraints) if constraints else ()
    if class_weight is not None or class_shares is not None:
        resolved = resolved.weighted(class_weight, source.classes, class_shares)
    grouped = None
    if groups is not None:
        grouped = GroupedFrame(frame, groups, nulls, partial(read, classes=source.classes))
    return thresholds_of(source, resolved, smoothing, parsed, grouped)


def _weight_of(weight: str | None, sample_weight: str | None) -> str | None:
    """Return the name of the column of weights, by whichever argument it was passed."""
    if weight is not None and sample_weight is not None:
        raise ValueError(
            f"weight and sample_weight mean the same, got {weight!r} and {sample_weight!r}. Pass "
            "one of them."
        )
    return sample_weight if weight is None else weight


def _check_thresholds(thresholds: Any, call: str) -> None:
    """Raise an error unless thresholds are a result, or thresholds of one's own."""
    if not isinstance(thresholds, Thresholds):
        raise TypeError(
            f"thresholds must be a Thresholds, got {type(thresholds).__name__}. Call {call}, with "
            "values of your own as ordcut.Thresholds.from_values(values, classes=...)."
        )


def thresholds_of(
    source: FrameSource | RatedItems,
    objective: Objective,
    smoothing: Smoothing = 0.0,
    constraints: tuple[Constraint, ...] = (),
    grouped: GroupedFrame | None = None,
) -> Thresholds:
    """Return the optimal thresholds of a source, which can be used again.

    ``grouped`` is the frame of the source and its groups, if constraints are about groups.
    """
    if isinstance(source, RatedItems):
        if grouped is not None:
            raise ValueError(
                "groups needs a single label for each row. Leave it out for several raters."
            )
        return source.solve(objective, smoothing, constraints)
    if grouped is not None:
        return _thresholds_in_groups(source, objective, smoothing, constraints, grouped)
    sample = Sample(source)
    limits = limits_for(constraints, objective, source.classes) if constraints else None
    try:
        if smoothing != 0:
            if source.n_rows > source.max_rows:
                raise ValueError(
                    f"smoothing must be 0 for more than max_rows ({source.max_rows}) rows, got "
                    f"{source.n_rows}. With this many rows, smoothing is not needed; or raise "
                    "max_rows, if they fit in memory."
                )
            in_memory = replace(sample, data=source.all_rows())
            problem = smoothed_problem(Problem(in_memory, objective, limits), smoothing)
        else:
            lumps = None if limits is None else source.between_values(limits)
            problem = Problem(replace(sample, store=lumps), objective, limits)
        result = optimum(problem)
    finally:
        source.release()
    return replace(result, passes=source.engine.passes, dropped=source.dropped)


def _thresholds_in_groups(
    source: FrameSource,
    objective: Objective,
    smoothing: Smoothing,
    constraints: tuple[Constraint, ...],
    grouped: GroupedFrame,
) -> Thresholds:
    check_groups_used(constraints)
    if source.n_rows > source.max_rows:
        raise ValueError(
            f"groups must be left out for more than max_rows ({source.max_rows}) rows, got "
            f"{source.n_rows}. Raise max_rows, if they fit in memory."
        )
    rows, groups, parts = grouped.rows()
    limits = limits_for(constraints, objective, source.classes, groups)
    problem = Problem(Sample(rows), objective, limits).in_groups(groups)
    result = optimum(problem if smoothing == 0 else smoothed_problem(problem, smoothing))
    n_without = source.n_rows - sum(part.n_rows for part in parts)
    passes = sum(part.passes for part in (source, *parts))
    return replace(result, passes=passes, dropped=source.dropped + n_without)


def predict(
    frame: Any, thresholds: Thresholds, score: str, *, name: str = "label", strict: bool = False
) -> Any:
    """Add the predicted class to a frame, as an expression of its engine.

    Thresholds that were read from a file or a pickle warn of scores in memory that cannot be on the
    same scale, such as logits where thresholds were found on probabilities.

    Parameters
    ----------
    frame : dataframe
        A frame of any library that narwhals supports. A lazy frame stays lazy.
    thresholds : Thresholds
        The thresholds to apply.
    score : str
        The name of the column with the scores. If a score is null or NaN, the class is null.
    name : str
        The name of the new column.
    strict : bool, default=False
        Whether scores on another scale are an error, also for a result of this session. The first
        rows of a lazy frame are then read, and all of them if these are on another scale.

    Returns
    -------
    dataframe
        A frame of the same type, with the new column.

    Examples
    --------
    >>> import polars as pl, ordcut
    >>> thresholds = ordcut.optimal_thresholds([1, 2, 3], ["a", "b", "c"], classes=[*"abc"])
    >>> predict(pl.DataFrame({"s": [0.0, 2.2, 9.0]}), thresholds, score="s")["label"].to_list()
    ['a', 'b', 'c']
    """
    _check_thresholds(thresholds, "predict(frame, thresholds, score=...)")
    rows, schema = open_columns(frame, {"score": score})
    if name in schema:
        raise ValueError(
            f"name must name a new column, got {name!r}, which frame has. Pass another, such as "
            f'name="{name}_predicted".'
        )
    if strict or (thresholds.origin is None and isinstance(rows, nw.DataFrame)):
        check_scale(frame, thresholds, score=score, strict=strict)
    names, dtype = [*schema, name], schema[score]
    rows, plain = dialects.with_plain_names(rows)
    column, added = plain[score], NEW if dialects.renames(rows) else name
    x = as_number(rows, column, dtype, "score")
    labels = intervals_as_text(thresholds.decisions).tolist()
    dialects.check_exact(rows, labels)
    label: Any = nw.lit(labels[0])
    for code, above in enumerate(labels[1:], start=1):
        label = nw.when(nw.col(CODE) >= code).then(nw.lit(above)).otherwise(label)
    if isinstance(labels[0], int) and not isinstance(labels[0], bool):
        # Engines take the smallest integer that holds a number.
        label = label.cast(nw.Int64 if max(labels) < 1 << 63 else nw.UInt64)
    code = n_at_or_below(x, thresholds.thresholds.tolist())
    if isinstance(dtype, nw.Int64):  # which float64 might round
        code = n_at_or_below(nw.col(column), whole_thresholds(thresholds.thresholds.tolist()))
    # Three steps: Dask cannot nest conditional expressions.
    rows = rows.with_columns(code.alias(CODE))
    rows = rows.with_columns(label.alias(added))
    rows = rows.with_columns(nw.when(~x.is_nan()).then(nw.col(added)).alias(added))
    rows = dialects.with_names(rows.drop(CODE), names)
    return dialects.with_intervals(rows, name, thresholds.decisions)


@dataclass(frozen=True)
class Evaluation:
    """The value of thresholds on a frame.

    Attributes
    ----------
    value : float
        The (weighted) mean loss, or the kappa.
    confusion : ndarray of shape (K, D)
        The weight of the rows by true class (rows) and decision (columns), by default the
        predicted class, as in scikit-learn.
    dropped : int
        The number of rows with missing values that were left out.
    """

    value: float
    confusion: Floats
    dropped: int = 0


def evaluate(
    frame: Any,
    thresholds: Thresholds,
    score: str,
    label: str,
    *,
    weight: str | None = None,
    sample_weight: str | None = None,
    objective: ObjectiveLike | None = None,
    class_weight: ClassWeight | None = None,
    nulls: Nulls = "raise",
) -> Evaluation:
    """Evaluate thresholds on a frame, in a single pass of its engine.

    Parameters
    ----------
    frame : dataframe
        A frame of any library that narwhals supports.
    thresholds : Thresholds
        The thresholds to evaluate.
    score, label : str
        The names of the columns with the scores and the true classes.
    weight, sample_weight : str, optional
        The name of the column of row weights; both arguments mean the same.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, optional
        The objective; by default the thresholds' own. JSON files do not
        contain costs without a name, so these must be passed for thresholds read from JSON.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each true class count.
    nulls : {"raise", "drop"}
        Whether rows with a null or NaN score, label or weight raise an error or are dropped.

    Returns
    -------
    Evaluation
        The value, the confusion matrix and the number of rows that were dropped.

    Examples
    --------
    >>> import pandas as pd, ordcut
    >>> thresholds = ordcut.optimal_thresholds([1, 2, 3], [0, 1, 2])
    >>> frame = pd.DataFrame({"s": [0.0, 1.6, 2.0, 5.0], "y": [0, 1, 2, 2]})
    >>> evaluation = evaluate(frame, thresholds, score="s", label="y")
    >>> evaluation.value
    0.25
    >>> evaluation.confusion
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 1., 1.]])
    """
    _check_thresholds(thresholds, "evaluate(frame, thresholds, score=..., label=...)")
    weight = _weight_of(weight, sample_weight)
    resolved = objective_for(thresholds, objective, thresholds.classes)
    engine = Engine(frame, score, label, weight, nulls=nulls)
    predicted = n_at_or_below(nw.col("x"), thresholds.thresholds.tolist())
    counted, dropped = engine.usable(engine.count_labels(predicted))
    classes = intervals_as_text(thresholds.classes)
    codes = codes_of(counted["label"], classes, "labels", in_order=False)
    shape = len(thresholds.decisions), len(thresholds.classes)
    confusion = confusion_of(counted, codes, shape)
    weighted = resolved.weighted(class_weight, thresholds.classes)
    return Evaluation(weighted.value(confusion), truth_in_rows(confusion), dropped)
