"""Agreement with several raters, and items on which thresholds differ from all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordcut._core.objectives import Objective, resolve_objective
from ordcut._core.thresholds import Thresholds
from ordcut._core.typing import Array
from ordcut.panels import Agreement, Panel, PanelSource, compares_ratings

#: The largest number of items that a page lists.
MOST_ITEMS = 10

#: The largest number of characters of the name of an item.
LONGEST_NAME = 80


def people_content(
    source: PanelSource, thresholds: Thresholds, objective: Objective
) -> dict[str, Any]:
    """Return the agreement of people and of thresholds with people, ready to be written as JSON.

    Items that are handed over for review have no label, and are left out. Other decisions than
    reviews are no labels either: then only people are compared with each other.

    Examples
    --------
    >>> from ordcut import optimal_thresholds
    >>> panel, scores = Panel([[1, 1], [2, 3], [3, 3], [1, 2], [2, 2]]), [0.1, 0.5, 0.8, 0.2, 0.4]
    >>> thresholds = optimal_thresholds(scores, panel)
    >>> source = PanelSource.of(scores, panel)
    >>> content = people_content(source, thresholds, resolve_objective("absolute", panel.classes))
    >>> [measure["name"] for measure in content["measures"]]
    ['quadratic_kappa', 'absolute']
    """
    panel, has_reviews = source.panel, thresholds.review_share is not None
    decided = thresholds.codes(source.item_scores)
    kept = panel.n_ratings > 0
    if has_reviews:  # between each pair of classes
        kept &= decided % 2 == 0
        decided = decided // 2
    panel, decided = panel.take(kept), decided[kept]
    codes = decided if has_reviews or not thresholds.decides_otherwise else None
    labels = None if codes is None else panel.classes[codes]
    measures = [_measure(panel, labels, each) for each in _measures(objective, panel)]
    return {
        "raters": len(panel.rater_names) if panel.raters == "identified" else None,
        "items": len(panel),
        "measures": [measure for measure in measures if measure is not None],
        "isNamed": panel.items.dtype == object,
        "differ": [] if codes is None else _differing(panel, codes, source.item_scores[kept]),
    }


def _measures(objective: Objective, panel: Panel) -> list[Objective]:
    """Return a kappa, which has a value that can be attained, and a loss if that is the goal."""
    own = [objective.unweighted] if compares_ratings(objective.as_named) else []
    if own and objective.is_maximised:
        return own
    return [resolve_objective("quadratic_kappa", panel.classes), *own]


def _measure(panel: Panel, labels: Array | None, objective: Objective) -> dict[str, Any] | None:
    """Return the values of an objective; None if there are too few ratings for any."""
    people, judge, difference, attainable = None, None, None, None
    try:
        judge = None if labels is None else panel.agreement_with(labels, objective)
        people = panel.agreement(objective)
    except ValueError:  # too few items with several ratings, or no disagreement by chance
        if judge is None:
            return None
    if people is not None:
        difference = None if judge is None else list(judge.difference(people))
        if people.is_maximised:
            ends = (people.value, *people.interval())
            attainable = [float(np.sqrt(max(end, 0.0))) for end in ends]
    return {
        "name": objective.name,
        "isMaximised": objective.is_maximised,
        "people": _values(people),
        "judge": _values(judge),
        "attainable": attainable,
        "difference": difference,
    }


def _values(agreement: Agreement | None) -> list[float] | None:
    """Return a value, the ends of its interval, and the number of items."""
    if agreement is None:
        return None
    return [agreement.value, *agreement.interval(), agreement.n_items]


def _differing(panel: Panel, codes: Array, scores: Array) -> list[dict[str, Any]]:
    """Return the items whose label is farthest from the rating that is nearest to it."""
    names, counts = [str(name) for name in panel.classes.tolist()], panel.counts
    apart = resolve_objective("absolute", panel.classes).cost[codes]
    nearest = np.where(counts > 0, apart, np.inf).min(axis=1)
    mean = (counts * apart).sum(axis=1) / counts.sum(axis=1)
    order = np.lexsort((-counts.sum(axis=1), -mean, -nearest))[:MOST_ITEMS]
    return [
        {
            "item": str(panel.items[i])[:LONGEST_NAME],
            "score": float(scores[i]),
            "label": names[codes[i]],
            "ratings": [[names[k], int(counts[i, k])] for k in np.flatnonzero(counts[i])],
        }
        for i in order
        if nearest[i] > 0
    ]
