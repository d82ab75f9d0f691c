"""evaluate() against scikit-learn's metrics."""

import numpy as np
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    cohen_kappa_score,
    mean_absolute_error,
    mean_squared_error,
    zero_one_loss,
)

import ordcut

RNG = np.random.default_rng(0)
TRUE = RNG.integers(0, 5, 300)
PREDICTED = np.clip(TRUE + RNG.integers(-2, 3, 300), 0, 4)
WEIGHTS = RNG.random(300)

THEIRS = {
    "absolute": mean_absolute_error,
    "squared": mean_squared_error,
    "zero_one": zero_one_loss,
    "kappa": cohen_kappa_score,
    "linear_kappa": lambda *a, **k: cohen_kappa_score(*a, weights="linear", **k),
    "quadratic_kappa": lambda *a, **k: cohen_kappa_score(*a, weights="quadratic", **k),
}


@pytest.mark.parametrize("objective", list(THEIRS))
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
def test_values_equal_those_of_scikit_learn(objective, weights):
    ours = ordcut.evaluate(TRUE, PREDICTED, objective, sample_weight=weights)
    assert ours == pytest.approx(THEIRS[objective](TRUE, PREDICTED, sample_weight=weights))


def test_balanced_absolute_loss_is_the_mean_over_classes():
    by_class = [np.abs(PREDICTED[k == TRUE] - k).mean() for k in range(5)]
    assert ordcut.evaluate(TRUE, PREDICTED, class_weight="balanced") == pytest.approx(
        np.mean(by_class)
    )


def test_a_matrix_and_a_callable_say_the_same():
    cost = [[0, 1, 9], [2, 0, 1], [9, 2, 0]]
    true, predicted = [0, 1, 2, 2], [1, 1, 0, 2]
    by_matrix = ordcut.evaluate(true, predicted, cost)
    assert by_matrix == (2 + 0 + 9 + 0) / 4
    assert by_matrix == ordcut.evaluate(true, predicted, lambda k, truth: cost[k][truth])


def test_soft_labels_are_judged_by_their_weights():
    assert ordcut.evaluate([[1, 1], [0, 2]], [0, 1]) == 0.25


@pytest.mark.parametrize("weights", [None, [1, 2, 1, 3, 1, 1, 2, 1]])
def test_balanced_objectives_average_over_the_classes_that_occur(weights):
    true, predicted = [0, 0, 0, 1, 1, 3, 3, 3], [0, 1, 3, 1, 0, 3, 1, 1]
    each = balanced_accuracy_score(true, predicted, sample_weight=weights)
    options = {"sample_weight": weights, "classes": [0, 1, 2, 3]}
    assert ordcut.evaluate(true, predicted, "balanced_accuracy", **options) == pytest.approx(each)
    value = ordcut.evaluate(true, predicted, "balanced_zero_one", **options)
    assert value == pytest.approx(1 - each)
    rows = np.arange(8)
    mean = [
        np.average(
            np.abs(np.subtract(true, predicted))[np.equal(true, k)],
            weights=(np.ones(8) if weights is None else np.array(weights))[np.equal(true, k)],
        )
        for k in (0, 1, 3)
    ]
    assert ordcut.evaluate(true, predicted, "macro_mae", **options) == pytest.approx(np.mean(mean))
    result = ordcut.optimal_thresholds(rows, true, objective="macro_mae", **options)
    same = ordcut.optimal_thresholds(rows, true, class_weight="balanced", **options)
    assert result.thresholds.tolist() == same.thresholds.tolist()
    assert result.objective == "macro_mae"
    with pytest.raises(ValueError, match="counts the same already"):
        ordcut.optimal_thresholds(rows, true, objective="macro_mae", class_weight="balanced")
