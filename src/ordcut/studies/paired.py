"""Labelings of the same rows: their values, and how much each row adds to the value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from ordcut._core.data import ClassWeight, Rows, count_confusion
from ordcut._core.objectives import Objective
from ordcut._core.table import ScoreTable
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, ArrayLike, Floats


@dataclass(frozen=True, eq=False)
class Judgement:
    """The value of a labeling of rows, and the influence of the rows on it.

    Attributes
    ----------
    value : float
        The loss, the kappa or another score.
    gain : float
        The value so that higher is better.
    influence : ndarray of shape (n,)
        What a unit of the weight of each row adds to the gain, times the weight of all rows: the
        infinitesimal jackknife.
    """

    value: float
    gain: float
    influence: Floats

    @classmethod
    def of(cls, objective: Objective, codes: Array, rows: Rows) -> Judgement:
        """Judge the positions of decisions on rows.

        Examples
        --------
        >>> import ordcut
        >>> rows = Rows.read([1, 2, 3, 4], [0, 1, 1, 1])
        >>> absolute = ordcut.resolve_objective("absolute", 2)
        >>> Judgement.of(absolute, np.array([0, 0, 1, 1]), rows).influence.round(9)
        array([ 0.25, -0.75,  0.25,  0.25])
        """
        table = count_confusion(
            codes,
            len(rows.classes),
            codes=rows.codes,
            soft=rows.soft,
            weights=rows.weights,
            n_predicted=objective.n_decisions,
        ).astype(np.float64)
        sign = 1.0 if objective.is_maximised else -1.0
        gain, weight = sign * objective.value(table), float(table.sum())
        row = weight / rows.n_rows
        slopes = np.zeros_like(table)
        for entry in zip(*np.nonzero(table), strict=True):
            added = table.copy()
            added[entry] += row
            slopes[entry] = (sign * objective.value(added) - gain) * (weight + row) / row
        if rows.soft is None:
            influence = slopes[codes, rows.codes]
        else:
            influence = (slopes[codes] * rows.soft).sum(axis=1)
        return cls(sign * gain, gain, influence)


def standard_error(rows: Rows, difference: Floats, *others: Floats) -> float:
    """Return the standard error of a difference of gains, given the differences of influences.

    Errors of others are added, as for independent sums. Two rows of the largest influence and
    of a typical weight, one for and one against, are added to the first, so that few rows that
    differ do not look certain.

    Examples
    --------
    >>> rows = Rows.read([1, 2, 3, 4], [0, 1, 1, 1])
    >>> standard_error(rows, np.array([1.0, -1.0, 0.0, 0.0]))
    0.5
    """
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights.astype(np.float64)
    total = weights.sum() if rows.soft is None else (weights * rows.soft.sum(axis=1)).sum()
    counts, typical = weights, 1.0
    if not rows.has_repeats:
        counts = weights**2
        typical = float(counts.sum() / weights.sum())
    variance = sum(float((counts * np.square(each)).sum()) for each in (difference, *others))
    largest = typical * float(np.abs(difference).max())
    return float(np.sqrt(variance + 2 * largest**2) / total)


def interval_around(
    gain: float, error: float, n_rows: float, level: float = 0.95
) -> tuple[float, float]:
    """Return the interval of Student's distribution around a difference of gains."""
    width = float(stdtrit(max(1.0, n_rows - 1), (1 + level) / 2)) * error
    return gain - width, gain + width


def read_rows(
    thresholds: Thresholds,
    scores: ArrayLike | ScoreTable,
    labels: ArrayLike | None,
    sample_weight: ArrayLike | None,
    function: str,
) -> Rows:
    """Return rows with the classes of thresholds, from arrays or from a table of counts."""
    if not isinstance(scores, ScoreTable):
        if labels is None:
            raise TypeError(
                f"labels must be given with scores. Pass {function}(..., scores, labels), or a "
                "ScoreTable, which holds both."
            )
        return Rows.read(scores, labels, classes=thresholds.classes, weights=sample_weight)
    if labels is not None or sample_weight is not None:
        raise TypeError("labels and sample_weight must be left out: the ScoreTable holds them.")
    if scores.classes.tolist() != thresholds.classes.tolist():
        raise ValueError(
            f"the ScoreTable must have the classes of the thresholds, {thresholds.classes.tolist()}"
            f", got {scores.classes.tolist()}. Make it with classes=thresholds.classes."
        )
    return scores.rows


def count_rows(rows: Rows) -> int:
    """Return the number of rows, where repeats count as often as they occur."""
    return round(rows.n_effective) if rows.has_repeats else rows.n_rows


def weighted_as_found(
    objective: Objective, thresholds: Thresholds, class_weight: ClassWeight | None
) -> Objective:
    """Return an objective with class weights, by default those in the record of thresholds."""
    if objective.class_weight is not None:
        return objective
    record, shares = thresholds.record, None
    if class_weight is None and record is not None:
        known, shares = record.class_weight, record.class_shares
        class_weight = known if known is None or isinstance(known, str) else list(known)
    return objective.weighted(class_weight, thresholds.classes, shares)


def check_thresholds(**given: object) -> None:
    """Raise an error unless arguments are thresholds."""
    for name, value in given.items():
        if not isinstance(value, Thresholds):
            raise TypeError(
                f"{name} must be a Thresholds, got {type(value).__name__}. Read a file with "
                "ordcut.Thresholds.from_json(pathlib.Path(name))."
            )
