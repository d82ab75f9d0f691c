"""Scores that add up over decisions, each judged by the rows between its two thresholds.

A named score is a row in ``TERMS``. Its term for a decision depends on the weight of the rows that
get the decision rightly and wrongly, and rises with the first and falls with the second. So the
term with the most right rows and the fewest wrong rows bounds all segments between two ranges of
positions, which is all that the search needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import Any, ClassVar, Literal

import numpy as np

from ordcut.custom import SegmentObjective
from ordcut.exact import as_exact
from ordcut.typing import Array, Floats

#: The term of a class that is never predicted rightly, below that of any class that is.
NEVER_RIGHT = -1000.0

#: How terms make up a score: by their sum, their product, or the smallest, then the next smallest.
Joined = Literal["sum", "product", "smallest"]


def _f1(right: Any, wrong: Any, total: Any) -> Any:
    whole = total + right + wrong
    return np.divide(2 * right, whole, out=np.zeros(np.shape(whole)), where=whole > 0)


def _recall(right: Any, wrong: Any, total: Any) -> Any:
    del wrong
    return np.divide(right, total, out=np.zeros(np.shape(right)), where=np.asarray(total) > 0)


def _log_recall(right: Any, wrong: Any, total: Any) -> Any:
    recall = _recall(right, wrong, total)
    return np.log(recall, out=np.full(np.shape(recall), NEVER_RIGHT), where=recall > 0)


def _exact_f1(right: int, wrong: int, total: int) -> Any:
    return Fraction(2 * right, total + right + wrong) if right else Fraction(0)


def _exact_recall(right: int, wrong: int, total: int) -> Fraction:
    del wrong
    return Fraction(right, total) if right else Fraction(0)


@dataclass(frozen=True)
class Term:
    """How a decision is judged by the weight of its right and wrong rows, and of its class.

    Attributes
    ----------
    of : callable
        Returns the terms in float64 of the right and the wrong rows and the total of the class.
    exact : callable
        Returns the term as a fraction, from whole numbers.
    joined : {"sum", "product", "smallest"}
        How the terms of all decisions make up the score; a product as a sum of logarithms.
    by_total : bool
        Whether decisions count by the weight of their classes, and not all the same.
    """

    of: Callable[[Any, Any, Any], Any]
    exact: Callable[[int, int, int], Any]
    joined: Joined = "sum"
    by_total: bool = False


#: Scores by name. All are at most 1, and higher is better.
TERMS: dict[str, Term] = {
    "macro_f1": Term(_f1, _exact_f1),
    "weighted_f1": Term(_f1, _exact_f1, by_total=True),
    "geometric_recall": Term(_log_recall, _exact_recall, joined="product"),
    "min_recall": Term(_recall, _exact_recall, joined="smallest"),
}


@dataclass(frozen=True, eq=False)
class SegmentTerms:
    """The terms of all decisions: what the search over segments optimises, as costs are elsewhere.

    Attributes
    ----------
    n_classes : int
        The number of classes, which are the decisions.
    term : Term or SegmentObjective
        How each decision is judged.
    factors : ndarray of shape (K,), optional
        What the rows of each class count; None if all count the same.
    """

    n_classes: int
    term: Term | SegmentObjective
    factors: Array | None = None

    #: As of a cost matrix that is of no special kind.
    convexity: ClassVar[Literal["no"]] = "no"
    is_convex: ClassVar[bool] = False
    has_equal_errors: ClassVar[bool] = False

    @property
    def is_exact(self) -> bool:
        """Whether terms can be compared without rounding."""
        return isinstance(self.term, Term)

    @property
    def joined(self) -> Joined:
        """How terms make up the score."""
        return self.term.joined if isinstance(self.term, Term) else "sum"

    @property
    def has_bounds(self) -> bool:
        """Whether ranges of positions can be bounded."""
        return isinstance(self.term, Term) or self.term.bound is not None

    def weighed(self, weights: Floats) -> Floats:
        """Return weights by class (K, ...) times the factors, in float64."""
        if self.factors is None:
            return weights.astype(np.float64)
        return weights * self.factors.astype(np.float64).reshape(-1, *[1] * (weights.ndim - 1))

    def bounds(self, d: int, most: Floats, least: Floats, totals: Floats) -> Floats:
        """Return an upper bound of the terms of decision ``d``.

        ``most`` and ``least`` hold the largest weight of right rows and the smallest of wrong rows;
        or, for a score of one's own, the largest and the smallest weight of each class, (K, ...).
        """
        if isinstance(self.term, Term):
            term = self.term.of(most, least, totals[d])
            if self.term.by_total:
                term = term * (totals[d] / totals.sum())
            elif self.term.joined == "sum":
                term = term / self.n_classes
            return np.asarray(term)
        most, least = np.moveaxis(most, 0, -1), np.moveaxis(least, 0, -1)
        if most is least or (most == least).all():
            return self._checked(self.term.function(most, totals, d), most)
        assert self.term.bound is not None
        return self._checked(self.term.bound(most, least, totals, d), most)

    def _checked(self, returned: Any, weights: Floats) -> Floats:
        terms: Floats = np.asarray(returned, np.float64)
        if terms.shape != weights.shape[:-1] or np.isnan(terms).any():
            raise ValueError(
                f"function and bound of {self.term!r} must return an array of shape "
                f"{weights.shape[:-1]} without NaN for weights of shape {weights.shape}, got shape "
                f"{terms.shape}. Use array operations over the last axis."
            )
        return terms

    def rows_of(self, d: int, below: Floats) -> tuple[Floats, Floats]:
        """Return the weights (K, m) below positions that ``most`` and ``least`` are about."""
        if isinstance(self.term, SegmentObjective):
            return below, below
        return below[d], below.sum(axis=0) - below[d]

    def value(self, confusion: Floats) -> float:
        """Return the score of a (predicted, true) table of weights."""
        right, sizes, totals = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
        if isinstance(self.term, SegmentObjective):
            terms = [
                self._checked(self.term.function(weights[None], totals, d), weights[None])
                for d, weights in enumerate(confusion)
            ]
            return float(np.sum(terms))
        if self.joined != "sum":
            recalls = _recall(right, sizes - right, totals)
            is_product = self.joined == "product"
            return float(prod(recalls) ** (1 / len(recalls)) if is_product else recalls.min())
        terms = self.term.of(right, sizes - right, totals)
        return float(terms @ totals / totals.sum() if self.term.by_total else terms.mean())

    def whole(self, weights: Array) -> Array:
        """Return exact weights (..., K) times the factors, as multiples of a common unit."""
        exact = weights.astype(object)
        if self.factors is not None:
            exact = exact * as_exact(self.factors)
        scale = lcm(*(value.denominator for value in exact.flat))
        return np.asarray(exact * scale)

    def exact_term(self, d: int, weights: Array, totals: Array) -> Any:
        """Return the term of decision ``d`` for whole weights of the classes, to be joined."""
        assert isinstance(self.term, Term)
        right = int(weights[d])
        term = self.term.exact(right, int(weights.sum()) - right, int(totals[d]))
        if self.joined == "product":  # the number of classes that are never right comes first
            return (0, term) if right else (-1, Fraction(1))
        if self.joined == "smallest":
            return (term,)
        return term * int(totals[d]) if self.term.by_total else term

    def float_term(self, d: int, weights: Floats, totals: Floats) -> float:
        """Return the term of decision ``d`` for the weights of the classes, in float64."""
        return float(self.bounds(d, weights[:, None], weights[:, None], totals)[0])

    def join(self, before: Any, term: Any) -> Any:
        """Return exact terms together; results compare like the scores."""
        if self.joined == "product":
            return before[0] + term[0], before[1] * term[1]
        return tuple(sorted(before + term)) if self.joined == "smallest" else before + term

    def exact_score(self, table: Array) -> Any:
        """Return the score of an exact (predicted, true) table, to be compared with others."""
        if not self.is_exact:
            return self.value(self.weighed(table.astype(np.float64).T).T)
        whole = self.whole(table)
        terms = [self.exact_term(d, row, whole.sum(axis=0)) for d, row in enumerate(whole)]
        score = terms[0]
        for term in terms[1:]:
            score = self.join(score, term)
        return score
