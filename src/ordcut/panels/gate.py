"""Decisions about a judge: whether it agrees well enough, and whether it has changed."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from scipy.special import stdtrit

from ordcut._core.objectives import ObjectiveLike
from ordcut._core.optimal import optimal_thresholds
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, Floats
from ordcut.panels.agreement import Agreement
from ordcut.panels.panel import Panel

#: The levels of the intervals of the change of agreement and of bias. Together they raise a false
#: alarm in about 5 % of months: agreement, which counts only if it falls, in 0.75 %.
LEVEL_OF_AGREEMENT, LEVEL_OF_BIAS = 0.985, 0.955

#: The number of parts of which each is left out in turn, to see how good fitted thresholds are.
N_FOLDS = 10

#: Months are compared item by item if at least this many items are in both.
FEWEST_REPEATED = 20


@dataclass(frozen=True)
class Verdict:
    """Whether agreement reaches a target.

    Attributes
    ----------
    outcome : {"reached", "missed", "undecided"}
        Whether the interval is beyond the target, short of it, or around it.
    n_needed : int, optional
        About how many items would decide it, if the value stayed the same.
    """

    outcome: str
    n_needed: int | None = None


def verdict(agreement: Agreement, target: float, level: float = 0.95) -> Verdict:
    """Compare the interval of an agreement with a target.

    Examples
    --------
    >>> panel = Panel([[1, 1], [2, 2], [3, 2], [3, 3], [1, 2], [2, 2], [3, 3], [1, 1]])
    >>> verdict(panel.agreement(), 0.05).outcome, verdict(panel.agreement(), 0.99).outcome
    ('reached', 'missed')
    >>> verdict(panel.agreement(), 0.7)
    Verdict(outcome='undecided', n_needed=105)
    """
    low, high = agreement.interval(level)
    above, below = ("reached", "missed") if agreement.is_maximised else ("missed", "reached")
    if low > target or high < target:
        return Verdict(above if low > target else below)
    end = high if target > agreement.value else low
    value, end, goal = (
        _on_scale(x, agreement.is_maximised) for x in (agreement.value, end, target)
    )
    if value == goal:
        return Verdict("undecided")
    return Verdict("undecided", ceil(agreement.n_items * ((end - value) / (goal - value)) ** 2))


def _on_scale(value: float, is_maximised: bool) -> float:
    """Return a kappa on Fisher's scale, and a loss as it is."""
    return float(np.arctanh(np.clip(value, -1 + 1e-9, 1 - 1e-9))) if is_maximised else value


@dataclass(frozen=True)
class Change:
    """A change between two months, and the interval around it, of a level."""

    value: float
    low: float
    high: float
    level: float
    is_paired: bool

    @property
    def ends(self) -> tuple[float, float, float]:
        """The change and the ends of its interval."""
        return self.value, self.low, self.high


@dataclass(frozen=True, eq=False)
class Month:
    """The ratings of a month, and the labels that a judge gave."""

    panel: Panel
    labels: Array

    def biases(self) -> Floats:
        """Return the label of each item minus its mean rating."""
        classes = self.panel.classes
        values = classes if classes.dtype.kind in "iuf" else np.arange(len(classes))
        codes = {name: i for i, name in enumerate(classes.tolist())}
        given = values[[codes[label] for label in np.asarray(self.labels).tolist()]]
        return np.asarray(given - self.panel.mean_ratings, dtype=np.float64)


def repeated(now: Month, before: Month) -> tuple[Array, Array] | None:
    """Return the positions of the items of both months, or None if these are few."""
    is_named = now.panel.items.dtype == object and before.panel.items.dtype == object
    if not is_named:
        return None
    _, first, second = np.intersect1d(
        now.panel.items.astype(str), before.panel.items.astype(str), return_indices=True
    )
    return None if len(first) < FEWEST_REPEATED else (first, second)


def change_of_agreement(
    now: Month, before: Month, objective: ObjectiveLike, optimism: float = 0.0
) -> Change:
    """Return by how much agreement has changed, item by item where items repeat.

    ``optimism`` is how much too good the value before is, if thresholds were fitted there.
    """
    pairs = repeated(now, before)
    if pairs is not None:
        now = Month(now.panel.take(pairs[0]), now.labels[pairs[0]])
        before = Month(before.panel.take(pairs[1]), before.labels[pairs[1]])
    ours = now.panel.agreement_with(now.labels, objective)
    theirs = before.panel.agreement_with(before.labels, objective)
    value = ours.value - theirs.value + optimism
    if pairs is not None:
        shift, _, high = ours.difference(theirs, LEVEL_OF_AGREEMENT)
        width = high - shift
    else:
        degrees = min(ours.n_items, theirs.n_items) - 1
        error = np.hypot(ours.standard_error, theirs.standard_error)
        width = float(stdtrit(degrees, (1 + LEVEL_OF_AGREEMENT) / 2) * error)
    return Change(value, value - width, value + width, LEVEL_OF_AGREEMENT, pairs is not None)


def change_of_bias(now: Month, before: Month) -> Change:
    """Return by how much labels have moved against mean ratings, item by item where items repeat.

    Examples
    --------
    >>> people = Panel([[1, 2], [2, 2], [3, 3]] * 10)
    >>> before = Month(people, np.array([1, 2, 3] * 10))
    >>> now = Month(people, np.array([2, 3, 3] * 10))
    >>> round(change_of_bias(now, before).value, 3)
    0.667
    """
    ours, theirs = now.biases(), before.biases()
    pairs = repeated(now, before)
    if pairs is not None:
        moved = ours[pairs[0]] - theirs[pairs[1]]
        moved = moved[np.isfinite(moved)]
        value, degrees = moved.mean(), len(moved) - 1
        error = moved.std(ddof=1) / np.sqrt(len(moved))
    else:
        ours, theirs = ours[np.isfinite(ours)], theirs[np.isfinite(theirs)]
        value = ours.mean() - theirs.mean()
        squares = [part.var(ddof=1) / len(part) for part in (ours, theirs)]
        error, degrees = np.sqrt(sum(squares)), min(len(ours), len(theirs)) - 1
    width, value = float(stdtrit(degrees, (1 + LEVEL_OF_BIAS) / 2) * error), float(value)
    return Change(value, value - width, value + width, LEVEL_OF_BIAS, pairs is not None)


def optimism(
    thresholds: Thresholds, scores: Floats, panel: Panel, objective: ObjectiveLike
) -> float:
    """Return how much too good agreement is on items that thresholds were fitted on.

    It is 0 if these items lead to other thresholds. Otherwise each tenth of the items gets the
    labels of thresholds that the others lead to.

    Examples
    --------
    >>> panel, scores = Panel([[1, 2], [2, 1], [1, 1], [2, 2]] * 5), np.arange(20.0)
    >>> fitted = optimal_thresholds(scores, panel, objective="kappa")
    >>> optimism(fitted, scores, panel, "kappa") > 0
    True
    """
    smoothing = thresholds.proof.smoothing or 0.0

    def fit(kept: Array) -> Thresholds:
        return optimal_thresholds(
            scores[kept],
            panel.take(kept),
            objective=objective,
            classes=thresholds.classes,
            smoothing=smoothing,
        )

    if not np.array_equal(fit(np.arange(len(scores))).thresholds, thresholds.thresholds):
        return 0.0
    labels = thresholds.predict(scores)
    fold = np.random.default_rng(0).permutation(len(scores)) % min(N_FOLDS, len(scores))
    held_out = labels.copy()
    for k in range(int(fold.max()) + 1):
        held_out[fold == k] = fit(fold != k).predict(scores[fold == k])
    fitted, honest = (panel.agreement_with(each, objective).value for each in (labels, held_out))
    return float(fitted - honest)
