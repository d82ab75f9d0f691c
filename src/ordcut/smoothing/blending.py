"""Labels blended with the class probabilities of a model, and the amount of blending.

The solvers run on observed rows and on rows that represent the model, so that thresholds follow the
noise of few rows less. Rows are counted in narrow cells of the scores first, to which
the model is fitted and from which data sets are drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Real
from typing import Literal, TypeAlias

import numpy as np

from ordcut.data import Rows, SortedRows, check_weights
from ordcut.exact import EXACT
from ordcut.objectives import Objective
from ordcut.pruning import count_equal_steps
from ordcut.smoothing.bagging import MOST_TO_BAG, bagged_thresholds, check_decisions, relabelled
from ordcut.smoothing.partial_odds import partial_odds_probabilities
from ordcut.solvers import Minimiser, Plan, check_costs, solve_freely
from ordcut.threads import cached_property
from ordcut.typing import Array, Codes, Floats, Ints, Numbers

Smoothing: TypeAlias = float | Literal["auto", "bagging"]

#: Rows of more distinct scores than this are counted in this many cells of about equal weight. A
#: model with 2 (K - 1) parameters does not notice: a score moves by 1/1000 of the rows at most.
MOST_CELLS = 1024

#: From this whole weight on, cells consist of equal steps of the scores, which saves sorting the
#: rows, if no step has more than the second number times the weight of a cell.
FEWEST_FOR_STEPS, MOST_PER_STEP = 1 << 19, 2

#: The number of data sets that are drawn from the model, with a fixed seed. Each cell takes a draw,
#: so neighbouring cells are joined if there are more than the second number.
N_DRAWS, MOST_CELLS_TO_DRAW = 8, 512

#: Whole weights are split into at most the first number of parts, so that sums stay exact; if sums
#: are too large even for the second number of parts, the blended weights are fractions.
FINEST, COARSEST = 1 << 20, 1 << 10

#: Below the least amount, thresholds are the plain optimum. Amounts above the largest were never
#: better on the data sets that were used to choose it, and at times worse
#: (docs/smoothing_measured.md).
LEAST, MOST = 0.05, 0.75


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

    With ``"bagging"``, labels are those of the mean of optimal thresholds of bootstrap samples.
    ``n_rows`` is the sample size, by default the effective number of the rows.

    Examples
    --------
    >>> from ordcut.objectives import resolve_objective
    >>> rows = Rows.read([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1])
    >>> smoothed = smooth(rows, resolve_objective("absolute", 2), 0.5).rows
    >>> smoothed.n_rows, (smoothed.weights[:4] / smoothed.weights.sum()).round(3)
    (12, array([0.125, 0.125, 0.125, 0.125]))
    """
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
        optimal_cuts = cut_finder(objective, 2 * float(cells.weights.sum()))
        thresholds = bagged_thresholds(cells, len(rows.classes), optimal_cuts)
        bagged = relabelled(rows, thresholds)
        has_value = not objective.is_kappa or np.count_nonzero(bagged.totals) > 1
        return Smoothed(bagged, "bagging") if has_value else Smoothed(rows, 0.0)
    probabilities = partial_odds_probabilities(cells.scores, cells.counts)
    if isinstance(smoothing, str):
        amount = choose_amount(cells, probabilities, objective)
    else:
        amount = float(smoothing)
    if amount == 0:
        return Smoothed(rows, 0.0)
    return Smoothed(_blend(rows, observed, cells, probabilities, amount), amount)


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
    observed = np.ones(len(given.codes), np.int64) if given.weights is None else given.weights
    total = float(observed.sum())
    modelled = probabilities * (cells.weights * (total / cells.weights.sum()))[:, None]
    parts = min(FINEST, int(EXACT / 8 / total)) if given.is_whole else 0
    is_whole = parts >= COARSEST
    if is_whole:
        observed = observed * max(1, round((1 - amount) * parts))
        modelled = np.rint(amount * parts * modelled).astype(np.int64)
    else:
        observed, modelled = observed * max(1 / FINEST, 1 - amount), amount * modelled
    cell, code = np.nonzero(modelled)
    weights = np.concatenate([observed, modelled[cell, code]])
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
        The weight of each cell and class. Whole weights count repeats of a row; others are scaled
        to the number of rows of equal weight that they are worth (Kish's effective sample size).
    """

    scores: Array
    counts: Floats

    @property
    def weights(self) -> Floats:
        """The weight of each cell."""
        return np.asarray(self.counts.sum(axis=1))

    def joined(self, probabilities: Floats, most: int) -> tuple[ScoreCounts, Floats]:
        """Return cells joined by fours if there are more than ``most``, and mean probabilities.

        Examples
        --------
        >>> counts = np.array([[3.0, 0], [2, 1], [1, 1], [1, 1], [0, 2]])
        >>> cells = ScoreCounts(np.arange(5.0), counts)
        >>> chances = np.array([[0.9, 0.1], [0.6, 0.4], [0.5, 0.5], [0.4, 0.6], [0.1, 0.9]])
        >>> coarse, mean = cells.joined(chances, most=4)
        >>> coarse.scores, coarse.counts.tolist(), mean.round(2).tolist()
        (array([0., 4.]), [[7.0, 3.0], [0.0, 2.0]], [[0.63, 0.37], [0.1, 0.9]])
        """
        if len(self.scores) <= most:
            return self, probabilities
        firsts = np.arange(0, len(self.scores), 4)
        counts = np.add.reduceat(self.counts, firsts)
        sums = np.add.reduceat(probabilities * self.weights[:, None], firsts)
        return ScoreCounts(self.scores[firsts], counts), sums / counts.sum(axis=1, keepdims=True)

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

    def table(self, counts: Floats, cuts: Ints) -> Floats:
        """Return the weight of each class between cuts of the rows that counts of cells make.

        Examples
        --------
        >>> cells = ScoreCounts(np.array([0.1, 0.9]), np.array([[3.0, 1.0], [0.0, 2.0]]))
        >>> cells.table(cells.counts, np.array([2]))
        array([[3., 1.],
               [0., 2.]])
        """
        edges = [0, *(cuts // counts.shape[1]).tolist(), len(counts)]
        return np.array([counts[first:end].sum(axis=0) for first, end in pairwise(edges)])


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
    if not rows.is_whole or rows.codes is None:
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
    if not rows.is_whole or n_rows is not None:
        counts = counts * ((rows.n_effective if n_rows is None else n_rows) / ordered.weight)
    middle_scores = ordered.scores[last_rows[(starts + ends - 1) // 2]]
    return ScoreCounts(middle_scores.astype(rows.scores.dtype, copy=False), counts)


def choose_amount(cells: ScoreCounts, probabilities: Floats, objective: Objective) -> float:
    """Return the amount of smoothing: the gain of plain thresholds by noise over their gain.

    On the data, plain optimal thresholds are never worse than those of the model. If the model is
    right, all of that gain is noise, and data drawn from the model show how much to expect. The
    ratio of the expected to the observed gain is the amount: the largest allowed if the model
    explains everything; towards 0 if it is wrong and rows are many, since the gain from noise
    vanishes then and the rest of the gain does not.
    """
    cells, probabilities = cells.joined(probabilities, MOST_CELLS_TO_DRAW)
    optimal_cuts = cut_finder(objective, float(cells.weights.sum()))
    sign = 1 if objective.is_maximised else -1
    # In whole numbers, for which solvers are fastest; no cell gets the weight 0.
    parts = max(1, min(FINEST, int(EXACT / 8 / cells.weights.sum())))
    modelled = np.rint(parts * probabilities * cells.weights[:, None])
    likeliest = np.arange(len(modelled)), probabilities.argmax(axis=1)
    modelled[likeliest] = np.maximum(modelled[likeliest], 1)
    if objective.is_kappa and np.count_nonzero(modelled.sum(axis=0)) == 1:
        return MOST  # kappa needs two classes: the model leaves nothing to compare
    cuts = optimal_cuts(cells.rows_with(modelled))

    def gain(counts: Floats) -> float:
        """Return by how much the plain optimum beats the cuts of the model."""
        reached = objective.value(cells.table(counts, cuts))
        best = objective.value(cells.table(counts, optimal_cuts(cells.rows_with(counts))))
        return sign * (best - reached)

    gained = gain(cells.counts)
    if gained <= 0:
        return MOST
    random = np.random.default_rng(0)
    # Cells of fractional weight are drawn as the next whole number of rows, and scaled back.
    n_rows = np.maximum(np.ceil(cells.weights - 1e-9), 1).astype(np.int64)
    scale = np.asarray(cells.weights / n_rows)[:, None]
    expected = 0.0
    for _ in range(N_DRAWS):
        drawn = random.multinomial(n_rows, probabilities) * scale
        if np.count_nonzero(drawn.sum(axis=0)) > 1:  # a single class has no kappa, and no gain
            expected += gain(drawn)
    amount = min(MOST, expected / N_DRAWS / gained)
    return amount if amount >= LEAST else 0.0


def cut_finder(objective: Objective, weight: float) -> Callable[[SortedRows], Ints]:
    """Return a function that finds optimal cuts; the solver of a cost is chosen once for all."""
    plan = Plan()
    if objective.is_kappa:
        return lambda rows: solve_freely(rows, objective, None, plan).cuts
    check_costs(objective, weight)
    minimise = Minimiser.choose(objective.exact_cost, plan)
    return minimise.find_cuts
