"""Class weights in every objective: as if rows were repeated by the weight of their class."""

from math import lcm

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import ordcut
from ordcut._core import objectives
from ordcut.estimators import OrdinalThresholdClassifierCV
from tests.ordinal_data import ordinal_data
from tests.tables import BALANCED, EVERY_OBJECTIVE, TERMS

BALANCED_OF = objectives.BALANCED

UNWEIGHTED = [name for name in EVERY_OBJECTIVE if name not in BALANCED]


def problem(seed, n=40, n_classes=3):
    random = np.random.default_rng(seed)
    labels = np.append(
        np.arange(n_classes), random.choice(n_classes, n - n_classes, p=[0.6, 0.3, 0.1])
    )
    return (labels + random.normal(size=n)).round(1), labels


@pytest.mark.parametrize("objective", UNWEIGHTED)
@pytest.mark.parametrize("n", [40, 3000])
def test_balanced_classes_are_those_of_rows_that_are_repeated_until_all_classes_weigh_the_same(
    objective, n
):
    for seed in range(20 if n < 100 else 2):
        scores, labels = problem(seed, n)
        totals = np.bincount(labels)
        repeats = lcm(*totals.tolist()) // totals
        balanced = ordcut.optimal_thresholds(
            scores, labels, objective=objective, class_weight="balanced"
        )
        repeated = ordcut.optimal_thresholds(
            scores, labels, objective=objective, sample_weight=repeats[labels]
        )
        assert balanced.thresholds.tolist() == repeated.thresholds.tolist()
        assert balanced.value == pytest.approx(repeated.value, rel=1e-12)


def test_the_geometric_recall_of_balanced_classes_is_found():
    result = ordcut.optimal_thresholds(
        [1, 2, 3, 4], [0, 1, 0, 0], objective="geometric_recall", class_weight="balanced"
    )
    assert result.thresholds.tolist() == [1.5]


@pytest.mark.parametrize("objective", [name for name in TERMS if name != "min_recall"])
@pytest.mark.parametrize("class_weight", [[0.75, 0.25, 0.25], [0.1, 0.3, 2.0], "balanced"])
def test_a_constraint_costs_what_the_value_without_it_gains(objective, class_weight):
    options = {"objective": objective, "class_weight": class_weight, "classes": [0, 1, 2]}
    for seed in range(20):
        scores, labels = problem(seed, 12)
        free = ordcut.optimal_thresholds(scores, labels, **options)
        limited = ordcut.optimal_thresholds(scores, labels, constraints="fixed 1 1.5", **options)
        expected = free.value - limited.value
        assert limited.constraints[0].cost == pytest.approx(expected, abs=1e-12)


def test_a_constraint_binds_under_fractional_class_weights():
    result = ordcut.optimal_thresholds(
        range(4),
        [2] * 4,
        objective="weighted_f1",
        classes=[0, 1, 2],
        class_weight=[0.75, 0.25, 0.25],
        constraints="fixed 1 1.5",
    )
    assert result.constraints[0].binds
    assert result.value + result.constraints[0].cost == 1


@pytest.mark.parametrize(("objective", "plain"), list(BALANCED_OF.items()))
def test_likelihood_labels_count_every_class_the_same_where_the_objective_does(objective, plain):
    X, y = ordinal_data(400)
    keep = (y != 0) | (np.arange(400) % 8 == 0)
    X, y = X[keep], y[keep]
    models = [
        OrdinalThresholdClassifierCV(Ridge(), objective=name, labeling="likelihood").fit(X, y)
        for name in (objective, plain)
    ]
    recall, plain_recall = (np.mean(model.predict(X)[y == 0] == 0) for model in models)
    assert recall > plain_recall


@pytest.mark.parametrize("objective", BALANCED)
def test_reviews_and_asymmetry_keep_the_balance_of_the_classes(objective):
    table = np.array([[3.0, 1.0], [0.0, 1.0]])
    resolved = ordcut.resolve_objective(objective, 2)
    assert resolved.asymmetric(1).value(table) == resolved.value(table)
    scores, labels = [1, 2, 3, 4, 5], [0, 0, 0, 1, 0]
    for review in (0.1, 0.4):
        balanced = ordcut.optimal_thresholds(scores, labels, objective=objective, review=review)
        repeated = ordcut.optimal_thresholds(
            scores,
            labels,
            objective=objective,
            review=review,
            sample_weight=[1 + 3 * label for label in labels],
        )
        assert balanced.thresholds.tolist() == repeated.thresholds.tolist()
        assert balanced.value == pytest.approx(repeated.value)
