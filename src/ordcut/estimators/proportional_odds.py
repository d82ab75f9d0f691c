"""The proportional odds model of a score: class probabilities as a function of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordcut.estimators.design import Design, few_threads
from ordcut.estimators.likelihood import OrdinalRows, fit_proportional_odds
from ordcut.estimators.links import LINKS
from ordcut.typing import Array, Floats


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
        """Fit an ordinal model, by default a logistic one, of the labels given scores.

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
