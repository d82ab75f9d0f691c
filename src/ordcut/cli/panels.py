"""Files with several ratings of each item, as a source of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut.cli.failures import UserError
from ordcut.cli.files import Columns
from ordcut.cli.options import read_classes
from ordcut.data import Rows, as_scores, is_missing
from ordcut.limits import Constraint, Limits
from ordcut.objectives import Objective
from ordcut.panels import Panel
from ordcut.problem import Problem, Sample, optimum, smoothed_problem
from ordcut.pruning import ArraySource
from ordcut.smoothing import Smoothing

if TYPE_CHECKING:
    from ordcut.cli.options import ClassWeights
    from ordcut.thresholds import Thresholds
    from ordcut.typing import Array, Bools, Floats


@dataclass(frozen=True, eq=False)
class PanelSource(ArraySource):
    """Items in memory, with a score and the ratings of each.

    Attributes
    ----------
    scores : ndarray of shape (n_items,)
        The score of each item.
    panel : Panel
        The ratings, with the names of the items.
    dropped : int
        The number of items that were left out: without a score or a weight if nulls are dropped,
        or without a rating.
    """

    scores: Floats = None  # type: ignore[assignment]
    panel: Panel = None  # type: ignore[assignment]
    dropped: int = 0

    def solve(
        self,
        objective: Objective,
        class_weight: ClassWeights,
        smoothing: Smoothing,
        constraints: tuple[Constraint, ...],
    ) -> Thresholds:
        """Return the optimal thresholds of the items."""
        limits = Limits.of(constraints, objective, self.classes) if constraints else None
        problem = Problem(Sample(self.rows, class_weight), objective, limits)
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
) -> PanelSource:
    """Read the items of a frame into memory, with a column for each rater or a row per rating."""
    import narwhals as nw

    rows: Any = nw.from_native(frame).lazy().collect()
    if isinstance(classes, str):
        classes = read_classes(classes, rows.schema[columns.labels[0]])

    def native(name: str) -> Any:
        return rows.get_column(name).to_native()

    if columns.rater is not None:
        assert columns.item is not None
        panel = Panel.from_long(
            {name: native(name) for name in (columns.item, columns.rater, columns.labels[0])},
            item=columns.item,
            rater=columns.rater,
            rating=columns.labels[0],
            classes=classes,
        )
        take = _first_rows(rows, columns, panel)
    else:
        table = rows.select(columns.labels).to_native()
        panel = Panel(table, classes=classes)
        if columns.item is not None:
            panel = panel.named(_keys(rows.get_column(columns.item)))
        take = np.arange(len(panel))
    scores = _numbers(rows.get_column(str(columns.score)))[take]
    weights = None if columns.weight is None else _numbers(rows.get_column(columns.weight))[take]
    keep = _complete(scores, weights, columns, nulls)
    n_all = len(panel)
    if not keep.all():
        scores, panel = scores[keep], panel.take(keep)
        weights = None if weights is None else weights[keep]
    dropped = n_all - int((panel.n_ratings > 0).sum())
    data = Rows.read(as_scores(scores), panel, n_classes=n_classes, weights=weights)
    return PanelSource(data, 1, scores, panel, dropped)


def _keys(column: Any) -> Array:
    """Return a column as text, so that names of items can be compared between files."""
    return np.array([str(value) for value in column.to_list()], dtype=object)


def _numbers(column: Any) -> Floats:
    """Return a column of numbers, with NaN where one is missing."""
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


def _complete(scores: Floats, weights: Floats | None, columns: Columns, nulls: str) -> Bools:
    keep: Bools = np.ones(len(scores), np.bool_)
    for option, values in (("score", scores), ("weight", weights)):
        if values is None or not np.isnan(values).any():
            continue
        if nulls != "drop":
            raise UserError(
                f"--{option} must not be missing, and is in {int(np.isnan(values).sum())} of "
                f"{len(values)} items. Pass --nulls drop, or fill it in."
            )
        keep &= ~np.isnan(values)
    if not keep.any():
        raise UserError(f'FILES must contain a score, and "{columns.score}" has none.')
    return keep
