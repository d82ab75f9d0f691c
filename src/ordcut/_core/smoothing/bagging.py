"""Thresholds without a model: the mean of the optimal thresholds of many bootstrap samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ordcut._core.cuts import Cuts
from ordcut._core.data import Rows, SortedRows
from ordcut._core.objectives import Objective
from ordcut._core.typing import Bools, Floats, Ints

if TYPE_CHECKING:
    from ordcut._core.smoothing.blending import ScoreCounts

#: The number of samples. A quarter of them has about half of the gain.
N_SAMPLES = 40

#: The number of cells that rows are counted in before they are drawn. A cell has 0.4 % of the rows;
#: thresholds of samples differ by several percent of them.
MOST_TO_BAG = 256


def bagged_thresholds(
    cells: ScoreCounts, n_classes: int, solve: Callable[[SortedRows], Cuts]
) -> Floats:
    """Return the mean of the optimal thresholds of samples, drawn with a fixed seed.

    Each row is drawn a number of times that has the Poisson distribution with mean 1. Thresholds
    are averaged as numbers of rows below them, which are finite where a sample never takes a
    decision at an end.

    Examples
    --------
    >>> from ordcut._core.objectives import resolve_objective
    >>> from ordcut._core.smoothing.blending import ScoreCounts
    >>> from ordcut._core.solvers import Plan, solver_of
    >>> cells = ScoreCounts(np.arange(8.0), np.eye(2)[[0, 0, 1, 0, 1, 0, 1, 1]])
    >>> solve = solver_of(resolve_objective("absolute", 2), Plan())
    >>> bagged_thresholds(cells, 2, solve).round(1)
    array([2.6])
    """
    random = np.random.default_rng(0)
    below = np.append(0.0, np.cumsum(cells.weights))
    ranks = []
    for drawn in random.poisson(cells.counts, (N_SAMPLES, *cells.counts.shape)).astype(np.float64):
        if np.count_nonzero(drawn.sum(axis=0)) > 1:  # a single class has no kappa
            cuts = solve(cells.rows_with(drawn)).cuts // n_classes
            ranks.append(_ranks_between(cuts, drawn.sum(axis=1) > 0, below))
    scores = cells.scores.astype(np.float64)
    edges = [scores[0], *(scores[:-1] / 2 + scores[1:] / 2), np.nextafter(scores[-1], np.inf)]
    return np.asarray(np.interp(np.mean(ranks, axis=0), below, edges))


def _ranks_between(cuts: Ints, is_drawn: Bools, below: Floats) -> Floats:
    """Return how many rows are below each cut, halfway between the cells drawn around it."""
    cells = np.flatnonzero(is_drawn)
    at = np.searchsorted(cells, cuts)
    first, last = below[np.append(0, cells + 1)[at]], below[np.append(cells, len(is_drawn))[at]]
    inside = (at > 0) & (at < len(cells))
    return np.where(inside, (first + last) / 2, np.where(at > 0, below[-1], 0.0))


def relabelled(rows: Rows, thresholds: Floats) -> Rows:
    """Return rows with the class that thresholds give each as its label.

    Examples
    --------
    >>> relabelled(Rows.read([1.0, 2.0, 3.0], [1, 0, 1]), np.array([1.5])).codes.tolist()
    [0, 1, 1]
    """
    weights = rows.weights
    if rows.soft is not None:
        total = rows.soft.sum(axis=1)
        weights = total if weights is None else total * weights
    dtype = np.uint16 if rows.codes is None else rows.codes.dtype
    codes = np.searchsorted(thresholds, rows.scores, side="right").astype(dtype, copy=False)
    return replace(rows, codes=codes, soft=None, weights=weights)


def check_decisions(objective: Objective) -> None:
    """Raise an error unless the right decision costs each class less than all others."""
    cost = objective.cost
    is_square = cost.shape[0] == cost.shape[1]
    if not is_square or ((cost <= np.diag(cost)).sum(axis=0) > 1).any():
        raise ValueError(
            'smoothing="bagging" needs decisions that are the classes, and costs that are least '
            f'where the decision is right, got objective {objective.name!r}. Use smoothing="auto".'
        )
