"""Rows of a frame with the ratings of several raters, fetched into memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import narwhals as nw
import numpy as np

from ordcut._core.data import WeightType, numbers_in
from ordcut._core.errors import TooManyRowsError, listed
from ordcut._core.limits import Constraint, limits_for
from ordcut._core.objectives import Objective
from ordcut._core.problem import Problem, Sample
from ordcut._core.smoothing import Smoothing
from ordcut._core.solve import optimum, smoothed_problem
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, Ints
from ordcut.frames import dialects
from ordcut.frames.columns import check_numeric, open_columns
from ordcut.frames.engine import Progress, announcer
from ordcut.frames.validation import Nulls, check_nulls, refuse_missing
from ordcut.panels import Panel, PanelSource


@dataclass(frozen=True, eq=False)
class RatedItems(PanelSource):
    """Items of a frame, with a score and the ratings of each, in memory.

    Attributes
    ----------
    dropped : int
        The number of rows with missing values that were left out, and of items without a rating.
    """

    dropped: int = 0

    @classmethod
    def read(
        cls,
        frame: Any,
        *,
        score: str,
        label: Sequence[str],
        weight: str | None = None,
        item: str | None = None,
        rater: str | None = None,
        weight_type: WeightType | None = None,
        classes: Sequence[Any] | Array | None = None,
        n_classes: int | None = None,
        nulls: Nulls = "raise",
        max_rows: int = 2_000_000,
        progress: Progress = False,
    ) -> Self:
        """Fetch the columns of a frame with a column for each rater, or a row for each rating.

        Without a ``rater``, ``item`` names a column with names of the items.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.DataFrame({"s": [0.1, 0.5, 0.7], "a": [1, None, 2], "b": [1, 2, None]})
        >>> RatedItems.read(frame, score="s", label=["a", "b"]).panel
        Panel(3 items, 2 raters, 4 ratings, classes 1 < 2)
        """
        check_nulls(nulls)
        check_labels(label)
        numeric = {"score": score, "weight": weight}
        given = numeric | {"item": item, "rater": rater}
        opened, schema = open_columns(frame, given)
        for column in label:
            open_columns(opened, {"label": column})
        for argument, name in numeric.items():
            if name is not None:
                check_numeric(name, schema[name], argument)
        required = [name for name in given.values() if name is not None]
        if len(label) == 1 and rater is None:  # several raters may leave gaps
            required += label
        announcer(progress)("fetching all rows")
        fetched = _fetched(opened, list(dict.fromkeys([*required, *label])), max_rows)
        rows = _complete(fetched, list(dict.fromkeys(required)), nulls)
        if rater is not None:
            assert item is not None
            panel = Panel.from_long(
                rows.to_native(), item=item, rater=rater, rating=label[0], classes=classes
            )
            take = _first_rows(rows, item, [score, weight], panel)
        else:
            if classes is None:
                classes = _stated_order(opened, schema, label)
            ratings = {name: rows.get_column(name).to_native() for name in label}
            panel = Panel(ratings, classes=classes)
            if item is not None:
                panel = panel.named(_keys(rows.get_column(item)))
            take = np.arange(len(panel))
        return cls.of(
            _numbers(rows.get_column(score))[take],
            panel,
            weights=None if weight is None else _numbers(rows.get_column(weight))[take],
            weight_type=weight_type,
            n_classes=n_classes,
            dropped=len(fetched) - len(rows) + panel.n_unrated,
        )

    def solve(
        self,
        objective: Objective,
        smoothing: Smoothing,
        constraints: tuple[Constraint, ...],
    ) -> Thresholds:
        """Return the optimal thresholds of the items."""
        limits = limits_for(constraints, objective, self.classes) if constraints else None
        problem = Problem(Sample(self.rows), objective, limits)
        if smoothing != 0:
            problem = smoothed_problem(problem, smoothing)
        return replace(optimum(problem), passes=1, dropped=self.dropped)


def check_labels(labels: Sequence[str]) -> None:
    """Raise an error unless labels are names of columns, each once.

    Examples
    --------
    >>> check_labels(["rater_a", "rater_a"])
    Traceback (most recent call last):
    ValueError: label must name each column once, got 'rater_a' twice. Leave one out.
    """
    if len(labels) == 0:
        raise ValueError(
            "label must name at least one column, got an empty list. Pass the columns of the "
            'raters, such as label=["rater_a", "rater_b"].'
        )
    for label in labels:
        if not isinstance(label, str | int):
            raise TypeError(
                f"label must be a list of names of columns, got a {type(label).__name__} in it. "
                "Pass the names as text; for arrays and series, use ordcut.Panel."
            )
    twice = [label for label in dict.fromkeys(labels) if list(labels).count(label) > 1]
    if twice:
        raise ValueError(
            f"label must name each column once, got {listed(map(repr, twice))} twice. Leave one "
            "out."
        )


def _fetched(frame: Any, names: list[str], max_rows: int) -> Any:
    """Return columns of a frame in memory; an error if it has too many rows."""
    renamed, plain = dialects.with_plain_names(frame)
    chosen = renamed.lazy().select(*(nw.col(plain[name]).alias(plain[name]) for name in names))
    rows = dialects.collect(chosen.head(max_rows + 1))
    if len(rows) > max_rows:
        raise TooManyRowsError(
            "max_rows must be at least the number of rows for several raters, since all of these "
            f"are fetched, got {max_rows}. Raise it, if they fit in memory."
        )
    return rows.rename({plain[name]: name for name in names if plain[name] != name})


def _keys(column: Any) -> Array:
    """Return a column as text, so that names of items can be compared between files."""
    return np.array([str(value) for value in column.to_list()], dtype=object)


def _numbers(column: Any) -> Array:
    """Return a complete column of numbers as an array."""
    numbers = numbers_in(column.to_native())
    return np.array(column.to_list()) if numbers is None else numbers


def _stated_order(frame: Any, schema: Any, labels: Sequence[str]) -> list[Any] | None:
    """Return the ordered categories of columns, if the types of all state the same ones."""
    orders = [dialects.stated_order(frame, label, schema[label]) for label in labels]
    return orders[0] if all(order == orders[0] for order in orders) else None


def _first_rows(rows: Any, item: str, numeric: list[str | None], panel: Panel) -> Ints:
    """Return the first row of each item; an error if rows of an item have different scores."""
    position = {name: i for i, name in enumerate(panel.items.tolist())}
    names = rows.get_column(item).to_list()
    items = np.array([position[name] for name in names])
    firsts = np.unique(items, return_index=True)[1]
    for name in numeric:
        if name is None:
            continue
        values = _numbers(rows.get_column(name))
        bad = np.flatnonzero(values != values[firsts][items])
        if len(bad):
            raise ValueError(
                f'column "{name}" must be the same in all rows of an item, and differs for '
                f'"{names[bad[0]]}".'
            )
    return firsts


def _complete(rows: Any, required: list[str], nulls: Nulls) -> Any:
    """Return the rows in which no required column has a missing value."""
    missing = {}
    for name in required:
        column = rows.get_column(name)
        is_missing, is_float = column.is_null(), column.dtype.is_float()
        if is_missing.any() or (is_float and column.is_nan().any()):
            # Only here, since filling nulls of Arrow imports pandas.
            is_nan = column.is_nan().fill_null(True) if is_float else is_missing
            missing[name] = is_missing | is_nan
    if not missing:
        return rows
    refuse_missing({name: int(mask.sum()) for name, mask in missing.items()}, nulls)
    rows = rows.filter(*(~mask for mask in missing.values()))
    if len(rows) == 0:
        raise ValueError("frame must have complete rows, and none is. Fill in missing values.")
    return rows
