"""A gate for thresholds: whether they reach a target on new rows, and have not changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordcut._core.data import ClassWeight, WeightType, as_scores
from ordcut._core.errors import check_number
from ordcut._core.objectives import Objective, ObjectiveLike, as_shown
from ordcut._core.thresholds import Thresholds, check_scale, objective_for
from ordcut._core.typing import ArrayLike
from ordcut._core.uncertainty import Estimate
from ordcut.panels import Agreement, Panel
from ordcut.studies.batch import Batch, BatchLike, ItemsOfBatch, decide
from ordcut.studies.change import Change, Verdict, change_since, optimism_of, verdict, with_ends
from ordcut.studies.paired import weighted_as_found

#: Exit codes: the value is too low, the interval is around the target, the value has changed.
EXIT_CODES = {"passed": 0, "missed": 3, "undecided": 4, "changed": 5}


@dataclass(frozen=True, eq=False, repr=False)
class Gate:
    """What rows say about thresholds, and what follows from it.

    Attributes
    ----------
    estimate : Estimate
        The value of the labels of the thresholds, with its interval: agreement with people, where
        labels are those of several people.
    people : Agreement or None
        The agreement of people with each other, where labels come from several people.
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
                attainable = with_ends(self.people.attainable, *ends)
                more = f"; a judge without noise would reach about {attainable}"
            lines.append(f"difference: {with_ends(*self._difference(self.people))}{more}")
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
        How much the rows of each true class count, where labels are single; by default as in the
        record of the thresholds.

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
        if number is not None:
            check_number(name, number, "a finite number", np.isfinite)
    batch = Batch(scores, labels, items, groups, sample_weight, weight_type)
    goal = objective_for(thresholds, objective, thresholds.classes)
    if not isinstance(labels, Panel):
        goal = as_shown(weighted_as_found(goal, thresholds, class_weight), objective)
    gate = judge_batch(
        thresholds, batch, goal, target=target, fail_under=fail_under, against=_batches(against)
    )
    check_scale(thresholds, as_scores(scores))
    return gate


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
    numbers = with_ends(estimate.value, *estimate.interval())
    return f"{estimate.objective} {numbers} on {estimate.size}"
