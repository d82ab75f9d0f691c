"""How many labels are enough: the value of thresholds on rows left out, by the number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordcut._core.data import Rows, WeightType
from ordcut._core.extensions import extension
from ordcut._core.objectives import Objective, ObjectiveLike, resolve_objective, title_of
from ordcut._core.problem import Problem, Sample
from ordcut._core.protocols import LabelSource
from ordcut._core.smoothing import Smoothing
from ordcut._core.solve import optimum, smoothed_problem
from ordcut._core.typing import Array, ArrayLike, Floats, Ints
from ordcut._core.views import interval, view

#: The smallest size by default, and the largest share of the rows that thresholds are found from.
FIRST_SIZE, LARGEST_SHARE = 25, 0.8


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve:
    """The value of thresholds on rows left out, for several numbers of rows.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        The numbers of rows that thresholds were found from.
    values : ndarray of shape (n_splits, n_sizes)
        The value on the other rows; NaN where a kappa is undefined.
    objective : str
        The name of the loss or of the kappa.
    """

    sizes: Ints
    values: Floats
    objective: str

    @property
    def means(self) -> Floats:
        """The mean value of each size, (n_sizes,)."""
        return np.asarray(np.nanmean(self.values, axis=0))

    def intervals(self, level: float = 0.95) -> Floats:
        """Return the range of the values of most splits for each size, (n_sizes, 2).

        It shows how much the value depends on which rows were labelled. Splits share rows, so it
        is narrower than an interval for new data where sizes are close to all rows.
        """
        if not 0 < level < 1:
            raise ValueError(f"level must be a number between 0 and 1, got {level!r}.")
        ends = (1 - level) / 2, (1 + level) / 2
        return np.asarray(np.nanquantile(self.values, ends, axis=0).T)

    def plot(self, *, level: float = 0.95, ax: Any = None) -> Any:
        """Plot the means and their ranges against the number of rows, with matplotlib.

        Parameters
        ----------
        level : float, default=0.95
            The share of the splits that is in the ranges.
        ax : matplotlib Axes, default=None
            The axes to draw on; a new figure by default.

        Returns
        -------
        matplotlib Axes
            The axes that were drawn on.
        """
        return extension("draw_learning_curve")(self, level=level, ax=ax)

    def __repr__(self) -> str:
        points = ", ".join(
            f"{size}: {mean:.3f} [{low:.3f}, {high:.3f}]"
            for size, mean, (low, high) in zip(
                self.sizes, self.means, self.intervals(), strict=True
            )
        )
        return f"LearningCurve({self.objective} on rows left out, {points})"

    def _repr_html_(self) -> str:
        ranges = self.intervals().tolist()
        each = zip(self.sizes.tolist(), self.means.tolist(), ranges, strict=True)
        return view(
            "Learning curve",
            ["rows", "mean", "95 % of splits"],
            [(str(size), mean, interval(*ends)) for size, mean, ends in each],
            value=f"{title_of(self.objective)} on rows left out",
            notes=[f"{len(self.values)} splits"],
        )


def learning_curve(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    objective: ObjectiveLike = "absolute",
    classes: Sequence[Any] | Array | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType | None = None,
    smoothing: Smoothing | None = None,
    sizes: Sequence[int] | None = None,
    n_splits: int = 50,
    random_state: int = 0,
) -> LearningCurve:
    """Return the value that thresholds from few rows reach on the other rows.

    Where the curve is flat, more labels would hardly improve the thresholds.

    Parameters
    ----------
    scores, labels, objective, classes, sample_weight, weight_type, smoothing
        As in :func:`ordcut.optimal_thresholds`. Labels may be an :class:`ordcut.Panel`, whose
        items are then drawn.
    sizes : sequence of int, optional
        The numbers of rows to find thresholds from. By default 25, 50, 100, ... up to 80 % of all.
    n_splits : int, default=50
        How often rows are drawn for each size.
    random_state : int, default=0
        The seed of the draws.

    Returns
    -------
    LearningCurve
        The value of each split and size, their means and ranges, and a plot.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 3, 300)
    >>> curve = learning_curve(labels + rng.normal(size=300), labels)
    >>> curve.sizes
    array([ 25,  50, 100, 200])
    >>> bool(curve.means[0] > curve.means[-1])
    True
    """
    rows = Rows.read(
        scores, labels, classes=classes, weights=sample_weight, weight_type=weight_type
    )
    resolved = resolve_objective(objective, rows.classes)
    by_default = labels.default_smoothing if isinstance(labels, LabelSource) else 0.0
    amount = by_default if smoothing is None else smoothing
    return curve_of_rows(rows, resolved, amount, sizes, n_splits, random_state)


def curve_of_rows(
    rows: Rows,
    objective: Objective,
    smoothing: Smoothing = 0.0,
    sizes: Sequence[int] | None = None,
    n_splits: int = 50,
    random_state: int = 0,
) -> LearningCurve:
    """Return the learning curve of rows."""
    if sizes is None:
        n_sizes = max(0, int(np.log2(max(1, LARGEST_SHARE * rows.n_rows / FIRST_SIZE))) + 1)
        sizes = (
            []
            if rows.n_rows * LARGEST_SHARE < FIRST_SIZE
            else [FIRST_SIZE << i for i in range(n_sizes)]
        )
    if not sizes or not all(2 <= size < rows.n_rows for size in sizes):
        raise ValueError(
            f"sizes must be at least 2 and below the number of rows, {rows.n_rows}, of which some "
            f"must be left out, got {list(sizes)}. A curve needs at least 32 rows by default."
        )
    rng = np.random.default_rng(random_state)
    values = np.full((n_splits, len(sizes)), np.nan)
    for split in range(n_splits):
        order = rng.permutation(rows.n_rows)
        for j, size in enumerate(sizes):
            values[split, j] = _held_out(rows, order, size, objective, smoothing)
    return LearningCurve(np.array(sizes), values, objective.name)


def _held_out(
    rows: Rows, order: Ints, size: int, objective: Objective, smoothing: Smoothing
) -> float:
    """Return the value on the other rows; NaN if a kappa is undefined on either part."""
    part, others = rows.take(np.sort(order[:size])), rows.take(np.sort(order[size:]))
    problem = Problem(Sample(part), objective)
    try:
        result = optimum(smoothed_problem(problem, smoothing) if smoothing != 0 else problem)
        return objective.value(others.confusion(result.thresholds))
    except ValueError:
        if objective.has_value(part.totals) and objective.has_value(others.totals):
            raise
        return np.nan
