"""The model of the scores, compared with a general minimiser and with itself on mirrored rows."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from smoothed_rows import counted, modelled, standardised

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
    found = minimize(loss, start, method="BFGS", options={"gtol": 1e-9})
    return minimize(loss, found.x, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 0}).x


def curves_by_a_general_minimiser(z, counts):
    """The chance of a class below each threshold, from the losses as they are documented."""
    upto = np.cumsum(counts, axis=1)
    below, above = upto[:, :-1], upto[:, -1:] - upto[:, :-1]

    def losses(biases, slopes):
        logits = biases - slopes * z[:, None]
        rows = below * np.logaddexp(0, -logits) + above * np.logaddexp(0, logits)
        return rows.sum(axis=0)

    shares = below.sum(axis=0) / counts.sum()
    start = np.append(np.log(shares / (1 - shares)), 0.0)
    common = least(lambda at: losses(at[:-1], at[-1]).sum() + at[-1] ** 2 / 2, start)
    if common[-1] <= 0:
        common = start
    found = []
    for k in range(counts.shape[1] - 1):
        bias, slope = common[k], common[-1]

        def loss(at, k=k, bias=bias, slope=slope):
            held_back = 0.2 * (at[0] - bias) ** 2 + (at[1] - slope) ** 2
            return losses(at[0], at[1])[k] + held_back / 2

        own = least(loss, np.array([bias, slope]))
        found.append(expit(own[0] - own[1] * z) if own[1] > 0 else 0 * z + shares[k])
    return np.array(found)


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
        found = np.cumsum(modelled(scores, labels, 3, weights).probabilities, axis=1)
        np.testing.assert_allclose(found[:, :-1], below.T, atol=1e-4)


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
        found = modelled(other, labels, labels.max() + 1).probabilities
        np.testing.assert_allclose(found, probabilities_of(name), atol=2e-6)


def test_a_class_that_does_not_occur_leaves_the_others_as_they_are():
    scores, labels = PROBLEMS["four classes"]
    found = modelled(scores, np.array([1, 2, 4, 5])[labels], 7).probabilities
    np.testing.assert_array_equal(found[:, [1, 2, 4, 5]], probabilities_of("four classes"))
    assert not found[:, [0, 3, 6]].any()


def test_the_only_class_is_certain():
    found = modelled(NORMAL, np.ones(80, int), 3).probabilities
    assert found.tolist() == [[0, 1, 0]] * 80


def test_a_threshold_that_would_run_backwards_alone_leaves_the_share_of_its_classes():
    scores = np.arange(400.0)
    # The lowest class ends sharply; among the others, the highest one becomes rarer.
    random = np.random.default_rng(3)
    is_top = random.random(400) < np.where(scores < 200, 0.6, 0.1)
    labels = np.where(is_top, 2, (scores >= 100).astype(int))
    found = np.cumsum(modelled(scores, labels, 3).probabilities, axis=1)
    assert found[0, 0] > found[-1, 0] + 0.2
    share = np.mean(labels < 2)
    np.testing.assert_allclose(found[:, 1], np.maximum(found[:, 0], share), atol=2e-6)
