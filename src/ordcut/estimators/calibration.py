"""Probabilities of a classifier, calibrated on rows that it was not trained on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from ordcut._core.typing import Array, Floats

#: The range of the logarithm of the exponent that is searched.
RANGE = (-4.0, 4.0)


@dataclass(frozen=True)
class Calibration:
    """Temperature scaling: probabilities are raised to a power, and divided by their sum.

    Before, they are mixed with the shares of the classes, as if these were another row: a
    probability of 0 cannot be known from a limited number of rows.

    Attributes
    ----------
    exponent : float
        The power: below 1 if the classifier is too sure of itself.
    shares : ndarray of shape (n_classes,)
        The shares of the classes.
    mixed : float
        The weight of these shares.
    """

    exponent: float
    shares: Floats
    mixed: float

    @classmethod
    def fit(cls, probabilities: Floats, codes: Array, weights: Floats) -> Calibration:
        """Return the exponent of the highest likelihood.

        The square of its logarithm is a penalty with the weight of a row.

        Examples
        --------
        >>> sure, codes = np.array([[0.99, 0.01]] * 4), np.array([0, 0, 0, 1])
        >>> bool(Calibration.fit(sure, codes, np.ones(4)).exponent < 1)
        True
        """
        total = weights.sum()
        totals = np.bincount(codes, weights, minlength=probabilities.shape[1])
        start = cls(1.0, totals / total, 1.0 / (1.0 + float(total)))
        with np.errstate(divide="ignore"):
            logs = np.log(start._mix(probabilities))
        own = logs[np.arange(len(codes)), codes]
        counted = weights > 0

        def loss(log_exponent: float) -> float:
            scaled = np.exp(log_exponent) * logs[counted]
            peak = scaled.max(axis=1)
            norm = np.log(np.exp(scaled - peak[:, None]).sum(axis=1)) + peak
            fit = np.exp(log_exponent) * own[counted] - norm
            return float(log_exponent**2 - weights[counted] @ fit)

        best = minimize_scalar(loss, bounds=RANGE, method="bounded", options={"xatol": 1e-6})
        return cls(float(np.exp(best.x)), start.shares, start.mixed)

    def _mix(self, probabilities: Floats) -> Floats:
        mixture = (1.0 - self.mixed) * probabilities + self.mixed * self.shares
        return np.asarray(mixture, dtype=np.float64)

    def probabilities(self, probabilities: Floats) -> Floats:
        """Return calibrated probabilities: (n, K)."""
        with np.errstate(under="ignore"):
            powers = self._mix(probabilities) ** self.exponent
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def cumulative(self, probabilities: Floats) -> Floats:
        """Return the probability of each class or any lower class: (n, K)."""
        sums = np.cumsum(self.probabilities(probabilities), axis=1)
        sums[:, -1] = 1.0
        return np.minimum(sums, 1.0)
