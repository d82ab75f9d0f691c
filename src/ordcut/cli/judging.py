"""Thresholds and other labelings judged on the rows of files, by every objective."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut.arrays import Array, Floats
from ordcut.objectives import Objective
from ordcut.sources.base import Source

if TYPE_CHECKING:
    from ordcut.cli.sources import Opened

#: What the thresholds that are judged, and the best ones for the same rows, are called.
OURS, OPTIMAL = "these thresholds", "optimal for these rows"


@dataclass(frozen=True)
class Verdict:
    """What labelings come to on some rows.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        The ordered classes.
    objectives : list of Objective
        What labelings are judged by.
    values : dict of str to dict of str to float
        The value of each labeling by each objective, None where a kappa has none.
    confusion : ndarray of shape (K, K)
        The weight of each predicted and true class, by the thresholds.
    n_rows : int
        How many rows there are.

    Examples
    --------
    >>> verdict = Verdict(np.array(["bad", "good"]), [], {}, np.array([[3.0, 1], [0, 4]]), 8)
    >>> verdict.by_class()[1]["recall"]
    0.8
    """

    classes: Array
    objectives: list[Objective]
    values: dict[str, dict[str, float | None]]
    confusion: Floats
    n_rows: int

    @property
    def best(self) -> dict[str, float | None]:
        """The best value of each objective."""
        found: dict[str, float | None] = {}
        for objective in self.objectives:
            all_values = (values[objective.name] for values in self.values.values())
            known = [value for value in all_values if value is not None]
            choose = max if objective.is_kappa else min
            found[objective.name] = choose(known) if known else None
        return found

    def by_class(self) -> list[dict[str, Any]]:
        """Return what becomes of each class, None for shares of nothing."""
        steps = np.arange(len(self.classes))
        distance = np.abs(steps[:, None] - steps)
        rows = []
        for k, name in enumerate(self.classes.tolist()):
            true, predicted = self.confusion[:, k].sum(), self.confusion[k].sum()
            right = self.confusion[k, k]
            rows.append(
                {
                    "class": name,
                    "true": float(true),
                    "predicted": float(predicted),
                    "recall": _share(right, true),
                    "precision": _share(right, predicted),
                    "mean steps off": _share(self.confusion[:, k] @ distance[:, k], true),
                }
            )
        return rows

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "rows": self.n_rows,
            "classes": self.classes.tolist(),
            "values": self.values,
            "confusion": self.confusion.tolist(),
            "by_class": self.by_class(),
        }


def judge(opened: Opened) -> Verdict:
    """Judge thresholds, the best ones for the same rows, other labelings and other predictions."""
    from ordcut.report.facts import compare
    from ordcut.report.ground import at_hand

    source, saved = at_hand(opened.source), opened.saved
    compared = compare(source, opened.objective)
    thresholds = {(OURS, one.name): saved.found.thresholds for one in compared.objectives}
    for name, optimum in compared.optima.items():
        thresholds[OPTIMAL, name] = optimum.thresholds
    for labeling in compared.labelings:
        thresholds |= {(labeling.name, name): at for name, at in labeling.thresholds.items()}
    tables = confusions(source, thresholds)
    for column, table in opened.other_confusions().items():
        tables |= {(column, one.name): table for one in compared.objectives}
    labelings = list(dict.fromkeys(labeling for labeling, _ in tables))
    values = {
        labeling: {
            one.name: _value(one, tables.get((labeling, one.name))) for one in compared.objectives
        }
        for labeling in labelings
    }
    ours = tables[OURS, compared.objectives[0].name]
    return Verdict(source.classes, compared.objectives, values, ours, opened.source.n_rows)


def confusions(source: Source, labelings: Mapping[Any, Floats]) -> dict[Any, Floats]:
    """Return the (predicted, true) table of weights of many thresholds, in one pass.

    Examples
    --------
    >>> from ordcut.sources.arrays import ArraySource
    >>> source = ArraySource([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 1])
    >>> confusions(source, {"low": np.array([0.2]), "right": np.array([0.45])})["right"]
    array([[2., 0.],
           [0., 2.]])
    """
    places = np.unique(np.concatenate(list(labelings.values())))
    places = places[np.isfinite(places)]
    below = np.cumsum(source.confusion(places), axis=0)
    below = np.vstack([np.zeros_like(below[:1]), below])
    found = {}
    for name, thresholds in labelings.items():
        # Below a threshold lies all up to its place; below -inf nothing, and below inf everything.
        number = np.searchsorted(places, thresholds, side="left") + 1
        number[thresholds == -np.inf] = 0
        edges = np.concatenate([[0], number, [len(places) + 1]])
        found[name] = np.diff(below[edges], axis=0)
    return found


def _value(objective: Objective, confusion: Floats | None) -> float | None:
    if confusion is None:
        return None
    try:
        return objective.value(confusion)
    except ValueError:  # a kappa where chance cannot disagree
        return None


def _share(part: float, whole: float) -> float | None:
    return float(part / whole) if whole > 0 else None
