"""Files with several ratings of each item, as a source of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.data import WeightType, is_missing, numbers_in
from ordcut._core.limits import Constraint, limits_for
from ordcut._core.objectives import Objective
from ordcut._core.problem import Problem, Sample
from ordcut._core.smoothing import Smoothing
from ordcut._core.solve import optimum, smoothed_problem
from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns
from ordcut.cli.options import read_classes
from ordcut.panels import Panel, PanelSource

if TYPE_CHECKING:
    from ordcut._core.thresholds import Thresholds
    from ordcut._core.typing import Array, Floats


@dataclass(frozen=True, eq=False)
class RatedItems(PanelSource):
    """Items of files, with a score and the ratings of each.

    Attributes
    ----------
    dropped : int
        The number of rows with missing values that were left out, and of items without a rating.
    """

    dropped: int = 0

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


def open_panel(
    frame: Any,
    columns: Columns,
    *,
    classes: str | Sequence[Any] | Array | None,
    n_classes: int | None,
    nulls: str,
    weight_type: WeightType | None = None,
) -> RatedItems:
    """Read the items of a frame into memory, with a column for each rater or a row per rating."""
    import narwhals as nw

    rows: Any = nw.from_native(frame).lazy().collect()
    n_all = len(rows)
    rows = _complete(rows, columns, nulls)
    n_dropped = n_all - len(rows)
    if isinstance(classes, str):
        classes = read_classes(classes, rows.schema[columns.labels[0]])
    if columns.rater is not None:
        assert columns.item is not None
        panel = Panel.from_long(
            rows.to_native(),
            item=columns.item,
            rater=columns.rater,
            rating=columns.labels[0],
            classes=classes,
        )
        take = _first_rows(rows, columns, panel)
    else:
        panel = Panel(rows.select(columns.labels).to_native(), classes=classes)
        if columns.item is not None:
            panel = panel.named(_keys(rows.get_column(columns.item)))
        take = np.arange(len(panel))
    scores = _numbers(rows.get_column(str(columns.score)))[take]
    weights = None if columns.weight is None else _numbers(rows.get_column(columns.weight))[take]
    dropped = n_dropped + panel.n_unrated
    return RatedItems.of(
        scores,
        panel,
        weights=weights,
        weight_type=weight_type,
        n_classes=n_classes,
        dropped=dropped,
    )


def _keys(column: Any) -> Array:
    """Return a column as text, so that names of items can be compared between files."""
    return np.array([str(value) for value in column.to_list()], dtype=object)


def _numbers(column: Any) -> Floats:
    """Return a column of numbers, with NaN where one is missing."""
    numbers = numbers_in(column.to_native())
    if numbers is not None:
        return numbers.astype(np.float64)
    values = np.array(column.to_list(), dtype=object)
    try:
        return np.where(is_missing(values), np.nan, values).astype(np.float64)
    except (TypeError, ValueError) as error:
        raise UserError(f'column "{column.name}" must contain numbers: {error}.') from error


def _first_rows(rows: Any, columns: Columns, panel: Panel) -> Array:
    """Return the first row of each item; an error if rows of an item have different scores."""
    position = {name: i for i, name in enumerate(panel.items.tolist())}
    names = rows.get_column(str(columns.item)).to_list()
    item = np.array([position[name] for name in names])
    firsts = np.unique(item, return_index=True)[1]
    for name in columns.numeric:
        values = _numbers(rows.get_column(name))
        same = values[firsts][item]
        bad = np.flatnonzero((values != same) & ~(np.isnan(values) & np.isnan(same)))
        if len(bad):
            raise UserError(
                f'column "{name}" must be the same in all rows of an item, and differs for '
                f'"{names[bad[0]]}".'
            )
    return firsts


def _complete(rows: Any, columns: Columns, nulls: str) -> Any:
    """Return the rows in which no column that must be complete has a missing value.

    Several raters may leave gaps; the labels of a single column must be complete.
    """
    keys = [name for name in (columns.item, columns.rater) if name is not None]
    required = [*columns.numeric, *keys, *([] if columns.is_panel else columns.labels)]
    missing = {}
    for name in dict.fromkeys(required):
        column = rows.get_column(name)
        is_missing, is_float = column.is_null(), column.dtype.is_float()
        if is_missing.any() or (is_float and column.is_nan().any()):
            # Only here, since filling nulls of Arrow imports pandas.
            is_nan = column.is_nan().fill_null(True) if is_float else is_missing
            missing[name] = is_missing | is_nan
    if not missing:
        return rows
    if nulls != "drop":
        counts = ", ".join(f"{int(mask.sum())} in {name!r}" for name, mask in missing.items())
        raise UserError(
            f"FILES must not have missing values, got {counts}. Fill them in, or leave those rows "
            "out with --nulls drop."
        )
    rows = rows.filter(*(~mask for mask in missing.values()))
    if len(rows) == 0:
        raise UserError("FILES must contain complete rows, and none is. Fill in missing values.")
    return rows
