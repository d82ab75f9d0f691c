"""The summary's statistics and the test of proportional odds, against SAS, formulas and laws."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from statsmodels.miscmodels.ordinal_model import OrderedModel

from ordcut.estimators import OrdinalLogisticRegression
from tests.ordinal_data import ordinal_data
from tests.tables import LINKS

#: Ratings from 1 to 9 of cheeses with four additives (McCullagh and Nelder 1989, page 175).
CHEESE = np.array(
    [
        [0, 0, 1, 7, 8, 8, 19, 8, 1],
        [6, 9, 12, 11, 7, 6, 1, 0, 0],
        [1, 1, 6, 8, 23, 7, 5, 1, 0],
        [0, 0, 0, 1, 3, 7, 14, 16, 11],
    ]
)


def cheese():
    X = np.repeat(np.eye(4)[:, :3], 9, axis=0)
    return X, np.tile(np.arange(1, 10), 4), CHEESE.ravel()


def naive_test(model, X, y, weights):
    """The score test of all features, by finite differences of the log-likelihood."""
    m, p = len(model.biases_), X.shape[1]
    table = np.full((len(X), m + 1), 0.0)
    table[np.arange(len(X)), y] = weights

    def probabilities(iterate):
        biases, coef = iterate[:m], iterate[m:].reshape(m, p)
        below = expit(biases - X @ coef.T)
        return np.diff(below, axis=1, prepend=0, append=1)

    at = np.concatenate([model.biases_, np.tile(model.coef_, m)])
    expected = weights[:, None] * probabilities(at)
    steps = 1e-4 * np.eye(len(at))

    def log_likelihood(counts, iterate):
        return (counts * np.log(probabilities(iterate))).sum()

    score = [(log_likelihood(table, at + h) - log_likelihood(table, at - h)) / 2e-4 for h in steps]
    information = [
        [
            -sum(
                a * b * log_likelihood(expected, at + a * g + b * h)
                for a in (-1, 1)
                for b in (-1, 1)
            )
            / 4e-8
            for g in steps
        ]
        for h in steps
    ]
    return score @ np.linalg.solve(information, score)


def test_the_statistics_of_cheese_are_those_of_sas():
    X, y, weights = cheese()
    statistics = (
        OrdinalLogisticRegression(alpha=0).fit(X, y, sample_weight=weights).summary().statistics
    )
    assert statistics["n"] == 208
    assert -2 * statistics["log_likelihood"] == pytest.approx(711.348, abs=5e-4)
    assert statistics["aic"] == pytest.approx(733.348, abs=5e-4)
    assert statistics["bic"] == pytest.approx(770.061, abs=5e-4)


def test_the_statistics_are_those_of_statsmodels():
    X, y = ordinal_data(300)
    result = OrdinalLogisticRegression(alpha=0).fit(X, y).summary().statistics
    theirs = OrderedModel(y, X, distr="logit").fit(method="newton", disp=False)
    assert result["aic"] == pytest.approx(theirs.aic, rel=1e-6)
    assert result["bic"] == pytest.approx(theirs.bic, rel=1e-6)
    assert result["pseudo_r2"] == pytest.approx(theirs.prsquared, rel=1e-5)


def test_classes_that_do_not_occur_are_no_parameters():
    X, y = ordinal_data()
    plain = OrdinalLogisticRegression(alpha=0).fit(X, y).summary()
    more = OrdinalLogisticRegression(alpha=0, classes=[-1, 0, 1, 2, 3]).fit(X, y).summary()
    assert more.statistics == pytest.approx(plain.statistics)


def test_the_test_is_the_score_test_by_finite_differences():
    X, y, weights = cheese()
    model = OrdinalLogisticRegression(alpha=0).fit(X, y, sample_weight=weights)
    result = model.proportional_odds_test(X, y, weights)
    assert result["df"].tolist() == [21, 7, 7, 7]
    assert result["chi2"][0] == pytest.approx(naive_test(model, X, y - 1, weights), rel=1e-4)


def test_a_single_feature_is_tested_as_all_features_are():
    X, y = ordinal_data(300)
    model = OrdinalLogisticRegression(alpha=0).fit(X[:, :1], y)
    result = model.proportional_odds_test(X[:, :1], y)
    assert result["chi2"][0] == pytest.approx(result["chi2"][1])


@pytest.mark.parametrize("link", LINKS)
def test_shifted_and_scaled_features_have_the_same_test(link):
    X, y = ordinal_data(300)
    model = OrdinalLogisticRegression(alpha=0, link=link, tol=1e-10)
    plain = model.fit(X, y).proportional_odds_test(X, y)
    moved = model.fit(3 * X - 2, y).proportional_odds_test(3 * X - 2, y)
    np.testing.assert_allclose(moved["chi2"], plain["chi2"], rtol=1e-6)


def test_a_weight_of_two_equals_the_row_twice_in_the_test():
    X, y = ordinal_data(100)
    times = np.random.default_rng(1).integers(0, 3, size=100)
    again = np.repeat(np.arange(100), times)
    model = OrdinalLogisticRegression(alpha=0)
    weighted = model.fit(X, y, times).proportional_odds_test(X, y, times)
    repeated = model.fit(X[again], y[again]).proportional_odds_test(X[again], y[again])
    np.testing.assert_allclose(weighted["chi2"], repeated["chi2"], rtol=1e-6)


def test_sparse_rows_have_the_test_of_dense_ones():
    X, y = ordinal_data(200)
    model = OrdinalLogisticRegression(alpha=0).fit(X, y)
    dense = model.proportional_odds_test(X, y)
    thin = model.proportional_odds_test(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin["chi2"], dense["chi2"], rtol=1e-6)


def test_a_feature_that_repeats_another_adds_no_degree_of_freedom():
    X, y = ordinal_data(200)
    double = np.column_stack([X, X[:, 0]])
    result = OrdinalLogisticRegression(alpha=1e-6).fit(double, y).proportional_odds_test(double, y)
    assert result["df"].tolist() == [3, 1, 1, 1, 1]


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_proportional_odds_are_rejected_as_often_as_the_level_says(alpha):
    rng = np.random.default_rng(0)
    p_values = []
    for _ in range(200):
        X = rng.normal(size=(400, 2))
        y = np.digitize(X @ [1.0, -0.5] + rng.logistic(size=400), [-1.0, 0.0, 1.0])
        model = OrdinalLogisticRegression(labeling="biases", alpha=alpha).fit(X, y)
        p_values.append(model.proportional_odds_test(X, y)["p_value"][0])
    # 200 tests at the level of 5 %: more than 19 or fewer than 3 rejections have a chance of 0.4 %.
    assert 3 <= np.sum(np.array(p_values) < 0.05) <= 19


def test_a_feature_that_moves_one_threshold_only_is_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    cuts = np.array([-1.0, 1.0]) + np.outer(X[:, 1], [0.0, -0.8])
    y = (X[:, :1] + rng.logistic(size=(2000, 1)) > cuts).sum(axis=1)
    model = OrdinalLogisticRegression().fit(X, y)
    p_values = model.proportional_odds_test(X, y)["p_value"]
    assert p_values[0] < 1e-6
    assert p_values[2] < 1e-6
    assert p_values[1] > 0.01


def test_the_summary_shows_the_test_if_it_gets_the_rows():
    X, y = ordinal_data()
    model = OrdinalLogisticRegression().fit(X, y)
    assert model.summary().odds_test is None
    shown = model.summary(X, y)
    assert "Score test of proportional odds" in repr(shown)
    assert "all features" in shown._repr_html_()
    assert "bic" in repr(shown)


def test_two_classes_have_a_summary_without_a_test():
    X, y = ordinal_data()
    model = OrdinalLogisticRegression().fit(X, y > 0)
    assert model.summary(X=X, y=y > 0).odds_test is None


def test_rows_other_than_those_of_fit_are_refused():
    X, y = ordinal_data()
    model = OrdinalLogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"passed to fit, of at least three.*\[0, 1\]"):
        model.proportional_odds_test(X[y < 2], y[y < 2])
