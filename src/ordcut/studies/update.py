"""Keep or move: whether new thresholds are better than old ones on rows they were not found on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any

import numpy as np
from scipy.special import betainc

from ordcut._core.data import ClassWeight, Groups, Rows
from ordcut._core.errors import printable
from ordcut._core.limits import (
    Constraint,
    Constraints,
    Names,
    Outcome,
    Ratio,
    limits_for,
    read_constraints,
)
from ordcut._core.numerics.exact import as_exact, as_fraction
from ordcut._core.objectives import Additive, Objective, ObjectiveLike
from ordcut._core.problem import Problem, Sample
from ordcut._core.smoothing import Smoothing
from ordcut._core.solve import optimum, result_at, smoothed_problem
from ordcut._core.table import ScoreTable
from ordcut._core.thresholds import Card, Record, Thresholds, check_scale, objective_for
from ordcut._core.typing import ArrayLike, Floats, Ints
from ordcut.studies.diff import Diff, diff_of_rows, gain_text, share_of
from ordcut.studies.paired import (
    Judgement,
    check_thresholds,
    count_rows,
    interval_around,
    read_rows,
    standard_error,
    weighted_as_found,
)

#: The exit codes of ``ordcut update``, as those of the gate.
EXIT_CODES = {"keep": 0, "undecided": 4, "move": 5}

#: The number of parts of which each is left out in turn, and the fewest rows for that.
N_FOLDS, FEWEST_ROWS = 5, 20

#: The most rows that repeats may stand for, which random draws without replacement allow.
MOST_ROWS = 10**9 - 1

#: The weight of the luck in new thresholds, by whether they are smoothed, in the variance of the
#: gain: chosen by simulation (benchmarks/updates.py).
LUCK = {True: 0.5, False: 1.0}

#: Old thresholds break a constraint if a share as bad is less likely than this where it holds.
RISK = 0.025


@dataclass(frozen=True, eq=False)
class Update:
    """Whether to keep thresholds or to move them.

    Attributes
    ----------
    outcome : {"keep", "move", "undecided"}
        ``"move"`` if the interval of the gain is above 0, or if the old thresholds break a
        constraint; ``"keep"`` if it is below ``margin``, or if no label would change.
    old, new : Thresholds
        The thresholds as they are, and those that the new rows lead to.
    gain : float
        By how much new thresholds are better, less the cost of changed labels. Each row is judged
        by thresholds that were found without it.
    interval : tuple of float
        The 95 % interval of the gain on further rows.
    margin : float
        The gain that is too small to move for.
    values : tuple of float
        The value of the old thresholds, and by cross-fitting that of new ones.
    changed : float
        The share of these rows whose label would change.
    cost_per_change : float
        What a changed label costs.
    broken : tuple of str
        The constraints that the old thresholds break, beyond chance.
    diff : Diff
        What moves, threshold by threshold. Its gain is on the rows that ``new`` was found on.
    n_rows : int
        The number of rows.
    n_needed : int, optional
        About how many rows would decide it, where the outcome is undecided.

    Examples
    --------
    >>> import numpy as np, ordcut
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 3, 6000)
    >>> scores = labels + rng.normal(size=6000)
    >>> old = ordcut.optimal_thresholds(scores[:3000], labels[:3000])
    >>> scores, labels = scores[3000:], labels[3000:]
    >>> [ordcut.update(old, scores + shift, labels).outcome for shift in (0, 1)]
    ['keep', 'move']
    """

    outcome: str
    old: Thresholds
    new: Thresholds
    gain: float
    interval: tuple[float, float]
    margin: float
    values: tuple[float, float]
    changed: float
    cost_per_change: float
    broken: tuple[str, ...]
    diff: Diff
    n_rows: int
    n_needed: int | None = None

    @property
    def exit_code(self) -> int:
        """The exit code of ``ordcut update``: 0 to keep, 5 to move, 4 if undecided."""
        return EXIT_CODES[self.outcome]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return {
            "outcome": self.outcome,
            "gain": self.gain,
            "interval": list(self.interval),
            "margin": self.margin,
            "objective": self.diff.objective,
            "values": list(self.values),
            "changed": self.changed,
            "cost_per_change": self.cost_per_change,
            "broken": list(self.broken),
            "rows": self.n_rows,
            "thresholds": self.diff.as_dict()["thresholds"],
            "n_needed": self.n_needed,
            "exit_code": self.exit_code,
        }

    def card(self) -> Card:
        """Return the answer for people: as text, and as HTML in notebooks."""
        needed = "" if self.n_needed is None else f"; about {self.n_needed:,} rows decide"
        cost = f", at {self.cost_per_change:g} each" if self.cost_per_change else ""
        old, new = self.values
        facts = [
            ("outcome", f"{self.outcome}{needed}"),
            ("gain", f"{gain_text(self.gain, self.interval)}; keep if below {self.margin:.6g}"),
            (
                printable(str(self.diff.objective)),
                f"{old:.6g} old, {new:.6g} new, on rows left out",
            ),
            ("labels that change", f"{100 * self.changed:.1f} %{cost}"),
            *(("broken by the old", printable(constraint)) for constraint in self.broken),
            ("rows", f"{self.n_rows:,}"),
        ]
        return Card(*self.diff.rows_of_card(), facts)

    def __repr__(self) -> str:
        return str(self.card())

    def _repr_html_(self) -> str:
        return self.card()._repr_html_()


def update(
    thresholds: Thresholds,
    scores: ArrayLike | ScoreTable,
    labels: ArrayLike | None = None,
    *,
    objective: ObjectiveLike | None = None,
    constraints: Constraints = None,
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
    smoothing: Smoothing | None = None,
    cost_per_change: float = 0.0,
    max_changed: float | None = None,
    tolerance: float = 0.05,
    random_state: int = 0,
) -> Update:
    """Decide whether to keep thresholds, or to move them to those that new rows lead to.

    Old and new thresholds are compared on the same rows. A fifth of them at a time is judged by
    new thresholds that the others lead to.

    Parameters
    ----------
    thresholds : Thresholds
        The thresholds in use, which the new rows must have had no part in.
    scores : array-like of shape (n_samples,) or ScoreTable
        The scores of new rows, or a table of counts, such as months merged.
    labels : array-like of shape (n_samples,) or (n_samples, n_classes), optional
        The true classes, soft labels, or a Panel; a ScoreTable holds them.
    objective : str, array-like of shape (D, K), callable, Kappa or Objective, optional
        What thresholds are for; by default the objective of the thresholds.
    constraints : sequence of constraints or str, optional
        What must hold; by default the constraints of the thresholds, and () for none.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.
    class_weight : "balanced", dict or array-like of shape (n_classes,), optional
        How much the rows of each class count; by default as in the record of the thresholds.
    smoothing : float from 0 to 1, "auto" or "bagging", optional
        As in :func:`ordcut.optimal_thresholds`. By default ``"auto"``, since the rows of a month
        are few, and 0 with ``cost_per_change``.
    cost_per_change : float, default=0
        What each row costs whose label changes, in units of a loss. New thresholds are optimal with
        it.
    max_changed : float from 0 to 1, optional
        The largest share of the rows between each old threshold and the new one.
    tolerance : float, default=0.05
        The gain that is too small to move for, as a share of the loss of the old thresholds. The
        loss of a kappa is 1 - kappa.
    random_state : int, default=0
        The seed of the parts that are left out. The order of the rows does not matter.

    Returns
    -------
    Update
        Keep, move or undecided; the new thresholds; the gain with its interval; what would change.

    Examples
    --------
    >>> import numpy as np, ordcut
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 3, 900)
    >>> scores = labels + rng.normal(size=900)
    >>> old = ordcut.Thresholds.from_values([1.5, 2.5], classes=[0, 1, 2])
    >>> update = ordcut.update(old, scores, labels, objective="absolute")
    >>> update.outcome, update.exit_code, update.new.thresholds.round(1)
    ('move', 5, array([0.2, 1.7]))
    >>> limited = ordcut.update(
    ...     old, scores, labels, objective="absolute", max_changed=0.1)
    >>> limited.new.thresholds.round(1), limited.diff.crossed.round(3)
    (array([1.1, 2. ]), array([0.1, 0.1]))
    """
    check_thresholds(thresholds=thresholds)
    rows = read_rows(thresholds, scores, labels, sample_weight, "update")
    resolved = objective_for(thresholds, objective, thresholds.classes)
    resolved = weighted_as_found(resolved, thresholds, class_weight)
    question = Question.of(
        thresholds, resolved, constraints, smoothing, cost_per_change, max_changed
    )
    return update_of_rows(question, rows, tolerance, random_state)


@dataclass(frozen=True, eq=False)
class Question:
    """What new thresholds must be like, and what they are compared with."""

    old: Thresholds
    objective: Objective
    constraints: tuple[Constraint, ...]
    smoothing: Smoothing
    cost_per_change: float
    max_changed: float | None

    @classmethod
    def of(
        cls,
        old: Thresholds,
        objective: Objective,
        constraints: Constraints,
        smoothing: Smoothing | None,
        cost_per_change: float,
        max_changed: float | None,
    ) -> Question:
        """Check arguments, and return the question."""
        if constraints is None:
            constraints = [outcome.limit for outcome in old.constraints]
        parsed = tuple(read_constraints(constraints))
        for constraint in parsed:
            if constraint.group is not None:
                raise ValueError(
                    f"constraint {str(constraint)!r} is about a group, which update does not know. "
                    "Pass constraints= without it."
                )
        _check_number("cost_per_change", cost_per_change, np.inf)
        if max_changed is not None:
            _check_number("max_changed", max_changed, 1.0)
        if cost_per_change:
            if not isinstance(objective, Additive) or objective.class_weight is not None:
                raise ValueError(
                    "cost_per_change needs a loss that adds up over rows of equal weight, got "
                    f"{objective.name!r}. Limit the changed labels instead, with max_changed."
                )
            if smoothing not in (None, 0):
                raise ValueError(
                    "cost_per_change cannot be combined with smoothing: a changed label costs the "
                    "same for every row. Leave out one of them."
                )
        amount: Smoothing = (0.0 if cost_per_change else "auto") if smoothing is None else smoothing
        return cls(old, objective, parsed, amount, float(cost_per_change), max_changed)

    def answer(self, rows: Rows) -> Thresholds:
        """Return the best thresholds for rows."""
        objective, groups = self.objective, None
        if self.cost_per_change:
            groups = Groups(self.old.decisions, self.old.codes(rows.scores))
        constraints = [*self.constraints, *self._limits_of_change(rows)]
        limits = limits_for(constraints, objective, rows.classes, groups)
        problem = Problem(Sample(rows), objective, limits)
        if groups is not None:
            problem = replace(
                problem,
                solved=Sample(groups.refine(rows, None)),
                objective=self._with_cost_of_change(len(groups.names)),
            )
        elif self.smoothing != 0:
            problem = smoothed_problem(problem, self.smoothing)
        result = optimum(problem)
        outcomes = result.constraints[: len(self.constraints)]
        if groups is not None:
            plain = Problem(Sample(rows), objective)
            result = result_at(plain, result.thresholds, result.method, result.proof)
        return replace(result, constraints=outcomes)

    def _limits_of_change(self, rows: Rows) -> Iterator[Constraint]:
        """Yield the share above each old threshold, give or take the share that may change."""
        if self.max_changed is None:
            return
        table, most = rows.confusion(self.old.thresholds), as_fraction(float(self.max_changed))
        heights = [Fraction(height) for height in np.cumsum(table.sum(axis=1)[::-1])[::-1]]
        most += 0 if rows.is_whole else Fraction(1, 10**9)  # sums of fractions are rounded
        for name, height in zip(self.old.decisions[1:].tolist(), heights[1:], strict=True):
            share = height / heights[0]
            yield ShareNear(name, max(share - most, Fraction(0)), min(share + most, Fraction(1)))

    def _with_cost_of_change(self, n_decisions: int) -> Additive:
        """Return the objective for classes that are refined by the old decision of the row."""
        assert isinstance(self.objective, Additive)
        cost = np.repeat(self.objective.cost, n_decisions, axis=1)
        is_old = np.tile(np.eye(n_decisions), len(self.old.classes))
        name = f"{self.objective.name}, {self.cost_per_change:g} per change"
        return Additive(
            name, cost + self.cost_per_change * (1 - is_old), decisions=self.old.decisions
        )


@dataclass(frozen=True, repr=False)
class ShareNear(Constraint):
    """The share of the rows that get a decision or a higher one, with exact limits."""

    decision: Any
    at_least: Fraction
    at_most: Fraction

    word = "share"

    def lower(self, names: Names) -> Ratio:
        """Return the share of the rows above a threshold."""
        decisions = slice(names.decisions.index(self.decision), None)
        part = names.cells(decisions=decisions)
        return Ratio(part, names.cells(), self.at_least, self.at_most)

    def __str__(self) -> str:
        limits = f">= {float(self.at_least):.6g} and <= {float(self.at_most):.6g}"
        return f"max_changed: share {self.decision} or higher {limits}"


def update_of_rows(
    question: Question, rows: Rows, tolerance: float = 0.05, random_state: int = 0
) -> Update:
    """Return whether to keep or to move thresholds, by rows in memory."""
    _check_number("tolerance", tolerance, np.inf)
    n_rows = rows.n_effective
    if n_rows < FEWEST_ROWS:
        raise ValueError(
            f"scores must have at least {FEWEST_ROWS} rows to compare thresholds on rows they were "
            f"not found on, got {n_rows:g}. Collect more labels."
        )
    old, objective = question.old, question.objective
    if old.origin is None:
        check_scale(old, rows.scores, strict=False)
    new = question.answer(rows)
    parts = list(_parts(rows, np.random.default_rng(random_state)))
    left_out = Rows.joined([part for _, part in parts])
    codes = {
        "old": old.codes(left_out.scores),
        "new": new.codes(left_out.scores),
        "held": np.concatenate([question.answer(kept).codes(part.scores) for kept, part in parts]),
    }
    each = {name: Judgement.of(objective, labels, left_out) for name, labels in codes.items()}
    cost = question.cost_per_change
    is_changed = {name: labels != codes["old"] for name, labels in codes.items()}
    changed = {name: share_of(labels, left_out) for name, labels in is_changed.items()}
    gain = each["held"].gain - each["old"].gain - cost * changed["held"]

    def difference(first: str, second: str) -> Floats:
        influence = each[first].influence - each[second].influence
        paid = is_changed[first].astype(np.float64) - is_changed[second]
        return np.asarray(influence - cost * (paid - changed[first] + changed[second]))

    # How much labels of rows left out differ from the labels of all rows shows how much luck there
    # is in new thresholds, which the rows that judge them share.
    luck = np.sqrt(LUCK[bool(new.proof.smoothing)]) * difference("held", "new")
    error = standard_error(left_out, difference("held", "old"), luck)
    interval = interval_around(gain, error, n_rows)
    loss = 1 - each["old"].value if objective.is_maximised else each["old"].value
    margin = tolerance * abs(loss)
    broken = tuple(_broken(question, rows))
    outcome = _outcome(interval, margin, bool(broken), changed["new"] == 0)
    n_needed, room = None, max(gain, margin - gain)
    if outcome == "undecided" and room > 0:
        n_needed = ceil(n_rows * max(1.0, ((interval[1] - gain) / room) ** 2))
    values = each["old"].value, each["held"].value
    known = new.record
    assert known is not None
    new = replace(new, evidence=partial(_given, replace(known, held_out=values[1])))
    return Update(
        outcome=outcome,
        old=old,
        new=new,
        gain=gain,
        interval=interval,
        margin=margin,
        values=values,
        changed=changed["new"],
        cost_per_change=cost,
        broken=broken,
        diff=diff_of_rows(old, new, rows, objective),
        n_rows=count_rows(rows),
        n_needed=n_needed,
    )


def _outcome(interval: tuple[float, float], margin: float, is_broken: bool, is_same: bool) -> str:
    if is_broken or (interval[0] > 0 and not is_same):
        return "move"
    return "keep" if is_same or interval[1] < margin else "undecided"


def _given(record: Record) -> Record:
    return record


def _parts(rows: Rows, rng: np.random.Generator) -> Iterator[tuple[Rows, Rows]]:
    """Yield the rows to find thresholds on and the rows left out, for each part at random.

    A weight that counts rows is divided among the parts, as repeated rows would be. The order of
    the rows does not matter.
    """
    if rows.soft is None and rows.has_repeats:
        ordered = rows.sorted().merged
        scores = ordered.scores.astype(rows.dtype, copy=False)
        counts = ordered.weights
        counts = np.ones(len(scores), np.int64) if counts is None else counts.astype(np.int64)
        merged = replace(
            rows, scores=scores, codes=ordered.codes, weights=None, weight_type="repeats"
        )
        total, left = int(counts.sum()), counts
        if total > MOST_ROWS:
            raise ValueError(
                f"sample_weight must add up to at most {MOST_ROWS} rows, got {total}. Pass a part "
                "of the rows, drawn at random."
            )
        for k in range(N_FOLDS):
            size = total * (k + 1) // N_FOLDS - total * k // N_FOLDS
            drawn = rng.multivariate_hypergeometric(left, size, method="marginals")
            left = left - drawn
            yield _counted(merged, counts - drawn), _counted(merged, drawn)
        return
    labels = [rows.codes] if rows.soft is None else [*rows.soft.T]
    keys = [key for key in (*labels, rows.weights, rows.scores) if key is not None]
    order = np.lexsort(keys)
    part = np.empty(len(order), np.int64)
    part[order] = rng.permutation(len(order)) % N_FOLDS
    for k in range(N_FOLDS):
        yield rows.take(np.flatnonzero(part != k)), rows.take(np.flatnonzero(part == k))


def _counted(rows: Rows, counts: Ints) -> Rows:
    """Return rows with the given counts, without those of count 0."""
    kept = np.flatnonzero(counts)
    taken = rows.take(kept)
    return replace(taken, weights=None if (counts <= 1).all() else counts[kept])


def _broken(question: Question, rows: Rows) -> Iterator[str]:
    """Yield the constraints that the old thresholds break on rows, beyond chance."""
    limits = limits_for(question.constraints, question.objective, rows.classes)
    if limits is None:
        return
    table = rows.confusion(question.old.thresholds)
    outcome = Outcome(as_exact(table), question.old.thresholds)
    scale = rows.n_effective / float(table.sum())
    for constraint, form in zip(limits.constraints, limits.without_confidence().forms, strict=True):
        if form.holds(outcome):
            continue
        if not isinstance(form, Ratio) or form.whole is None or form.base is not None:
            continue
        part, whole = (float(each) * scale for each in form.sums(outcome))
        if _is_beyond_chance(part, whole, form):
            yield f"{constraint}: reached {form.reached(outcome):.6g}"


def _is_beyond_chance(part: float, whole: float, form: Ratio) -> bool:
    """Return whether a share is beyond its limits by an exact binomial test."""
    low, high = form.at_least, form.at_most
    too_low = low is not None and 1 - betainc(part + 1, max(whole - part, 1e-9), float(low)) < RISK
    too_high = high is not None and betainc(part, whole - part + 1, float(high)) < RISK
    return bool(too_low or (part > 0 and too_high))


def _check_number(name: str, value: Any, most: float) -> None:
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= most or value == np.inf:
        upto = "from 0 to 1" if most == 1 else "that is not negative"
        raise ValueError(f"{name} must be a number {upto}, got {value!r}.")
