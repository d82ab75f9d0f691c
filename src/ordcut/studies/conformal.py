"""Runs of classes that contain the true class of new rows with a given probability."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np

from ordcut._core.data import Rows, SortedRows, place_cuts, scores_around
from ordcut._core.numerics.exact import as_fraction
from ordcut._core.thresholds import UNKNOWN, Certificate, Thresholds
from ordcut._core.typing import Array, ArrayLike, Ints
from ordcut._core.views import view


class LabelSets(NamedTuple):
    """The lowest and the highest class of the run of classes for each score.

    Attributes
    ----------
    lowest, highest : Thresholds
        The rule for either end, with everything that a rule has: JSON, SQL, frames, plots.
    """

    lowest: Thresholds
    highest: Thresholds

    def predict(self, scores: ArrayLike) -> Array:
        """Return the lowest and the highest class for each score, (n_samples, 2).

        Examples
        --------
        >>> sets = label_sets([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1], level=0.7)
        >>> sets.predict([0.0, 3.5, 9.0]).tolist()
        [[0, 0], [0, 1], [1, 1]]
        """
        return np.stack([self.lowest.predict(scores), self.highest.predict(scores)], axis=1)

    def _repr_html_(self) -> str:
        cuts = np.unique([*self.lowest.thresholds, *self.highest.thresholds])
        cuts = cuts[np.isfinite(cuts)]
        ends = self.predict(np.append(-np.inf, cuts)).tolist()
        sets = [str(low) if low == high else f"{low} to {high}" for low, high in ends]
        edges = ["", *cuts.tolist(), ""]
        rows = zip(sets, edges[:-1], edges[1:], strict=True)
        promise = self.lowest.certificate.rpartition(" of label sets that ")[2]
        return view("Label sets", ["set", "from", "below"], rows, notes=[f"They {promise}."])


def label_sets(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    level: float = 0.9,
    by_class: bool = True,
    classes: Sequence[Any] | Array | None = None,
    sample_weight: ArrayLike | None = None,
) -> LabelSets:
    """Find for each score the run of classes that contains the true class with a probability.

    The probability is over a new row of the same kind and the rows at hand. It
    holds for any number of rows and any distribution, if the rows did not train the model that
    gives the scores.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Finite scores; higher means a higher class.
    labels : array-like of shape (n_samples,)
        The true classes.
    level : float, default=0.9
        The least probability that the run contains the true class.
    by_class : bool, default=True
        Whether that holds for the rows of each class, by the order statistics of their scores.
        Otherwise it holds for all rows together, by how far the rank of a score is from the ranks
        that belong to its class by the number of rows; a rare class can then be missed more often.
    classes : sequence, optional
        All classes, lowest first. A class without rows is in every run that can contain it.
    sample_weight : array-like of shape (n_samples,), optional
        Whole numbers: a weight of 2 equals the row twice.

    Returns
    -------
    LabelSets
        The thresholds of the lowest and of the highest class.

    Examples
    --------
    >>> scores, labels = [1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 0, 0, 1, 1, 1, 2, 2, 2]
    >>> sets = label_sets(scores, labels, level=0.75)
    >>> sets.lowest.thresholds, sets.highest.thresholds
    (array([3.5, inf]), array([3.5, 6.5]))
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be a number between 0 and 1, such as 0.9, got {level!r}.")
    rows = Rows.read(scores, labels, classes=classes, weights=sample_weight)
    if rows.soft is not None or not rows.counts_rows:
        raise ValueError(
            "labels must be one class per row, and sample_weight whole numbers, which count rows: "
            "the level holds for rows that are drawn one by one."
        )
    ordered, risk = rows.sorted(), 1 - as_fraction(level)
    find = _ends_by_class if by_class else _ends_over_all
    # How many rows are at or below the highest score of each class, and below the lowest.
    upto, below = find(ordered, len(rows.classes), risk)
    # Runs have no gaps: a class is in the run if lower and higher classes are.
    highest = np.minimum.accumulate(below[:0:-1])[::-1]
    lowest = np.maximum(np.maximum.accumulate(upto[:-1]), highest)
    note = f"the {{}} class of label sets that contain the truth with probability {level:g}"
    each = zip((lowest, highest), ("lowest", "highest"), strict=True)
    return LabelSets(*(_thresholds(rows, ordered, cuts, note.format(end)) for cuts, end in each))


def _ends_by_class(ordered: SortedRows, n_classes: int, risk: Fraction) -> tuple[Ints, Ints]:
    """Return the ends of each class by the order statistics of its scores.

    Of n rows, the u largest and the l smallest scores are left out. A new row is beyond them with
    a probability of (u + l) / (n + 1) at most.
    """
    n_rows = len(ordered.scores)
    upto, below = np.full(n_classes, n_rows), np.zeros(n_classes, np.int64)
    for k in range(n_classes):
        own = np.flatnonzero(ordered.codes == k)
        weights = np.ones(len(own), np.int64) if ordered.weights is None else ordered.weights[own]
        heights = np.cumsum(weights)
        total = int(heights[-1]) if len(own) else 0
        n_out = floor(risk * (total + 1))
        # Nothing is below the lowest class or above the highest.
        n_above = n_out if k == 0 else 0 if k == n_classes - 1 else n_out // 2
        n_below = n_out - n_above
        if n_above:
            upto[k] = own[np.searchsorted(heights, total - n_above + 1)] + 1
        if n_below:
            below[k] = own[np.searchsorted(heights, n_below)]
    return _to_whole_ties(ordered, upto, below)


def _ends_over_all(ordered: SortedRows, n_classes: int, risk: Fraction) -> tuple[Ints, Ints]:
    """Return the ends of each class by the distance of ranks from the ranks of the class.

    The classes in their order would take the ranks up to ``upto[k]``. The distance of a row with
    another one added changes by at most 1, which the distance allowed has on top (full conformal
    prediction).
    """
    n_rows = len(ordered.scores)
    weights = np.ones(n_rows, np.int64) if ordered.weights is None else ordered.weights
    heights = np.cumsum(weights)
    totals = np.bincount(ordered.codes, weights, n_classes).astype(np.int64)
    upto = np.cumsum(totals)
    before = upto - totals
    last = np.flatnonzero(ordered.ends)
    index: Ints = np.cumsum(ordered.ends) - ordered.ends
    rank_upto = heights[last][index]
    rank_below = np.append(0, heights[last])[index]
    codes = ordered.codes
    distance = np.maximum(0, np.maximum(rank_below - upto[codes], before[codes] - rank_upto))
    order = np.argsort(distance, kind="stable")
    total = int(heights[-1])
    nth = ceil((1 - risk) * (total + 1))
    if nth > total:
        return np.full(n_classes, n_rows), np.zeros(n_classes, np.int64)
    allowed = int(distance[order][np.searchsorted(np.cumsum(weights[order]), nth)]) + 1
    # At most upto + allowed + 1 rows below a score, and at least before - allowed - 1 up to it.
    first_out = np.searchsorted(heights, upto + allowed + 2) + 1
    first_in = np.searchsorted(heights, np.maximum(before - allowed - 1, 0))
    return _to_whole_ties(ordered, np.minimum(first_out, n_rows), first_in)


def _to_whole_ties(ordered: SortedRows, upto: Ints, below: Ints) -> tuple[Ints, Ints]:
    """Return numbers of rows that split no score: more rows at the top, fewer at the bottom."""
    cuts = np.append(0, np.flatnonzero(ordered.ends) + 1)
    return cuts[np.searchsorted(cuts, upto)], cuts[np.searchsorted(cuts, below, "right") - 1]


def _thresholds(rows: Rows, ordered: SortedRows, cuts: Ints, note: str) -> Thresholds:
    scores = ordered.scores.astype(rows.dtype, copy=False)
    return Thresholds(
        thresholds=place_cuts(scores, cuts),
        classes=rows.classes,
        value=np.nan,
        objective=UNKNOWN,
        method="label_sets",
        proof=Certificate("given", note=note),
        ranges=np.array(scores_around(scores, cuts), dtype=np.float64).T + 0.0,
    )
