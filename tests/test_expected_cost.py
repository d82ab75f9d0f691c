"""Labels of least expected cost, from class probabilities."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB

import ordcut
from ordcut import expected_cost_labels
from ordcut.estimators import OrdinalLogisticRegression, OrdinalThresholdClassifierCV
from ordcut.scorers import ObjectiveScorer
from tests.ordinal_data import ordinal_data
from tests.tables import COSTS, KAPPAS, TERMS

NAMES = np.array(["poor", "fair", "good"])


@st.composite
def probability_tables(draw):
    k = draw(st.integers(2, 5))
    counts = st.lists(st.integers(0, 9), min_size=k, max_size=k).filter(any)
    table = np.array(draw(st.lists(counts, min_size=1, max_size=6)), float)
    return table / table.sum(axis=1, keepdims=True)


@given(probability_tables(), st.sampled_from(COSTS))
def test_every_label_has_the_least_expected_cost(table, objective):
    k = table.shape[1]
    labels = expected_cost_labels(table, objective)
    for row, label in zip(table, labels, strict=True):
        costs = [
            sum(row[truth] * ordcut.evaluate([truth], [each], objective, classes=range(k))
                for truth in range(k))
            for each in range(k)
        ]  # fmt: skip
        assert costs[label] <= min(costs) + 1e-9


def test_numbers_have_the_distances_of_their_values():
    table = [[0.3, 0.35, 0.35]]
    assert expected_cost_labels(table, "squared", classes=[1, 2, 10]).tolist() == [2]
    assert expected_cost_labels(table, "squared", classes=[1, 9, 10]).tolist() == [9]


def test_text_classes_and_decisions_are_returned_by_name():
    table = pd.DataFrame([[0.2, 0.2, 0.6], [0.9, 0.1, 0.0]], columns=NAMES)
    assert expected_cost_labels(table, classes=NAMES).tolist() == ["good", "poor"]
    reviews = ordcut.Objective("review", [[0, 4], [1, 1], [4, 0]], decisions=["no", "ask", "yes"])
    assert expected_cost_labels([[0.5, 0.5]], reviews).tolist() == ["ask"]


def test_class_weights_multiply_the_costs_of_their_class():
    table = np.random.default_rng(0).dirichlet([1, 1, 1], size=200)
    weighted = expected_cost_labels(table, "squared", class_weight={2: 5})
    scaled = table * [1, 1, 5]
    scaled /= scaled.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(weighted, expected_cost_labels(scaled, "squared"))
    balanced = expected_cost_labels(table, "macro_mae", class_totals=[1, 2, 3])
    by_hand = expected_cost_labels(table, class_weight=[6, 3, 2])
    np.testing.assert_array_equal(balanced, by_hand)


@pytest.mark.parametrize("objective", [*KAPPAS, *TERMS])
def test_objectives_that_are_no_cost_of_a_row_are_refused(objective):
    with pytest.raises(ValueError, match="needs an objective that is a cost of each row"):
        expected_cost_labels([[0.5, 0.5]], objective)
    model = OrdinalThresholdClassifierCV(
        LogisticRegression(), objective=objective, labeling="expected_cost"
    )
    with pytest.raises(ValueError, match="needs an objective that is a cost of each row"):
        model.fit(*ordinal_data())


@pytest.mark.parametrize(
    ("table", "params", "message"),
    [
        ([0.5, 0.5], {}, r"shape \(n_samples, n_classes\), got shape \(2,\)"),
        ([[0.5, 0.9]], {}, r"add up to 1 in each row, got \[0.5, 0.9\] in row 0"),
        ([[0.5, 0.5], [1.2, -0.2]], {}, "in row 1"),
        ([[np.nan, 0.5]], {}, "add up to 1"),
        ([[0.5, 0.5]], {"classes": NAMES}, r"one column per class, 3 .*got 2"),
        ([[0.5, 0.5]], {"objective": "macro_mae"}, "needs class_totals="),
        ([[0.5, 0.5]], {"class_totals": [1]}, "class_totals must be 2 numbers"),
    ],
)
def test_what_is_no_table_of_probabilities_is_refused(table, params, message):
    with pytest.raises(ValueError, match=message):
        expected_cost_labels(table, **params)


@pytest.mark.parametrize("objective", COSTS)
def test_an_estimator_labels_by_its_calibrated_probabilities(objective):
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(
        GaussianNB(), objective=objective, labeling="expected_cost", classes=NAMES
    ).fit(X, NAMES[y])
    expected = expected_cost_labels(model.predict_proba(X), objective, classes=NAMES)
    np.testing.assert_array_equal(model.predict(X), expected)
    np.testing.assert_array_equal(model.decide(X), expected)
    np.testing.assert_array_equal(NAMES[model.decision_function(X).argmax(axis=1)], expected)
    assert not hasattr(model, "thresholds_")


def test_class_weights_and_balanced_objectives_count_in_an_estimator():
    X, y = ordinal_data()
    keep = np.flatnonzero((y < 2) | (np.arange(len(y)) % 4 == 0))
    X, y = X[keep], y[keep]
    totals = np.bincount(y)
    model = OrdinalThresholdClassifierCV(GaussianNB(), labeling="expected_cost")
    for params, counted in (
        ({"class_weight": [1, 2, 5]}, {"class_weight": [1, 2, 5]}),
        ({"objective": "macro_mae"}, {"objective": "macro_mae", "class_totals": totals}),
        ({"class_weight": "balanced"}, {"class_weight": "balanced", "class_totals": totals}),
    ):
        fitted = clone(model).set_params(**params).fit(X, y)
        expected = expected_cost_labels(fitted.predict_proba(X), **counted)
        np.testing.assert_array_equal(fitted.predict(X), expected)


def test_a_model_of_one_score_labels_as_by_likelihood():
    X, y = ordinal_data()
    for model in (OrdinalLogisticRegression(), OrdinalThresholdClassifierCV(Ridge())):
        by_cost = clone(model).set_params(labeling="expected_cost").fit(X, y)
        by_likelihood = clone(model).set_params(labeling="likelihood").fit(X, y)
        np.testing.assert_array_equal(by_cost.predict(X), by_likelihood.predict(X))


def test_scorers_take_the_objective_of_an_estimator_without_thresholds():
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(
        GaussianNB(), objective="squared", labeling="expected_cost"
    ).fit(X, y)
    assert ObjectiveScorer()(model, X, y) == -ordcut.evaluate(y, model.predict(X), "squared")


def test_reviews_and_constraints_need_thresholds():
    model = OrdinalThresholdClassifierCV(
        GaussianNB(), labeling="expected_cost", constraints=["recall 2 >= 0.5"]
    )
    with pytest.raises(ValueError, match="constraints need optimal thresholds"):
        model.fit(*ordinal_data())


def log_loss(probabilities, y):
    with np.errstate(divide="ignore"):
        return -np.log(probabilities[np.arange(len(y)), y]).mean()


@pytest.mark.parametrize(
    "classifier", [RandomForestClassifier(50, random_state=0), GaussianNB()], ids=repr
)
def test_calibrated_probabilities_have_a_lower_log_loss_on_new_rows(classifier):
    X, y = ordinal_data(600)
    X = np.column_stack([X, X])  # features that repeat make a naive classifier too sure
    X_fit, X_new, y_fit, y_new = train_test_split(X, y, stratify=y, random_state=0)
    model = OrdinalThresholdClassifierCV(classifier, probabilities=True).fit(X_fit, y_fit)
    plain = clone(classifier).fit(X_fit, y_fit).predict_proba(X_new)
    assert log_loss(model.predict_proba(X_new), y_new) < log_loss(plain, y_new)
    cumulative = model.predict_cumproba(X_new)
    np.testing.assert_allclose(cumulative[:, :2], model.predict_proba(X_new).cumsum(axis=1)[:, :2])
    assert (cumulative[:, -1] == 1).all()


def test_the_exponent_is_fitted_to_rows_held_out():
    X, y = ordinal_data()
    folds = KFold(4)
    model = OrdinalThresholdClassifierCV(GaussianNB(), cv=folds, probabilities=True).fit(X, y)
    held_out = cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_proba")
    n, shares = len(y), np.bincount(y) / len(y)

    def calibrated(exponent, table):
        powers = ((n * table + shares) / (n + 1)) ** exponent
        return powers / powers.sum(axis=1, keepdims=True)

    exponents = np.exp(np.linspace(-2, 2, 2001))
    losses = [n * log_loss(calibrated(a, held_out), y) + np.log(a) ** 2 for a in exponents]
    best = exponents[np.argmin(losses)]
    expected = calibrated(best, GaussianNB().fit(X, y).predict_proba(X))
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=2e-3)


def test_a_class_that_a_fold_has_alone_keeps_a_probability():
    X, y = ordinal_data(60)
    rare = np.where(y == 2, 1, y)
    rare[0] = 2
    model = OrdinalThresholdClassifierCV(GaussianNB(), cv=3, probabilities=True).fit(X, rare)
    probabilities = model.predict_proba(X)
    assert np.isfinite(probabilities).all()
    assert (probabilities > 0).all()
