"""Figures of each class or decision on rows: recall, precision, F1, share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.data import Groups, Rows, WeightType, encode, read_weights, warn_if_unclear
from ordcut._core.thresholds.scale import check_scale
from ordcut._core.typing import Array, ArrayLike, Floats, Ints

if TYPE_CHECKING:
    from ordcut._core.thresholds.result import Thresholds

#: The figures that have intervals.
FIGURES = ("share", "recall", "precision", "f1")


def report(
    thresholds: Thresholds,
    scores: ArrayLike,
    labels: ArrayLike,
    sample_weight: ArrayLike | None,
    weight_type: WeightType | None,
    level: float | None,
    groups: ArrayLike | None,
    by: ArrayLike | None,
    backend: Any,
) -> Any:
    """Return the figures of each class or decision on rows, as a frame of a library.

    ``level`` is the level of the intervals, None for no intervals.
    """
    if groups is not None and level is None:
        raise ValueError(
            "groups change the intervals only, not the figures: pass intervals=True with them, or "
            "by= for the figures of each group."
        )
    rows = Rows.read(
        scores, labels, classes=thresholds.classes, weights=sample_weight, weight_type=weight_type
    )
    check_scale(thresholds, rows.scores)
    if level is None and by is None:
        table = rows.confusion(thresholds.thresholds)
        return as_frame(class_figures(thresholds, table), backend)
    cells = TableCells.read(thresholds, scores, labels, sample_weight, weight_type, groups)
    if level is not None:
        warn_if_unclear(rows.weights, rows.weight_type)
    if by is None:
        return as_frame(_columns(thresholds, cells, level), backend)
    parts = Groups.read(by, scores)
    codes = parts.codes[cells.row]
    each = [_columns(thresholds, cells.take(codes == g), level) for g in range(len(parts.names))]
    column = parts.column if parts.column not in (None, *each[0]) else "group"
    names = np.repeat(parts.names, len(thresholds.decisions))
    joined = {name: np.concatenate([part[name] for part in each]) for name in each[0]}
    return as_frame({str(column): names, **joined}, backend)


def class_figures(thresholds: Thresholds, table: Floats) -> dict[str, Array]:
    """Return the columns of a report for a (decided, true) table of weights."""
    own = own_classes(thresholds)
    right = np.array([np.nan if k is None else table[d, k] for d, k in enumerate(own)])
    true = np.array([np.nan if k is None else table[:, k].sum() for k in own])
    decided = table.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        recall, precision = right / true, right / decided
        return {
            "decision" if thresholds.decides_otherwise else "class": thresholds.decisions,
            "true": true,
            "predicted": decided,
            "share": decided / decided.sum(),
            "recall": recall,
            "precision": precision,
            "f1": 2 * right / (true + decided),
        }


def own_classes(thresholds: Thresholds) -> list[int | None]:
    """Return the position of the class that each decision is; None for other decisions."""
    position = {str(name): k for k, name in enumerate(thresholds.classes.tolist())}
    return [position.get(str(name)) for name in thresholds.decisions.tolist()]


@dataclass(frozen=True, eq=False)
class TableCells:
    """The true class and the decision of rows, with a weight: an entry for each class of a row.

    Attributes
    ----------
    row : ndarray of shape (n,)
        The position of the row.
    true, decided : ndarray of shape (n,)
        The positions of its class and of its decision.
    weights : ndarray of shape (n,)
        How much it counts.
    groups : ndarray of shape (n,), optional
        The number of its group; of the row itself for soft labels.
    are_repeats : bool
        Whether weights are numbers of equal rows.
    """

    row: Ints
    true: Ints
    decided: Ints
    weights: Floats
    groups: Ints | None
    are_repeats: bool

    @classmethod
    def read(
        cls,
        thresholds: Thresholds,
        scores: ArrayLike,
        labels: ArrayLike,
        sample_weight: ArrayLike | None,
        weight_type: WeightType | None,
        groups: ArrayLike | None,
    ) -> TableCells:
        """Return the cells of rows that were checked."""
        truth, decided = encode(labels, thresholds.classes), thresholds.codes(scores)
        n = len(decided)
        checked, _, stated = read_weights(sample_weight, n, weight_type)
        weights = np.ones(n) if checked is None else checked.astype(np.float64)
        codes, row = Groups.codes_of(groups, scores), np.arange(n)
        are_repeats = stated != "importance"
        if truth.soft is None:
            assert truth.codes is not None
            cells = row, truth.codes.astype(np.int64), weights
        else:
            row, true = np.nonzero(truth.soft)
            cells = row, true, weights[row] * truth.soft[row, true]
            codes, are_repeats = np.arange(n) if codes is None else codes, False
        row, true, weights = cells
        of_rows = None if codes is None else codes[row]
        return cls(row, true, decided[row], weights, of_rows, are_repeats)

    def take(self, entries: Array) -> TableCells:
        """Return some of the entries."""
        return TableCells(
            self.row[entries],
            self.true[entries],
            self.decided[entries],
            self.weights[entries],
            None if self.groups is None else self.groups[entries],
            self.are_repeats,
        )

    def table(self, n_decisions: int, n_classes: int) -> Floats:
        """Return the (decided, true) table of weights."""
        cell = self.decided * n_classes + self.true
        sums = np.bincount(cell, self.weights, n_decisions * n_classes)
        return np.asarray(sums, np.float64).reshape(n_decisions, n_classes)


def _columns(thresholds: Thresholds, cells: TableCells, level: float | None) -> dict[str, Array]:
    """Return the columns of a report, with the ends of intervals."""
    n_decisions, n_classes = len(thresholds.decisions), len(thresholds.classes)
    columns = class_figures(thresholds, cells.table(n_decisions, n_classes))
    if level is None:
        return columns
    ends = figure_intervals(own_classes(thresholds), n_classes, cells, level)
    names = [name for name in columns if name not in FIGURES]
    with_ends = {name: columns[name] for name in names}
    for name in FIGURES:
        low, high = ends[name]
        with_ends |= {name: columns[name], f"{name}_low": low, f"{name}_high": high}
    return with_ends


def figure_intervals(
    own: list[int | None], n_classes: int, cells: TableCells, level: float
) -> dict[str, tuple[Floats, Floats]]:
    """Return the ends of the intervals of each figure, (D,) each.

    Every figure is a share, or rises with one: F1 with the share of right rows in the rows that
    have the class or the decision.
    """
    from ordcut._core.numerics.shares import ShareRows

    n_decisions = len(own)
    is_class = np.array([k is not None for k in own])
    decision_of = np.full(n_classes, -1)
    decision_of[[k for k in own if k is not None]] = np.flatnonzero(is_class)
    wanted, decided = decision_of[cells.true], cells.decided
    is_right = wanted == decided

    def interval(whole: Array, is_hit: Array, entries: Array) -> tuple[Floats, Floats]:
        groups = None if cells.groups is None else cells.groups[entries]
        rows = ShareRows(
            whole, is_hit, cells.weights[entries], groups, n_decisions, cells.are_repeats
        )
        low, high = rows.interval(level)
        return np.where(is_class, low, np.nan), np.where(is_class, high, np.nan)

    has_own = np.flatnonzero(wanted >= 0)
    every = np.arange(len(decided))
    is_wrong = np.flatnonzero(~is_right & (wanted >= 0))
    either = np.concatenate([every, is_wrong])
    low, high = interval(np.append(decided, wanted[is_wrong]), is_right[either], either)
    shares = [
        ShareRows(
            np.zeros(len(decided), np.int64),
            decided == d,
            cells.weights,
            cells.groups,
            1,
            cells.are_repeats,
        ).interval(level)
        for d in range(n_decisions)
    ]
    lows, highs = (np.concatenate(ends) for ends in zip(*shares, strict=True))
    return {
        "share": (lows, highs),
        "recall": interval(wanted[has_own], is_right[has_own], has_own),
        "precision": interval(decided, is_right, every),
        "f1": (2 * low / (1 + low), 2 * high / (1 + high)),
    }


def as_frame(columns: dict[str, Array], backend: Any = "pandas") -> Any:
    """Return columns as a dataframe of a library: pandas, polars or pyarrow.

    Examples
    --------
    >>> as_frame({"k": np.array([1, 2])}, "polars").shape
    (2, 1)
    """
    import narwhals as nw

    plain = {name: np.asarray(values).tolist() for name, values in columns.items()}
    return nw.from_dict(plain, backend=backend).to_native()
