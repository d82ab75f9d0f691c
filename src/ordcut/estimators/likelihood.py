"""The likelihood of the proportional odds model, with its first and second derivatives.

A row of score ``a`` has a class of at most ``k`` with the probability ``F(b_k - a)``, where the
biases ``b`` ascend. For all links except cauchit, the negative log-likelihood is convex in biases
and coefficients together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ordcut.estimators.design import Design
from ordcut.estimators.links import Link
from ordcut.estimators.minimisers import CurvedPoint, Minimum, lbfgs, newton
from ordcut.typing import Array, Floats

#: Above this many parameters a Hessian costs more than it saves.
MOST_FOR_NEWTON = 400


@dataclass(frozen=True)
class OrdinalRows:
    """Rows to learn from; every class of 0..K-1 occurs."""

    design: Design
    codes: Array
    weights: Floats
    n_classes: int

    def by_class(self, values: Floats) -> Floats:
        """Return the weighted sum of values over the rows of each class."""
        sums = np.bincount(self.codes, self.weights * values, minlength=self.n_classes)
        return sums.astype(np.float64, copy=False)


class ProportionalOdds:
    """The penalised negative log-likelihood as a function of ``(biases, coefficients)``."""

    def __init__(self, rows: OrdinalRows, link: Link, alpha: float) -> None:
        self.rows, self.link, self.alpha = rows, link, alpha
        shares = np.cumsum(rows.by_class(np.ones(len(rows.codes))))
        biases = link.quantile(shares[:-1] / shares[-1])
        self.start = np.concatenate([biases, np.zeros(rows.design.n_features)])

    def at(self, iterate: Floats) -> LikelihoodPoint:
        """Return the likelihood at an iterate."""
        return LikelihoodPoint(self, iterate)


class LikelihoodPoint:
    """The negative log-likelihood at an iterate; inf where the biases do not ascend."""

    def __init__(self, problem: ProportionalOdds, iterate: Floats) -> None:
        self.problem = problem
        rows = problem.rows
        self.n_biases = rows.n_classes - 1
        biases, self.coef = iterate[: self.n_biases], iterate[self.n_biases :]
        edges = np.concatenate([[-np.inf], biases, [np.inf]])
        with np.errstate(invalid="ignore"):
            gaps = np.diff(edges)
        self.value = self.log_likelihood = np.inf
        if not (gaps > 0).all():
            return
        scores = rows.design.scores(self.coef)
        upper, lower = edges[1:][rows.codes] - scores, edges[:-1][rows.codes] - scores
        self.terms = problem.link.terms_of(upper, lower, gaps, rows.codes)
        self.log_likelihood = float(rows.weights @ self.terms.log_p)
        penalty = 0.5 * problem.alpha * float(self.coef @ self.coef)
        if np.isfinite(self.log_likelihood):
            self.value = penalty - self.log_likelihood

    def gradient(self) -> Floats:
        """Return the first derivatives, by biases and then by coefficients."""
        rows, terms = self.problem.rows, self.terms
        by_biases = rows.by_class(terms.u)[:-1] + rows.by_class(terms.l)[1:]
        by_coef = self.problem.alpha * self.coef
        by_coef -= rows.design.sums(rows.weights * (terms.u + terms.l))
        return np.concatenate([by_biases, by_coef])

    def hessian(self) -> Floats:
        """Return the second derivatives: tridiagonal among biases, a Gram matrix elsewhere."""
        return self._hessian

    @cached_property
    def _hessian(self) -> Floats:
        rows, terms, m = self.problem.rows, self.terms, self.n_biases
        of_upper, of_lower = terms.uu + terms.ul, terms.ll + terms.ul
        whole = np.zeros((m + len(self.coef), m + len(self.coef)))
        at = np.arange(m)
        whole[at, at] = rows.by_class(terms.uu)[:-1] + rows.by_class(terms.ll)[1:]
        beside = rows.by_class(terms.ul)[1:-1]
        whole[at[:-1], at[1:]] = whole[at[1:], at[:-1]] = beside
        k, w = rows.n_classes, rows.weights
        cross = rows.design.sums_by_class(w * of_upper, rows.codes, k)[:-1]
        cross += rows.design.sums_by_class(w * of_lower, rows.codes, k)[1:]
        whole[:m, m:], whole[m:, :m] = -cross, -cross.T
        whole[m:, m:] = rows.design.gram(w * (of_upper + of_lower))
        inner = np.arange(m, len(whole))
        whole[inner, inner] += self.problem.alpha
        return whole


class LogGaps:
    """The likelihood as a function of the lowest bias, the logs of the gaps, and coefficients.

    The gaps are those between neighbouring biases. Every iterate is allowed, so that no step of a
    search can break the order of the biases.
    """

    def __init__(self, inner: ProportionalOdds) -> None:
        self.inner, self.n_biases = inner, inner.rows.n_classes - 1
        self.start = inner.start.copy()
        self.start[1 : self.n_biases] = np.log(np.diff(inner.start[: self.n_biases]))

    def to_inner(self, iterate: Floats) -> Floats:
        """Return the biases and coefficients of an iterate."""
        inner = iterate.copy()
        with np.errstate(over="ignore"):
            inner[1 : self.n_biases] = np.exp(iterate[1 : self.n_biases])
        inner[: self.n_biases] = np.cumsum(inner[: self.n_biases])
        return inner

    def at(self, iterate: Floats) -> LogGapsPoint:
        """Return the function at an iterate."""
        return LogGapsPoint(self, iterate)


class LogGapsPoint:
    """A :class:`LikelihoodPoint` whose derivatives are by the logs of the gaps."""

    def __init__(self, problem: LogGaps, iterate: Floats) -> None:
        self.problem, self.iterate = problem, iterate
        self.inner = problem.inner.at(problem.to_inner(iterate))
        # L-BFGS takes no inf; a very large value has the same effect.
        self.value = self.inner.value if np.isfinite(self.inner.value) else 1e300

    def gradient(self) -> Floats:
        """Return the first derivatives."""
        if not np.isfinite(self.inner.value):
            return np.zeros_like(self.iterate)
        m = self.problem.n_biases
        gradient = self.inner.gradient()
        gradient[:m] = np.cumsum(gradient[:m][::-1])[::-1]
        gradient[1:m] *= np.exp(self.iterate[1:m])
        return gradient


def fit_proportional_odds(
    rows: OrdinalRows, link: Link, *, alpha: float, tol: float, max_iter: int, solver: str = "auto"
) -> Minimum[CurvedPoint]:
    """Return the minimum over ``(biases, coefficients)``, with its :class:`LikelihoodPoint`."""
    problem = ProportionalOdds(rows, link, alpha)
    gtol = tol * float(rows.weights.sum())
    if solver == "newton" or (solver == "auto" and len(problem.start) <= MOST_FOR_NEWTON):
        return newton(problem, gtol=gtol, max_iter=max_iter)
    free = LogGaps(problem)
    minimum = lbfgs(free, gtol=gtol, max_iter=max_iter)
    iterate = free.to_inner(minimum.iterate)
    return Minimum(iterate, problem.at(iterate), minimum.n_iter, minimum.failure)
