"""Objectives that add up over decisions and have no cost matrix."""

from __future__ import annotations

from typing import ClassVar

from ordcut._core.objectives.custom import SegmentObjective
from ordcut._core.objectives.named import Objective, canonical_name
from ordcut._core.objectives.terms import TERMS, OwnTerms, Rule, SegmentTerms
from ordcut._core.typing import Floats


class SegmentedObjective(Objective):
    """A score that adds up over decisions, such as macro-F1: it has no cost matrix.

    Examples
    --------
    >>> import numpy as np
    >>> SegmentedObjective.of("f1_macro", 3).value(np.array([[3, 0, 0], [0, 3, 0], [0, 0, 3]]))
    1.0
    """

    is_segmented: ClassVar[bool] = True
    is_convex = has_convex_steps = False
    largest_cost = 1.0
    exact_cost: SegmentTerms  # type: ignore[assignment]

    def __init__(self, name: str, terms: SegmentTerms) -> None:
        self.__dict__.update(name=name, exact_cost=terms, is_kappa=False, decisions=None)

    @classmethod
    def of(cls, objective: str | SegmentObjective, n_classes: int) -> SegmentedObjective:
        """Return a score of a given name, or of one's own, for a number of classes."""
        if isinstance(objective, str):
            name = canonical_name(objective)
            return cls(name, SegmentTerms(n_classes, TERMS[name]))
        return cls(repr(objective), OwnTerms(n_classes, Rule(0), objective))

    @property
    def n_classes(self) -> int:
        """The number of classes, K."""
        return self.exact_cost.n_classes

    n_decisions = n_classes

    @property
    def cost(self) -> Floats:
        """An error: what a prediction costs depends on all others."""
        raise ValueError(
            f"objective {self.name!r} has no cost matrix, which review, asymmetry, intervals, risk "
            "curves, and pages about a score of your own need: what a prediction is worth depends "
            'on all others. Use an objective such as "balanced_zero_one" or "macro_mae", in which '
            "every class counts the same."
        )

    def value(self, confusion: Floats, factors: Floats | None = None) -> float:
        """Return the score of a (predicted, true) table, times ``factors`` by class."""
        return self.exact_cost.value(confusion if factors is None else confusion * factors)
