"""Scores that add up over decisions, such as macro-F1, and have no cost matrix."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ordcut._core.objectives.custom import SegmentObjective
from ordcut._core.objectives.objective import Kind, Objective, Steps, Totals
from ordcut._core.objectives.terms import TERMS, OwnTerms, Rule, SegmentTerms, no_costs
from ordcut._core.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class Segments(Objective):
    """A score that adds up over decisions, to be maximised.

    Attributes
    ----------
    terms : SegmentTerms
        What each decision adds to the score, without class weights.

    Examples
    --------
    >>> Segments.named("macro_f1", 3).value(3.0 * np.eye(3))
    1.0
    """

    terms: SegmentTerms = field(repr=False)

    noun: ClassVar[str] = "score"
    is_maximised: ClassVar[bool] = True
    is_convex: ClassVar[bool] = False
    kind: ClassVar[Kind] = "segments"

    @classmethod
    def named(cls, name: str, n_classes: int) -> Segments:
        """Return a score of a given name, for a number of classes."""
        return cls(name, SegmentTerms(n_classes, TERMS[name]))

    @classmethod
    def own(cls, objective: SegmentObjective, n_classes: int) -> Segments:
        """Return a score of one's own, for a number of classes."""
        return cls(repr(objective), OwnTerms(n_classes, Rule(0, 0), objective))

    @property
    def n_classes(self) -> int:
        """The number of classes, K."""
        return self.terms.n_classes

    @property
    def n_decisions(self) -> int:
        """The number of decisions, one per class."""
        return self.terms.n_classes

    @property
    def cost(self) -> Floats:
        """An error: what a prediction costs depends on all others."""
        raise no_costs(self.name)

    def sums(self, totals: Floats) -> tuple[Floats, Floats]:
        """Raise an error: there are no costs to add up."""
        del totals
        raise no_costs(self.name)

    def entry_values(self, tables: Floats, decisions: Ints, classes: Ints) -> Floats:
        """Raise an error: there are no costs of entries."""
        del tables, decisions, classes
        raise no_costs(self.name)

    def values_with_row(self, table: Floats, row: Floats) -> Floats:
        """Raise an error: there are no costs of a row."""
        del table, row
        raise no_costs(self.name)

    def asymmetric(self, factor: float) -> Segments:
        """Raise an error: there are no costs to multiply."""
        del factor
        raise no_costs(self.name)

    def on(self, rows: Totals) -> SegmentTerms:
        """Return the terms, with the class weights for these rows."""
        factors = self.factors(rows.exact_totals if self.weighs_by_totals else rows.totals)
        is_plain = factors is None or bool((factors == 1).all())
        return self.terms if is_plain else replace(self.terms, factors=factors)

    def optimise(self, steps: Steps) -> Any:
        """Return the cuts of the highest score, by a single search; None if none are allowed."""
        return steps.minimise(self.on(steps.rows))

    def unweighted_value(self, table: Floats) -> float:
        """Return the score of a (predicted, true) table."""
        return self.terms.value(table)

    def has_value(self, totals: Floats) -> bool:
        """Return whether rows with these weights of the classes count at all."""
        return bool(totals.any())

    def moved_values(self, table: Floats, moved: Floats, k: int) -> Floats:
        """Return the scores if weights (P, K) of a table are moved from decision k + 1 to k."""
        changed, values = table.copy(), np.empty(len(moved))
        for i, weights in enumerate(moved):
            changed[k], changed[k + 1] = table[k] + weights, table[k + 1] - weights
            values[i] = self.unweighted_value(changed)
        return values

    def fingerprint(self) -> bytes:
        """Return bytes that differ for scores of different names."""
        return self.name.encode()

    def rule(self) -> dict[str, Any]:
        """Return the rule of the terms as plain values, for scripts."""
        return self.terms.as_rule()
