"""Surrogate losses by which a one-dimensional score is learned, as a table.

With biases ``b``, a row of class ``y`` and score ``a`` pays ``loss(a - b_k)`` for thresholds ``k``
below its class and ``loss(b_k - a)`` for those above it: for all of them ("all"), or for the two
that enclose its class only ("immediate"). Without biases it pays ``loss(a - y)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from ordcut._core.typing import Array, Floats
from ordcut.estimators.likelihood import OrdinalRows

#: Value, first and second derivative at ``z``; corners are rounded over a width.
Loss: TypeAlias = Callable[[Floats, float], tuple[Floats, Floats, Floats]]

#: Corners are rounded over smaller and smaller widths; each search starts from the last minimum.
WIDTHS = (1.0, 0.1, 0.01, 0.001)


@dataclass(frozen=True)
class Surrogate:
    """A loss, the thresholds it is paid for, and whether the biases must ascend."""

    loss: Loss
    paid: Literal["all", "immediate", "label"]
    ordered: bool = False
    has_corners: bool = False

    @property
    def has_biases(self) -> bool:
        """Whether biases are learned; otherwise scores estimate the label itself."""
        return self.paid != "label"


def _squared(z: Floats, _: float) -> tuple[Floats, Floats, Floats]:
    return z * z, 2 * z, np.full_like(z, 2.0)


def _absolute(z: Floats, width: float) -> tuple[Floats, Floats, Floats]:
    inside = np.abs(z) < width
    value = np.where(inside, z * z / (2 * width) + width / 2, np.abs(z))
    return value, np.where(inside, z / width, np.sign(z)), inside / width


def _logistic(z: Floats, _: float) -> tuple[Floats, Floats, Floats]:
    tail = np.exp(-np.abs(z))
    wrong = np.where(z > 0, tail, 1.0) / (1 + tail)
    return np.log1p(tail) - np.minimum(z, 0.0), -wrong, wrong * (1 - wrong)


def _hinge(z: Floats, width: float) -> tuple[Floats, Floats, Floats]:
    short = 1 - z
    inside = np.abs(short) < width
    bent = (short + width) ** 2 / (4 * width)
    value = np.where(inside, bent, np.maximum(short, 0.0))
    slope = np.where(inside, -(short + width) / (2 * width), -(short > 0).astype(np.float64))
    return value, slope, inside / (2 * width)


#: Surrogates by name: "it" is paid for the immediate thresholds, "at" for all thresholds.
SURROGATES: dict[str, Surrogate] = {
    "logistic_at": Surrogate(_logistic, "all", ordered=True),
    "logistic_it": Surrogate(_logistic, "immediate"),
    "logistic_it_ordered": Surrogate(_logistic, "immediate", ordered=True),
    "hinge_at": Surrogate(_hinge, "all", ordered=True, has_corners=True),
    "hinge_it": Surrogate(_hinge, "immediate", has_corners=True),
    "hinge_it_ordered": Surrogate(_hinge, "immediate", ordered=True, has_corners=True),
    "absolute": Surrogate(_absolute, "label", has_corners=True),
    "squared": Surrogate(_squared, "label"),
}


class SurrogateRisk:
    """The penalised sum of a surrogate as a function of ``(biases, coefficients)``.

    A surrogate without biases has a single number instead: the shift of the labels.
    """

    def __init__(
        self,
        rows: OrdinalRows,
        surrogate: Surrogate,
        alpha: float,
        width: float = 0.0,
        start: Floats | None = None,
    ) -> None:
        self.rows, self.surrogate, self.alpha, self.width = rows, surrogate, alpha, width
        self.n_biases = rows.n_classes - 1 if surrogate.has_biases else 1
        if start is not None:
            self.start = start
            return
        self.start = np.zeros(self.n_biases + rows.design.n_features)
        if surrogate.has_biases:
            self.start[: self.n_biases] = np.arange(self.n_biases) - (self.n_biases - 1) / 2
        else:
            self.start[0] = -float(rows.weights @ rows.codes / rows.weights.sum())

    def paid_for(self, k: int) -> tuple[Array | slice, Floats | float]:
        """Return the rows that pay for bias ``k``, and on which side of it they should be."""
        codes = self.rows.codes
        if self.surrogate.paid == "all":
            return slice(None), np.where(codes > k, 1.0, -1.0)
        chosen = np.flatnonzero((codes == k) | (codes == k + 1))
        return chosen, np.where(codes[chosen] > k, 1.0, -1.0)

    def at(self, iterate: Floats) -> RiskPoint:
        """Return the risk at an iterate."""
        return RiskPoint(self, iterate)


class RiskPoint:
    """A surrogate risk at an iterate, with its derivatives by score and bias."""

    def __init__(self, risk: SurrogateRisk, iterate: Floats) -> None:
        self.risk, rows, m = risk, risk.rows, risk.n_biases
        biases, self.coef = iterate[:m], iterate[m:]
        scores = rows.design.scores(self.coef)
        self.slopes, self.bends = np.zeros(len(scores)), np.zeros(len(scores))
        self.bias_slopes = np.zeros(m)
        #: For each bias, the rows that pay for it and their weighted second derivatives.
        self.paid: list[tuple[Array | slice, Floats]] = []
        self.value = 0.5 * risk.alpha * float(self.coef @ self.coef)
        for k in range(m):
            chosen, side = risk.paid_for(k) if risk.surrogate.has_biases else (slice(None), 1.0)
            z = side * (scores[chosen] - biases[k])
            if not risk.surrogate.has_biases:
                z = z - rows.codes
            value, slope, bend = risk.surrogate.loss(z, risk.width)
            weights = rows.weights[chosen]
            self.value += float(weights @ value)
            pull = weights * side * slope
            self.slopes[chosen] += pull
            self.bends[chosen] += weights * bend
            self.bias_slopes[k] = -pull.sum()
            self.paid.append((chosen, weights * bend))

    def gradient(self) -> Floats:
        """Return the first derivatives, by biases and then by coefficients."""
        by_coef = self.risk.rows.design.sums(self.slopes) + self.risk.alpha * self.coef
        return np.concatenate([self.bias_slopes, by_coef])

    def hessian(self) -> Floats:
        """Return the second derivatives: diagonal among biases, a Gram matrix elsewhere."""
        design, m = self.risk.rows.design, self.risk.n_biases
        whole = np.zeros((m + len(self.coef), m + len(self.coef)))
        for k, (chosen, bend) in enumerate(self.paid):
            spread = np.zeros(len(self.slopes))
            spread[chosen] = bend
            whole[k, k] = bend.sum()
            whole[k, m:] = whole[m:, k] = -design.sums(spread)
        whole[m:, m:] = design.gram(self.bends)
        inner = np.arange(m, len(whole))
        whole[inner, inner] += self.risk.alpha
        return whole
