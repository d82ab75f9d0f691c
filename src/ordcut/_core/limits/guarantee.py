"""Bounds on a share of new rows of the same kind, from the share of the rows at hand.

Both bounds hold for every threshold at once, so that any choice among the thresholds that pass is
safe. A share that moves one way with one threshold has the binomial bound: the threshold with the
share at the limit reaches the count with the tail probability, and those beyond it reach no less.
A share that moves with two thresholds has Kuiper's, the largest difference over all intervals.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf, isqrt, log, log1p, sqrt
from typing import Literal

import numpy as np

Bound = Literal["binomial", "Kuiper"]

#: Tail probabilities in floats are right up to this share. Closer ones are compared in whole
#: numbers, up to the number of rows below, and with more rows count as too large.
ROUNDING, MOST_ROWS_EXACTLY = 1e-8, 5000


@dataclass(frozen=True)
class Guarantee:
    """Limits on a share of new rows, and the number of rows at hand that can promise them.

    Attributes
    ----------
    n_rows : int
        The number of rows that it is a share of.
    at_least, at_most : Fraction, optional
        The limits on the share of new rows.
    risk : Fraction
        The largest probability, over the rows at hand, that new rows break what is promised.
    bound : {"binomial", "Kuiper"}
        Which bound there is: for one threshold, or for the two around a decision.

    Examples
    --------
    >>> share = risk = Fraction(1, 20)
    >>> Guarantee(58, None, share, risk, "binomial").counts
    (None, -1)
    >>> Guarantee(59, None, share, risk, "binomial").counts
    (None, 0)
    >>> Guarantee(58, None, share, risk, "binomial").rows_needed
    59
    """

    n_rows: int
    at_least: Fraction | None
    at_most: Fraction | None
    risk: Fraction
    bound: Bound

    @property
    def counts(self) -> tuple[int | None, int | None]:
        """The least and the largest number of the rows that promise the limits.

        No number is within them if there are too few rows.
        """
        n, least, most = self.n_rows, self.at_least, self.at_most
        return (
            None if least is None else n - self._largest_count(1 - least),
            None if most is None else self._largest_count(most),
        )

    def promised(self, count: int) -> tuple[float, float]:
        """Return the least and the largest share of new rows, for the count that was reached.

        Kuiper's bound holds for all shares at once, and so around the share that was reached. The
        binomial bound holds for all thresholds within counts that are known beforehand, so the
        promise depends on the ``counts``, even if the count that was reached is further inside.
        """
        if self.bound == "Kuiper":
            return self.best_promise(count)
        least, most = self.counts
        return self.best_promise(least or 0)[0], self.best_promise(most or 0)[1]

    def best_promise(self, count: int) -> tuple[float, float]:
        """Return the least and the largest share of new rows that limits at a count can promise.

        Examples
        --------
        >>> low, high = Guarantee(58, None, None, Fraction(1, 20), "binomial").best_promise(0)
        >>> low, round(high, 4)
        (0.0, 0.0503)
        """
        return 1 - self._largest_share(self.n_rows - count), self._largest_share(count)

    @property
    def rows_needed(self) -> float:
        """The least number of rows that can promise either limit; infinite if none can."""
        least, most = self.at_least, self.at_most
        shares = [] if least is None else [1 - least]
        return max(map(self._rows_for, shares if most is None else [*shares, most]))

    @property
    def _side_risk(self) -> Fraction:
        """The risk of each limit; Kuiper's bound is on both sides at once."""
        is_split = None not in (self.at_least, self.at_most) and self.bound == "binomial"
        return self.risk / 2 if is_split else self.risk

    @property
    def _margin(self) -> float:
        """The difference that the share of no interval exceeds, but for the risk."""
        return kuiper_quantile(float(self.risk)) / sqrt(self.n_rows) if self.n_rows else 1.0

    def _largest_count(self, share: Fraction) -> int:
        if share >= 1:
            return self.n_rows
        if self.bound == "Kuiper":
            return max(-1, floor(self.n_rows * (share - Fraction(self._margin))))
        return _largest_count(self.n_rows, share, self._side_risk)

    def _largest_share(self, count: int) -> float:
        n = self.n_rows
        if count >= n:
            return 1.0
        if self.bound == "Kuiper":
            return min(1.0, count / n + self._margin)
        from scipy.special import betainccinv

        return float(betainccinv(count + 1, n - count, float(self._side_risk) * (1 - ROUNDING)))

    def _rows_for(self, share: Fraction) -> float:
        if share <= 0:
            return inf
        if share >= 1:
            return 0
        if self.bound == "Kuiper":
            return ceil((kuiper_quantile(float(self.risk)) / float(share)) ** 2)
        n = max(1, ceil(log(self._side_risk) / log1p(-share)) - 1)  # at most one too few
        return n if (1 - share) ** n <= self._side_risk else n + 1


@lru_cache(maxsize=1024)
def _largest_count(n_rows: int, share: Fraction, risk: Fraction) -> int:
    """Return the largest count with a binomial tail of at most the risk; -1 if there is none."""
    if share <= 0:
        return -1
    return bisect_left(range(n_rows), True, key=lambda i: _is_too_large(n_rows, i, share, risk)) - 1


@lru_cache(maxsize=1024)
def fewest_rows(count: int, share: Fraction, risk: Fraction) -> int:
    """Return the least number of rows for which a count has a binomial tail of at most the risk.

    Examples
    --------
    >>> [fewest_rows(count, Fraction(1, 20), Fraction(1, 20)) for count in range(3)]
    [59, 93, 124]
    """
    enough = count + 1
    while _is_too_large(enough, count, share, risk):
        enough *= 2
    return bisect_left(range(enough), True, key=lambda n: not _is_too_large(n, count, share, risk))


def _is_too_large(n_rows: int, count: int, share: Fraction, risk: Fraction) -> bool:
    """Return whether a count of the rows has a binomial tail above the risk."""
    tail = binomial_tail(n_rows, count, float(share))
    if abs(tail - risk) > ROUNDING * risk:
        return tail > risk
    return n_rows > MOST_ROWS_EXACTLY or _is_tail_above(n_rows, count, share, risk)


def binomial_tail(n_rows: int, count: int, share: float) -> float:
    """Return the probability of at most ``count`` of ``n_rows``, each with probability ``share``.

    Examples
    --------
    >>> binomial_tail(59, 0, 0.05) <= 0.05, round(binomial_tail(10, 4, 0.5), 6)
    (True, 0.376953)
    """
    from scipy.special import betainc  # only guarantees need it

    return float(betainc(n_rows - count, count + 1, 1 - share)) if count < n_rows else 1.0


def _is_tail_above(n_rows: int, count: int, share: Fraction, risk: Fraction) -> bool:
    """Return whether a binomial tail is above the risk, in whole numbers."""
    hits, misses = share.numerator, share.denominator - share.numerator
    term = total = misses**n_rows
    for i in range(count):
        term = term * (n_rows - i) * hits // ((i + 1) * misses)
        total += term
    return bool(total > risk * share.denominator**n_rows)


@lru_cache(maxsize=64)
def kuiper_quantile(risk: float) -> float:
    """Return what sqrt(n) times Kuiper's statistic exceeds with a probability, for large n.

    The statistic is the largest difference, over all intervals, between the share of the rows and
    the share of the population. For any n it exceeds the quantile less often.

    Examples
    --------
    >>> round(kuiper_quantile(0.05), 3)
    1.747
    """
    squares = np.arange(1.0, 60.0) ** 2
    low, high = 0.4, 10.0 + isqrt(ceil(-log(risk)))
    while low < (middle := (low + high) / 2) < high:
        terms = (4 * squares * middle**2 - 1) * np.exp(-2 * squares * middle**2)
        low, high = (low, middle) if 2 * terms.sum() <= risk else (middle, high)
    return high
