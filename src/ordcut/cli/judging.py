"""Thresholds and other labelings judged on the rows of a source, by every objective."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordcut.arrays import Array, Floats
from ordcut.objectives import COSTS, KAPPAS, Objective, resolve_objective
from ordcut.sources.base import Source


def confusions(source: Source, labelings: Mapping[str, Floats]) -> dict[str, Floats]:
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
        # The weight below a threshold is what lies below its place; below inf lies everything.
        number = np.searchsorted(places, thresholds, side="left") + np.isfinite(thresholds)
        number[thresholds == np.inf] = len(places) + 1
        edges = np.concatenate([[0], number, [len(places) + 1]])
        found[name] = np.diff(below[edges], axis=0)
    return found


@dataclass(frozen=True)
class Judgement:
    """What a labeling comes to.

    Attributes
    ----------
    name : str
        What the labeling is called.
    confusion : ndarray of shape (K, K)
        The weight of each predicted and true class.
    """

    name: str
    confusion: Floats

    def values(self, objectives: list[Objective]) -> dict[str, float | None]:
        """Return the value of each objective, None where a kappa has none."""
        found: dict[str, float | None] = {}
        for objective in objectives:
            try:
                found[objective.name] = objective.value(self.confusion)
            except ValueError:  # a kappa where chance cannot disagree
                found[objective.name] = None
        return found

    def by_class(self, classes: Array) -> list[dict[str, Any]]:
        """Return what becomes of each class, None for shares of nothing.

        Examples
        --------
        >>> one = Judgement("mine", np.array([[3.0, 1.0], [0.0, 4.0]]))
        >>> one.by_class(np.array(["bad", "good"]))[1]["recall"]
        0.8
        """
        confusion, steps = self.confusion, np.arange(len(classes))
        distance = np.abs(steps[:, None] - steps)
        rows = []
        for k, name in enumerate(classes.tolist()):
            true, predicted, right = confusion[:, k].sum(), confusion[k].sum(), confusion[k, k]
            rows.append(
                {
                    "class": name,
                    "true": float(true),
                    "predicted": float(predicted),
                    "recall": _share(right, true),
                    "precision": _share(right, predicted),
                    "mean steps off": _share(confusion[:, k] @ distance[:, k], true),
                }
            )
        return rows


def every_objective(n_classes: int, own: Objective | None = None) -> list[Objective]:
    """Return all objectives with a name, and one without if there is one."""
    every = [resolve_objective(name, n_classes) for name in (*COSTS, *KAPPAS)]
    if own is not None and own.name not in [objective.name for objective in every]:
        every.append(own)
    return every


def _share(part: float, whole: float) -> float | None:
    return float(part / whole) if whole > 0 else None
