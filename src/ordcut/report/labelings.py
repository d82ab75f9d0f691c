"""Other ways to cut scores into ordered classes, to compare an optimum with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordcut.arrays import Array, Floats
from ordcut.objectives import Objective
from ordcut.report.ground import Ground


@dataclass(frozen=True)
class Labeling:
    """Thresholds that follow some rule, for each objective or the same for all.

    Attributes
    ----------
    name : str
        What a reader calls it.
    note : str
        How the thresholds come about, in one sentence.
    thresholds : dict of str to ndarray
        The thresholds for each objective, by its name.
    """

    name: str
    note: str
    thresholds: dict[str, Floats]


def other_labelings(ground: Ground, classes: Array, objectives: list[Objective]) -> list[Labeling]:
    """Return the labelings that can be made from the counts of a ground.

    Examples
    --------
    >>> from ordcut.objectives import resolve_objective
    >>> from ordcut.report.ground import lay_ground
    >>> from ordcut.sources.arrays import ArraySource
    >>> source = ArraySource([0.1, 0.2, 0.8, 1.2, 1.9], [0, 0, 1, 1, 2])
    >>> made = other_labelings(
    ...     lay_ground(source, 100, 1), source.classes, [resolve_objective("absolute", 3)])
    >>> [(labeling.name, labeling.thresholds["absolute"]) for labeling in made][0]
    ('rounding', array([0.5, 1.5]))
    """
    found = []
    names = [objective.name for objective in objectives]
    if classes.dtype.kind in "iuf" and (np.diff(classes.astype(np.float64)) > 0).all():
        values = classes.astype(np.float64)
        halves = values[:-1] / 2 + values[1:] / 2
        note = "Each score gets the class whose number is nearest to it."
        found.append(Labeling("rounding", note, dict.fromkeys(names, halves)))
    if len(ground.places):
        centres, counts = _bins(ground)
        note = "Halfway between the mean scores of neighbouring classes."
        means = ground.snap(_between_means(centres, counts))
        found.append(Labeling("class means", note, dict.fromkeys(names, means)))
        note = "As many rows get each class as have it, as nearly as can be."
        found.append(Labeling("class shares", note, dict.fromkeys(names, _same_shares(ground))))
        note = "The class of least expected cost by an ordinal logistic model of the scores."
        by_model = _by_likelihood(ground.places, centres, counts, objectives)
        found.append(Labeling("ordinal logistic model", note, by_model))
    return found


def _bins(ground: Ground) -> tuple[Floats, Floats]:
    """Return the middles of the bins between places, and the weight of each class in each bin."""
    places = ground.places
    centres = np.concatenate([places[:1], places[:-1] / 2 + places[1:] / 2, places[-1:]])
    below = np.vstack([ground.below, ground.totals])
    return centres, np.maximum(np.diff(below, axis=0, prepend=0.0), 0)


def _between_means(centres: Floats, counts: Floats) -> Floats:
    totals = counts.sum(axis=0)
    occurs = np.flatnonzero(totals)
    means = (centres @ counts)[occurs] / totals[occurs]
    # A class that does not occur stands between its neighbours.
    every = np.interp(np.arange(len(totals)), occurs, means)
    return np.maximum.accumulate(every[:-1] / 2 + every[1:] / 2)


def _same_shares(ground: Ground) -> Floats:
    wanted = np.cumsum(ground.totals)[:-1]
    below = ground.below.sum(axis=1)
    after = np.minimum(np.searchsorted(below, wanted), len(below) - 1)
    before = np.maximum(after - 1, 0)
    return ground.places[np.where(wanted - below[before] <= below[after] - wanted, before, after)]


def _by_likelihood(
    places: Floats, centres: Floats, counts: Floats, objectives: list[Objective]
) -> dict[str, Floats]:
    """Fit the model to the bins, and cut where the class of least expected cost changes."""
    from ordcut.estimators.score_model import fit_score_model
    from ordcut.estimators.targets import Targets

    n_classes = counts.shape[1]
    bins, codes = np.nonzero(counts)
    targets = Targets(np.arange(n_classes), codes, counts[bins, codes], np.ones(n_classes))
    model = fit_score_model(centres[bins], targets)
    probabilities = model.probabilities(centres)
    edges = np.concatenate([[-np.inf], places, [np.inf]])
    found = {}
    for objective in objectives:  # a kappa goes by the cost that it is made of
        cheapest = np.argmin(probabilities @ objective.cost.T, axis=1)
        # A cost can be such that the cheapest class falls somewhere: labels never do.
        ordered = np.maximum.accumulate(cheapest)
        found[objective.name] = edges[np.searchsorted(ordered, np.arange(n_classes - 1), "right")]
    return found
