"""The record of thresholds: on how many and what rows they were found, and what they reach there.

It holds counts, shares and quantiles, and nothing about single rows but the lowest and the highest
score.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, replace
from reprlib import repr as short_repr
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.data import ClassShares, Rows, ScoreDistribution, digest_of
from ordcut._core.objectives import Additive, Objective, Ratio, is_named, resolve_objective
from ordcut._core.typing import Array, Floats

if TYPE_CHECKING:
    from ordcut._core.pruning import Source

#: Shares are written with this many digits.
DIGITS = 6

#: The kinds of outcomes of bands.
KINDS = ("yes or no", "counts", "numbers")


@dataclass(frozen=True)
class Record:
    """The evidence for thresholds, as it is stored with them.

    Attributes
    ----------
    ordcut : str
        The version of ordcut that found the thresholds.
    time : str, optional
        When the file was written, in UTC; None for a result that was not written, or without time.
    rows, effective_rows : float, optional
        The number of rows, and the sample size by Kish's formula where rows have weights of
        importance; None if not known.
    weight_type : {"repeats", "importance"}, optional
        What weights of rows are; None without weights, or if that was not stated.
    counts : tuple of float
        The weight of each true class; empty where rows have costs and no classes.
    decided : tuple of float
        The weight of the rows that get each class or decision.
    recall, precision : tuple of float or None
        Of each class; None for a share of nothing. Empty where decisions are not the classes.
    scores : ScoreDistribution, optional
        Up to 21 quantiles of the scores; None if not known.
    digest : str, optional
        A digest of scores, classes and weights, whatever the order of the rows. None if rows stayed
        in an engine.
    cost : tuple of tuple of float, optional
        The cost of each decision for each class, if the name of the objective does not say it.
    is_kappa : bool, optional
        True if these are the weights of a kappa.
    class_weight : "balanced" or tuple of float, optional
        How much the rows of each class count.
    class_shares : tuple of float, optional
        The share of each class in the population that thresholds are for, if it was given.
    held_out : float, optional
        The value by cross-fitting: on rows that the thresholds were not found on.
    intervals : dict, optional
        Bootstrap intervals: ``level``, ``replicates``, ``thresholds`` and ``value``.
    outcomes : dict, optional
        Of bands: the ``kind`` of their outcome, and their ``exposure``, ``events`` and ``squares``.

    Examples
    --------
    >>> import ordcut
    >>> record = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 0, 1, 1]).record
    >>> record.rows, record.counts, record.recall, record.scores.high
    (4, (2.0, 2.0), (1.0, 1.0), 4.0)
    """

    ordcut: str
    time: str | None = None
    rows: int | None = None
    effective_rows: float | None = None
    weight_type: str | None = None
    counts: tuple[float, ...] = ()
    decided: tuple[float, ...] = ()
    recall: tuple[float | None, ...] = ()
    precision: tuple[float | None, ...] = ()
    scores: ScoreDistribution | None = None
    digest: str | None = None
    cost: tuple[tuple[float, ...], ...] | None = None
    is_kappa: bool | None = None
    class_weight: str | tuple[float, ...] | None = None
    class_shares: tuple[float, ...] | None = None
    held_out: float | None = None
    intervals: dict[str, Any] | None = None
    outcomes: dict[str, Any] | None = None

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(sum(self.decided))

    @property
    def shares(self) -> Floats:
        """The share of the rows that get each class or decision."""
        return np.array(self.decided) / self.weight

    def itself(self) -> Record:
        """Return the record, as the evidence of thresholds whose rows are not at hand."""
        return self

    def as_dict(self) -> dict[str, Any]:
        """Return everything that is known as plain Python values."""
        data: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None or value == ():
                continue
            if isinstance(value, ScoreDistribution):
                value = {"quantiles": list(value.scores), "shares": _rounded(value.shares)}
            elif field.name in ("recall", "precision"):
                value = _rounded(value)
            elif field.name == "cost":
                value = [*map(list, value)]
            data[field.name] = list(value) if isinstance(value, tuple) else value
        return data


def record_of(
    objective: Objective, table: Floats, data: Rows | Source | None, thresholds: Floats
) -> Record:
    """Return the record of thresholds with a (decision, class) table of weights on rows.

    What is read from rows is left out if they have changed since they were counted.
    """
    from ordcut import __version__

    unit = 1.0 if data is None else float(data.unit)
    by_class = table.sum(axis=0) * unit if objective.has_truth else np.empty(0)
    decided = (table.sum(axis=1) if objective.has_truth else table[:, -1]) * unit
    recall: tuple[float | None, ...] = ()
    precision: tuple[float | None, ...] = ()
    if objective.has_truth and objective.decisions is None:
        right = np.diag(table) * unit
        recall, precision = _shares(right, by_class), _shares(right, decided)
    weights = objective.class_weight
    class_weight: str | tuple[float, ...] | None = None
    class_shares: tuple[float, ...] | None = None
    if isinstance(weights, ClassShares):
        class_shares = tuple(map(float, weights.shares))
    elif weights is not None:
        class_weight = weights if isinstance(weights, str) else tuple(weights.tolist())
    costs = own_costs(objective, None if data is None else data.classes)
    record = Record(
        __version__,
        cost=None if costs is None else tuple(map(tuple, costs.tolist())),
        is_kappa=True if costs is not None and isinstance(objective, Ratio) else None,
        counts=tuple(by_class.tolist()),
        decided=tuple(decided.tolist()),
        recall=recall,
        precision=precision,
        class_weight=class_weight,
        class_shares=class_shares,
    )
    if data is None:
        return record
    rows = data if isinstance(data, Rows) else data.known_rows()
    if not isinstance(data, Rows) and rows is None:
        size = record.weight if data.counts_rows else None
        return replace(record, rows=data.n_rows, effective_rows=size, scores=data.distribution())
    assert rows is not None
    record = replace(record, rows=data.n_rows, weight_type=rows.weight_type)
    is_as_it_was = np.allclose(rows.confusion(thresholds), table, rtol=1e-9, atol=1e-12)
    if rows.has_changed or not is_as_it_was:
        return record
    return replace(
        record,
        effective_rows=rows.n_effective,
        scores=ScoreDistribution.of(rows.scores, rows.weights),
        digest=digest_of(rows),
    )


def own_costs(objective: Objective, classes: Array | None) -> Floats | None:
    """Return the costs of an objective if its name does not say them.

    Examples
    --------
    >>> from ordcut import Objective, resolve_objective
    >>> own_costs(resolve_objective("absolute", 2), np.arange(2)) is None
    True
    >>> own_costs(Objective("mine", [[0, 1], [5, 0]]), np.arange(2))
    array([[0., 1.],
           [5., 0.]])
    """
    if not isinstance(objective, Additive | Ratio) or not objective.has_truth:
        return None
    if objective.decisions is None and is_named(objective.name):
        known = resolve_objective(
            objective.name, len(objective.cost) if classes is None else classes
        )
        if classes is None or np.array_equal(known.cost, objective.cost):
            return None
    return objective.cost


def read_record(data: Any, n_classes: int, n_decisions: int) -> Record:
    """Return the record that ``Record.as_dict`` wrote; a ValueError for anything else.

    Examples
    --------
    >>> read_record({"ordcut": "0.2.0", "decided": [3, 1]}, 2, 2).shares
    array([0.75, 0.25])
    """
    known = {field.name for field in fields(Record)}
    if not isinstance(data, dict) or not set(data) <= known:
        raise ValueError(f"record must hold the fields of a record, got {short_repr(data)}.")
    names = ("ordcut", "time", "weight_type", "digest")
    texts: dict[str, Any] = {name: data.get(name) for name in names}
    is_text = all(value is None or isinstance(value, str) for value in texts.values())
    if not is_text or texts["ordcut"] is None:
        raise ValueError(f"record must name its version of ordcut, got {short_repr(data)}.")
    lengths = {
        "counts": (0, n_classes), "decided": (n_decisions,),
        "recall": (0, n_classes), "precision": (0, n_classes),
    }  # fmt: skip
    lists: dict[str, Any] = {name: _numbers(data, name, n) for name, n in lengths.items()}
    if not sum(x or 0.0 for x in lists["decided"]) > 0 or None in lists["decided"]:
        raise ValueError(f"decided must hold the weight of each decision, got {short_repr(data)}.")
    if None in lists["counts"]:
        raise ValueError(f"counts must hold the weight of each class, got {short_repr(data)}.")
    class_weight = data.get("class_weight")
    if class_weight not in (None, "balanced"):
        class_weight = _numbers(data, "class_weight", (n_classes,))
    class_shares = None
    if data.get("class_shares") is not None:
        class_shares = _numbers(data, "class_shares", (n_classes,))
    cost = _costs(data.get("cost"), n_decisions, n_classes)
    is_kappa = data.get("is_kappa")
    if is_kappa is not None and is_kappa is not True:
        raise ValueError(f"is_kappa of a record must be true, got {short_repr(is_kappa)}.")
    rows = _number(data, "rows")
    return Record(
        **texts,
        **lists,
        rows=None if rows is None else int(rows),
        effective_rows=_number(data, "effective_rows"),
        held_out=_number(data, "held_out", least=-np.inf),
        class_weight=class_weight,
        class_shares=class_shares,
        cost=cost,
        is_kappa=is_kappa,
        scores=_distribution(data.get("scores")),
        intervals=_intervals(data.get("intervals"), n_decisions - 1),
        outcomes=_outcomes(data.get("outcomes"), n_decisions),
    )


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _number(data: dict[str, Any], name: str, least: float = 0.0) -> float | None:
    value = data.get(name)
    if value is None:
        return None
    if not _is_number(value) or value < least:
        raise ValueError(f"{name} of a record must be a number, got {short_repr(value)}.")
    return float(value)


def _numbers(data: dict[str, Any], name: str, lengths: tuple[int, ...]) -> tuple[Any, ...]:
    """Return a list of numbers that are not negative, or None for a share of nothing."""
    values = data.get(name, [])
    is_right = isinstance(values, list) and len(values) in lengths
    if not is_right or not all(x is None or (_is_number(x) and x >= 0) for x in values):
        raise ValueError(
            f"{name} of a record must hold {max(lengths)} numbers that are not negative, got "
            f"{short_repr(values)}."
        )
    return tuple(None if x is None else float(x) for x in values)


def _costs(data: Any, n_decisions: int, n_classes: int) -> tuple[tuple[float, ...], ...] | None:
    """Return the costs of decisions for classes, after a check of their form."""
    if data is None:
        return None
    is_right = isinstance(data, list) and len(data) == n_decisions
    is_right = is_right and all(
        isinstance(row, list) and len(row) == n_classes and all(map(_is_number, row))
        for row in data
    )
    if not is_right:
        raise ValueError(
            f"cost of a record must hold {n_decisions} rows of {n_classes} numbers, got "
            f"{short_repr(data)}."
        )
    return tuple(tuple(map(float, row)) for row in data)


def _distribution(data: Any) -> ScoreDistribution | None:
    if data is None:
        return None
    values: dict[str, Any] = data if isinstance(data, dict) else {}
    scores: Any
    shares: Any
    scores, shares = (values.get(name) for name in ("quantiles", "shares"))
    is_right = isinstance(scores, list) and isinstance(shares, list) and len(scores) < 1000
    is_right = is_right and 0 < len(scores) == len(shares)
    is_right = is_right and all(map(_is_number, [*scores, *shares]))
    is_right = is_right and sorted(set(scores)) == scores and sorted(shares) == shares
    if not is_right or not 0 <= shares[0] <= shares[-1] == 1:
        raise ValueError(
            "scores of a record must hold ascending scores, and the share of the rows up to each, "
            f"got {short_repr(data)}."
        )
    return ScoreDistribution(tuple(map(float, scores)), tuple(map(float, shares)))


def _intervals(data: Any, n_thresholds: int) -> dict[str, Any] | None:
    """Return bootstrap intervals, after a check of their form."""
    if data is None:
        return None
    values: dict[str, Any] = data if isinstance(data, dict) else {}
    thresholds = values.get("thresholds")
    pairs = [*(thresholds if isinstance(thresholds, list) else ()), values.get("value")]
    is_right = len(pairs) == n_thresholds + 1 and all(
        isinstance(pair, list)
        and len(pair) == 2
        and all(_is_number(end) or end in ("inf", "-inf") for end in pair)
        and float(pair[0]) <= float(pair[1])
        for pair in pairs
    )
    level: Any = values.get("level")
    replicates: Any = values.get("replicates")
    is_right = is_right and _is_number(level) and 0 < level < 1
    if not is_right or not _is_number(replicates) or replicates < 1:
        raise ValueError(
            f"intervals must hold a level, a pair for each of the {n_thresholds} thresholds and "
            f"one for their value, got {short_repr(data)}."
        )
    return values


def _outcomes(data: Any, n_bands: int) -> dict[str, Any] | None:
    """Return what bands have reached, after a check of its form."""
    if data is None:
        return None
    values: dict[str, Any] = data if isinstance(data, dict) else {}
    sums = [values.get(name) for name in ("exposure", "events", "squares")]
    is_right = set(values) == {"kind", "exposure", "events", "squares"} and all(
        isinstance(each, list) and len(each) == n_bands and all(map(_is_number, each))
        for each in sums
    )
    if not is_right or values["kind"] not in KINDS or not min(values["exposure"]) > 0:
        raise ValueError(
            f"outcomes of a record must hold their kind, and the exposure, events and squares of "
            f"the {n_bands} bands, got {short_repr(data)}."
        )
    return values


def _shares(part: Floats, whole: Floats) -> tuple[float | None, ...]:
    """Return the share of each part in its whole; None for a share of nothing."""
    pairs = zip(part.tolist(), whole.tolist(), strict=True)
    return tuple(x / total if total > 0 else None for x, total in pairs)


def _rounded(values: Any) -> list[float | None]:
    return [None if value is None else float(f"{value:.{DIGITS}g}") for value in values]
