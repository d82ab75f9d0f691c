"""The optimum of every objective on the same rows, and other labelings to compare it with."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ordcut.data import ClassWeight
from ordcut.objectives import BALANCED, COSTS, KAPPAS, Objective, resolve_objective
from ordcut.pruning import Source
from ordcut.report.candidates import Candidates
from ordcut.report.rules_of_thumb import BinnedCounts, Labeling, labelings_of_counts
from ordcut.thresholds import Thresholds
from ordcut.typing import Array, Floats

#: About the number of counts on a page, for the optima and for other candidates.
N_COUNTS, FEWEST_POSITIONS, MOST_POSITIONS = 60_000, 60, 600

#: Beyond this product of rows and classes, a dynamic programme runs for the main objective only.
MOST_CHOICES = 1 << 31


@dataclass(frozen=True)
class Comparison:
    """Thresholds for the same rows: the optimum of each objective, and other labelings.

    Attributes
    ----------
    candidates : Candidates
        The rows, and candidate positions of thresholds.
    main : Objective
        The objective that was given, one of ``objectives``.
    objectives : list of Objective
        Those with a name, unless decisions are not the classes, and the one that was given.
    optima : dict of str to Thresholds
        The optimum of each objective by its name, except those that would take too long.
    labelings : list of Labeling
        Other rules that choose thresholds.
    """

    candidates: Candidates
    main: Objective
    objectives: list[Objective]
    optima: dict[str, Thresholds]
    labelings: list[Labeling]


def compare(
    source: Source, objective: Objective, *, class_weight: ClassWeight | None = None
) -> Comparison:
    """Find the optimum of an objective and of each one with a name, and other labelings.

    Where decisions are not the classes, there is only the objective itself: the others, and other
    labelings, are about classes.

    Examples
    --------
    >>> from ordcut.data import Rows
    >>> from ordcut.pruning import ArraySource
    >>> source = ArraySource(Rows.read([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 1]))
    >>> compare(source, resolve_objective("absolute", 2)).optima["absolute"].thresholds
    array([0.45])
    """
    k = max(len(source.classes), objective.n_decisions)
    n_positions = int(np.clip(N_COUNTS // k - 4 * k, FEWEST_POSITIONS, MOST_POSITIONS))
    candidates = Candidates.of(source, n_positions)
    factors = objective.class_factors(class_weight, source.classes, candidates.totals)
    if objective.decisions is not None:
        optimum = candidates.optimum(objective, class_weight)
        return Comparison(candidates, objective, [objective], {objective.name: optimum}, [])
    objectives, main = _with_named(objective, source.classes, candidates.totals * factors)
    of_others = "balanced" if objective.name in BALANCED else class_weight
    optima = {
        one.name: candidates.optimum(one, class_weight if one is main else of_others)
        for one in objectives
        if one is main or _is_affordable(source.n_rows, one)
    }
    bins = BinnedCounts(candidates.positions, candidates.below, candidates.totals)
    labelings = labelings_of_counts(bins, source.classes, objectives, candidates.snap)
    return Comparison(candidates, main, objectives, optima, labelings)


def _with_named(
    objective: Objective, classes: Array, totals: Floats
) -> tuple[list[Objective], Objective]:
    """Return all objectives with a name and the one given, and which of them that is."""
    named = [resolve_objective(name, classes) for name in (*COSTS, *KAPPAS)]
    same = [one for one in named if _are_equal(one, objective)]
    if same:
        objective = same[0]
    elif objective.name in [one.name for one in named]:  # a callable with the name of another
        objective = replace(objective, name=f"custom {objective.name}")
    if np.count_nonzero(totals) < 2:  # no kappa is defined for a single class
        named = [one for one in named if not one.is_kappa or one is objective]
    return (named if same else [*named, objective]), objective


def _are_equal(one: Objective, other: Objective) -> bool:
    return (
        one.name == other.name
        and one.is_kappa == other.is_kappa
        and np.array_equal(one.cost, other.cost)
    )


def _is_affordable(n_rows: int, objective: Objective) -> bool:
    return objective.exact_cost.is_convex or n_rows * objective.n_classes <= MOST_CHOICES
