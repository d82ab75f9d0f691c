"""A partial proportional odds model: class probabilities given the score, for smoothing.

Each threshold has a slope of its own, with a penalty for its difference from the common slope. The
model follows the data more closely than the proportional odds model of ``ordcut.estimators``, where
all thresholds share a slope and probabilities have a formula at every score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordcut.typing import Array, Floats, Ints

#: Scores further than this many spreads from the median are clipped, so that heavy tails and
#: outliers do not dominate the slope.
FARTHEST = 4.0

#: Half of the first times the squared slope is added to the loss, so that the slope stays finite
#: where scores separate the classes. The others penalise the difference of each threshold's own
#: slope and bias from those in common.
SLOPE_PENALTY, OWN_SLOPE_PENALTY, OWN_BIAS_PENALTY = 1.0, 1.0, 0.2

MOST_STEPS = 100

#: Losses that differ by less than this share are equal: they are sums of rounded numbers.
ROUNDING = 1e-13


def partial_odds_probabilities(scores: Array, counts: Floats) -> Floats:
    """Return the probability of each class at each score, (m, K).

    ``P(class <= k) = expit(b_k - slope_k * z)``, where ``z`` is the standardised score. First,
    biases and a common slope minimise the sum of the logistic losses of all K - 1 thresholds; then
    each threshold moves to a bias and a slope of its own, with a penalty. Where the curves cross,
    the higher is used, and no slope is negative: a higher score never means lower classes. Newton's
    method, O(m K) per step.

    Parameters
    ----------
    scores : ndarray of shape (m,)
        Ascending scores.
    counts : ndarray of shape (m, K)
        The weight of each class at each score.

    Examples
    --------
    >>> labels = np.array([0, 0, 1, 0, 1, 1])
    >>> partial_odds_probabilities(np.arange(1.0, 7.0), np.eye(2)[labels])[:, 1].round(2)
    array([0.18, 0.28, 0.42, 0.58, 0.72, 0.82])
    """
    occurs = np.flatnonzero(counts.sum(axis=0))
    probabilities = np.zeros_like(counts)
    if len(occurs) == 1:
        probabilities[:, occurs] = 1.0
        return probabilities
    curves = _Curves(scores.astype(np.float64), counts, occurs)
    share = curves.at_most.sum(axis=1) / curves.weights.sum()
    flat = np.log(share) - np.log1p(-share)
    start = np.stack([flat, np.zeros_like(flat)])
    common = _minimise(curves, start, shared=True)
    if common[1, 0] <= 0:
        common = start  # scores in the wrong direction: the best slope that is not negative is 0
    own = _minimise(curves, common, shared=False)
    own = np.where(own[1] > 0, own, start)  # without a slope, the share of the classes is best
    below = np.maximum.accumulate(curves.evaluate(own).chance, axis=0)
    certain = np.ones((1, len(scores)))
    probabilities[:, occurs] = np.diff(np.concatenate([0 * certain, below, certain]), axis=0).T
    return probabilities


def standardise(scores: Floats, weights: Floats) -> Floats:
    """Return the distance of scores from their median in spreads, clipped far out.

    Examples
    --------
    >>> standardise(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 1e300]), np.ones(6)).round(2)
    array([-1.12, -0.67, -0.22,  0.22,  0.67,  4.  ])
    """
    share = (np.cumsum(weights) - weights / 2) / weights.sum()
    low, middle, high = np.interp([0.25, 0.5, 0.75], share, scores)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = (high - low) / 1.349  # the distance of the quartiles of a normal distribution
        if not (np.isfinite(spread) and spread > 0):
            # Most rows have the same score, or the range is beyond float64: use ranks.
            return np.asarray(FARTHEST * (2 * share - 1))
        return np.asarray(np.clip((scores - middle) / spread, -FARTHEST, FARTHEST))


@dataclass(frozen=True)
class _Point:
    """The loss of each threshold, and its chance of a class below it at each score, (K - 1, m)."""

    losses: Floats
    chance: Floats


class _Curves:
    """The logistic losses of K - 1 thresholds as functions of (2, K - 1) numbers.

    The first row holds the biases, the second the slopes.
    """

    def __init__(self, scores: Floats, counts: Floats, occurs: Ints) -> None:
        self.weights = counts.sum(axis=1)
        self.at_most = np.cumsum(counts[:, occurs].T, axis=0)[:-1]
        self.z = standardise(scores, self.weights)
        self._powers = np.stack([np.ones_like(self.z), -self.z, self.z**2], axis=1)

    def evaluate(self, iterate: Floats) -> _Point:
        """Return the losses, without penalties."""
        at = iterate[0][:, None] - iterate[1][:, None] * self.z
        small = np.exp(-np.abs(at))
        rest = np.log1p(small) + np.maximum(at, 0.0)  # log(1 + exp(at))
        paid = rest @ self.weights - np.einsum("ij,ij->i", self.at_most, at)
        return _Point(np.asarray(paid), np.where(at > 0, 1.0, small) / (1.0 + small))

    def derivatives(self, point: _Point) -> tuple[Floats, Floats]:
        """Return the negative gradients, (2, K - 1), and the curvatures, (3, K - 1), of the losses.

        The curvatures are by bias twice, by bias and slope, and by slope twice.
        """
        expected = self.weights * point.chance
        down = (self.at_most - expected) @ self._powers[:, :2]
        bend = (expected * (1.0 - point.chance)) @ self._powers
        return down.T, bend.T


def _minimise(curves: _Curves, start: Floats, *, shared: bool) -> Floats:
    """Return the minimum from a start, with a shared slope or a slope per threshold."""
    iterate, point = start.copy(), curves.evaluate(start)
    value = _penalised(point, iterate, start, shared)
    for _ in range(MOST_STEPS):
        step, decrease = _newton_step(curves, point, iterate, start, shared)
        is_last = bool((decrease <= 1e-10 * np.maximum(1.0, value)).all())
        length = np.ones_like(value)
        for _ in range(1 if is_last else 40):  # halve the steps of thresholds whose loss rises
            tried = iterate + length * step
            new_point = curves.evaluate(tried)
            new_value = _penalised(new_point, tried, start, shared)
            rises = new_value > value * (1 + ROUNDING)
            if not rises.any():
                break
            length = np.where(rises, length / 2, length)
        iterate = np.where(rises, iterate, tried)
        value = np.where(rises, value, new_value)
        if is_last or rises.all():
            break
        point = curves.evaluate(iterate) if rises.any() else new_point
    return iterate


def _penalised(point: _Point, iterate: Floats, start: Floats, shared: bool) -> Floats:
    """Return the penalised loss: that of each threshold, or their sum if they share a slope."""
    if shared:
        return np.asarray([point.losses.sum() + 0.5 * SLOPE_PENALTY * iterate[1, 0] ** 2])
    away = iterate - start
    penalty = OWN_BIAS_PENALTY * away[0] ** 2 + OWN_SLOPE_PENALTY * away[1] ** 2
    return np.asarray(point.losses + 0.5 * penalty)


def _newton_step(
    curves: _Curves, point: _Point, iterate: Floats, start: Floats, shared: bool
) -> tuple[Floats, Floats]:
    """Return a Newton step, and by how much it should reduce the loss."""
    down, (bias_bend, mixed, slope_bend) = curves.derivatives(point)
    if shared:
        bias_bend = np.maximum(bias_bend, 1e-300)
        # Biases interact only through the slope, so each of them is eliminated by itself.
        push = down[1].sum() - SLOPE_PENALTY * iterate[1, 0] - (mixed * down[0] / bias_bend).sum()
        slope = push / (slope_bend.sum() + SLOPE_PENALTY - (mixed**2 / bias_bend).sum())
        step = np.stack([(down[0] - mixed * slope) / bias_bend, np.full_like(mixed, slope)])
        decrease = (down * step).sum() - SLOPE_PENALTY * iterate[1, 0] * slope
        return step, np.asarray([decrease])
    penalty = np.array([[OWN_BIAS_PENALTY], [OWN_SLOPE_PENALTY]])
    down = down - penalty * (iterate - start)
    bias_bend, slope_bend = bias_bend + OWN_BIAS_PENALTY, slope_bend + OWN_SLOPE_PENALTY
    determinant = bias_bend * slope_bend - mixed**2
    step = np.stack([slope_bend * down[0] - mixed * down[1], bias_bend * down[1] - mixed * down[0]])
    step /= determinant
    return step, np.asarray((down * step).sum(axis=0))
