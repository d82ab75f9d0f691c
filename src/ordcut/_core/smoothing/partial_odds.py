"""A partial proportional odds model: class probabilities given the score, for smoothing.

The chance of a class below a threshold is a logistic curve with a slope that all thresholds share,
as in the proportional odds model of ``ordcut.estimators``, from which each threshold departs
smoothly. Logistic curves describe many scores well, and others badly: distorted ones, stepwise
ones, or those whose noise varies. How far the curves may depart from them is a variance that is
estimated from the data (empirical Bayes): next to 0 where logistic curves are right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordcut._core.typing import Array, Floats

#: Scores further than this many spreads from the median are clipped, so that heavy tails and
#: outliers do not dominate the slope.
FARTHEST = 4.0

#: Half of this times the squared slope is added to the loss, so that the slope stays finite where
#: scores separate the classes.
SLOPE_PENALTY = 1.0

#: Limits on the number of Newton's steps, and on how often a step is halved while a loss rises.
MOST_STEPS, MOST_HALVINGS = 100, 40

#: A step that should reduce the loss by less than the first share is the last. Losses that differ
#: by less than the second share are equal: they are sums of rounded numbers.
NEGLIGIBLE, ROUNDING = 1e-8, 1e-13

#: Rows of more weight than this hardly change the model, and are counted as this many.
MOST_WEIGHT = 1e9

#: Penalties of half the squared differences in bias, in slope by score and in slope by rank.
OWN_PENALTIES = 0.2, 1.0, 0.2

#: The number of waves (cosines of the rank) in a departure, and the variances of the first wave
#: that are compared. The first wave's standard deviation over j to this power is wave j's.
N_WAVES, VARIANCES, DECAY = 12, 4.0 ** np.arange(-5, 3), 0.7

#: Logits of ranks are divided by this, so that they spread about as much as standardised scores.
RANK_SCALE = 1.7


def partial_odds_probabilities(scores: Array, counts: Floats) -> Floats:
    """Return the probability of each class at each score, (m, K).

    First, ``P(class <= k) = expit(b_k - slope * z)``, where ``z`` is the standardised score:
    biases and a common slope minimise the sum of the logistic losses of all K - 1 thresholds. Then
    each curve departs from its own as far as the data call for, see ``CurveLosses.departing_from``.
    Newton's method, O(m K) per step.

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
    array([0.07, 0.2 , 0.39, 0.61, 0.8 , 0.93])
    """
    occurs = np.flatnonzero(counts.sum(axis=0))
    probabilities = np.zeros_like(counts)
    if len(occurs) == 1:
        probabilities[:, occurs] = 1.0
        return probabilities
    counts = counts * min(1.0, MOST_WEIGHT / counts.sum())
    weights = counts.sum(axis=1)
    z = standardise(scores.astype(np.float64), weights)
    curves = CurveLosses(z, weights, np.cumsum(counts[:, occurs].T, axis=0)[:-1])
    share = curves.at_most.sum(axis=1) / weights.sum()
    flat = np.log(share) - np.log1p(-share)
    biases, slope = _common_slope(curves, flat)
    if slope > 0:
        below = curves.departing_from(biases[:, None] - slope * z)
    else:  # scores in the wrong direction: the best slope that is not negative is 0
        below = np.repeat(share[:, None], len(scores), axis=1)
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
    share = shares_below(weights)
    low, middle, high = np.interp([0.25, 0.5, 0.75], share, scores)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = (high - low) / 1.349  # the distance of the quartiles of a normal distribution
        if not (np.isfinite(spread) and spread > 0):
            # Most rows have the same score, or the range is beyond float64: use ranks.
            return np.asarray(FARTHEST * (2 * share - 1))
        return np.asarray(np.clip((scores - middle) / spread, -FARTHEST, FARTHEST))


def shares_below(weights: Floats) -> Floats:
    """Return the share of the rows below the middle of those with each score."""
    return np.asarray((np.cumsum(weights) - weights / 2) / weights.sum())


@dataclass(frozen=True)
class CurveLosses:
    """The logistic losses of K - 1 curves: the chance of a class below each threshold.

    Attributes
    ----------
    z : ndarray of shape (m,)
        Standardised scores, ascending.
    weights : ndarray of shape (m,)
        The weight of each score.
    at_most : ndarray of shape (K - 1, m)
        The weight of the classes below each threshold.
    """

    z: Floats
    weights: Floats
    at_most: Floats

    def evaluate(self, logits: Floats) -> tuple[Floats, Floats]:
        """Return the loss of each curve, and its chance at each score."""
        small = np.exp(-np.abs(logits))
        rest = np.log1p(small) + np.maximum(logits, 0.0)  # log(1 + exp(logits))
        losses = rest @ self.weights - np.einsum("ij,ij->i", self.at_most, logits)
        return np.asarray(losses), np.where(logits > 0, 1.0, small) / (1.0 + small)

    def departing_from(self, logits: Floats) -> Floats:
        """Return the chances of curves that depart from those with given logits, (K - 1, m).

        The differences in bias, slopes and waves are normal with mean 0 a priori, and have the
        largest posterior density. The variance of the waves is the one under which the data are
        likeliest, for all curves together, by Laplace's approximation at the given curves. Where
        curves cross, the higher is used. Newton's method, O(m K) per step.

        Examples
        --------
        A coin flip in the lower half of the scores, and certainty in the upper one:

        >>> z = np.linspace(-2, 2, 400)
        >>> low = np.where(z < 0, 0.5, 0.0)[None]
        >>> curves = CurveLosses(z, np.full(400, 10.0), 10 * low)
        >>> curves.departing_from(-2 - 2 * z[None])[0, [50, 150, 250, 350]].round(2)
        array([0.51, 0.46, 0.  , 0.  ])
        """
        basis = _basis(self.z, self.weights)
        n_terms = basis.shape[1]
        products = (basis[:, :, None] * basis[:, None, :]).reshape(len(basis), -1)
        terms, penalties = np.zeros((len(logits), n_terms)), None
        losses, chance = self.evaluate(logits)
        for _ in range(MOST_STEPS):
            expected = self.weights * chance
            down = (self.at_most - expected) @ basis
            bend = ((expected * (1.0 - chance)) @ products).reshape(-1, n_terms, n_terms)
            if penalties is None:
                penalties = _likeliest_penalties(down, bend)
            down -= penalties * terms
            step = np.linalg.solve(bend + np.diag(penalties), down[:, :, None])[:, :, 0]
            decrease = (down * step).sum(axis=1)
            is_last = bool((decrease <= NEGLIGIBLE * np.maximum(1.0, losses)).all())
            before = losses + terms**2 @ penalties / 2
            for _ in range(1 if is_last else MOST_HALVINGS):  # halve steps by which losses rise
                losses, chance = self.evaluate(logits + (terms + step) @ basis.T)
                rises = losses + (terms + step) ** 2 @ penalties / 2 > before * (1 + ROUNDING)
                if is_last or not rises.any():
                    break
                step = np.where(rises[:, None], step / 2, step)
            terms = terms + step
            if is_last:
                break
        return np.asarray(np.maximum.accumulate(chance, axis=0))


def _common_slope(curves: CurveLosses, biases: Floats) -> tuple[Floats, float]:
    """Return the biases and the common slope of least penalised loss; the slope starts at 0."""
    slope, powers = 0.0, np.stack([np.ones_like(curves.z), -curves.z, curves.z**2], axis=1)
    losses, chance = curves.evaluate(biases[:, None] - slope * curves.z)
    loss = losses.sum()
    for _ in range(MOST_STEPS):
        expected = curves.weights * chance
        down = ((curves.at_most - expected) @ powers[:, :2]).T
        bias_bend, mixed, slope_bend = ((expected * (1.0 - chance)) @ powers).T
        bias_bend = np.maximum(bias_bend, 1e-300)
        # Biases interact only through the slope, so each of them is eliminated by itself.
        push = down[1].sum() - SLOPE_PENALTY * slope - (mixed * down[0] / bias_bend).sum()
        turn = push / (slope_bend.sum() + SLOPE_PENALTY - (mixed**2 / bias_bend).sum())
        move = (down[0] - mixed * turn) / bias_bend
        decrease = down[0] @ move + (down[1].sum() - SLOPE_PENALTY * slope) * turn
        is_last = bool(decrease <= NEGLIGIBLE * max(1.0, loss))
        length = 1.0
        for _ in range(1 if is_last else MOST_HALVINGS):  # halve a step by which the loss rises
            tried = biases + length * move, slope + length * turn
            losses, new_chance = curves.evaluate(tried[0][:, None] - tried[1] * curves.z)
            new_loss = losses.sum() + 0.5 * SLOPE_PENALTY * tried[1] ** 2
            rises = bool(new_loss > loss * (1 + ROUNDING))
            if not rises:
                break
            length /= 2
        if rises:
            break
        (biases, slope), chance, loss = tried, new_chance, new_loss
        if is_last:
            break
    return biases, float(slope)


def _basis(z: Floats, weights: Floats) -> Floats:
    """Return what departures are sums of: a constant, score, rank and waves, (m, 3 + N_WAVES)."""
    share = np.clip(shares_below(weights), 1e-9, 1 - 1e-9)
    rank = (np.log(share) - np.log1p(-share)) / RANK_SCALE
    nth = np.arange(1, N_WAVES + 1)
    waves = np.sqrt(2) * np.cos(np.pi * nth * share[:, None]) / nth**DECAY
    return np.column_stack([np.ones_like(z), z, rank, waves])


def _likeliest_penalties(down: Floats, bend: Floats) -> Floats:
    """Return the penalties under which the data are likeliest, by Laplace's approximation.

    ``down`` has the negative gradients of the losses of each curve, and ``bend`` the curvatures.
    """
    n_own = len(OWN_PENALTIES)
    penalties = np.empty((len(VARIANCES), down.shape[1]))
    penalties[:, :n_own], penalties[:, n_own:] = OWN_PENALTIES, 1 / VARIANCES[:, None]
    curvature = bend[:, None] + penalties[:, :, None] * np.eye(down.shape[1])
    steps = np.linalg.solve(curvature, down[:, None, :, None])[..., 0]
    gains = np.einsum("kvi,ki->v", steps, down) - np.linalg.slogdet(curvature)[1].sum(axis=0)
    evidence = gains + len(down) * np.log(penalties).sum(axis=1)
    return np.asarray(penalties[evidence.argmax()])
