"""Keep or move: whether new thresholds are better than old ones on rows they were not found on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from scipy.special import betainc

from ordcut._core.data import ClassWeight, Rows, digest_of
from ordcut._core.errors import printable
from ordcut._core.limits import Constraints, Outcome, Ratio, limits_for
from ordcut._core.numerics.exact import as_exact
from ordcut._core.objectives import ObjectiveLike
from ordcut._core.smoothing import Smoothing
from ordcut._core.table import ScoreTable
from ordcut._core.thresholds import Card, Thresholds, WithCard, check_scale, objective_for
from ordcut._core.typing import ArrayLike, Floats
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
from ordcut.studies.parts import parts_of
from ordcut.studies.replacement import Replacement, check_not_negative

#: The exit codes of ``ordcut update``, as for the gate.
EXIT_CODES = {"keep": 0, "undecided": 4, "move": 5}

#: The fewest rows of which parts are left out.
FEWEST_ROWS = 20

#: The weight of the luck in new thresholds, by whether they are smoothed, in the variance of the
#: gain: chosen by simulation (benchmarks/updates.py).
LUCK = {True: 0.5, False: 1.0}

#: Old thresholds break a constraint if a share as bad is less likely than this where it holds.
RISK = 0.025


@dataclass(frozen=True, eq=False, repr=False)
class Update(WithCard):
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
        The value of the old thresholds, and by cross-fitting the value of new thresholds.
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
    resolved = objective_for(thresholds, objective, thresholds.classes)
    resolved = weighted_as_found(resolved, thresholds, class_weight)
    rows = read_rows(thresholds, scores, labels, sample_weight, "update")
    check_scale(thresholds, rows.scores)
    replacement = Replacement.of(
        thresholds, resolved, constraints, smoothing, cost_per_change, max_changed
    )
    return update_of_rows(replacement, rows, tolerance, random_state)


def update_of_rows(
    replacement: Replacement, rows: Rows, tolerance: float = 0.05, random_state: int = 0
) -> Update:
    """Return whether to keep or to move thresholds, by rows in memory."""
    check_not_negative("tolerance", tolerance)
    n_rows = rows.n_effective
    if n_rows < FEWEST_ROWS:
        raise ValueError(
            f"scores must have at least {FEWEST_ROWS} rows to compare thresholds on rows they were "
            f"not found on, got {n_rows:g}. Collect more labels."
        )
    old, objective = replacement.old, replacement.objective
    if old.record is not None and old.record.digest == digest_of(rows):
        raise ValueError(
            "scores and labels must be of other rows than the thresholds were found on, where they "
            "look better than they are, and the digest in their record says that these are the "
            "same. Pass new rows."
        )
    new = replacement.thresholds_for(rows)
    parts = list(parts_of(rows, np.random.default_rng(random_state)))
    left_out = Rows.joined([part for _, part in parts])
    codes = {
        "old": old.codes(left_out.scores),
        "new": new.codes(left_out.scores),
        "held": np.concatenate(
            [replacement.thresholds_for(kept).codes(part.scores) for kept, part in parts]
        ),
    }
    each = {name: Judgement.of(objective, labels, left_out) for name, labels in codes.items()}
    cost = replacement.cost_per_change
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
    broken = tuple(_broken(replacement, rows))
    outcome = _outcome(interval, margin, bool(broken), changed["new"] == 0)
    n_needed, room = None, max(gain, margin - gain)
    if outcome == "undecided" and room > 0:
        n_needed = ceil(n_rows * max(1.0, ((interval[1] - gain) / room) ** 2))
    values = each["old"].value, each["held"].value
    known = new.record
    assert known is not None
    new = replace(new, evidence=replace(known, held_out=values[1]).itself)
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
    return "keep" if is_same or interval[1] <= margin else "undecided"


def _broken(replacement: Replacement, rows: Rows) -> Iterator[str]:
    """Yield the constraints that the old thresholds break on rows, beyond chance."""
    limits = limits_for(replacement.constraints, replacement.objective, rows.classes)
    if limits is None:
        return
    table = rows.confusion(replacement.old.thresholds)
    outcome = Outcome(as_exact(table), replacement.old.thresholds)
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
