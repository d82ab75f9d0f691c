"""A gate for thresholds: whether they reach a target on new rows, and have not changed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, TypeAlias

import numpy as np
from scipy.special import stdtrit

from ordcut._core.data import (
    ClassWeight,
    Groups,
    Labels,
    WeightType,
    as_scores,
    check_aligned,
    check_finite,
    encode,
)
from ordcut._core.objectives import Objective, ObjectiveLike, as_shown
from ordcut._core.optimal import optimal_thresholds
from ordcut._core.thresholds import Thresholds, objective_for
from ordcut._core.typing import Array, ArrayLike, Floats, Ints
from ordcut._core.uncertainty import Estimate
from ordcut.panels import Agreement, Panel
from ordcut.studies.metrics import DecidedRows

#: Exit codes: the value is too low, the interval is around the target, the value has changed.
EXIT_CODES = {"passed": 0, "missed": 3, "undecided": 4, "changed": 5}

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
        return f"{_numbers(self.value, self.low, self.high)} ({100 * self.level:g} %)"


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows with scores and labels, such as those of a month.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Finite scores.
    labels : array-like of shape (n_samples,) or (n_samples, n_classes), or Panel
        The true classes, soft labels, or the ratings of several people.
    items : array-like of shape (n_samples,), optional
        The names of the rows, by which rows in two batches are recognised as the same; by default
        those of a panel.
    groups : array-like of shape (n_samples,), optional
        The group of each row: rows of a group depend on each other, and intervals are over groups.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts. Items of a panel count once each.
    weight_type : {"repeats", "importance"}, optional
        What weights are.

    Examples
    --------
    >>> may = Batch([0.1, 0.4, 0.8], [0, 0, 1], items=["a", "b", "c"])
    >>> len(may.scores)
    3
    """

    scores: ArrayLike
    labels: Any
    items: ArrayLike | None = None
    groups: ArrayLike | None = None
    sample_weight: ArrayLike | None = None
    weight_type: WeightType | None = None


BatchLike: TypeAlias = Batch | tuple[ArrayLike, Any]


class Decided(ABC):
    """Rows or items with the decisions of thresholds: what a gate compares.

    Attributes
    ----------
    truth_name : str
        What bias compares labels with.
    """

    scores: Floats
    names: Array | None
    truth_name: str

    @abstractmethod
    def estimate(self, objective: Objective) -> Estimate:
        """Return the value of the decisions."""

    @abstractmethod
    def biases(self) -> Floats | None:
        """Return the label minus the true class of each row; None for decisions of other kinds."""

    @abstractmethod
    def take(self, rows: Array) -> Decided:
        """Return some of the rows."""

    @abstractmethod
    def redecided(self, codes: Ints) -> Decided:
        """Return the same rows with other decisions."""

    @abstractmethod
    def fit(self, rows: Array, thresholds: Thresholds, objective: Objective) -> Thresholds:
        """Return the optimal thresholds of some of the rows, found as given thresholds were."""

    groups: Ints | None

    def bias(self) -> Estimate | None:
        """Return the mean label minus the true class."""
        biases = self.biases()
        if biases is None:
            return None
        counts = np.isfinite(biases)
        value, n = float(biases[counts].mean()), int(counts.sum())
        left_out = np.where(counts, value - (biases - value) / (n - 1), value)
        return Estimate(value, "bias", left_out, counts, False, groups=self.groups)


@dataclass(frozen=True, eq=False)
class RowsOfBatch(Decided):
    """Rows with a true class each, or soft labels, and a decision."""

    scores: Floats
    rows: DecidedRows
    decisions: Array
    names: Array | None

    truth_name = "true class"

    @property
    def groups(self) -> Ints | None:  # type: ignore[override]
        """The group of each row."""
        return self.rows.groups

    def estimate(self, objective: Objective) -> Estimate:
        """Return the value of the decisions."""
        return self.rows.estimate(objective)

    def biases(self) -> Floats | None:
        """Return the value of each decision minus that of the true class."""
        classes, truth = self.rows.truth.classes, self.rows.truth
        if self.decisions.tolist() != classes.tolist():
            return None
        values = np.asarray(classes if classes.dtype.kind in "iuf" else np.arange(len(classes)))
        if truth.soft is None:
            true = values[truth.codes]
        else:
            with np.errstate(invalid="ignore"):
                true = truth.soft @ values / truth.soft.sum(axis=1)
        return np.asarray(values[self.rows.decided] - true, np.float64)

    def take(self, rows: Array) -> RowsOfBatch:
        """Return some of the rows."""
        names = None if self.names is None else self.names[rows]
        return replace(self, scores=self.scores[rows], rows=self.rows.take(rows), names=names)

    def redecided(self, codes: Ints) -> RowsOfBatch:
        """Return the same rows with other decisions."""
        return replace(self, rows=replace(self.rows, decided=codes))

    def fit(self, rows: Array, thresholds: Thresholds, objective: Objective) -> Thresholds:
        """Return the optimal thresholds of some of the rows, found as given thresholds were."""
        part = self.rows.take(rows)
        labels = part.truth.soft
        if labels is None:
            labels = part.truth.classes[part.truth.codes]
        return optimal_thresholds(
            self.scores[rows],
            labels,
            objective=objective.optimised,
            classes=part.truth.classes,
            smoothing=thresholds.proof.smoothing or 0.0,
            sample_weight=part.weights,
            weight_type=part.weight_type,
        )


@dataclass(frozen=True, eq=False)
class ItemsOfBatch(Decided):
    """Items with ratings by people, and the label of each."""

    scores: Floats
    panel: Panel
    codes: Ints
    groups: Ints | None

    truth_name = "mean rating"

    @property
    def names(self) -> Array | None:  # type: ignore[override]
        """The names of the items."""
        return self.panel.row_names

    @property
    def labels(self) -> Array:
        """The label of each item."""
        return np.asarray(self.panel.classes[self.codes])

    def estimate(self, objective: Objective) -> Agreement:
        """Return how well labels agree with people."""
        return self.panel.agreement_with(self.labels, objective, groups=self.groups)

    def people(self, objective: Objective) -> Agreement | None:
        """Return how well people agree with each other; None where too few items have ratings."""
        if int((self.panel.n_ratings > 1).sum()) < 2:
            return None
        return self.panel.agreement(objective, groups=self.groups)

    def biases(self) -> Floats:
        """Return the label of each item minus its mean rating."""
        classes = self.panel.classes
        values = classes if classes.dtype.kind in "iuf" else np.arange(len(classes))
        return np.asarray(values[self.codes] - self.panel.mean_ratings, dtype=np.float64)

    def take(self, rows: Array) -> ItemsOfBatch:
        """Return some of the items."""
        groups = None if self.groups is None else self.groups[rows]
        return ItemsOfBatch(self.scores[rows], self.panel.take(rows), self.codes[rows], groups)

    def redecided(self, codes: Ints) -> ItemsOfBatch:
        """Return the same items with other labels."""
        return replace(self, codes=codes)

    def fit(self, rows: Array, thresholds: Thresholds, objective: Objective) -> Thresholds:
        """Return the optimal thresholds of some of the items, found as given thresholds were."""
        return optimal_thresholds(
            self.scores[rows],
            self.panel.take(rows),
            objective=objective.optimised,
            classes=self.panel.classes,
            smoothing=thresholds.proof.smoothing or 0.0,
        )


def decide(thresholds: Thresholds, batch: BatchLike) -> Decided:
    """Return the rows of a batch, checked, with the decisions of thresholds.

    Examples
    --------
    >>> result = optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1])
    >>> decide(result, ([1, 3, 2], [0, 1, 1])).bias().value
    -0.3333333333333333
    """
    batch = batch if isinstance(batch, Batch) else Batch(*batch)
    check_aligned(
        scores=batch.scores,
        labels=batch.labels,
        sample_weight=batch.sample_weight,
        groups=batch.groups,
    )
    scores = as_scores(batch.scores)
    check_finite(scores)
    if len(scores) < 2:
        raise ValueError(f"scores must hold at least two rows for an interval, got {len(scores)}.")
    if isinstance(batch.labels, Panel):
        if thresholds.decides_otherwise:
            raise ValueError(
                "people rate classes, and these thresholds decide otherwise: agreement with a "
                "Panel needs thresholds that predict classes, without review= and decisions=."
            )
        if batch.sample_weight is not None:
            raise ValueError("sample_weight must be None for a Panel, whose items count once each.")
        panel = batch.labels.with_classes(thresholds.classes)
        names = panel.items if batch.items is None else batch.items
        panel = panel if batch.items is None else panel.named(names)
        _check_length(scores, len(panel))
        groups = Groups.codes_of(batch.groups, scores)
        return ItemsOfBatch(scores, panel, thresholds.codes(scores), groups)
    truth = encode(batch.labels, thresholds.classes)
    _check_length(scores, _n_labels(truth))
    rows = DecidedRows.read(
        truth, thresholds.codes(scores), batch.sample_weight, batch.weight_type, batch.groups
    )
    items = None if batch.items is None else np.asarray(batch.items)
    if items is not None and items.shape != scores.shape:
        raise ValueError(
            f"items must hold a name for each of the {len(scores)} rows, got shape {items.shape}."
        )
    return RowsOfBatch(scores, rows, thresholds.decisions, items)


def _n_labels(truth: Labels) -> int:
    each = truth.codes if truth.soft is None else truth.soft
    assert each is not None
    return len(each)


def _check_length(scores: Floats, n_labels: int) -> None:
    if len(scores) != n_labels:
        raise ValueError(
            "scores and labels must have the same length, "
            f"got {len(scores)} scores and {n_labels} labels."
        )


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

    It is 0 if these rows lead to other thresholds. Otherwise each tenth of the rows, or groups,
    gets the labels of thresholds that the others lead to.

    Examples
    --------
    >>> panel, scores = Panel([[1, 2], [2, 1], [1, 1], [2, 2]] * 5), np.arange(20.0)
    >>> fitted = optimal_thresholds(scores, panel, objective="kappa")
    >>> goal = objective_for(fitted, "kappa", panel.classes)
    >>> optimism_of(fitted, decide(fitted, (scores, panel)), goal) > 0
    True
    """
    if thresholds.decides_otherwise:
        return 0.0
    n = len(rows.scores)
    refitted = rows.fit(np.arange(n), thresholds, objective)
    if not np.array_equal(refitted.thresholds, thresholds.thresholds):
        return 0.0
    units = np.arange(n) if rows.groups is None else rows.groups
    n_units = int(units.max()) + 1
    fold = (np.random.default_rng(0).permutation(n_units) % min(N_FOLDS, n_units))[units]
    held_out = thresholds.codes(rows.scores)
    fitted = rows.redecided(held_out.copy())
    for k in range(int(fold.max()) + 1):
        others = rows.fit(np.flatnonzero(fold != k), thresholds, objective)
        held_out[fold == k] = others.codes(rows.scores[fold == k])
    honest = rows.redecided(held_out)
    return fitted.estimate(objective).value - honest.estimate(objective).value


@dataclass(frozen=True, eq=False, repr=False)
class Gate:
    """What rows say about thresholds, and what follows from it.

    Attributes
    ----------
    estimate : Estimate
        The value of the labels of the thresholds, with its interval: agreement with people, where
        labels are those of several people.
    people : Agreement or None
        The agreement of people with each other, where labels are those of several people.
    target : float or None
        The value to reach.
    verdict : Verdict or None
        Whether the target is reached, missed, or neither is certain.
    fail_under : float or None
        The value below which the gate fails, whatever the interval.
    changes : dict of str to tuple
        For each earlier batch, the :class:`ordcut.Change` of the value and of bias: the mean label
        minus the true class, or the mean rating. None for bias where decisions are not classes.
    outcome : {"passed", "missed", "changed", "undecided"}
        The first that applies of missed, changed and undecided; otherwise passed.
    exit_code : int
        The exit code of ``ordcut evaluate``: 0 passed, 3 missed, 4 undecided, 5 changed.

    Examples
    --------
    >>> import ordcut
    >>> labels = [0, 0, 0, 1, 1, 1] * 20
    >>> scores = [0.1, 0.2, 0.6, 0.5, 0.8, 0.9] * 20
    >>> result = ordcut.Thresholds.from_values([0.55], classes=[0, 1])
    >>> check = ordcut.gate(result, scores, labels, objective="accuracy", target=0.5)
    >>> check.outcome, check.exit_code
    ('passed', 0)
    """

    estimate: Estimate
    people: Agreement | None
    target: float | None
    verdict: Verdict | None
    fail_under: float | None
    changes: dict[str, tuple[Change, Change | None]]
    truth_name: str

    @property
    def has_failed(self) -> bool:
        """Whether the value is worse than ``fail_under``."""
        if self.fail_under is None:
            return False
        sign = 1 if self.estimate.is_maximised else -1
        return sign * self.estimate.value < sign * self.fail_under

    @property
    def outcome(self) -> str:
        """What follows: the first of missed, changed and undecided, or passed."""
        reached = None if self.verdict is None else self.verdict.outcome
        if self.has_failed or reached == "missed":
            return "missed"
        if any(self._has_changed(*pair) for pair in self.changes.values()):
            return "changed"
        return "undecided" if reached == "undecided" else "passed"

    @property
    def exit_code(self) -> int:
        """The exit code of ``ordcut evaluate``."""
        return EXIT_CODES[self.outcome]

    def _has_changed(self, value: Change, bias: Change | None) -> bool:
        has_moved = bias is not None and bias.is_significant
        return value.has_worsened(self.estimate.is_maximised) or has_moved

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        content: dict[str, Any] = {
            "objective": self.estimate.objective,
            **_values(self.estimate),
        }
        if self.people is not None:
            content["people"] = _values(self.people)
            content["difference"] = list(self._difference(self.people))
            if self.people.is_maximised:
                content["attainable"] = self.people.attainable
        if self.verdict is not None:
            content["target"] = {"value": self.target, **vars(self.verdict)}
        if self.fail_under is not None:
            content["fail_under"] = {"value": self.fail_under, "has_failed": self.has_failed}
        if self.changes:
            content["against"] = {
                name: {"value": vars(value), "bias": bias and vars(bias)}
                for name, (value, bias) in self.changes.items()
            }
        return content | {"outcome": self.outcome, "exit_code": self.exit_code}

    def _difference(self, people: Agreement) -> tuple[float, float, float]:
        return self.estimate.difference(people)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    __repr__ = __str__

    def _lines(self) -> list[str]:
        estimate, has_people = self.estimate, isinstance(self.estimate, Agreement)
        name, noun = estimate.objective, estimate.noun
        units = noun if estimate.groups is None else "groups"
        whom = " with people" if has_people else ""
        lines = [f"these thresholds{whom}: {_interval(estimate)}"]
        if self.people is not None:
            lines.append(f"people with people: {_interval(self.people)}")
            more = ""
            if self.people.is_maximised:
                ends = np.sqrt(np.maximum(self.people.interval(), 0.0))
                attainable = _numbers(self.people.attainable, *ends)
                more = f"; a judge without noise would reach about {attainable}"
            lines.append(f"difference: {_numbers(*self._difference(self.people))}{more}")
        these = ", for these raters" if has_people else ""
        lines.append(f"Intervals (95 %) are over {units}{these}.")
        if has_people and estimate.is_kappa:
            lines.append(
                "Chance is agreement with other raters of other items here, and over all ratings "
                "in a table of confusion, so that the kappas differ."
            )
        if self.fail_under is not None:
            state = "failed" if self.has_failed else "passed"
            lines.append(f"fail under {self.fail_under:g}: {state}")
        if self.verdict is not None:
            n = self.verdict.n_needed
            needed = "" if n is None else f"; about {n:,} {units} decide"
            lines.append(f"target {self.target:g}: {self.verdict.outcome}{needed}")
        what = "agreement" if has_people and estimate.is_kappa else name
        for before, (value, bias) in self.changes.items():
            state = "neither significantly better nor worse"
            if value.is_significant:
                is_worse = value.has_worsened(estimate.is_maximised)
                state = f"significantly {'worse' if is_worse else 'better'}"
            how = f"the same {noun}" if value.is_paired else f"other {noun}"
            lines += [f"against {before} ({how}):", f"  {what} is {state}: {value}"]
            if bias is not None:
                moved = (
                    "has changed significantly"
                    if bias.is_significant
                    else "shows no significant change"
                )
                lines.append(f"  bias, label minus {self.truth_name}, {moved}: {bias}")
        return lines


def gate(
    thresholds: Thresholds,
    scores: ArrayLike,
    labels: Any,
    objective: ObjectiveLike | None = None,
    *,
    target: float | None = None,
    fail_under: float | None = None,
    against: BatchLike | Mapping[str, BatchLike] | None = None,
    items: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType | None = None,
    class_weight: ClassWeight | None = None,
) -> Gate:
    """Return whether thresholds are good enough on new rows, and whether they have changed.

    It is what ``ordcut evaluate --target --fail-under --against`` prints. Labels can be single
    true classes, or the ratings of several people.

    Parameters
    ----------
    thresholds : Thresholds
        The thresholds.
    scores, labels
        The new rows; labels as in :func:`ordcut.optimal_thresholds`, or a :class:`ordcut.Panel`.
    objective : str, array-like of shape (K, K), callable, Kappa or Objective, optional
        What to judge by; by default the objective of the thresholds.
    target : float, optional
        The value to reach: passed if the 95 % interval is beyond it, missed if it is short of it,
        undecided otherwise.
    fail_under : float, optional
        The value below which the gate is missed, whatever the interval; for a loss, above which.
    against : Batch, pair of scores and labels, or dict of these, optional
        Earlier rows. The gate has changed if the value has fallen significantly since, or if
        labels have moved significantly against the true classes. Where thresholds were fitted on
        these rows, their value there is corrected for that.
    items, groups, sample_weight, weight_type
        As in :class:`ordcut.Batch`, for the new rows.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each true class count, where labels are single.

    Returns
    -------
    Gate
        The outcome and all that it follows from; ``print`` it for people.

    Examples
    --------
    >>> import numpy as np, ordcut
    >>> rng = np.random.default_rng(0)
    >>> grades = rng.integers(1, 5, 600)
    >>> scores = grades + rng.normal(0, 0.7, 600)
    >>> may, june = slice(300), slice(300, 600)
    >>> result = ordcut.optimal_thresholds(scores[may], grades[may], objective="quadratic_kappa")
    >>> print(ordcut.gate(result, scores[june], grades[june], target=0.7,
    ...                   against={"may": (scores[may], grades[may])}))
    these thresholds: quadratic_kappa ...
    Intervals (95 %) are over rows.
    target 0.7: reached
    against may (other rows):
      quadratic_kappa is neither significantly better nor worse: ...
      bias, label minus true class, shows no significant change: ...
    """
    if not isinstance(thresholds, Thresholds):
        raise TypeError(
            f"thresholds must be a Thresholds, got {type(thresholds).__name__}. They come first: "
            "gate(thresholds, scores, labels)."
        )
    for name, number in (("target", target), ("fail_under", fail_under)):
        is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
        if number is not None and not (is_number and np.isfinite(number)):
            raise ValueError(f"{name} must be a finite number, got {number!r}.")
    batch = Batch(scores, labels, items, groups, sample_weight, weight_type)
    goal = objective_for(thresholds, objective, thresholds.classes)
    if not isinstance(labels, Panel):
        goal = as_shown(goal.weighted(class_weight, thresholds.classes), objective)
    return judge_batch(
        thresholds, batch, goal, target=target, fail_under=fail_under, against=_batches(against)
    )


def judge_batch(
    thresholds: Thresholds,
    batch: Batch,
    objective: Objective,
    *,
    target: float | None,
    fail_under: float | None,
    against: Mapping[str, BatchLike],
) -> Gate:
    """Return the gate of a batch by an objective; see ``gate``."""
    now, changes = decide(thresholds, batch), {}
    for name, rows in against.items():
        before = decide(thresholds, rows)
        if type(before) is not type(now):
            raise ValueError(
                "against must hold labels of the same kind as the new rows, single labels or a "
                f"Panel, and {name!r} holds the other."
            )
        extra = optimism_of(thresholds, before, objective)
        changes[name] = change_since(now, before, objective, extra)
    estimate = now.estimate(objective)
    people = now.people(objective) if isinstance(now, ItemsOfBatch) else None
    reached = None if target is None else verdict(estimate, target)
    return Gate(estimate, people, target, reached, fail_under, changes, now.truth_name)


def _batches(against: BatchLike | Mapping[str, BatchLike] | None) -> dict[str, BatchLike]:
    """Return earlier rows by name."""
    if against is None:
        return {}
    if isinstance(against, Mapping):
        return dict(against)
    if isinstance(against, Batch) or (isinstance(against, tuple) and len(against) == 2):
        return {"the rows before": against}
    raise TypeError(
        "against must be a pair (scores, labels), an ordcut.Batch, or a dict of these, got "
        f"{type(against).__name__}."
    )


def _values(estimate: Estimate) -> dict[str, Any]:
    """Return a value with its interval as plain Python values."""
    groups = {} if estimate.groups is None else {"groups": estimate.n_units}
    interval = list(estimate.interval())
    return {"value": estimate.value, "interval": interval, estimate.noun: estimate.n_rows, **groups}


def _interval(estimate: Estimate) -> str:
    numbers = _numbers(estimate.value, *estimate.interval())
    return f"{estimate.objective} {numbers} on {estimate.size}"


def _numbers(value: float, low: float, high: float) -> str:
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"
