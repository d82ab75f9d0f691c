"""Labels blended with the class probabilities of a model, and the amount of blending.

The solvers run on observed rows and on rows that represent the model, so that thresholds follow the
noise of few rows less. The model is fitted to rows counted in narrow cells of the scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal, TypeAlias

import numpy as np

from ordcut._core.data import Rows, SortedRows, check_weights
from ordcut._core.numerics.exact import EXACT
from ordcut._core.numerics.threads import cached_property
from ordcut._core.objectives import Objective
from ordcut._core.pruning import count_equal_steps
from ordcut._core.smoothing.bagging import (
    MOST_TO_BAG,
    bagged_thresholds,
    check_decisions,
    relabelled,
)
from ordcut._core.smoothing.partial_odds import partial_odds_probabilities
from ordcut._core.solvers import Plan, solver_of
from ordcut._core.typing import Array, Codes, Floats, Ints, Numbers

Smoothing: TypeAlias = float | Literal["auto", "bagging"]

#: Rows of more distinct scores than this are counted in this many cells of about equal weight. The
#: curves of the model are smooth: they hardly change if a score moves by 1/500 of the rows.
MOST_CELLS = 512

#: From this whole weight on, cells consist of equal steps of the scores, which saves sorting the
#: rows, if no step has more than the second number times the weight of a cell.
FEWEST_FOR_STEPS, MOST_PER_STEP = 1 << 19, 2

#: Whole weights are split into at most the first number of parts, so that sums stay exact; if sums
#: are too large even for the second number of parts, the blended weights are fractions.
FINEST, COARSEST = 1 << 20, 1 << 10

#: With "auto", the model counts as much as this many rows. Amounts below the least are 0.
ROWS_OF_MODEL, LEAST = 4000, 0.1


def check_smoothing(smoothing: object) -> None:
    """Raise an error unless smoothing is a number from 0 to 1, "auto" or "bagging".

    Examples
    --------
    >>> check_smoothing(1.5)
    Traceback (most recent call last):
    ...
    ValueError: smoothing must be a number from 0 to 1, "auto" or "bagging", got 1.5.
    """
    is_number = isinstance(smoothing, Real) and not isinstance(smoothing, bool)
    is_name = isinstance(smoothing, str) and smoothing in ("auto", "bagging")
    if not (is_name or (is_number and 0 <= float(smoothing) <= 1)):  # type: ignore[arg-type]
        raise ValueError(
            f'smoothing must be a number from 0 to 1, "auto" or "bagging", got {smoothing!r}.'
        )


@dataclass(frozen=True)
class Smoothed:
    """Rows with other labels, and the share of them that the model gives, or "bagging"."""

    rows: Rows
    amount: float | Literal["bagging"]


def smooth(
    rows: Rows, objective: Objective, smoothing: Smoothing, n_rows: float | None = None
) -> Smoothed:
    """Return rows whose labels are ``1 - smoothing`` observed and ``smoothing`` the model's.

    With ``"bagging"``, the mean of optimal thresholds of bootstrap samples gives the labels.
    ``n_rows`` is the sample size, by default the effective number of the rows.

    Examples
    --------
    >>> from ordcut._core.objectives import resolve_objective
    >>> rows = Rows.read([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1])
    >>> smoothed = smooth(rows, resolve_objective("absolute", 2), 0.5).rows
    >>> smoothed.n_rows, (smoothed.weights[:4] / smoothed.weights.sum()).round(3)
    (12, array([0.125, 0.125, 0.125, 0.125]))
    """
    if smoothing == "auto":
        smoothing = amount_for(rows.n_effective if n_rows is None else n_rows)
    if smoothing == 0:
        return Smoothed(rows, 0.0)
    observed: Rows | SortedRows = rows
    cells = count_in_steps(rows)
    if cells is None:
        observed = rows.sorted()
        if not observed.is_whole:
            observed = observed.merged  # sums must not depend on the order of the rows
        most = MOST_TO_BAG if smoothing == "bagging" else MOST_CELLS
        cells = count_scores(rows, observed, most, n_rows=n_rows)
    if smoothing == "bagging":
        check_decisions(objective)
        thresholds = bagged_thresholds(cells, len(rows.classes), solver_of(objective, Plan()))
        bagged = relabelled(rows, thresholds)
        has_value = objective.has_value(bagged.totals)
        return Smoothed(bagged, "bagging") if has_value else Smoothed(rows, 0.0)
    probabilities = partial_odds_probabilities(cells.scores, cells.counts)
    amount = float(smoothing)
    return Smoothed(_blend(rows, observed, cells, probabilities, amount), amount)


def amount_for(n_rows: float) -> float:
    """Return the amount of smoothing for a number of rows; 0 for many.

    Examples
    --------
    >>> [round(amount_for(n), 2) for n in (100, 2000, 20_000, 200_000)]
    [0.98, 0.67, 0.17, 0.0]
    """
    amount = ROWS_OF_MODEL / (ROWS_OF_MODEL + n_rows)
    return amount if amount >= LEAST else 0.0


def _blend(
    rows: Rows,
    given: Rows | SortedRows,
    cells: ScoreCounts,
    probabilities: Floats,
    amount: float,
) -> Rows:
    """Return the observed rows and, at each cell's score, a row of the model for each class.

    So there are n + m K rows with m of at most ``MOST_CELLS``, and never an (n, K) matrix. The rows
    of the model have scores that occur, so that the possible thresholds stay the same. Whole
    weights stay whole, in finer parts, and all sums stay exact, unless they are too large.
    Observed rows keep at least the finest part, to decide where the model has no preference.
    """
    assert given.codes is not None
    n, observed = len(given.codes), given.weights
    total = float(n if observed is None else observed.sum())
    modelled = probabilities * (cells.weights * (total / cells.weights.sum()))[:, None]
    parts = min(FINEST, int(EXACT / 8 / total)) if given.is_whole else 0
    is_whole = parts >= COARSEST
    if is_whole:
        factor: float = max(1, round((1 - amount) * parts))
        modelled = np.rint(amount * parts * modelled).astype(np.int64)
    else:
        factor, modelled = max(1 / FINEST, 1 - amount), amount * modelled
    cell, code = np.nonzero(modelled)
    weights = np.empty(n + len(cell), modelled.dtype)
    np.multiply(1 if observed is None else observed, factor, out=weights[:n])
    weights[n:] = modelled[cell, code]
    return replace(
        rows,
        scores=np.concatenate(
            [given.scores.astype(rows.scores.dtype, copy=False), cells.scores[cell]]
        ),
        codes=np.concatenate([given.codes, code.astype(given.codes.dtype)]),
        soft=None,
        weights=weights if is_whole else check_weights(weights, len(weights)),
        is_finite=True,
    )


@dataclass(frozen=True)
class ScoreCounts:
    """The score of each cell, in ascending order, and the weight of each class in it.

    Attributes
    ----------
    scores : ndarray of shape (m,)
        The middle or the lowest of the distinct scores of each cell.
    counts : ndarray of shape (m, K)
        The weight of each cell and class. Repeats count rows; weights of importance are scaled to
        the number of rows of equal weight that they are worth (Kish's effective sample size).
    """

    scores: Array
    counts: Floats

    @property
    def weights(self) -> Floats:
        """The weight of each cell."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def as_rows(self) -> SortedRows:
        """The cells as sorted rows: a score for each cell, with a row for each class."""
        m, n_classes = self.counts.shape
        codes: Codes = np.tile(np.arange(n_classes, dtype=np.uint16), m)
        ends = codes == n_classes - 1
        scores = np.repeat(self.scores, n_classes)
        return SortedRows(scores, codes, ends, _whole_if_all_are(self.counts), n_classes)

    def rows_with(self, counts: Floats) -> SortedRows:
        """Return the cells as sorted rows, with other weights."""
        return replace(self.as_rows, weights=_whole_if_all_are(counts))


def _whole_if_all_are(weights: Floats) -> Numbers:
    """Return flattened weights, as int64 if all of them are whole."""
    flat: Numbers = weights.ravel()
    return flat.astype(np.int64) if (flat == np.rint(flat)).all() else flat


def count_in_steps(rows: Rows, most: int = MOST_CELLS) -> ScoreCounts | None:
    """Count rows in at most ``most`` cells without sorting them; None where that would be coarse.

    The cells depend on the scores and weights, and not on the order of the rows.

    Examples
    --------
    >>> rows = Rows.read(np.linspace(0, 1, 1 << 19), np.arange(1 << 19) % 2)
    >>> cells = count_in_steps(rows, most=4)
    >>> cells.scores.round(2), (cells.weights / (1 << 17)).round(2)
    (array([0.  , 0.25, 0.5 , 0.75]), array([1., 1., 1., 1.]))
    """
    if rows.codes is None or not rows.has_repeats:
        return None
    weight = len(rows.scores) if rows.weights is None else int(rows.weights.sum())
    if weight < FEWEST_FOR_STEPS:
        return None
    steps = count_equal_steps(rows)
    if steps is None:
        return None
    mass = steps.counts.sum(axis=1)
    if mass.max() * most > MOST_PER_STEP * weight:
        return None
    middle = (np.cumsum(mass) - mass / 2) / weight
    nth = np.minimum((middle * most).astype(np.int64), most - 1)
    starts = np.flatnonzero(np.append(True, nth[1:] != nth[:-1]))
    lowest = np.minimum.reduceat(steps.lowest, starts)
    counts = np.add.reduceat(steps.counts, starts, axis=0).astype(np.float64)
    has_rows = counts.any(axis=1)
    return ScoreCounts(lowest[has_rows].astype(rows.scores.dtype), counts[has_rows])


def count_scores(
    rows: Rows, ordered: SortedRows, most: int = MOST_CELLS, n_rows: float | None = None
) -> ScoreCounts:
    """Count rows in at most ``most`` cells; equal scores share a cell.

    ``ordered`` are the sorted rows. Counts add up to ``n_rows``, by default the effective number
    of the rows.

    Examples
    --------
    >>> rows = Rows.read([0.5, 0.1, 0.5, 0.7], [1, 0, 0, 1])
    >>> cells = count_scores(rows, rows.sorted())
    >>> cells.scores, cells.counts.tolist()
    (array([0.1, 0.5, 0.7]), [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> count_scores(rows, rows.sorted(), most=2).counts.tolist()
    [[1.0, 0.0], [1.0, 2.0]]
    """
    last_rows = np.flatnonzero(ordered.ends)  # of each distinct score
    starts: Ints = np.arange(len(last_rows))
    if len(last_rows) > most:
        if ordered.weights is None:
            upto = last_rows + 1.0
        else:
            upto = np.cumsum(ordered.weights)[last_rows].astype(np.float64)
        middle = (upto + np.append(0.0, upto[:-1])) / (2 * upto[-1])
        nth = np.minimum((middle * most).astype(np.int64), most - 1)
        starts = np.flatnonzero(np.append(True, nth[1:] != nth[:-1]))
    ends = np.append(starts[1:], len(last_rows))
    counts = ordered.between(last_rows[ends[:-1] - 1] + 1)
    if rows.codes is None or not rows.has_repeats or n_rows is not None:
        counts = counts * ((rows.n_effective if n_rows is None else n_rows) / ordered.weight)
    middle_scores = ordered.scores[last_rows[(starts + ends - 1) // 2]]
    return ScoreCounts(middle_scores.astype(rows.scores.dtype, copy=False), counts)
