"""The problem: everything that determines optimal thresholds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from ordcut._core.data import Groups, Rows
from ordcut._core.limits import Limits, warn_if_few
from ordcut._core.objectives import Objective, ObjectiveLike, n_classes_of
from ordcut._core.pruning import Source
from ordcut._core.solvers import Plan, Store
from ordcut._core.typing import ArrayLike


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows, as they were given and as solvers need them.

    Attributes
    ----------
    data : Rows or Source
        The rows as given, whose weights are added up in the order of the rows.
    store : Store, optional
        The rows prepared for solvers, if known.
    row_unit : Fraction, optional
        What a weight of 1 of the stored rows stands for, if that is not known from the data.
    """

    data: Rows | Source
    store: Store | None = None
    row_unit: Fraction | None = None

    @classmethod
    def read(
        cls,
        scores: ArrayLike,
        labels: ArrayLike,
        objective: ObjectiveLike,
        *,
        has_decisions: bool = False,
        **options: Any,
    ) -> Sample:
        """Read rows, by the options of ``Rows``, for an objective that may fix their classes."""
        n_classes = n_classes_of(objective, has_decisions)
        return cls(Rows.read(scores, labels, n_classes=n_classes, **options))

    @property
    def rows(self) -> Rows:
        """The rows as given, which must be in memory."""
        assert isinstance(self.data, Rows)
        return self.data


@dataclass(frozen=True, eq=False)
class Problem:
    """Everything that determines optimal thresholds.

    Attributes
    ----------
    solved : Sample
        The rows to solve.
    objective : Objective
        What is optimised, with its class weights.
    limits : Limits, optional
        What must hold.
    plan : Plan
        How to search.
    observed : Sample, optional
        The rows as they were observed, which the value is about, and limits, if not ``solved``.
    solved_objective : Objective, optional
        What is optimised on the rows to solve, if their classes are weighted already.
    smoothing : float or "bagging", optional
        The share of the labels that a model gives, if labels are smoothed, or that they are bagged.
    grouped : Sample, optional
        The rows as they were observed with each class refined by the group of the row, which limits
        are about if any of them is for a group.
    origin : Problem, optional
        The problem with labels as observed, if those to solve are smoothed.
    """

    solved: Sample
    objective: Objective
    limits: Limits | None = None
    plan: Plan = Plan()  # noqa: RUF009 (frozen)
    observed: Sample | None = None
    solved_objective: Objective | None = None
    smoothing: float | Literal["bagging"] | None = None
    grouped: Sample | None = None
    origin: Problem | None = None

    def in_groups(self, groups: Groups, weights: ArrayLike | None = None) -> Problem:
        """Return the problem with limits that are about the groups of rows.

        ``weights`` are the weights that the rows were read with.
        """
        refined = groups.refine(self.solved.rows, weights)
        assert self.limits is not None
        warn_if_few(self.limits, refined)
        return replace(self, grouped=Sample(refined))

    @property
    def goal(self) -> Objective:
        """What is optimised on the rows to solve."""
        return self.objective if self.solved_objective is None else self.solved_objective

    @property
    def judged(self) -> Sample:
        """The rows that the value is about."""
        return self.solved if self.observed is None else self.observed

    @property
    def limited(self) -> Sample:
        """The rows that limits are about."""
        return self.judged if self.grouped is None else self.grouped
