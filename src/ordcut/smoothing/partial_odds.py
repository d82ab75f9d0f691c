"""A partial proportional odds model: class probabilities given the score, for smoothing.

Each threshold has a slope of its own, held back by a penalty from the common one. That follows the
data more closely than the proportional odds model of ``ordcut.estimators``, where all thresholds
share one slope and probabilities have a formula at every score.
"""

from __future__ import annotations

import numpy as np

from ordcut.typing import Array, Floats, Ints

#: Scores further than this many spreads from the median are clipped, so that heavy tails and
#: outliers do not dominate the slope.
FARTHEST = 4.0

#: Half of the first times the squared slope is added to the loss, so that the slope stays finite
#: where scores separate the classes. The others penalise by how much each threshold's own slope
#: and bias differ from the common ones.
SLOPE_PENALTY, OWN_SLOPE_PENALTY, OWN_BIAS_PENALTY = 1.0, 1.0, 0.2

MOST_STEPS = 100


def partial_odds_probabilities(scores: Array, counts: Floats) -> Floats:
    """Return the probability of each class at each score, (m, K).

    ``P(class <= k) = expit(b_k - slope_k * z)``, where ``z`` is the standardised score. First,
    biases and one common slope minimise the sum of K - 1 logistic losses, one for each threshold;
    then each threshold moves to a bias and a slope of its own, held back by a penalty. Where the
    curves cross, the higher one counts, and no slope is negative: a higher score never means lower
    classes. Newton's method, O(m K) per step.

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
    found = np.zeros_like(counts)
    if len(occurs) == 1:
        found[:, occurs] = 1.0
        return found
    curves = _Curves(scores.astype(np.float64), counts, occurs)
    share = curves.at_most.sum(axis=0) / curves.weights.sum()
    flat = np.log(share) - np.log1p(-share)
    start = np.stack([flat, np.zeros_like(flat)])
    common = _minimise(curves, start, shared=True)
    if common[1, 0] <= 0:
        common = start  # scores in the wrong direction: the best slope that is not negative is 0
    own = _minimise(curves, common, shared=False)
    own = np.where(own[1] > 0, own, start)  # without a slope, the share of the classes is best
    below = _expit(own[0] - own[1] * curves.z[:, None])
    below = np.maximum.accumulate(below, axis=1)
    one = np.ones((len(below), 1))
    found[:, occurs] = np.diff(np.concatenate([0 * one, below, one], axis=1), axis=1)
    return found


def standardise(scores: Floats, weights: Floats) -> Floats:
    """Return the distance of scores from their median in spreads, clipped far out.

    Examples
    --------
    >>> standardise(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 1e300]), np.ones(6)).round(2)
    array([-1.12, -0.67, -0.22,  0.22,  0.67,  4.  ])
    """
    share = (np.cumsum(weights) - weights / 2) / weights.sum()
    low, middle, high = np.interp([0.25, 0.5, 0.75], share, scores)
    with np.errstate(over="ignore"):
        spread = (high - low) / 1.349  # the distance of the quartiles of a normal distribution
        if not (np.isfinite(spread) and spread > 0):
            # Most rows have the same score, or the range is beyond float64: use ranks.
            return np.asarray(FARTHEST * (2 * share - 1))
        return np.asarray(np.clip((scores - middle) / spread, -FARTHEST, FARTHEST))


class _Curves:
    """The penalised logistic losses of K - 1 thresholds as functions of (2, K - 1) numbers.

    The first row holds the biases, the second the slopes.
    """

    def __init__(self, scores: Floats, counts: Floats, occurs: Ints) -> None:
        self.weights = counts.sum(axis=1)
        self.at_most = np.cumsum(counts[:, occurs], axis=1)[:, :-1]
        self.z = standardise(scores, self.weights)

    def losses(self, iterate: Floats) -> Floats:
        """Return the loss of each threshold, without penalties."""
        at = iterate[0] - iterate[1] * self.z[:, None]
        rest = np.log1p(np.exp(-np.abs(at))) + np.maximum(at, 0.0)  # log(1 + exp(at))
        paid = self.weights @ rest - np.einsum("ij,ij->j", self.at_most, at)
        return np.asarray(paid)

    def derivatives(self, iterate: Floats) -> tuple[Floats, Floats]:
        """Return the negative gradients, (2, K - 1), and the curvatures, (3, K - 1), of the losses.

        The curvatures are by bias twice, by bias and slope, and by slope twice.
        """
        chance = _expit(iterate[0] - iterate[1] * self.z[:, None])
        left = self.at_most - self.weights[:, None] * chance
        bend = self.weights[:, None] * chance * (1.0 - chance)
        down = np.stack([left.sum(axis=0), -(self.z @ left)])
        return down, np.stack([bend.sum(axis=0), -(self.z @ bend), self.z**2 @ bend])


def _minimise(curves: _Curves, start: Floats, *, shared: bool) -> Floats:
    """Return the minimum from a start: one slope for all thresholds, or one for each."""
    iterate = start.copy()
    value = _penalised(curves, iterate, start, shared)
    for _ in range(MOST_STEPS):
        step, decrease = _newton_step(curves, iterate, start, shared)
        length = np.ones_like(value)
        for _ in range(40):  # halve the steps of thresholds whose loss rises
            trial = _penalised(curves, iterate + length * step, start, shared)
            rises = trial > value
            if not rises.any():
                break
            length = np.where(rises, length / 2, length)
        iterate = np.where(rises, iterate, iterate + length * step)
        value = np.where(rises, value, trial)
        if (decrease <= 1e-10 * np.maximum(1.0, value)).all() or rises.all():
            break
    return iterate


def _penalised(curves: _Curves, iterate: Floats, start: Floats, shared: bool) -> Floats:
    """Return the penalised loss: one number if thresholds share a slope, else one for each."""
    losses = curves.losses(iterate)
    if shared:
        return np.asarray([losses.sum() + 0.5 * SLOPE_PENALTY * iterate[1, 0] ** 2])
    away = iterate - start
    return np.asarray(
        losses + 0.5 * (OWN_BIAS_PENALTY * away[0] ** 2 + OWN_SLOPE_PENALTY * away[1] ** 2)
    )


def _newton_step(
    curves: _Curves, iterate: Floats, start: Floats, shared: bool
) -> tuple[Floats, Floats]:
    """Return a Newton step, and by how much it should reduce the loss."""
    down, (bias_bend, mixed, slope_bend) = curves.derivatives(iterate)
    if shared:
        bias_bend = np.maximum(bias_bend, 1e-300)
        # Biases interact only through the slope, so they are eliminated one by one.
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


def _expit(at: Floats) -> Floats:
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * at))
