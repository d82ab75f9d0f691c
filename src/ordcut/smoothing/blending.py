"""From a source to a smoothed one: observed rows, and rows that stand for the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordcut.arrays import Floats
from ordcut.objectives import EXACT, Objective
from ordcut.smoothing.amount import Smoothing, choose_amount
from ordcut.smoothing.counts import ScoreCounts, count_scores
from ordcut.smoothing.model import model_probabilities
from ordcut.sorting import SortedRows
from ordcut.sources.arrays import ArraySource

#: Whole weights are counted in parts of this size at the finest, so that sums stay exact.
FINEST = 1 << 20


@dataclass(frozen=True)
class Smoothed:
    """A source to find thresholds on, and how much of it is the model's."""

    source: ArraySource
    amount: float


def smooth(source: ArraySource, objective: Objective, smoothing: Smoothing) -> Smoothed:
    """Return a source whose labels are ``1 - smoothing`` observed and ``smoothing`` the model's.

    Examples
    --------
    >>> from ordcut.objectives import resolve_objective
    >>> source = ArraySource([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1])
    >>> found = smooth(source, resolve_objective("absolute", 2), 0.5)
    >>> found.source.n_rows, (found.source.weights[:4] / found.source.weights.sum()).round(3)
    (12, array([0.125, 0.125, 0.125, 0.125]))
    """
    rows = source.sorted_rows()
    cells = count_scores(source, rows)
    probabilities = model_probabilities(cells)
    if isinstance(smoothing, str):
        amount = choose_amount(cells, probabilities, objective)
    else:
        amount = float(smoothing)
    if amount == 0:
        return Smoothed(source, 0.0)
    return Smoothed(_blend(source, rows, cells, probabilities, amount), amount)


def _blend(
    source: ArraySource, rows: SortedRows, cells: ScoreCounts, probabilities: Floats, amount: float
) -> ArraySource:
    """Return the observed rows and, at each cell's score, one row of the model for each class.

    So there are n + m K rows with m of at most some thousand, and never an (n, K) matrix. The
    rows of the model stand at scores that occur, which leaves the places for thresholds what they
    were. Where weights are whole they stay so, in finer parts, and all sums stay exact. Observed
    rows keep the finest part at least, to decide where the model has no preference.
    """
    observed = np.ones(len(rows.codes), np.int64) if rows.weights is None else rows.weights
    total = float(observed.sum())
    modelled = probabilities * (cells.weights * (total / cells.weights.sum()))[:, None]
    if rows.is_whole:
        parts = max(1, min(FINEST, int(EXACT / 8 / total)))
        observed = observed * max(1, round((1 - amount) * parts))
        modelled = np.rint(amount * parts * modelled).astype(np.int64)
    else:
        observed, modelled = observed * max(1 / FINEST, 1 - amount), amount * modelled
    cell, code = np.nonzero(modelled)
    return source.with_rows(
        np.concatenate([rows.scores.astype(source.precision, copy=False), cells.scores[cell]]),
        np.concatenate([rows.codes, code.astype(rows.codes.dtype)]),
        np.concatenate([observed, modelled[cell, code]]),
    )
