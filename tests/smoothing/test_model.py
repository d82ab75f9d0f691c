"""The model of the scores, compared with a general minimiser and with itself on mirrored rows."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm, rankdata

from ordcut.smoothing.partial_odds import (
    _Curves,
    _minimise,
    partial_odds_probabilities,
    standardise,
)

RANDOM = np.random.default_rng(5)
NORMAL = np.sort(RANDOM.normal(size=80))


def labels_around(z, edges, noise=0.4, seed=0):
    random = np.random.default_rng(seed)
    return np.searchsorted(edges, z + noise * random.logistic(size=len(z)))


PROBLEMS = {
    "two classes": (NORMAL, labels_around(NORMAL, [0.2])),
    "four classes": (NORMAL, labels_around(NORMAL, [-1, 0, 0.7])),
    "separable": (NORMAL, np.searchsorted([-0.6, 0.6], NORMAL)),
    "outliers": (np.sinh(3 * NORMAL), labels_around(NORMAL, [-1, 1])),
    "a rare class": (NORMAL, np.where(np.arange(80) == 70, 0, labels_around(NORMAL, [-9, 0.5]))),
    "few rows": (np.array([1.0, 2.0, 3.0, 5.0]), np.array([0, 1, 1, 2])),
    "mostly backwards": (NORMAL, np.where(NORMAL < 0.5, 2 * (RANDOM.random(80) < 0.7), 1)),
}


def least(loss, start):
    found = minimize(loss, start, method="BFGS", options={"gtol": 1e-9})
    return minimize(loss, found.x, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 0}).x


def curves_by_a_general_minimiser(z, labels, n_classes):
    """The chance of a class below each threshold, from the losses as they are documented."""
    below = labels[:, None] < np.arange(1, n_classes)
    side = np.where(below, -1, 1)

    def losses(biases, slopes):
        return np.logaddexp(0, side * (biases - slopes * z[:, None])).sum(axis=0)

    shares = below.mean(axis=0)
    start = np.append(np.log(shares / (1 - shares)), 0.0)
    common = least(lambda at: losses(at[:-1], at[-1]).sum() + at[-1] ** 2 / 2, start)
    if common[-1] <= 0:
        common = start
    found = []
    for k in range(n_classes - 1):
        bias, slope = common[k], common[-1]

        def loss(at, k=k, bias=bias, slope=slope):
            held_back = 0.2 * (at[0] - bias) ** 2 + (at[1] - slope) ** 2
            return losses(at[0], at[1])[k] + held_back / 2

        own = least(loss, np.array([bias, slope]))
        found.append(expit(own[0] - own[1] * z) if own[1] > 0 else 0 * z + shares[k])
    return np.array(found)


@pytest.mark.parametrize("name", PROBLEMS)
def test_probabilities_are_those_of_the_least_losses_and_penalties(name):
    scores, labels = PROBLEMS[name]
    n_classes = labels.max() + 1
    found = partial_odds_probabilities(scores, np.eye(n_classes)[labels])
    z = standardise(scores, np.ones(len(scores)))
    below = np.maximum.accumulate(curves_by_a_general_minimiser(z, labels, n_classes), axis=0)
    np.testing.assert_allclose(np.cumsum(found, axis=1)[:, :-1], below.T, atol=2e-5)


@pytest.mark.parametrize("shared", [True, False])
def test_rows_of_very_unequal_weight_leave_nothing_to_a_general_minimiser(shared):
    for seed in range(12):
        random = np.random.default_rng(seed)
        z = np.sort(random.normal(size=40))
        labels = np.where(
            random.random(40) < 0.1, random.integers(0, 3, 40), np.digitize(z, [-1, 1])
        )
        counts = np.eye(3)[labels] * 1e3 * random.exponential(size=(40, 1)) ** 6
        curves = _Curves(z, counts, np.arange(3))
        shares = np.cumsum(counts.sum(axis=0))[:2] / counts.sum()
        start = np.stack([np.log(shares / (1 - shares)), [0.0, 0.0]])
        found = _minimise(curves, start, shared=shared)

        def loss(at, curves=curves, start=start):
            at = at.reshape(2, 2)
            logits = at[0] - at[1] * curves.z[:, None]
            rows = np.logaddexp(0, logits) * curves.weights[:, None] - curves.at_most.T * logits
            if shared:
                return rows.sum() + at[1, 0] ** 2 / 2
            return rows.sum() + (np.array([[0.2], [1.0]]) * (at - start) ** 2).sum() / 2

        def with_one_slope(at):
            return loss(np.append(at, at[-1]))

        if shared:
            best = minimize(with_one_slope, found.ravel()[:3], method="Nelder-Mead").fun
        else:
            best = minimize(loss, found.ravel(), method="Nelder-Mead").fun
        assert loss(found) <= best * (1 + 1e-9)


@pytest.mark.parametrize("name", ["two classes", "four classes", "separable"])
def test_mirrored_scores_and_classes_have_mirrored_probabilities(name):
    scores, labels = PROBLEMS[name]
    counts = np.eye(labels.max() + 1)[labels]
    found = partial_odds_probabilities(scores, counts)
    mirrored = partial_odds_probabilities(-scores[::-1], counts[::-1, ::-1])
    np.testing.assert_allclose(mirrored[::-1, ::-1], found, atol=1e-7)


@pytest.mark.parametrize("name", PROBLEMS)
def test_moved_and_stretched_scores_have_the_same_probabilities(name):
    scores, labels = PROBLEMS[name]
    counts = np.eye(labels.max() + 1)[labels]
    found = partial_odds_probabilities(scores, counts)
    for other in (8 * scores, scores / 1024, scores + 16):
        np.testing.assert_allclose(partial_odds_probabilities(other, counts), found, atol=1e-7)


def test_a_class_that_does_not_occur_leaves_the_others_as_they_are():
    scores, labels = PROBLEMS["four classes"]
    counts = np.eye(4)[labels]
    found = partial_odds_probabilities(scores, np.insert(counts, [0, 2, 4], 0.0, axis=1))
    np.testing.assert_array_equal(
        found[:, [1, 2, 4, 5]], partial_odds_probabilities(scores, counts)
    )
    assert not found[:, [0, 3, 6]].any()


def test_the_only_class_is_certain():
    found = partial_odds_probabilities(NORMAL, np.array([0.0, 2.0, 0.0]) * np.ones((80, 1)))
    assert found.tolist() == [[0, 1, 0]] * 80


def test_a_threshold_that_would_run_backwards_alone_leaves_the_share_of_its_classes():
    scores = np.arange(400.0)
    # The lowest class ends sharply; among the others, the highest one becomes rarer.
    random = np.random.default_rng(3)
    is_top = random.random(400) < np.where(scores < 200, 0.6, 0.1)
    labels = np.where(is_top, 2, (scores >= 100).astype(int))
    found = np.cumsum(partial_odds_probabilities(scores, np.eye(3)[labels]), axis=1)
    assert found[0, 0] > found[-1, 0] + 0.2
    share = np.mean(labels < 2)
    np.testing.assert_allclose(found[:, 1], np.maximum(found[:, 0], share), atol=1e-12)


@pytest.mark.parametrize("n", [5, 40, 801])
def test_scores_are_measured_from_their_median_in_robust_standard_deviations(n):
    scores = np.sort(np.random.default_rng(n).normal(size=n)) * 7 + 3
    scores[-1] += 500
    low, middle, high = np.quantile(scores, [0.25, 0.5, 0.75], method="hazen")
    spread = (high - low) / (2 * norm.ppf(0.75))
    expected = np.clip((scores - middle) / spread, -4, 4)
    np.testing.assert_allclose(standardise(scores, np.ones(n)), expected, rtol=1e-4)
    assert standardise(scores, np.ones(n))[-1] == 4


def test_weights_are_repeats_where_scores_are_measured():
    scores, times = np.arange(9.0), np.array([1, 2, 1, 9, 8, 9, 1, 2, 1])
    weighted = standardise(scores, times.astype(float))
    assert weighted[4] == 0
    np.testing.assert_allclose(weighted, -weighted[::-1])
    np.testing.assert_array_equal(standardise(scores, 3.0 * times), weighted)


@pytest.mark.parametrize("scores", [np.full(5, 3.0), np.array([-1.7e308, 0.0, 0.0, 1.7e308])])
def test_scores_without_a_spread_are_ranked(scores):
    distinct, times = np.unique(scores, return_counts=True)
    ranks = (np.unique(rankdata(scores)) - 0.5) / len(scores)
    found = standardise(distinct, times.astype(float))
    np.testing.assert_allclose(found, 8 * ranks - 4)
