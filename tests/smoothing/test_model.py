"""The model of the scores, compared with a general minimiser and with itself on mirrored rows."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from tests.smoothing.smoothed_rows import counted, modelled, standardised

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
    "mostly one score": (np.where(NORMAL < 0.9, 0.0, NORMAL), labels_around(NORMAL, [-1, 0.5])),
    "beyond floats": (np.sign(NORMAL) * 1.7e308, labels_around(NORMAL, [0.2])),
    "mostly backwards": (NORMAL, np.where(NORMAL < 0.5, 2 * (RANDOM.random(80) < 0.7), 1)),
}


def least(loss, start):
    minimum = minimize(loss, start, method="BFGS", options={"gtol": 1e-9})
    return minimize(loss, minimum.x, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 0}).x


def expressions(z, weights):
    """What departures consist of: a constant, score, rank and 12 cosines of the rank."""
    shares = (np.cumsum(weights) - weights / 2) / weights.sum()
    cosines = [np.sqrt(2) * np.cos(np.pi * j * shares) / j**0.7 for j in range(1, 13)]
    return np.array([np.ones(len(z)), z, np.log(shares / (1 - shares)) / 1.7, *cosines]).T


def curves_by_a_general_minimiser(z, counts):
    """The chance of a class below each threshold, from the losses as they are documented."""
    weights = counts.sum(axis=1)
    upto = np.cumsum(counts, axis=1)
    below, above = upto[:, :-1], upto[:, -1:] - upto[:, :-1]
    basis = expressions(z, weights)

    def losses(logits):
        rows = below * np.logaddexp(0, -logits) + above * np.logaddexp(0, logits)
        return rows.sum(axis=0)

    shares = below.sum(axis=0) / counts.sum()
    start = np.append(np.log(shares / (1 - shares)), 0.0)
    common = least(lambda at: losses(at[:-1] - at[-1] * z[:, None]).sum() + at[-1] ** 2 / 2, start)
    if common[-1] <= 0:
        return np.tile(shares, (len(z), 1)).T
    logits = common[:-1] - common[-1] * z[:, None]
    chances = expit(logits)

    def evidence(penalties):
        """The logarithm of the likelihood of the data, up to a constant, in quadratic form."""
        total = 0.0
        for k in range(logits.shape[1]):
            spread = weights * chances[:, k] * (1 - chances[:, k])
            curvature = (basis.T * spread) @ basis + np.diag(penalties)
            down = basis.T @ (below[:, k] - weights * chances[:, k])
            total += down @ np.linalg.inv(curvature) @ down / 2
            total -= np.log(np.linalg.det(curvature) / np.prod(penalties)) / 2
        return total

    every = [np.array([0.2, 1, 0.2, *[4.0**-power] * 12]) for power in range(-5, 3)]
    penalties = max(every, key=evidence)
    curves = []
    for k in range(logits.shape[1]):

        def loss(at, k=k):
            moved = logits + (basis @ at)[:, None]
            return losses(moved)[k] + penalties @ at**2 / 2

        def slope(at, k=k):
            chance = expit(logits[:, k] + basis @ at)
            return basis.T @ (weights * chance - below[:, k]) + penalties * at

        at = minimize(loss, np.zeros(15), jac=slope, method="BFGS", options={"gtol": 1e-8}).x
        curves.append(expit(logits[:, k] + basis @ at))
    return np.array(curves)


def probabilities_of(name):
    scores, labels = PROBLEMS[name]
    return modelled(scores, labels, labels.max() + 1).probabilities


@pytest.mark.parametrize("name", PROBLEMS)
def test_probabilities_are_those_of_the_least_losses_and_penalties(name):
    scores, labels = PROBLEMS[name]
    at, counts = counted(scores, labels, labels.max() + 1)
    z = standardised(at, counts.sum(axis=1))
    below = np.maximum.accumulate(curves_by_a_general_minimiser(z, counts), axis=0)
    np.testing.assert_allclose(
        np.cumsum(probabilities_of(name), axis=1)[:, :-1], below.T, atol=2e-5
    )


def test_rows_of_very_unequal_weight_have_the_least_losses_and_penalties():
    for seed in range(6):
        random = np.random.default_rng(seed)
        scores = np.sort(random.normal(size=40))
        labels = np.where(
            random.random(40) < 0.1, random.integers(0, 3, 40), np.digitize(scores, [-1, 1])
        )
        weights = np.ceil(random.exponential(size=40) ** 6).astype(int)
        _, counts = counted(scores, labels, 3, weights)
        z = standardised(scores, weights)
        below = np.maximum.accumulate(curves_by_a_general_minimiser(z, counts), axis=0)
        cumulative = np.cumsum(modelled(scores, labels, 3, weights).probabilities, axis=1)
        np.testing.assert_allclose(cumulative[:, :-1], below.T, atol=1e-4)


@pytest.mark.parametrize("name", ["two classes", "four classes", "separable", "outliers"])
def test_mirrored_scores_and_classes_have_mirrored_probabilities(name):
    scores, labels = PROBLEMS[name]
    n_classes = labels.max() + 1
    mirrored = modelled(-scores, n_classes - 1 - labels, n_classes).probabilities
    np.testing.assert_allclose(mirrored[::-1, ::-1], probabilities_of(name), atol=2e-6)


@pytest.mark.parametrize("name", [name for name in PROBLEMS if name != "beyond floats"])
def test_moved_and_stretched_scores_have_the_same_probabilities(name):
    scores, labels = PROBLEMS[name]
    for other in (8 * scores, scores / 1024, scores + 16):
        result = modelled(other, labels, labels.max() + 1).probabilities
        np.testing.assert_allclose(result, probabilities_of(name), atol=2e-6)


def test_a_class_that_does_not_occur_leaves_the_others_as_they_are():
    scores, labels = PROBLEMS["four classes"]
    result = modelled(scores, np.array([1, 2, 4, 5])[labels], 7).probabilities
    np.testing.assert_array_equal(result[:, [1, 2, 4, 5]], probabilities_of("four classes"))
    assert not result[:, [0, 3, 6]].any()


def test_the_only_class_is_certain():
    result = modelled(NORMAL, np.ones(80, int), 3).probabilities
    assert result.tolist() == [[0, 1, 0]] * 80


def test_curves_follow_steps_where_rows_are_many_and_logistic_ones_where_they_are_right():
    random = np.random.default_rng(0)
    scores = np.sort(random.uniform(-1, 1, 20_000))
    steps = np.where(scores < -0.5, 0.0, 0.6)
    logistic = expit(3 * scores)
    for chance, furthest in ((steps, 0.1), (logistic, 0.03)):
        labels = (random.random(20_000) < chance).astype(int)
        model = modelled(scores, labels, 2)
        at = np.searchsorted(scores, model.scores)
        is_near_step = (abs(model.scores + 0.5) < 0.1) & (chance is steps)
        difference = abs(model.probabilities[:, 1] - chance[at])[~is_near_step]
        assert difference.max() < furthest
