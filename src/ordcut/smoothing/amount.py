"""How much to smooth: by what the model leaves unexplained."""

from __future__ import annotations

from numbers import Real
from typing import Literal, TypeAlias

import numpy as np

from ordcut.arrays import Floats
from ordcut.objectives import Objective
from ordcut.smoothing.counts import ScoreCounts
from ordcut.table import ScoreTable
from ordcut.thresholds import Thresholds

Smoothing: TypeAlias = float | Literal["auto"]

#: How many data sets are drawn from the model, always the same ones.
N_DRAWS = 8

#: Less than the least is not worth it: the thresholds are the plain optimum then. More than the
#: most did no better on the data sets that chose, and worse on some (docs/generalisation.md).
LEAST, MOST = 0.05, 0.75


def check_smoothing(smoothing: object) -> None:
    """Raise an error unless smoothing is a number from 0 to 1, or "auto".

    Examples
    --------
    >>> check_smoothing(1.5)
    Traceback (most recent call last):
    ...
    ValueError: smoothing must be a number from 0 to 1, or "auto", got 1.5.
    """
    is_number = isinstance(smoothing, Real) and not isinstance(smoothing, bool)
    is_auto = isinstance(smoothing, str) and smoothing == "auto"
    if not (is_auto or (is_number and 0 <= float(smoothing) <= 1)):  # type: ignore[arg-type]
        raise ValueError(f'smoothing must be a number from 0 to 1, or "auto", got {smoothing!r}.')


def choose_amount(cells: ScoreCounts, probabilities: Floats, objective: Objective) -> float:
    """Return how much of what plain thresholds gain on the data would be gained from noise alone.

    Plain optimal thresholds always beat those of the model on the data that they were found on.
    If the model is right, all of that gain is noise, and data drawn from the model show how much
    to expect. The ratio of the expected to the observed gain is the share to leave to the model:
    all, or the most that is allowed, where the model explains everything; towards 0 where it is
    wrong and rows are many, since the gain from noise vanishes then and the other does not.
    """
    observed = cells.table()
    by_model = cells.with_counts(probabilities * cells.weights[:, None]).table()
    thresholds = by_model.solve(objective)
    gained = _gain(observed, thresholds, objective)
    if gained <= 0:
        return MOST
    random = np.random.default_rng(0)
    # Cells of fractional weight are drawn as the next whole number of rows, and scaled back.
    n_rows = np.maximum(np.ceil(cells.weights - 1e-9), 1).astype(np.int64)
    scale = np.asarray(cells.weights / n_rows)[:, None]
    expected = 0.0
    for _ in range(N_DRAWS):
        drawn = random.multinomial(n_rows, probabilities) * scale
        if np.count_nonzero(drawn.sum(axis=0)) > 1:  # one class alone has no kappa, and no gain
            expected += _gain(cells.with_counts(drawn).table(), thresholds, objective)
    amount = min(MOST, expected / N_DRAWS / gained)
    return amount if amount >= LEAST else 0.0


def _gain(table: ScoreTable, given: Thresholds, objective: Objective) -> float:
    """Return by how much the plain optimum of a table beats given thresholds on it."""
    cuts = np.searchsorted(table.rows.scores, given.thresholds, side="left")
    reached = objective.value(table.confusion(cuts))
    best = table.solve(objective).value
    return best - reached if objective.is_kappa else reached - best
