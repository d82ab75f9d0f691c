"""Scores that add up over decisions, each judged by the rows between its two thresholds.

A named score is a row in ``TERMS``. Its term for a decision rises with the weight of the rows that
get the decision rightly, and falls with the weight of the others. So the term with the most right
rows and the fewest wrong rows bounds all segments between two ranges of positions. For a score of
one's own, the user gives the bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import lcm, log
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ordcut._core.numerics.exact import LARGEST_SUM, as_integers
from ordcut._core.numerics.jit import kernel
from ordcut._core.objectives.custom import SegmentObjective
from ordcut._core.typing import Array, Bools, Floats, Ints

#: The entries of a table of pairs that are computed at once.
MOST_ENTRIES = 1 << 20

#: How terms make up a score: by their sum, their product, or the smallest, then the next smallest;
#: what the joined terms of no decision are, and how kernels call it.
Joined = Literal["sum", "product", "smallest"]
NOTHING_JOINED: dict[Joined, Any] = {"sum": 0, "product": (0, Fraction(1)), "smallest": ()}
KINDS: dict[Joined, int] = {"sum": 0, "product": 1, "smallest": 2}


def no_costs(name: str) -> ValueError:
    """Return the error for what needs the costs of single rows."""
    return ValueError(
        f"objective {name!r} has no cost matrix, which review, asymmetry, intervals, risk "
        "curves, and pages about a score of your own need: what a prediction is worth depends "
        'on all others. Use an objective such as "balanced_zero_one" or "macro_mae", in which '
        "every class counts the same."
    )


class Rule(NamedTuple):
    """How decisions are judged: by ``(1 + a) right / (total of the class + a right + b wrong)``.

    ``right`` is ``a`` and ``wrong`` is ``b``: both are 0 for the recall and 1 for F1. With
    ``by_total``, decisions count by the weight of their classes, and not all the same.
    """

    right: int
    wrong: int
    joined: Joined = "sum"
    by_total: bool = False


#: Scores by name. All are at most 1, and higher is better.
TERMS = {
    "macro_f1": Rule(1, 1),
    "weighted_f1": Rule(1, 1, by_total=True),
    "geometric_recall": Rule(0, 0, "product"),
    "min_recall": Rule(0, 0, "smallest"),
}


class Ranges(NamedTuple):
    """Ranges of positions for each border of the segments, one border after the other.

    Borders are the first position, the thresholds, and the last position.

    Attributes
    ----------
    first : ndarray of shape (n,)
        The first unit of each range, among the units of all borders.
    low, high : ndarray of shape (n,)
        The first and the last position of each range.
    starts, ends : ndarray of shape (n_limits, n)
        A segment may be between two ranges if no limit of its start exceeds the same limit of
        its end.
    others : ndarray of shape (2, n)
        The weight inside each range that is wrong in the segment that ends there, and in the
        segment that starts there.
    offsets : ndarray of shape (K + 2,)
        Where the ranges of each border begin.
    """

    first: Ints
    low: Ints
    high: Ints
    starts: Ints
    ends: Ints
    others: Floats
    offsets: Ints

    @property
    def n_pairs(self) -> int:
        """The number of pairs of ranges of neighbouring borders."""
        n_ranges = np.diff(self.offsets)
        return int(n_ranges[1:] @ n_ranges[:-1])

    def at(self, border: int) -> slice:
        """Return where the ranges of a border are."""
        return slice(int(self.offsets[border]), int(self.offsets[border + 1]))

    def take(self, indices: Ints) -> Ranges:
        """Return the ranges of ascending indices."""
        return Ranges(
            self.first[indices],
            self.low[indices],
            self.high[indices],
            self.starts[:, indices],
            self.ends[:, indices],
            self.others[:, indices],
            np.searchsorted(indices, self.offsets),
        )

    def allow(self, start: Any, end: Any) -> Bools:
        """Return whether segments may be between given ranges."""
        return np.asarray((self.starts[:, start] <= self.ends[:, end]).all(axis=0))


@dataclass(frozen=True, eq=False)
class SegmentTerms:
    """The terms of all decisions: what the search over segments optimises, as costs are elsewhere.

    Attributes
    ----------
    n_classes : int
        The number of classes, which are the decisions.
    rule : Rule
        How each decision is judged.
    factors : ndarray of shape (K,), optional
        What the rows of each class count; None if all count the same.
    """

    n_classes: int
    rule: Rule
    factors: Array | None = field(default=None, kw_only=True)

    #: As of a cost matrix that is of no special kind.
    convexity: ClassVar[Literal["no"]] = "no"
    is_convex: ClassVar[bool] = False
    kind: ClassVar[Literal["segments"]] = "segments"

    has_equal_errors: ClassVar[bool] = False

    #: Whole weights of any total are added up in int64.
    most_weight: ClassVar[int] = LARGEST_SUM - 1

    #: How terms are compared: without rounding, or in float64.
    sums: ClassVar[Literal["exact", "float64"]] = "exact"

    @property
    def has_bounds(self) -> bool:
        """Whether ranges of positions can be bounded."""
        return True

    @property
    def is_of_recalls(self) -> bool:
        """Whether the score rises with each recall, and depends on nothing else."""
        is_positive = self.factors is None or bool((self.factors > 0).all())
        return self.sums == "exact" and not self.rule.wrong and is_positive

    def weighed(self, weights: Array) -> Floats:
        """Return weights by class (..., K) times the factors, in float64."""
        if self.factors is None:
            return weights.astype(np.float64)
        return np.asarray(weights.astype(np.float64) * self.factors.astype(np.float64))

    def prepared(self, weights: Array) -> Array:
        """Return weights (..., K) times the factors, as ``term`` takes them: as whole numbers."""
        exact = weights.astype(object)
        if self.factors is not None:
            exact = exact * as_integers(self.factors)
        return np.asarray(exact * lcm(*(value.denominator for value in exact.flat)))

    def term(self, d: int, weights: Array, totals: Array) -> Any:
        """Return the term of decision ``d`` for prepared weights of the classes, to be joined."""
        right, (a, b, *_) = int(weights[d]), self.rule
        wrong = int(weights.sum()) - right
        whole = int(totals[d]) + a * right + b * wrong
        term = Fraction((1 + a) * right, whole) if right else Fraction(0)
        if self.rule.joined == "product":  # the number of classes that are never right comes first
            return (0, term) if right else (-1, Fraction(1))
        if self.rule.joined == "smallest":
            return (term,)
        # Shares of the rows, since tables can be in different units.
        return term * Fraction(int(totals[d]), int(totals.sum())) if self.rule.by_total else term

    def as_rule(self) -> dict[str, Any]:
        """Return the rule as plain values, for scripts."""
        a, b, joined, by_total = self.rule
        return {"kind": "score", "right": a, "wrong": b, "joined": joined, "byTotal": by_total}

    def join(self, before: Any, term: Any) -> Any:
        """Return terms together; results compare like the scores."""
        if self.rule.joined == "product":
            return before[0] + term[0], before[1] * term[1]
        return tuple(sorted(before + term)) if self.rule.joined == "smallest" else before + term

    def exact_score(self, table: Array) -> Any:
        """Return the score of an exact (predicted, true) table, to be compared with others."""
        weights = self.prepared(table)
        terms = (self.term(d, row, weights.sum(axis=0)) for d, row in enumerate(weights))
        return reduce(self.join, terms, NOTHING_JOINED[self.rule.joined])

    def value(self, confusion: Floats) -> float:
        """Return the score of a (predicted, true) table of weights."""
        right, sizes, totals = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
        a, b, *_ = self.rule
        # Of right and wrong rows together, as long as both count the same.
        whole, terms = totals + b * sizes + (a - b) * right, np.zeros(self.n_classes)
        np.divide((1 + a) * right, whole, out=terms, where=right > 0)
        if self.rule.joined == "smallest":
            return float(terms.min())
        if self.rule.joined == "product":
            return float(terms.prod() ** (1 / self.n_classes))
        return float(terms @ totals / totals.sum() if self.rule.by_total else terms.mean())

    def alternatives(self, below: Floats, ranges: Ranges) -> tuple[Ranges, Ints]:
        """Return ranges once or twice, for closer bounds, and where each range begins among these.

        Rows inside a range whose class belongs to neither of the two decisions are wrong in one of
        them. Sums of terms are convex in the weight of wrong rows, so they are the highest if all
        these rows are wrong in the same decision. The bound of a range is the higher of the two.

        Examples
        --------
        >>> below = np.array([[0.0, 1, 1], [0, 0, 1], [0, 3, 3], [0, 4, 5]])
        >>> terms, at, ends = SegmentTerms(3, TERMS["macro_f1"]), np.arange(4), np.zeros((1, 4))
        >>> low, high, each = np.array([0, 0, 0, 2]), np.array([0, 2, 0, 2]), np.arange(5)
        >>> ranges = Ranges(at, low, high, ends, ends, np.zeros((2, 4)), each)
        >>> ranges, starts = terms.alternatives(below, ranges)
        >>> starts, ranges.others[:, 1:3]
        (array([0, 1, 3, 4]), array([[0., 3.],
               [3., 0.]]))
        """
        n_ranges = len(ranges.low)
        if self.sums == "float64" or not self.rule.wrong or self.rule.joined != "sum":
            return ranges, np.arange(n_ranges)
        # The first and the last border are single positions, whatever classes are read for them.
        border = np.repeat(np.arange(self.n_classes + 1), np.diff(ranges.offsets))
        size, before, after = (
            below[own, ranges.high] - below[own, ranges.low] for own in (-1, border - 1, border)
        )
        others = size - before - after
        n_each = 1 + (others > 0)
        starts = np.cumsum(n_each) - n_each
        ranges = ranges.take(np.repeat(np.arange(n_ranges), n_each))
        is_second = np.ones(len(ranges.low), np.bool_)
        is_second[starts] = False
        others = np.maximum(np.repeat(others, n_each), 0.0)
        return ranges._replace(others=np.stack([others * is_second, others * ~is_second])), starts

    def bounds(self, d: int, most: Floats, least: Floats, totals: Floats) -> Floats:
        """Return upper bounds of the terms of decision ``d``, and the terms where weights agree.

        ``most`` and ``least`` (..., K) hold the largest and the smallest weights of each class.
        """
        right, wrong = most[..., d], least.sum(axis=-1) - least[..., d]
        if totals[d] == 0:
            return np.zeros(right.shape)
        a, b, *_ = self.rule
        terms = (1 + a) * right / (totals[d] + a * right + b * wrong)
        if self.rule.joined == "sum":
            terms *= totals[d] / totals.sum() if self.rule.by_total else 1 / self.n_classes
        if self.rule.joined == "product":
            np.log(terms, out=terms, where=terms > 0)
            terms[right <= 0] = self._never
        return np.asarray(terms)

    def best(self, below: Floats, error: float, ranges: Ranges, is_upward: bool) -> Floats:
        """Return the best score of the decisions below each range, or above if not upward.

        ``below`` (K + 1, m) holds the weight of each class, and of all, below each position, with
        an error of less than ``error``. Segments between ranges have the bounds of their terms.
        """
        best, n_ranges = np.full(len(ranges.low), -np.inf), len(ranges.low)
        best[0 if is_upward else -1] = np.inf if self.rule.joined == "smallest" else 0.0
        if self.sums == "exact" and add_terms.is_compiled_after(
            n_ranges**2 // (10 * self.n_classes)
        ):
            a, b, joined, by_total = self.rule
            rule = float(a), float(b), KINDS[joined], by_total, self._never
            add_terms(below, error, *rule, *ranges[1:], is_upward, best)
        else:
            self._add_tables(below, error, ranges, is_upward, best)
        return best

    def _add_tables(
        self, below: Floats, error: float, ranges: Ranges, is_upward: bool, best: Floats
    ) -> None:
        """Fill in ``best`` by tables of bounds, which need no compiled kernel."""
        low, high = below[:-1].T[ranges.low], below[:-1].T[ranges.high]
        join = np.minimum if self.rule.joined == "smallest" else np.add
        for d in range(self.n_classes) if is_upward else reversed(range(self.n_classes)):
            starts, ends = ranges.at(d), ranges.at(d + 1)
            if starts.start == starts.stop:  # limits leave nowhere to start
                continue
            step = max(1, MOST_ENTRIES // len(low[starts]))
            for first in range(ends.start, ends.stop, step):
                block = slice(first, min(first + step, ends.stop))
                most = np.maximum(high[block] - low[starts, None] + error, 0.0)
                apart = low[block] - high[starts, None] - error
                least = np.maximum(apart, 0.0)
                if ranges.others.any():  # rows of any other class are wrong alike
                    others = ranges.others[1, starts, None] + ranges.others[0, block]
                    wrong = apart.sum(axis=-1) - apart[..., d]
                    least[..., d - 1] += np.where(wrong >= 0, others, 0.0)
                terms = self.bounds(d, most, least, below[:-1, -1])
                is_allowed = (ranges.starts[:, starts, None] <= ranges.ends[:, None, block]).all(0)
                terms = np.where(is_allowed, terms, -np.inf)
                if is_upward:
                    best[block] = join(best[starts, None], terms).max(axis=0)
                else:
                    best[starts] = np.maximum(best[starts], join(best[block], terms).max(axis=1))

    @property
    def _never(self) -> float:
        """A finite stand-in for log(0), smaller than the sum of all other log-recalls."""
        return -750.0 * self.n_classes


@dataclass(frozen=True, eq=False)
class OwnTerms(SegmentTerms):
    """The terms of a score of one's own, compared in float64; the ``rule`` says only "sum"."""

    objective: SegmentObjective

    sums: ClassVar[Literal["exact", "float64"]] = "float64"

    @property
    def has_bounds(self) -> bool:
        """Whether ranges of positions can be bounded."""
        return self.objective.bound is not None

    def prepared(self, weights: Array) -> Array:
        """Return weights times the factors, in float64."""
        return self.weighed(weights)

    def as_rule(self) -> dict[str, Any]:
        """Raise an error: scripts cannot run a function of the user."""
        raise no_costs(repr(self.objective))

    def term(self, d: int, weights: Array, totals: Array) -> float:
        """Return the term of decision ``d`` in float64."""
        return float(self.bounds(d, weights[None], weights[None], totals)[0])

    def value(self, confusion: Floats) -> float:
        """Return the score of a (predicted, true) table of weights."""
        totals = confusion.sum(axis=0)
        return sum(self.term(d, row, totals) for d, row in enumerate(confusion))

    def bounds(self, d: int, most: Floats, least: Floats, totals: Floats) -> Floats:
        """Return what the function of the user returns, or the bound where weights differ."""
        if self.objective.bound is None or (most == least).all():
            returned = self.objective.function(most, totals, d)
        else:
            returned = self.objective.bound(most, least, totals, d)
        terms: Floats = np.asarray(returned, np.float64)
        if terms.shape != most.shape[:-1] or np.isnan(terms).any():
            raise ValueError(
                f"function and bound of {self.objective!r} must return an array of shape "
                f"{most.shape[:-1]} without NaN for weights of shape {most.shape}, got shape "
                f"{terms.shape}. Use array operations over the last axis."
            )
        return terms


@kernel("low", steps=500)
def add_terms(
    below: Floats,
    error: float,
    a: float,
    b: float,
    kind: int,
    by_total: bool,
    never: float,
    low: Ints,
    high: Ints,
    starts: Ints,
    ends: Ints,
    others: Floats,
    offsets: Ints,
    is_upward: bool,
    best: Floats,
) -> None:
    """Add the terms of a named score, decision by decision, over all pairs of ranges.

    ``best[j] = max over i of best[i] + term(i, j)`` for the ranges ``i`` of the border before that
    of ``j``; or, downward, ``best[i] = max over j of best[j] + term(i, j)``. A term is ``(1 + a)
    right / (total + a * right + b * wrong)``, of the most right and the fewest wrong rows, to which
    ``others`` are added between ranges that do not overlap. ``kind`` says how terms are joined: 0
    by their mean, 1 by the sum of their logarithms, which are
    ``never`` for 0, and 2 by the smallest. ``best`` holds the score of no decision at the border
    to begin from, and -inf elsewhere. ``SegmentTerms.best``, ``Rule`` and ``Ranges`` describe the
    other arguments.
    """
    n_classes, sizes, n = len(below) - 1, below[-1], len(low)
    sign = 1.0 if is_upward else -1.0
    right, wrong, limits = np.empty(n), np.empty(n), np.empty((len(starts), n))
    for step in range(n_classes):
        d = step if is_upward else n_classes - 1 - step
        rights, is_known = below[d], below[d, -1] > 0.0
        factor, total = (1.0 + a, rights[-1]) if is_known else (0.0, 1.0)
        if kind == 0:
            factor *= total / sizes[-1] if by_total else 1.0 / n_classes
        for i in range(offsets[d], offsets[d + 1]):
            right[i] = sign * rights[low[i]]
            wrong[i] = sign * (sizes[high[i]] - rights[high[i]])
            for c in range(len(limits)):
                limits[c, i] = sign * starts[c, i]
        for j in range(offsets[d + 1], offsets[d + 2]):
            right[j] = sign * (rights[high[j]] + error)
            wrong[j] = sign * (sizes[low[j]] - rights[low[j]] - error)
            for c in range(len(limits)):
                limits[c, j] = sign * ends[c, j]
        source, target = (d, d + 1) if is_upward else (d + 1, d)
        to = slice(offsets[target], offsets[target + 1])
        right_to, wrong_to, best_to = right[to], wrong[to], best[to]
        others_from, others_to = others[int(is_upward)], others[1 - int(is_upward)][to]
        terms = np.empty(len(best_to))
        # Loops over j from 0, without branches, are vectorised.
        for i in range(offsets[source], offsets[source + 1]):
            before, right_i, wrong_i, others_i = best[i], right[i], wrong[i], others_from[i]
            for j in range(len(terms)):
                most = right_to[j] - right_i
                most = most if most > 0.0 else 0.0
                least = wrong_to[j] - wrong_i
                least = least + (others_i + others_to[j]) if least >= 0.0 else 0.0
                terms[j] = np.divide(factor * most, total + a * most + b * least)
            if kind == 1 and is_known:
                for j in range(len(terms)):
                    terms[j] = log(terms[j]) if terms[j] > 0.0 else never
            for c in range(len(limits)):
                limit, limit_to = limits[c, i], limits[c][to]
                for j in range(len(terms)):
                    terms[j] = terms[j] if limit <= limit_to[j] else -np.inf
            for j in range(len(terms)):
                score = before + terms[j]
                if kind == 2:
                    score = before if before < terms[j] else terms[j]
                best_to[j] = score if score > best_to[j] else best_to[j]
