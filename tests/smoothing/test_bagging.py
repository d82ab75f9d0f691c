"""Bagging: the mean of the optimal thresholds of bootstrap samples."""

import numpy as np
import pytest

import ordcut


def make_rows(n, seed=0, n_classes=3):
    random = np.random.default_rng(seed)
    labels = random.integers(0, n_classes, n)
    return np.round(labels + random.normal(size=n), 1), labels


def naive_labels(scores, labels, objective, n_classes):
    """The labels of the mean thresholds, each sample solved as rows with weights."""
    distinct = np.unique(scores)
    counts = np.zeros((len(distinct), n_classes))
    np.add.at(counts, (np.searchsorted(distinct, scores), labels), 1)
    random, below = np.random.default_rng(0), []
    every = np.repeat(distinct, n_classes), np.tile(np.arange(n_classes), len(distinct))
    for _ in range(40):
        drawn = random.poisson(counts).ravel()
        result = ordcut.optimal_thresholds(
            *every, objective=objective, sample_weight=drawn, classes=range(n_classes)
        )
        # Halfway between the rows up to the last score drawn below and those before the next.
        below.append(
            [((scores <= low).sum() + (scores < high).sum()) / 2 for low, high in result.ranges]
        )
    upto = np.append(0, np.cumsum(counts.sum(axis=1)))
    edges = [distinct[0], *((distinct[1:] + distinct[:-1]) / 2), np.nextafter(distinct[-1], np.inf)]
    return np.searchsorted(np.interp(np.mean(below, axis=0), upto, edges), scores, "right")


@pytest.mark.parametrize("objective", ["absolute", "squared", "quadratic_kappa"])
def test_labels_are_those_of_the_mean_of_the_optima_of_samples(objective):
    scores, labels = make_rows(120)
    result = ordcut.optimal_thresholds(scores, labels, objective=objective, smoothing="bagging")
    assert (result.codes(scores) == naive_labels(scores, labels, objective, 3)).all()


@pytest.mark.parametrize("n", [200, 5000])
def test_the_order_of_rows_changes_nothing_and_a_weight_of_2_equals_a_repeated_row(n):
    scores, labels = make_rows(n)
    weights = np.random.default_rng(1).integers(1, 4, n)
    rows = np.random.default_rng(2).permutation(np.repeat(np.arange(n), weights))
    weighted = ordcut.optimal_thresholds(scores, labels, sample_weight=weights, smoothing="bagging")
    repeated = ordcut.optimal_thresholds(scores[rows], labels[rows], smoothing="bagging")
    assert weighted.thresholds.tolist() == repeated.thresholds.tolist()
    assert weighted.value == pytest.approx(repeated.value)


def test_constraints_hold_on_the_observed_labels():
    scores, labels = make_rows(300)
    limits = ["under 2 <= 0.1", "share 0 >= 0.4"]
    result = ordcut.optimal_thresholds(scores, labels, smoothing="bagging", constraints=limits)
    predicted = result.predict(scores)
    assert (predicted[labels == 2] < 2).mean() <= 0.1
    assert (predicted == 0).mean() >= 0.4


def test_the_result_says_so_and_is_read_back():
    scores, labels = make_rows(300)
    result = ordcut.optimal_thresholds(scores, labels, smoothing="bagging")
    assert "mean of the optimal thresholds of bootstrap samples" in result.certificate
    assert "mean of the optimal thresholds of bootstrap samples" in result.explain()
    assert ordcut.Thresholds.from_json(result.to_json()) == result
    damaged = result.to_json().replace('"smoothing": "bagging"', '"smoothing": "bags"')
    with pytest.raises(ValueError, match="proof must hold"):
        ordcut.Thresholds.from_json(damaged)
    low, high = result.bootstrap(n=50).intervals().T
    assert ((low < result.thresholds) & (result.thresholds <= high)).all()


def test_soft_labels_fractional_weights_and_class_weights_are_bagged():
    scores, labels = make_rows(200)
    soft = 0.9 * np.eye(3)[labels] + 0.1 / 3
    for options in (
        {"labels": soft},
        {"labels": labels, "sample_weight": np.linspace(0.1, 1, 200)},
        {"labels": labels, "class_weight": "balanced"},
        {"labels": labels, "objective": "macro_mae"},
    ):
        result = ordcut.optimal_thresholds(scores, smoothing="bagging", **options)
        assert np.isfinite(result.thresholds).all()


def test_decisions_that_are_not_the_classes_are_refused():
    scores, labels = make_rows(100)
    with pytest.raises(ValueError, match="needs decisions that are the classes"):
        ordcut.optimal_thresholds(scores, labels, review=0.1, smoothing="bagging")
    with pytest.raises(ValueError, match="costs that are least"):
        ordcut.optimal_thresholds(scores, labels, objective=np.zeros((3, 3)), smoothing="bagging")
