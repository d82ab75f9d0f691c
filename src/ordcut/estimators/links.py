"""The links of the proportional odds model, as a table.

Class ``k`` has the probability ``F(upper) - F(lower)``, where ``upper`` and ``lower`` are its two
biases minus the score. Everything is computed in logarithms, so that no difference cancels and no
tail underflows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import expit, log_expit, log_ndtr, ndtri

from ordcut._core.typing import Array, Floats

Curve: TypeAlias = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Terms:
    """The log-probability of each row's class, and the derivatives of its negative.

    ``u`` and ``l`` denote a derivative by ``upper`` and by ``lower``.
    """

    log_p: Floats
    u: Floats
    l: Floats  # noqa: E741 (lower, beside upper)
    uu: Floats
    ll: Floats
    ul: Floats


@dataclass(frozen=True)
class Link:
    """A distribution function ``F``, as logarithms.

    ``slope`` is the derivative of ``log f``, that is ``f' / f``; ``quantile`` is the inverse of
    ``F``. ``terms`` is a closed form of all terms of a row, or None.
    """

    log_cdf: Curve
    log_sf: Curve
    log_pdf: Curve
    slope: Curve
    quantile: Curve
    terms: Callable[[Floats, Floats, Floats, Array], Terms] | None = None

    def log_interval(self, upper: Floats, lower: Floats) -> Floats:
        """Return ``log(F(upper) - F(lower))``, computed from the nearer tail."""
        in_upper_tail = upper > -lower
        below, above = ~in_upper_tail, in_upper_tail
        larger, smaller = np.empty_like(upper), np.empty_like(upper)
        larger[below], smaller[below] = self.log_cdf(upper[below]), self.log_cdf(lower[below])
        larger[above], smaller[above] = self.log_sf(lower[above]), self.log_sf(upper[above])
        with np.errstate(divide="ignore", invalid="ignore"):
            values = larger + np.log(-np.expm1(smaller - larger))
        return np.where(np.isneginf(larger), -np.inf, values)  # beyond the tail of cloglog

    def terms_of(self, upper: Floats, lower: Floats, gaps: Floats, codes: Array) -> Terms:
        """Return log-probabilities and derivatives for rows of the classes ``codes``.

        ``gaps`` holds ``upper - lower`` for each class.
        """
        if self.terms is not None:
            return self.terms(upper, lower, gaps, codes)
        log_p = self.log_interval(upper, lower)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            u = np.exp(self.log_pdf(upper) - log_p)
            l = np.exp(self.log_pdf(lower) - log_p)  # noqa: E741
            # At an infinite bias the density is 0 and its slope may be anything.
            bend_u = np.where(u > 0, u * self.slope(upper), 0.0)
            bend_l = np.where(l > 0, l * self.slope(lower), 0.0)
        return Terms(log_p, -u, l, u * u - bend_u, l * l + bend_l, -u * l)


def _logistic_terms(upper: Floats, lower: Floats, gaps: Floats, codes: Array) -> Terms:
    """Use that ``F(u) - F(l) = F(u) F(-l) (1 - exp(l - u))`` for the logistic ``F``."""
    with np.errstate(divide="ignore", over="ignore"):
        per_gap = 1.0 / np.expm1(gaps)
        log_gap = np.log(-np.expm1(-gaps))[codes]
        bend = (per_gap * (1.0 + per_gap))[codes]
        per_gap = per_gap[codes]
    tail_u, tail_l = np.exp(-np.abs(upper)), np.exp(-np.abs(lower))
    above = np.where(upper > 0, tail_u, 1.0) / (1.0 + tail_u)
    below = np.where(lower < 0, tail_l, 1.0) / (1.0 + tail_l)
    log_p = np.minimum(upper, 0.0) - np.maximum(lower, 0.0) + log_gap
    log_p -= np.log1p(tail_u + tail_l + tail_u * tail_l)
    return Terms(
        log_p,
        -above - per_gap,
        below + per_gap,
        above * (1.0 - above) + bend,
        below * (1.0 - below) + bend,
        -bend,
    )


def _gumbel_log_cdf(z: Floats) -> Floats:
    """Return ``log(1 - exp(-exp(z)))``, the distribution of the complementary log-log link."""
    with np.errstate(over="ignore", divide="ignore"):
        return np.where(z < -35, z, np.log(-np.expm1(-np.exp(z))))


def _gumbel_log_pdf(z: Floats) -> Floats:
    # exp(z) is so large beyond 700 that the density is 0, at infinity too.
    return np.where(z > 700, -np.inf, z + _minus_exp(np.minimum(z, 700.0)))


def _minus_exp(z: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return -np.exp(z)


def _cauchy_log_cdf(z: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(np.arctan2(1.0, -z) / np.pi)


def _cauchy_slope(z: Floats) -> Floats:
    return -2.0 / (z + 1.0 / np.where(z == 0, 1e-300, z))


#: Links by name. ``cloglog`` has ``F(z) = 1 - exp(-exp(z))``, ``loglog`` ``F(z) = exp(-exp(-z))``.
LINKS: dict[str, Link] = {
    "logit": Link(
        log_expit,
        lambda z: log_expit(-z),
        lambda z: log_expit(z) + log_expit(-z),
        lambda z: 1.0 - 2.0 * expit(z),
        lambda p: np.log(p) - np.log1p(-p),
        _logistic_terms,
    ),
    "probit": Link(
        log_ndtr,
        lambda z: log_ndtr(-z),
        lambda z: -0.5 * z * z - 0.5 * np.log(2.0 * np.pi),
        lambda z: -z,
        ndtri,
    ),
    "cloglog": Link(
        _gumbel_log_cdf,
        _minus_exp,
        _gumbel_log_pdf,
        lambda z: 1.0 + _minus_exp(z),
        lambda p: np.log(-np.log1p(-p)),
    ),
    "loglog": Link(
        lambda z: _minus_exp(-z),
        lambda z: _gumbel_log_cdf(-z),
        lambda z: _gumbel_log_pdf(-z),
        lambda z: -1.0 - _minus_exp(-z),
        lambda p: -np.log(-np.log(p)),
    ),
    "cauchit": Link(
        _cauchy_log_cdf,
        lambda z: _cauchy_log_cdf(-z),
        lambda z: -np.log(np.pi) - 2.0 * np.log(np.hypot(1.0, z)),
        _cauchy_slope,
        lambda p: np.tan(np.pi * (p - 0.5)),
    ),
}
