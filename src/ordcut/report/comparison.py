"""The optimum of every objective on given rows, and simple rules to compare it with."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ordcut._core.data import Rows
from ordcut._core.errors import InfeasibleConstraintsError, TooManyRowsError
from ordcut._core.limits import Constraint
from ordcut._core.objectives import COSTS, KAPPAS, Objective, resolve_objective
from ordcut._core.problem import Problem, Sample
from ordcut._core.pruning import Source
from ordcut._core.solve import optimum
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array, Floats
from ordcut.report.candidates import Candidates
from ordcut.studies.expected_cost import cheapest_codes
from ordcut.studies.labelings import rounding_thresholds

#: About the number of counts on a page, for the optima and for other candidates.
N_COUNTS, FEWEST_POSITIONS, MOST_POSITIONS = 60_000, 60, 600

#: Beyond this product of rows and classes, a dynamic programme runs for the main objective only.
MOST_CHOICES = 1 << 31

#: Beyond this product, constraints apply to the main objective only.
MOST_CHOICES_OF_OTHERS = 1 << 24

#: The total of expected counts, which are rounded to whole numbers.
EXPECTED_TOTAL = 2.0**40


@dataclass(frozen=True)
class Labeling:
    """Thresholds that follow a rule, for each of several objectives.

    Attributes
    ----------
    name : str
        The name of the labeling for readers.
    note : str
        The rule, as a sentence.
    thresholds : dict of str to ndarray
        The thresholds for each objective, by its name.
    """

    name: str
    note: str
    thresholds: dict[str, Floats]


@dataclass(frozen=True)
class Comparison:
    """Thresholds for given rows: the optimum of each objective, and other labelings.

    Attributes
    ----------
    candidates : Candidates
        The rows, and candidate positions of thresholds.
    main : Objective
        The given objective, which is among ``objectives``.
    objectives : list of Objective
        Those with a name, unless decisions are not the classes, and the given objective.
    optima : dict of str to Thresholds
        The optimum of each objective by its name, except objectives that would take too long.
    labelings : list of Labeling
        Other rules that choose thresholds.
    """

    candidates: Candidates
    main: Objective
    objectives: list[Objective]
    optima: dict[str, Thresholds]
    labelings: list[Labeling]


def compare(
    source: Source,
    objective: Objective,
    *,
    constraints: tuple[Constraint, ...] = (),
) -> Comparison:
    """Find the optimum of an objective and of all named objectives, and other labelings.

    The optima keep the constraints, unless these cannot hold on the rows, or would take too long
    for an objective other than the given one.

    Where decisions are not the classes, there is only the objective itself: the others, and other
    labelings, are about classes.

    Examples
    --------
    >>> from ordcut._core.data import Rows
    >>> from ordcut._core.pruning import ArraySource
    >>> source = ArraySource(Rows.read([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 1]))
    >>> compare(source, resolve_objective("absolute", 2)).optima["absolute"].thresholds
    array([0.45])
    """
    k = max(len(source.classes), objective.n_decisions)
    n_positions = int(np.clip(N_COUNTS // k - 4 * k, FEWEST_POSITIONS, MOST_POSITIONS))
    candidates = Candidates.of(source, n_positions)
    if objective.decisions is not None:
        best = _optimum(candidates, objective, constraints)
        return Comparison(candidates, objective, [objective], {objective.name: best}, [])
    factors = objective.factors(candidates.totals)
    totals = candidates.totals if factors is None else candidates.totals * factors
    objectives, main = _with_named(objective, source.classes, totals)
    optima = {
        each.name: _optimum(
            candidates, each, constraints if each is main or _is_quick(source.n_rows, each) else ()
        )
        for each in objectives
        if each is main or _is_affordable(source.n_rows, each)
    }
    labelings = labelings_of_counts(candidates, objectives)
    return Comparison(candidates, main, objectives, optima, labelings)


def _optimum(
    candidates: Candidates,
    objective: Objective,
    constraints: tuple[Constraint, ...],
) -> Thresholds:
    """Return the optimum under the constraints, or without them if they cannot hold."""
    try:
        return candidates.optimum(objective, constraints)
    except (InfeasibleConstraintsError, TooManyRowsError):
        return candidates.optimum(objective)


def _with_named(
    objective: Objective, classes: Array, totals: Floats
) -> tuple[list[Objective], Objective]:
    """Return the objectives to compare, and which of them is the given objective."""
    resolved = (resolve_objective(name, classes) for name in (*COSTS, *KAPPAS))
    named = [other.with_weights_of(objective) for other in resolved]
    equal = [other for other in named if _are_equal(other, objective)]
    if equal:
        objective = equal[0]
    elif objective.name in [other.name for other in named]:  # a callable with the name of another
        objective = replace(objective, name=f"custom {objective.name}")
    if np.count_nonzero(totals) < 2:  # no kappa is defined for a single class
        named = [other for other in named if other.has_value(totals) or other is objective]
    return (named if equal else [*named, objective]), objective


def _are_equal(first: Objective, second: Objective) -> bool:
    return first.name == second.name and first.fingerprint() == second.fingerprint()


def _is_affordable(n_rows: int, objective: Objective) -> bool:
    is_quick = objective.kind in ("convex", "convex kappa", "segments")
    return is_quick or n_rows * objective.n_classes <= MOST_CHOICES


def _is_quick(n_rows: int, objective: Objective) -> bool:
    return n_rows * objective.n_classes <= MOST_CHOICES_OF_OTHERS


def labelings_of_counts(candidates: Candidates, objectives: list[Objective]) -> list[Labeling]:
    """Return the labelings that can be computed from counts, to compare an optimum with.

    Examples
    --------
    >>> rows = Rows.read([0.1, 0.2, 0.7, 1.2, 1.6, 1.9], [0, 0, 1, 1, 2, 2])
    >>> candidates = Candidates.of_rows(rows)
    >>> for labeling in labelings_of_counts(candidates, [resolve_objective("absolute", 3)]):
    ...     print(labeling.name, labeling.thresholds["absolute"].round(2))
    rounding [0.5 1.5]
    class means [0.45 1.4 ]
    class shares [0.45 1.4 ]
    ordinal logistic model [0.45 1.4 ]
    """
    classes = candidates.source.classes
    labelings = []
    names = [objective.name for objective in objectives]
    if classes.dtype.kind in "iuf" and (np.diff(classes.astype(np.float64)) > 0).all():
        note = "Each score gets the class whose number is nearest to it."
        halves = rounding_thresholds(classes.astype(np.float64))
        labelings.append(Labeling("rounding", note, dict.fromkeys(names, halves)))
    if len(candidates.positions):
        note = "Halfway between the mean scores of neighbouring classes."
        means = candidates.snap(class_mean_thresholds(candidates))
        labelings.append(Labeling("class means", note, dict.fromkeys(names, means)))
        note = "As many rows get each class as have it, as nearly as can be."
        shares = class_share_thresholds(candidates)
        labelings.append(Labeling("class shares", note, dict.fromkeys(names, shares)))
        note = "The least expected cost, or best expected kappa, by an ordinal logistic model."
        by_model = _likelihood_of_counts(candidates, objectives)
        labelings.append(Labeling("ordinal logistic model", note, by_model))
    return labelings


def class_mean_thresholds(candidates: Candidates) -> Floats:
    """Return the thresholds halfway between the mean scores of neighbouring classes."""
    counts = candidates.counts
    totals = counts.sum(axis=0)
    occurs = np.flatnonzero(totals)
    means = (candidates.centres @ counts)[occurs] / totals[occurs]
    # The mean of a class that does not occur is interpolated between its neighbours' means.
    every = np.interp(np.arange(len(totals)), occurs, means)
    return np.maximum.accumulate(every[:-1] / 2 + every[1:] / 2)


def class_share_thresholds(candidates: Candidates) -> Floats:
    """Return the positions that give each class as many rows as have it, as nearly as possible."""
    wanted = np.cumsum(candidates.totals)[:-1]
    below = candidates.below.sum(axis=1)
    after = np.minimum(np.searchsorted(below, wanted), len(below) - 1)
    before = np.maximum(after - 1, 0)
    is_before = wanted - below[before] <= below[after] - wanted
    return np.asarray(candidates.positions[np.where(is_before, before, after)])


def _likelihood_of_counts(candidates: Candidates, objectives: list[Objective]) -> dict[str, Floats]:
    """Fit a model to the bins; minimise the expected cost, or maximise the expected kappa."""
    from ordcut.estimators import ProportionalOddsModel  # which needs scipy.optimize

    centres, counts = candidates.centres, candidates.counts
    n_classes = counts.shape[1]
    filled, codes = np.nonzero(counts)
    model = ProportionalOddsModel.fit(centres[filled], codes, counts[filled, codes], n_classes)
    probabilities = model.probabilities(centres)
    edges = np.concatenate([[-np.inf], candidates.positions, [np.inf]])
    thresholds = {}
    for objective in objectives:
        if objective.is_maximised:
            first_bins = _best_kappa_bins(probabilities, counts.sum(axis=1), objective)
        else:
            factors = objective.factors(counts.sum(axis=0))
            cost = objective.cost if factors is None else objective.cost * factors
            # If costs are not convex, the cheapest class can fall as scores rise; labels never do.
            codes = np.maximum.accumulate(cheapest_codes(probabilities, cost))
            first_bins = np.searchsorted(codes, np.arange(n_classes - 1), "right")
        thresholds[objective.name] = edges[first_bins]
    return thresholds


def _best_kappa_bins(probabilities: Floats, weights: Floats, objective: Objective) -> Array:
    """Return the first bin above each threshold of the greatest kappa of the expected confusion."""
    # In whole numbers, sums are exact, and no near tie between fractions has to be resolved.
    expected = np.rint(probabilities * weights[:, None] * (EXPECTED_TOTAL / weights.sum()))
    filled = np.flatnonzero(expected.any(axis=1))
    thresholds = optimum(Problem(Sample(Rows.read(filled, expected[filled])), objective)).thresholds
    # A threshold below all filled bins is at the left end, and above all of them at the right end.
    firsts = np.concatenate([[0], filled[1:], [len(weights)]])
    return firsts[np.searchsorted(filled, thresholds)]
