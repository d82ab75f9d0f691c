"""The proportional odds model: its likelihood with derivatives, and the model of a score.

A row of score ``a`` has a class of at most ``k`` with the probability ``F(b_k - a)``, where the
biases ``b`` ascend. For all links except cauchit, the negative log-likelihood is convex in biases
and coefficients together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordcut._core.numerics.threads import cached_property
from ordcut._core.typing import Array, Floats
from ordcut.estimators.design import Design, few_threads
from ordcut.estimators.links import LINKS, Link
from ordcut.estimators.minimisers import CurvedPoint, Gaps, Minimum, lbfgs, newton

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


def fit_proportional_odds(
    rows: OrdinalRows, link: Link, *, alpha: float, tol: float, max_iter: int, solver: str = "auto"
) -> Minimum[CurvedPoint]:
    """Return the minimum over ``(biases, coefficients)``, with its :class:`LikelihoodPoint`."""
    problem = ProportionalOdds(rows, link, alpha)
    gtol = tol * float(rows.weights.sum())
    if solver == "newton" or (solver == "auto" and len(problem.start) <= MOST_FOR_NEWTON):
        return newton(problem, gtol=gtol, max_iter=max_iter)
    free = Gaps(problem, rows.n_classes - 1, logs=True)
    minimum = lbfgs(free, gtol=gtol, max_iter=max_iter)
    iterate = free.to_inner(minimum.iterate)
    return Minimum(iterate, problem.at(iterate), minimum.n_iter, minimum.failure)


@dataclass(frozen=True)
class ProportionalOddsModel:
    """``P(class <= k) = F(b_k - slope * score)``, over the classes that occur.

    All thresholds share a slope, and probabilities have a formula at every score. Smoothing uses
    a partial proportional odds model instead, in which each threshold has a slope of its own, and
    whose probabilities are known at observed scores only.

    Attributes
    ----------
    link : str
        The name of ``F``.
    inner_biases : ndarray
        The ascending biases between the classes that occur.
    slope : float
        Not negative: a higher score never means a lower class.
    occurring : ndarray
        The codes of the classes that occur.
    n_classes : int
        The number of all classes, K.
    """

    link: str
    inner_biases: Floats
    slope: float
    occurring: Array
    n_classes: int

    @classmethod
    def fit(
        cls, scores: Array, codes: Array, weights: Floats, n_classes: int, link: str = "logit"
    ) -> ProportionalOddsModel:
        """Fit an ordinal model, by default a logistic model, of the labels given scores.

        Examples
        --------
        >>> scores, codes = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 0, 1])
        >>> model = ProportionalOddsModel.fit(scores, codes, np.ones(4), 2)
        >>> model.probabilities(np.array([2.5])).round(3)
        array([[0.5, 0.5]])
        """
        with few_threads(1):
            rows, occurring = occurring_rows(scores[:, None], codes, weights, n_classes)
            if len(occurring) == 1:
                return cls(link, np.empty(0), 0.0, occurring, n_classes)
            minimum = fit_proportional_odds(rows, LINKS[link], alpha=1.0, tol=1e-8, max_iter=100)
        coef, shift = rows.design.to_features(minimum.iterate[-1:])
        slope = float(coef[0])
        if slope < 0:
            # Scores in the wrong direction: the best slope that is not negative is 0.
            return cls.fit(np.zeros_like(scores), codes, weights, n_classes, link)
        return cls(link, minimum.iterate[:-1] + shift, slope, occurring, n_classes)

    @property
    def biases(self) -> Floats:
        """The K - 1 biases of all classes."""
        return expand_biases(self.inner_biases, self.occurring, self.n_classes)

    @property
    def thresholds(self) -> Floats:
        """The biases on the scale of the scores."""
        if self.slope > 0:
            return self.biases / self.slope
        # Scores without information: all get the class of the model's median.
        return np.where(self.biases > 0, np.inf, -np.inf)

    def cumulative(self, scores: Floats) -> Floats:
        """Return the probability of a class of at most ``k``, for k = 0..K-1: (n, K)."""
        edges = np.append(self.biases, np.inf)
        with np.errstate(under="ignore"):
            return np.exp(LINKS[self.link].log_cdf(edges - self.slope * scores[:, None]))

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability of each class: (n, K)."""
        edges = np.concatenate([[-np.inf], self.inner_biases, [np.inf]])
        at = self.slope * scores
        probabilities = np.zeros((len(scores), self.n_classes))
        link = LINKS[self.link]
        for code, lower, upper in zip(self.occurring, edges[:-1], edges[1:], strict=True):
            probabilities[:, code] = np.exp(link.log_interval(upper - at, lower - at))
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        return probabilities


def expand_biases(inner: Floats, occurring: Array, n_classes: int) -> Floats:
    """Return the biases of all classes from those between the classes that occur.

    A class that does not occur lies between two equal biases, or beyond an infinite bias at an end.

    Examples
    --------
    >>> expand_biases(np.array([0.3]), np.array([1, 3]), 5)
    array([-inf,  0.3,  0.3,  inf])
    """
    edges = np.concatenate([[-np.inf], inner, [np.inf]])
    return np.asarray(edges[np.searchsorted(occurring, np.arange(n_classes - 1), "right")])


def occurring_rows(
    features: Array, codes: Array, weights: Floats, n_classes: int
) -> tuple[OrdinalRows, Array]:
    """Return the rows that carry weight, coded by the classes that occur, and those classes."""
    occurring = np.flatnonzero(np.bincount(codes, weights, minlength=n_classes))
    if not (weights > 0).all():
        keep = np.flatnonzero(weights > 0)
        features, weights, codes = features[keep], weights[keep], codes[keep]
    compact = codes if len(occurring) == n_classes else np.searchsorted(occurring, codes)
    return OrdinalRows(Design(features, weights), compact, weights, len(occurring)), occurring
