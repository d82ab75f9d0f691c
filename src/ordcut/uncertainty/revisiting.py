"""Go back to the rows that thresholds were found on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordcut.arrays import Floats, Ints
from ordcut.sources.arrays import ArraySource
from ordcut.table import ScoreTable
from ordcut.thresholds import Thresholds
from ordcut.uncertainty.origin import Origin


@dataclass(frozen=True)
class Revisited:
    """The rows of a result, as they are and sorted, with the cuts and labels that it leads to."""

    origin: Origin
    source: ArraySource
    table: ScoreTable
    cuts: Ints
    confusion: Floats


def revisit(found: Thresholds, method: str) -> Revisited:
    """Return what a method of a result needs of its rows, after a look whether they are the same.

    Examples
    --------
    >>> from ordcut.api import optimal_thresholds
    >>> revisit(optimal_thresholds([0.3, 0.1, 0.2], [1, 0, 0]), "bootstrap").cuts
    array([2])
    """
    if found.origin is None:
        raise ValueError(
            f"{method} needs the rows that thresholds were found on, and these have none: they "
            "were read from JSON or a pickle, or were not found on data at all. Find them again "
            f"with ordcut.optimal_thresholds(scores, labels, ...) and call {method} on the result."
        )
    source = found.origin.rows_in_memory()
    table = ScoreTable.from_source(source)
    cuts: Ints = np.searchsorted(table.rows.scores, found.thresholds, side="left")
    confusion = table.confusion(cuts)
    value = found.origin.value(confusion)
    if not np.isclose(value, found.value, rtol=1e-9, atol=1e-12):
        raise ValueError(
            f"{method} needs scores, labels and weights as they were when the thresholds were "
            f"found; the value was {found.value:g} and is {value:g} now. The arrays have changed "
            "since, or the value was judged on other labels. Find the thresholds again."
        )
    return Revisited(found.origin, source, table, cuts, confusion)
