"""What a page shows, as plain values: positions, counts between them, optima, labelings."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ordcut import __version__
from ordcut._core.data import ClassWeight
from ordcut._core.errors import marks_escaped
from ordcut._core.objectives import ObjectiveLike, is_named, title_of
from ordcut._core.pruning import ArraySource, Source
from ordcut._core.thresholds import (
    Thresholds,
    as_written,
    class_literals,
    explained,
    how_sure,
    objective_for,
    phrase,
)
from ordcut._core.typing import Array, Floats
from ordcut.panels import PanelSource
from ordcut.report.candidates import Candidates
from ordcut.report.comparison import compare
from ordcut.report.intervals import quick_intervals
from ordcut.report.limits import limits_content, limits_of, values_allowed
from ordcut.report.people import people_content

#: The maximum number of classes that the tables and rules of a page can show.
MOST_CLASSES = 100

#: Fractional weights are stored as multiples of the total's power of two, shifted by this many
#: bits: finer than the rounding of the sums.
WEIGHT_BITS = 50


def page_content(
    source: Source,
    thresholds: Thresholds | None = None,
    objective: ObjectiveLike | None = None,
    class_weight: ClassWeight | None = None,
    intervals: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the content of a page, ready to be written as JSON.

    ``intervals`` belong to the initial thresholds; by default, of a bootstrap if it is quick. An
    empty dict leaves them out.
    """
    classes = source.classes
    resolved = objective_for(thresholds, objective, classes).weighted(class_weight, classes)
    for what, number in (("classes", len(classes)), ("decisions", resolved.n_decisions)):
        if number > MOST_CLASSES:
            raise ValueError(
                f"a report must have at most {MOST_CLASSES} {what}, got {number}. "
                "Join neighbouring classes, or use Thresholds.to_json and ordcut.evaluate."
            )
    limits = limits_of(thresholds, resolved)
    constraints = () if limits is None else tuple(limits.constraints)
    compared = compare(source, resolved, constraints=constraints)
    optima, labelings = dict(compared.optima), compared.labelings
    main = compared.main.name
    if thresholds is not None and _has_proof_of(thresholds, optima[main]):
        optima[main] = thresholds  # whose certificate is in the explanation
    start = optima[main] if thresholds is None else thresholds
    if intervals is None:
        intervals = quick_intervals(start, compared.optima[main])
    free = None if limits is None else compared.candidates.optimum(compared.main)
    results = [start, *optima.values(), *([] if free is None else [free])]
    others = [at for labeling in labelings for at in labeling.thresholds.values()]
    allowed = values_allowed(limits, compared.candidates.extent)
    at_all = np.concatenate([*(result.thresholds for result in results), *others, allowed])
    grid = _Grid(compared.candidates.including(at_all))
    totals, own = compared.candidates.totals, resolved.decisions
    factors = resolved.factors(totals)
    whole, unit = _in_whole_numbers(np.vstack([grid.candidates.below, totals]))
    return {
        "ordcut": __version__,
        "rows": source.n_rows,
        "unit": unit * (source.rows.unit if isinstance(source, ArraySource) else 1.0),
        "factors": None if factors is None or (factors == 1).all() else factors.tolist(),
        "classes": [str(name) for name in classes.tolist()],
        "decisions": None if own is None else [str(name) for name in own.tolist()],
        "isReview": thresholds is not None and thresholds.review_share is not None,
        "literals": class_literals(classes if own is None else own),
        "classLiterals": None if own is None else class_literals(classes)["json"],
        "constraints": limits_content(limits, grid.positions, totals),
        "extent": list(compared.candidates.extent),
        "positions": grid.candidates.positions.tolist(),
        "ranges": grid.ranges(results),
        "counts": np.diff(whole, axis=0, prepend=0).tolist(),
        "titles": {
            name: title_of(name)
            for name in dict.fromkeys([start.objective, *(o.name for o in compared.objectives)])
        },
        "objectives": [
            {
                "name": each.name,
                "phrase": phrase(each.name, "{}"),
                "noun": "error" if each.is_maximised or is_named(_loss(each.name)) else "cost",
                "isMaximised": each.is_maximised,
                "rule": each.rule(),
                "optimum": (
                    {
                        **grid.as_dict(optima[each.name]),
                        "isConstrained": bool(optima[each.name].constraints),
                    }
                    if each.name in optima
                    else None
                ),
            }
            for each in compared.objectives
        ],
        "labelings": [
            {
                "name": labeling.name,
                "note": labeling.note,
                "at": {name: grid.indices(at) for name, at in labeling.thresholds.items()},
            }
            for labeling in labelings
        ],
        "start": {
            **grid.as_dict(start),
            "judgedBy": main,
            "objective": main if objective is None else start.objective,
            "isSmoothed": is_smoothed(start),
        },
        "free": None if free is None else grid.as_dict(free),
        "words": _in_words(start, intervals or None),
        "intervals": intervals or None,
        "people": (
            people_content(source, start, resolved) if isinstance(source, PanelSource) else None
        ),
    }


def _has_proof_of(thresholds: Thresholds, optimum: Thresholds) -> bool:
    """Return whether thresholds are the optimum, and their certificate proves it."""
    is_proven = thresholds.proof.verified != "given" and not is_smoothed(thresholds)
    return is_proven and np.array_equal(thresholds.thresholds, optimum.thresholds)


def _loss(name: str) -> str:
    """Return the name of the loss of an objective that may have reviews at a cost."""
    return name.partition(", review at ")[0]


def _in_words(thresholds: Thresholds, intervals: dict[str, Any] | None) -> list[str]:
    """Return sentences about the initial thresholds of the page."""
    sentences = explained(thresholds)
    if intervals is not None:
        pairs, value = intervals["thresholds"], intervals["value"]
        sentences.append(how_sure(intervals["level"], pairs, value))
    return sentences


class _Grid:
    """The positions of a page, by whose indices the page refers to them: 0 is -inf, the last inf.

    All thresholds that the page knows by name are among them.
    """

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        self.positions = np.concatenate([[-np.inf], candidates.positions, [np.inf]])

    def indices(self, thresholds: Floats) -> list[int]:
        """Return the indices of thresholds that are among the positions."""
        return [int(index) for index in np.searchsorted(self.positions, thresholds)]

    def ranges(self, results: list[Thresholds]) -> dict[int, list[float | str]]:
        """Return how far a threshold can move without changing a label, by index, where known."""
        everywhere = self.candidates.ranges(self.positions)
        if everywhere is not None:
            known = dict(enumerate(everywhere.tolist()))
        else:  # at the thresholds of results; of two at a position, the last counts
            known = {
                index: pair
                for result in results
                for index, pair in zip(
                    self.indices(result.thresholds), result.ranges.tolist(), strict=True
                )
            }
        return {index: [as_written(end) for end in pair] for index, pair in known.items()}

    def as_dict(self, thresholds: Thresholds) -> dict[str, Any]:
        """Return a result with the indices of its thresholds."""
        return {
            "at": self.indices(thresholds.thresholds),
            "value": thresholds.value,
            "method": thresholds.method,
            "certificate": thresholds.certificate,
            "proof": thresholds.proof.as_dict(),
            "objective": thresholds.objective,
        }


def _in_whole_numbers(below: Floats) -> tuple[Array, float]:
    """Return weights as whole multiples of a unit, in ascending order down each column."""
    unit = 1.0
    if (below != np.rint(below)).any():
        unit = float(2.0 ** (np.ceil(np.log2(below[-1].sum())) - WEIGHT_BITS))
    whole = np.rint(below / unit).astype(np.int64)
    return np.maximum.accumulate(whole, axis=0), unit


def is_smoothed(thresholds: Thresholds) -> bool:
    """Return whether thresholds are optimal for smoothed labels instead of observed labels.

    Examples
    --------
    >>> from ordcut import optimal_thresholds
    >>> is_smoothed(optimal_thresholds([1, 2, 3, 4], [0, 1, 0, 1], smoothing=0.5))
    True
    """
    return thresholds.proof.smoothing is not None


def compact(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a page in a compact form.

    Counts are in base 32, whole costs have no decimals, and a cost that an earlier objective has
    as well is the name of that objective.
    """
    objectives: list[dict[str, Any]] = []
    costs: dict[str, list[list[float]]] = {}
    for objective in content["objectives"]:
        rule = objective["rule"]
        if "cost" not in rule:
            objectives.append(objective)
            continue
        cost = [[int(x) if x == int(x) else x for x in row] for row in rule["cost"]]
        equal = [name for name, known in costs.items() if known == cost]
        objectives.append(objective | {"rule": rule | {"cost": equal[0] if equal else cost}})
        costs[objective["name"]] = cost
    return content | {"objectives": objectives, "counts": written_counts(content["counts"])}


def written_counts(counts: list[list[int]]) -> list[str]:
    """Return each row of counts as text in base 32, nothing for 0, which takes the least space.

    Scripts read numbers below 2**53 in base 32 exactly.

    Examples
    --------
    >>> written_counts([[0, 5, 1000], [0, 0, 0]])
    [',5,v8', ',,']
    """
    return [",".join(np.base_repr(n, 32).lower() if n else "" for n in row) for row in counts]


def with_marks_escaped(content: Any) -> Any:
    r"""Return content in which marks that turn the direction of text are visible, except in rules.

    Examples
    --------
    >>> print(with_marks_escaped({"classes": ["\u202e"]})["classes"][0])
    \u202e
    """
    if isinstance(content, dict):
        return {
            key: value if key == "literals" else with_marks_escaped(value)
            for key, value in content.items()
        }
    if isinstance(content, list):
        return [*map(with_marks_escaped, content)]
    return marks_escaped(content) if isinstance(content, str) else content


def as_json(content: dict[str, Any]) -> str:
    r"""Return content as JSON that is safe inside a ``script`` element, whatever names it holds.

    Examples
    --------
    >>> as_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(content, allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
