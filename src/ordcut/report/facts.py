"""All that a page shows, as plain values: places, counts between them, optima, labelings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordcut import __version__
from ordcut.arrays import Array, Floats
from ordcut.checks import ClassWeight, class_factors
from ordcut.export import class_literals
from ordcut.finding import find_thresholds
from ordcut.objectives import (
    COSTS,
    KAPPAS,
    Objective,
    ObjectiveLike,
    is_convex,
    objective_or_named,
    resolve_objective,
)
from ordcut.report.ground import Ground, at_hand, lay_ground
from ordcut.report.labelings import Labeling, other_labelings
from ordcut.solvers import Plan
from ordcut.sources.base import Source
from ordcut.storage import as_written
from ordcut.threads import count_threads
from ordcut.thresholds import Thresholds

#: A page holds about so many counts, of which the ladder of places takes what optima leave.
N_COUNTS, FEWEST_PLACES, MOST_PLACES = 60_000, 60, 600

#: With more classes than this, tables and rules are beyond what a page can show.
MOST_CLASSES = 100

#: Fractional weights are shipped as multiples of the total's power of two, shifted by so many bits:
#: finer than the rounding of the sums.
WEIGHT_BITS = 50

#: Beyond so many rows times classes, dynamic programmes are left to those who ask for them.
MOST_CHOICES = 1 << 31


@dataclass(frozen=True)
class Compared:
    """The optimum of each objective, and other labelings of the same rows.

    Attributes
    ----------
    ground : Ground
        What all of them were found on.
    objectives : list of Objective
        Those with a name, and the one that was asked for.
    optima : dict of str to Thresholds
        The optimum of each objective by its name, but for those that would take too long.
    labelings : list of Labeling
        Other ways to cut the scores.
    """

    ground: Ground
    objectives: list[Objective]
    optima: dict[str, Thresholds]
    labelings: list[Labeling]


def compare(
    source: Source,
    main: Objective,
    *,
    class_weight: ClassWeight | None = None,
    n_jobs: int | None = None,
) -> Compared:
    """Find the optimum of every objective with a name, and of one more, and other labelings.

    Examples
    --------
    >>> from ordcut.sources.arrays import ArraySource
    >>> source = ArraySource([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 1])
    >>> compared = compare(source, resolve_objective("absolute", 2))
    >>> compared.optima["absolute"].thresholds
    array([0.45])
    """
    k = len(source.classes)
    n_places = int(np.clip(N_COUNTS // k - 4 * k, FEWEST_PLACES, MOST_PLACES))
    ground = lay_ground(source, n_places, count_threads(n_jobs))
    factors = class_factors(class_weight, source.classes, ground.totals)
    objectives = _objectives(main, ground.totals * factors)
    optima = {
        one.name: _optimum(ground, one, class_weight)
        for one in objectives
        if one.name == main.name or _is_affordable(source, one)
    }
    return Compared(ground, objectives, optima, other_labelings(ground, source.classes, objectives))


def gather_facts(
    source: Source,
    found: Thresholds | None,
    objective: ObjectiveLike | None,
    *,
    class_weight: ClassWeight | None = None,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """Return the facts of a page, ready to be written as JSON."""
    n_rows, source = source.n_rows, at_hand(source)
    classes = source.classes
    _check(classes, found)
    name = "absolute" if found is None else found.objective
    main = objective_or_named(objective, name, len(classes))
    compared = compare(source, main, class_weight=class_weight, n_jobs=n_jobs)
    ground, objectives = compared.ground, compared.objectives
    optima, labelings = compared.optima, compared.labelings
    factors = class_factors(class_weight, classes, ground.totals)
    start = optima[main.name] if found is None else found
    exact = [start, *optima.values()]
    others = [at for one in labelings for at in one.thresholds.values()]
    ladder = _Ladder(source, ground, [*(one.thresholds for one in exact), *others])
    whole, unit = _in_whole_numbers(np.vstack([ladder.below, ground.totals]))
    return {
        "ordcut": __version__,
        "rows": n_rows,
        "unit": unit,
        "factors": None if (factors == 1).all() else factors.tolist(),
        "classes": [str(name) for name in classes.tolist()],
        "literals": class_literals(classes),
        "extent": list(ground.extent),
        "places": ladder.places[1:-1].tolist(),
        "ranges": ladder.ranges(ground, exact),
        "counts": np.diff(whole, axis=0, prepend=0).tolist(),
        "objectives": [
            {
                "name": one.name,
                "isKappa": one.is_kappa,
                "cost": one.cost.tolist(),
                "optimum": ladder.written(optima[one.name]) if one.name in optima else None,
            }
            for one in objectives
        ],
        "labelings": [
            {
                "name": one.name,
                "note": one.note,
                "at": {name: ladder.numbers(at) for name, at in one.thresholds.items()},
            }
            for one in labelings
        ],
        "start": {"of": main.name, **ladder.written(start)},
    }


class _Ladder:
    """All places of a page in order: those of the ground, and every threshold that must be exact.

    The first place is -inf and the last one inf; ``below`` is for the finite ones between them.
    """

    def __init__(self, source: Source, ground: Ground, exact: list[Floats]) -> None:
        places, self.below = ground.with_exact(source, np.concatenate(exact))
        self.places = np.concatenate([[-np.inf], places, [np.inf]])

    def numbers(self, thresholds: Floats) -> list[int]:
        """Return the numbers of the places where thresholds stand."""
        return [int(number) for number in np.searchsorted(self.places, thresholds)]

    def ranges(self, ground: Ground, found: list[Thresholds]) -> dict[int, list[float | str]]:
        """Return how far thresholds at a place can move without changing a label, where known."""
        everywhere = ground.ranges(self.places)
        if everywhere is not None:
            known = dict(enumerate(everywhere.tolist()))
        else:  # at thresholds that were found; of two, the optimum has the last word
            known = {
                number: pair
                for one in found
                for number, pair in zip(
                    self.numbers(one.thresholds), one.ranges.tolist(), strict=True
                )
            }
        return {number: [as_written(end) for end in pair] for number, pair in known.items()}

    def written(self, found: Thresholds) -> dict[str, Any]:
        """Return a result with its thresholds as numbers of places."""
        return {
            "at": self.numbers(found.thresholds),
            "value": found.value,
            "method": found.method,
            "certificate": found.certificate,
            "objective": found.objective,
        }


def _check(classes: Array, found: Thresholds | None) -> None:
    if len(classes) > MOST_CLASSES:
        raise ValueError(
            f"a report must have at most {MOST_CLASSES} classes, got {len(classes)}. "
            "Join neighbouring classes, or use found.to_json() and ordcut.evaluate."
        )
    if found is not None and found.classes.tolist() != classes.tolist():
        raise ValueError(
            f"found must have the classes of the labels, {classes.tolist()}, "
            f"got {found.classes.tolist()}. Pass classes=found.classes with the labels."
        )


def _objectives(main: Objective, totals: Floats) -> list[Objective]:
    every = [resolve_objective(name, len(totals)) for name in (*COSTS, *KAPPAS)]
    if main.name not in [one.name for one in every]:
        every.append(main)
    if np.count_nonzero(totals) < 2:  # chance cannot disagree with a single class
        every = [one for one in every if not one.is_kappa or one.name == main.name]
    return every


def _optimum(ground: Ground, objective: Objective, class_weight: ClassWeight | None) -> Thresholds:
    return find_thresholds(ground.problem, objective, ground.method, class_weight, Plan())


def _is_affordable(source: Source, objective: Objective) -> bool:
    return is_convex(objective.cost) or source.n_rows * objective.n_classes <= MOST_CHOICES


def _in_whole_numbers(below: Floats) -> tuple[Array, float]:
    """Return weights as whole multiples of a unit, in ascending order down each column."""
    unit = 1.0
    if (below != np.rint(below)).any():
        unit = float(2.0 ** (np.ceil(np.log2(below[-1].sum())) - WEIGHT_BITS))
    whole = np.rint(below / unit).astype(np.int64)
    return np.maximum.accumulate(whole, axis=0), unit


def as_json(facts: dict[str, Any]) -> str:
    r"""Return facts as JSON that can stand inside a ``script`` element, whatever names they hold.

    Examples
    --------
    >>> as_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(facts, allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
