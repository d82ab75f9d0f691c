"""Intervals for shares of rows, which may depend on each other in groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from ordcut._core.typing import Array, Floats


def check_level(level: float) -> None:
    """Raise an error unless a level is between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise ValueError(f"level must be a number between 0 and 1, such as 0.95, got {level!r}.")


def t_quantile(level: float, n_units: Any) -> Any:
    """Return the quantile of Student's t for an interval over a number of rows or groups.

    Examples
    --------
    >>> round(float(t_quantile(0.95, 40)), 3)
    2.023
    """
    return stdtrit(np.maximum(np.asarray(n_units) - 1, 0.1), (1 + level) / 2)


def share_interval(
    share: Any, n_rows: Any, n_effective: Any, level: float
) -> tuple[Floats, Floats]:
    """Return Jeffreys' interval of shares, or Clopper and Pearson's of shares that are 0 or 1.

    ``n_effective`` is the number of independent rows of the same variance, and ``n_rows`` stands
    in for it where all rows agree. NaN for a share of nothing.

    Examples
    --------
    >>> [round(float(end), 3) for end in share_interval(0.5, 20, 20.0, 0.95)]
    [0.293, 0.707]
    >>> [round(float(end), 3) for end in share_interval(0.0, 20, np.nan, 0.95)]
    [0.0, 0.168]
    """
    share, tail = np.asarray(share, np.float64), (1 - level) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        end = 1 - np.power(tail, 1 / np.asarray(n_rows, np.float64))
        a, b = share * n_effective + 0.5, (1 - share) * n_effective + 0.5
        low = np.where(share <= 0, 0.0, np.where(share >= 1, 1 - end, betaincinv(a, b, tail)))
        high = np.where(share >= 1, 1.0, np.where(share <= 0, end, betaincinv(a, b, 1 - tail)))
    unknown = np.isnan(share)
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)


class ShareRows:
    """Rows that are counted in shares: of each of several wholes, the part that is a hit.

    Examples
    --------
    >>> rows = ShareRows(np.zeros(20, int), np.arange(20) < 10, np.ones(20), None, 1)
    >>> rows.shares, [float(end[0].round(3)) for end in rows.interval(0.95)]
    (array([0.5]), [0.293, 0.707])

    Parameters
    ----------
    whole : ndarray of shape (n,)
        The number of the whole that each row belongs to.
    is_hit : ndarray of shape (n,)
        Whether it is in the part.
    weights : ndarray of shape (n,)
        How much each row counts.
    groups : ndarray of shape (n,), optional
        The number of each row's group.
    n_wholes : int
        The number of wholes.
    are_repeats : bool, default=True
        Whether weights are numbers of equal rows.
    """

    def __init__(
        self,
        whole: Array,
        is_hit: Array,
        weights: Floats,
        groups: Array | None,
        n_wholes: int,
        are_repeats: bool = True,
    ) -> None:
        self.n_wholes = n_wholes
        self.whole, self.is_hit, self.weights, self.groups = whole, is_hit, weights, groups
        self.are_repeats = are_repeats and groups is None
        self.totals = self._sums(weights)
        with np.errstate(invalid="ignore", divide="ignore"):
            self.shares = self._sums(weights * is_hit) / self.totals

    def _sums(self, values: Floats) -> Floats:
        return np.bincount(self.whole, values, self.n_wholes).astype(np.float64)

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each share, over rows or over groups.

        The variance of a share over groups, by the jackknife, says how many independent rows would
        have it; with Student's t for the number of groups (Korn and Graubard, 1998).
        """
        check_level(level)
        shares, weights, whole = self.shares, self.weights, self.whole
        strays = weights * (self.is_hit - shares[whole])
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.groups is None:
                squares = weights if self.are_repeats else weights**2
                n_rows = self.totals**2 / self._sums(squares)
                error = np.sqrt(self._sums(squares * (self.is_hit - shares[whole]) ** 2))
                widening: Any = 1.0
            else:
                pairs, unit = np.unique(
                    self.groups.astype(np.int64) * self.n_wholes + whole, return_inverse=True
                )
                at = pairs % self.n_wholes
                n_rows = np.bincount(at, minlength=self.n_wholes).astype(np.float64)
                # The jackknife: without a group, the whole is smaller by its rows.
                part = np.bincount(unit, weights, len(pairs)) / self.totals[at]
                sums = np.bincount(unit, strays, len(pairs)) / np.maximum(1 - part, 1e-9)
                error = np.sqrt((1 - 1 / n_rows) * np.bincount(at, sums**2, self.n_wholes))
                widening = t_quantile(level, n_rows) / -ndtri((1 - level) / 2)
            variance = (widening * error / self.totals) ** 2
            n_effective = shares * (1 - shares) / variance
        return share_interval(shares, n_rows, n_effective, level)
