"""The value of an objective over the positions of each threshold, with the others fixed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ordcut._core.data import Rows
from ordcut._core.objectives import Objective, title_of
from ordcut._core.pruning import ArraySource
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, Floats
from ordcut._core.views import view
from ordcut.report.candidates import Candidates

#: About the number of positions that are evaluated by default if there are many rows.
N_POSITIONS = 6400


@dataclass(frozen=True, eq=False)
class Curve:
    """The value of an objective over the positions of a threshold.

    Attributes
    ----------
    lower, upper : object
        The classes, or decisions, below and above the threshold.
    threshold : float
        The current threshold, which is among ``positions``.
    positions : ndarray of shape (P,)
        Its possible positions, from the threshold below it to the threshold above it, in
        ascending order; from -inf for the first threshold, and up to inf for the last.
    values : ndarray of shape (P,)
        The mean loss or the kappa at each position, with the other thresholds fixed; NaN where a
        kappa is undefined.
    """

    lower: Any
    upper: Any
    threshold: float
    positions: Floats
    values: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Curves:
    """The curves of all thresholds: a sequence of :class:`Curve`, lowest threshold first.

    Attributes
    ----------
    objective : str
        The name of the objective.
    is_maximised : bool
        Whether it is a kappa, for which higher values are better.
    all : tuple of Curve
        A curve for each threshold.

    Examples
    --------
    >>> import ordcut
    >>> result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 0, 2])
    >>> for curve in curves(result):
    ...     print(curve.lower, curve.upper, curve.positions, curve.values)
    0 1 [-inf  1.5  2.5  3.5] [0.5  0.25 0.5  0.25]
    1 2 [1.5 2.5 3.5 inf] [0.75 0.5  0.25 0.5 ]
    >>> columns = curves(result).to_dict()  # for pandas.DataFrame or polars.DataFrame
    >>> list(columns), len(columns["value"])
    (['threshold', 'lower', 'upper', 'position', 'value'], 8)
    """

    objective: str
    is_maximised: bool
    all: tuple[Curve, ...]

    def __len__(self) -> int:
        return len(self.all)

    def __getitem__(self, k: int) -> Curve:
        return self.all[k]

    def __iter__(self) -> Iterator[Curve]:
        return iter(self.all)

    def __repr__(self) -> str:
        n_positions = sum(len(curve.positions) for curve in self.all)
        return f"Curves({self.objective} of {len(self.all)} thresholds at {n_positions} positions)"

    def _repr_html_(self) -> str:
        best = np.nanmax if self.is_maximised else np.nanmin
        rows = [
            (f"{curve.lower} | {curve.upper}", curve.threshold, str(len(curve.positions)),
             float(best(curve.values)) if np.isfinite(curve.values).any() else "")
            for curve in self.all
        ]  # fmt: skip
        title = title_of(self.objective)
        heads = ["between", "threshold", "positions", f"best {title}"]
        return view("Curves of one threshold at a time", heads, rows)

    def to_dict(self) -> dict[str, Array]:
        """Return a column for each name, with a row for each position of each threshold.

        ``threshold`` counts thresholds from 0. Any dataframe library makes a frame of the columns.
        """
        lengths = [len(curve.positions) for curve in self.all]
        return {
            "threshold": np.repeat(np.arange(len(self.all)), lengths),
            "lower": np.repeat([curve.lower for curve in self.all], lengths),
            "upper": np.repeat([curve.upper for curve in self.all], lengths),
            "position": np.concatenate([curve.positions for curve in self.all]),
            "value": np.concatenate([curve.values for curve in self.all]),
        }


def curves(thresholds: Thresholds, n_positions: int | None = N_POSITIONS) -> Curves:
    """Return the possible positions of each threshold of a result, and the value at each position.

    Parameters
    ----------
    thresholds : Thresholds
        A result for rows in memory.
    n_positions : int, optional
        About how many positions to evaluate if there are more; None for all between two scores.
        Each value is exact, and the thresholds of the result are always among the positions.

    Returns
    -------
    Curves
        A curve for each threshold.
    """
    if n_positions is not None and n_positions < 1:
        raise ValueError(f"n_positions must be at least 1, or None for all, got {n_positions!r}.")
    origin = thresholds.origin
    if origin is None:
        raise ValueError(
            "curves needs the rows that thresholds were found on, but these have none: they were "
            "read from JSON or a pickle, or were not found on data. Find them again with "
            "ordcut.optimal_thresholds(scores, labels, ...) and call curves on the result."
        )
    data = origin.solved.data
    source = ArraySource(data) if isinstance(data, Rows) else data
    if n_positions is None:
        candidates = Candidates.of_rows(source.all_rows())
    else:
        candidates = Candidates.of(source, n_positions)
    candidates = candidates.including(thresholds.thresholds)
    positions, below = candidates.with_ends()
    factors = origin.goal.factors(candidates.totals)
    weighted = below if factors is None else below * factors
    result = curves_of_counts(positions, weighted, thresholds, origin.goal)
    reached = result[0].values[np.searchsorted(result[0].positions, result[0].threshold)]
    if not np.isclose(reached, thresholds.value, rtol=1e-9, atol=1e-12):
        raise ValueError(
            "curves needs scores, labels and weights as they were when the thresholds were found; "
            f"the value was {thresholds.value:g} and is {reached:g} now. The arrays have changed "
            "since, or the value was judged on other labels. Find the thresholds again."
        )
    return result


def curves_of_counts(
    positions: Floats, below: Floats, thresholds: Thresholds, objective: Objective
) -> Curves:
    """Return the curves of thresholds that are among positions with the weights below them.

    Parameters
    ----------
    positions : ndarray of shape (P,)
        From -inf to inf, in ascending order.
    below : ndarray of shape (P, K)
        The weight of each class below each position, times what the class counts.
    thresholds : Thresholds
        The thresholds, all of them among the positions.
    objective : Objective
        What to evaluate.
    """
    weights = below
    at = np.searchsorted(positions, thresholds.thresholds)
    edges = np.concatenate([[0], at, [len(positions) - 1]])
    confusion = np.diff(weights[edges], axis=0)
    all_curves = []
    for k, (lower, upper) in enumerate(pairwise(thresholds.decisions.tolist())):
        allowed = slice(edges[k], edges[k + 2] + 1)
        moved = weights[allowed] - weights[at[k]]  # what gets decision k instead of k + 1
        values = objective.moved_values(confusion, moved, k)
        threshold = float(thresholds.thresholds[k])
        all_curves.append(Curve(lower, upper, threshold, positions[allowed], values))
    return Curves(objective.name, objective.is_maximised, tuple(all_curves))
