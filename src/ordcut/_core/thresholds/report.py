"""Figures of each class or decision on rows: recall, precision, F1, share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.data import Rows
from ordcut._core.typing import Array, ArrayLike, Floats

if TYPE_CHECKING:
    from ordcut._core.thresholds.result import Thresholds


def report(
    thresholds: Thresholds,
    scores: ArrayLike,
    labels: ArrayLike,
    sample_weight: ArrayLike | None,
    backend: Any,
) -> Any:
    """Return the figures of each class or decision on rows, as a frame of a library."""
    rows = Rows.read(scores, labels, classes=thresholds.classes, weights=sample_weight)
    table = rows.confusion(thresholds.thresholds)
    return as_frame(class_figures(thresholds, table), backend)


def class_figures(thresholds: Thresholds, table: Floats) -> dict[str, Array]:
    """Return the columns of a report for a (decided, true) table of weights."""
    decisions, classes = thresholds.decisions.tolist(), thresholds.classes.tolist()
    names = [str(name) for name in classes]
    own = [names.index(str(name)) if str(name) in names else None for name in decisions]
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
