"""What a gate says about two batches: whether a value reaches a target, and what has changed."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from scipy.special import stdtrit

from ordcut._core.errors import InfeasibleConstraintsError
from ordcut._core.limits import read_constraints
from ordcut._core.objectives import Objective
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Ints
from ordcut._core.uncertainty import Estimate
from ordcut.studies.batch import Decided

#: The levels of the intervals of the change of the value and of bias. Together they raise a false
#: alarm in about 5 % of months: the value, which counts only if it gets worse, in 0.75 %.
LEVEL_OF_VALUE, LEVEL_OF_BIAS = 0.985, 0.955

#: The number of parts of which each is left out in turn, to see how good fitted thresholds are.
N_FOLDS = 10

#: Rows are compared one by one if at least this many are in both batches.
FEWEST_REPEATED = 20


@dataclass(frozen=True)
class Verdict:
    """Whether a value reaches a target.

    Attributes
    ----------
    outcome : {"reached", "missed", "undecided"}
        Whether the interval is beyond the target, short of it, or around it.
    n_needed : int, optional
        About how many rows, items or groups would decide it, if the value stayed the same.
    """

    outcome: str
    n_needed: int | None = None


def verdict(estimate: Estimate, target: float, level: float = 0.95) -> Verdict:
    """Compare the interval of a value with a target.

    Examples
    --------
    >>> from ordcut import Panel
    >>> panel = Panel([[1, 1], [2, 2], [3, 2], [3, 3], [1, 2], [2, 2], [3, 3], [1, 1]])
    >>> verdict(panel.agreement(), 0.05).outcome, verdict(panel.agreement(), 0.99).outcome
    ('reached', 'missed')
    >>> verdict(panel.agreement(), 0.7)
    Verdict(outcome='undecided', n_needed=105)
    """
    low, high = estimate.interval(level)
    above, below = ("reached", "missed") if estimate.is_maximised else ("missed", "reached")
    if low > target or high < target:
        return Verdict(above if low > target else below)
    end = high if target > estimate.value else low
    value, end, goal = (_on_scale(x, estimate.is_kappa) for x in (estimate.value, end, target))
    if value == goal:
        return Verdict("undecided")
    return Verdict("undecided", ceil(estimate.n_units * ((end - value) / (goal - value)) ** 2))


def _on_scale(value: float, is_kappa: bool) -> float:
    """Return a kappa on Fisher's scale, and any other value as it is."""
    return float(np.arctanh(np.clip(value, -1 + 1e-9, 1 - 1e-9))) if is_kappa else value


@dataclass(frozen=True)
class Change:
    """A change of a value between two batches of rows, with an interval.

    Attributes
    ----------
    value : float
        The value now minus the value before.
    low, high : float
        The ends of the interval.
    level : float
        The level of the interval.
    is_paired : bool
        Whether the same rows were compared one by one.
    """

    value: float
    low: float
    high: float
    level: float
    is_paired: bool

    @classmethod
    def of(
        cls,
        now: Estimate,
        before: Estimate,
        level: float = 0.95,
        *,
        is_paired: bool = False,
        optimism: float = 0.0,
    ) -> Change:
        """Compare two values, on the same rows if ``is_paired``.

        Parameters
        ----------
        now, before : Estimate
            The two values.
        level : float, default=0.95
            The level of the interval.
        is_paired : bool, default=False
            Whether both are for the same rows, in the same order.
        optimism : float, default=0.0
            How much too good the value before is, if thresholds were fitted there.

        Examples
        --------
        >>> import ordcut
        >>> labels = [0, 1, 2] * 20
        >>> now, before = (ordcut.evaluate(labels, each * 20, "accuracy", intervals=True)
        ...                for each in ([0, 1, 2], [0, 0, 2]))
        >>> change = Change.of(now, before, is_paired=True)
        >>> round(change.value, 3), change.is_significant
        (0.333, True)
        """
        value = now.value - before.value + optimism
        if is_paired:
            shift, _, high = now.difference(before, level)
            width = high - shift
        else:
            degrees = min(now.n_units, before.n_units) - 1
            error = np.hypot(now.standard_error, before.standard_error)
            width = float(stdtrit(degrees, (1 + level) / 2) * error)
        return cls(value, value - width, value + width, level, is_paired)

    @property
    def is_significant(self) -> bool:
        """Whether the interval is on one side of 0."""
        return self.low > 0 or self.high < 0

    def has_worsened(self, is_maximised: bool) -> bool:
        """Return whether the value is significantly worse than before."""
        return self.high < 0 if is_maximised else self.low > 0

    def __str__(self) -> str:
        return f"{with_ends(self.value, self.low, self.high)} ({100 * self.level:g} %)"


def change_since(
    now: Decided, before: Decided, objective: Objective, optimism: float = 0.0
) -> tuple[Change, Change | None]:
    """Return by how much the value and the bias have changed, row by row where rows repeat.

    ``optimism`` is how much too good the value before is, if thresholds were fitted there.
    """
    pairs = repeated(now, before)
    if pairs is not None:
        now, before = now.take(pairs[0]), before.take(pairs[1])
    value = Change.of(
        now.estimate(objective),
        before.estimate(objective),
        LEVEL_OF_VALUE,
        is_paired=pairs is not None,
        optimism=optimism,
    )
    ours, theirs = now.biases(), before.biases()
    if ours is None or theirs is None:
        return value, None
    if pairs is not None:
        is_known = np.flatnonzero(np.isfinite(ours) & np.isfinite(theirs))
        now, before = now.take(is_known), before.take(is_known)
    bias, then = now.bias(), before.bias()
    assert bias is not None
    assert then is not None
    return value, Change.of(bias, then, LEVEL_OF_BIAS, is_paired=pairs is not None)


def repeated(now: Decided, before: Decided) -> tuple[Ints, Ints] | None:
    """Return the positions of the rows of both batches, or None if these are few."""
    if now.names is None or before.names is None:
        return None
    _, first, second = np.intersect1d(
        now.names.astype(str), before.names.astype(str), return_indices=True
    )
    return None if len(first) < FEWEST_REPEATED else (first, second)


def optimism_of(thresholds: Thresholds, rows: Decided, objective: Objective) -> float:
    """Return how much too good the value is on rows that thresholds were fitted on.

    Each tenth of the rows, or groups, gets the labels of thresholds that the others lead to. It is
    0 if all of these rows lead to other thresholds, and taken as 0 for limits of groups, and for
    limits that parts of the rows cannot keep.

    Examples
    --------
    >>> from ordcut import Panel, optimal_thresholds, resolve_objective
    >>> from ordcut.studies.batch import decide
    >>> panel, scores = Panel([[1, 2], [2, 1], [1, 1], [2, 2]] * 5), np.arange(20.0)
    >>> fitted = optimal_thresholds(scores, panel, objective="kappa")
    >>> goal = resolve_objective("kappa", panel.classes)
    >>> optimism_of(fitted, decide(fitted, (scores, panel)), goal) > 0
    True
    """
    limits = read_constraints([outcome.limit for outcome in thresholds.constraints])
    if any(limit.group is not None for limit in limits):
        return 0.0
    n, held_out = len(rows.scores), thresholds.codes(rows.scores)
    fitted = rows.redecided(held_out.copy())
    units = np.arange(n) if rows.groups is None else rows.groups
    n_units = int(units.max()) + 1
    fold = (np.random.default_rng(0).permutation(n_units) % min(N_FOLDS, n_units))[units]
    try:
        refitted = rows.refitted(thresholds, objective)
        if not np.array_equal(refitted.thresholds, thresholds.thresholds):
            return 0.0
        for k in range(int(fold.max()) + 1):
            others = rows.take(np.flatnonzero(fold != k)).refitted(thresholds, objective)
            held_out[fold == k] = others.codes(rows.scores[fold == k])
    except InfeasibleConstraintsError:
        return 0.0
    honest = rows.redecided(held_out)
    return fitted.estimate(objective).value - honest.estimate(objective).value


def with_ends(value: float, low: float, high: float) -> str:
    """Return a value with the ends of its interval, as text.

    Examples
    --------
    >>> with_ends(0.5, 0.4, 0.6)
    '0.500 [0.400, 0.600]'
    """
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"
