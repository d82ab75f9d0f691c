"""Linear scores by surrogates: judged by a linear programme, least squares and the definitions."""

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.linear_model import Ridge

from ordcut.estimators import LinearThresholdClassifier
from tests.ordinal_data import ordinal_data

#: The ways to learn a score that the authors' earlier study compares.
STUDIED = [
    *("logistic_at", "logistic_it", "logistic_it_ordered"),
    *("hinge_at", "hinge_it", "hinge_it_ordered"),
    *("absolute", "squared"),
]
MARGINS = [name for name in STUDIED if "_" in name]


def few_rows(n=60, n_classes=4):
    return ordinal_data(n, n_classes=n_classes, n_features=2)


def naive_margin_loss(name, scores, codes, biases):
    """The definition, one row and one threshold at a time."""
    total = 0.0
    for a, y in zip(scores, codes, strict=True):
        for k, b in enumerate(biases):
            if "_it" in name and k not in (y - 1, y):
                continue
            z = a - b if y > k else b - a
            total += np.log1p(np.exp(-z)) if name.startswith("logistic") else max(0.0, 1 - z)
    return total


def least_hinge_loss(name, X, codes, n_biases):
    """The least sum of hinge losses, by a linear programme over coefficients, biases and slacks."""
    p, rows = X.shape[1], []
    for x, y in zip(X, codes, strict=True):
        for k in range(n_biases):
            if "_it" in name and k not in (y - 1, y):
                continue
            side = 1.0 if y > k else -1.0
            bias = np.zeros(n_biases)
            bias[k] = -1.0
            rows.append(-side * np.concatenate([x, bias]))
    A = np.hstack([np.array(rows), -np.eye(len(rows))])
    upper = -np.ones(len(rows))
    if name.endswith("ordered") or "_at" in name:
        order = np.zeros((n_biases - 1, A.shape[1]))
        for k in range(n_biases - 1):
            order[k, p + k], order[k, p + k + 1] = 1.0, -1.0
        A, upper = np.vstack([A, order]), np.concatenate([upper, np.zeros(n_biases - 1)])
    cost = np.concatenate([np.zeros(p + n_biases), np.ones(len(rows))])
    bounds = [(None, None)] * (p + n_biases) + [(0, None)] * len(rows)
    return linprog(cost, A_ub=A, b_ub=upper, bounds=bounds).fun


@pytest.mark.parametrize("name", [name for name in MARGINS if name.startswith("hinge")])
def test_hinge_losses_come_within_the_rounding_of_corners_of_a_linear_programme(name):
    X, y = few_rows()
    model = LinearThresholdClassifier(surrogate=name, alpha=0).fit(X, y)
    reached = naive_margin_loss(name, model.predict_score(X), y, model.biases_)
    least = least_hinge_loss(name, X, y, n_biases=3)
    assert least - 1e-6 <= reached <= least + 0.001 * len(y) * 3


def test_absolute_deviation_comes_within_the_rounding_of_corners_of_a_linear_programme():
    X, y = few_rows()
    model = LinearThresholdClassifier(surrogate="absolute", alpha=0).fit(X, y)
    rows = np.column_stack([X, np.ones(len(X))])
    cost = np.concatenate([np.zeros(3), np.ones(len(X))])
    A = np.vstack([np.hstack([s * rows, -np.eye(len(X))]) for s in (1, -1)])
    bounds = [(None, None)] * 3 + [(0, None)] * len(X)
    least = linprog(cost, A_ub=A, b_ub=np.concatenate([y, -y]), bounds=bounds).fun
    reached = np.abs(model.predict_score(X) - y).sum()
    assert least - 1e-6 <= reached <= least + 0.001 * len(y)


def test_squared_error_is_ridge_regression_on_the_positions_of_the_classes():
    X, y = few_rows()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = LinearThresholdClassifier(surrogate="squared", alpha=2.0).fit(Z, y)
    theirs = Ridge(alpha=1.0).fit(Z, y)  # ours halves the penalty, not the error
    np.testing.assert_allclose(ours.predict_score(Z), theirs.predict(Z), rtol=1e-8)


@pytest.mark.parametrize("name", ["logistic_at", "logistic_it"])
@pytest.mark.parametrize("alpha", [0, 0.7])
def test_no_small_move_of_a_coefficient_or_a_bias_lowers_the_sum_of_logistic_losses(name, alpha):
    X, y = few_rows()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LinearThresholdClassifier(surrogate=name, alpha=alpha).fit(X, y)

    def risk():
        loss = naive_margin_loss(name, model.predict_score(X), y, model.biases_)
        return loss + alpha * (model.coef_**2).sum() / 2

    least = risk()
    for values in (model.coef_, model.biases_):
        for i in range(len(values)):
            for step in (1e-3, -1e-3):
                values[i] += step
                assert risk() > least
                values[i] -= step


def test_the_all_threshold_logistic_loss_of_two_classes_is_logistic_regression():
    from ordcut.estimators import OrdinalLogisticRegression

    X, y = few_rows(n_classes=2)
    ours = LinearThresholdClassifier(surrogate="logistic_at").fit(X, y)
    np.testing.assert_allclose(ours.coef_, OrdinalLogisticRegression().fit(X, y).coef_, rtol=1e-6)


def test_ordered_biases_ascend_where_free_ones_do_not():
    # A rare middle class, whose own two thresholds free biases cross.
    rng = np.random.default_rng(0)
    y = rng.choice(3, size=400, p=[0.48, 0.04, 0.48])
    X = (y + 2 * rng.normal(size=400))[:, None]
    free = LinearThresholdClassifier(surrogate="logistic_it", alpha=0).fit(X, y).biases_
    ordered = LinearThresholdClassifier(surrogate="logistic_it_ordered", alpha=0).fit(X, y).biases_
    assert free[0] > free[1]
    assert ordered[0] <= ordered[1]


@pytest.mark.parametrize("name", ["absolute", "squared"])
def test_scores_that_estimate_the_label_round_at_the_halves(name):
    X, y = few_rows()
    model = LinearThresholdClassifier(surrogate=name, labeling="rounding").fit(X, y)
    assert model.thresholds_.tolist() == [0.5, 1.5, 2.5]


@pytest.mark.parametrize("name", STUDIED)
def test_classes_that_do_not_occur_are_never_predicted(name):
    X, y = few_rows(n_classes=3)
    model = LinearThresholdClassifier(surrogate=name, classes=[-1, 0, 1, 1.5, 2, 3]).fit(X, y)
    assert set(model.predict(10 * X)) <= {0.0, 1.0, 2.0}


def test_probabilities_come_with_the_likelihood_labeling():
    X, y = few_rows(300)
    assert not hasattr(LinearThresholdClassifier(), "predict_proba")
    model = LinearThresholdClassifier(labeling="likelihood", objective="zero_one").fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (model.predict(X) == probabilities.argmax(axis=1)).all()


def test_an_unknown_surrogate_is_named_with_those_that_exist():
    with pytest.raises(ValueError, match='Did you mean "hinge_at"'):
        LinearThresholdClassifier(surrogate="hinge_att").fit(*few_rows())


@pytest.mark.parametrize("name", STUDIED)
def test_every_surrogate_of_the_earlier_study_learns_the_direction_of_the_labels(name):
    X, y = few_rows(2000)
    learned = LinearThresholdClassifier(surrogate=name).fit(X, y).coef_
    truth = np.array([1.0, -0.5])
    cosine = learned @ truth / np.linalg.norm(learned) / np.linalg.norm(truth)
    assert cosine > 0.99
