"""Leave-one-out scores by one Newton step, against models that are fitted again."""

import numpy as np
import pytest
from scipy import sparse

import ordcut
from ordcut.estimators import OrdinalLogisticRegression
from ordcut.estimators.design import Design
from ordcut.estimators.inference import leave_one_out_changes
from ordcut.estimators.likelihood import OrdinalRows, fit_proportional_odds
from ordcut.estimators.links import LINKS


def some_rows(n=80, weights=None, as_sparse=False):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 4))
    y = np.searchsorted([-1.0, 0.0, 0.8], X[:, 0] + 0.5 * X[:, 1] + random.logistic(size=n))
    weights = np.ones(n) if weights is None else weights
    features = sparse.csr_array(X) if as_sparse else X
    return OrdinalRows(Design(features, weights), y, weights, 4)


def fitted(rows, link="logit"):
    return fit_proportional_odds(rows, LINKS[link], alpha=1.0, tol=1e-10, max_iter=200)


def without_one(rows, row):
    """The same problem with one repeat of a row less, on the same standardised features."""
    weights = rows.weights.copy()
    weights[row] -= 1
    return OrdinalRows(rows.design, rows.codes, weights, rows.n_classes)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("as_sparse", [False, True])
def test_one_step_finds_the_scores_of_models_fitted_again(link, as_sparse):
    rows = some_rows(as_sparse=as_sparse)
    whole = fitted(rows, link)
    changes = leave_one_out_changes(rows, whole.point)
    for row in range(0, 80, 8):
        again = fitted(without_one(rows, row), link)
        moved = rows.design.scores(again.iterate[3:] - whole.iterate[3:])[row]
        assert changes[row] == pytest.approx(moved, rel=0.1, abs=2e-3)


def test_of_repeated_rows_one_is_left_out():
    weights = np.random.default_rng(1).integers(1, 4, 80).astype(float)
    rows = some_rows(weights=weights)
    twice = np.repeat(np.arange(80), weights.astype(int))
    design = Design(np.asarray(rows.design.rows)[twice], np.ones(len(twice)))
    repeated = OrdinalRows(design, rows.codes[twice], np.ones(len(twice)), 4)
    weighted = leave_one_out_changes(rows, fitted(rows).point)
    np.testing.assert_allclose(
        leave_one_out_changes(repeated, fitted(repeated).point),
        weighted[twice],
        rtol=1e-6,
        atol=1e-9,
    )


def test_collinear_features_and_a_class_of_one_row_leave_changes_finite():
    rows = some_rows()
    features = np.asarray(rows.design.rows)
    codes = np.minimum(rows.codes, 2)
    codes[0] = 3
    doubled = OrdinalRows(
        Design(np.hstack([features, features]), rows.weights), codes, rows.weights, 4
    )
    changes = leave_one_out_changes(doubled, fitted(doubled).point)
    assert np.isfinite(changes).all()
    assert np.abs(changes).max() < 10


def test_smoothed_thresholds_are_found_on_leave_one_out_scores():
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 3))
    y = np.searchsorted([-1.0, 0.5], X[:, 0] + random.logistic(size=120))
    model = OrdinalLogisticRegression(objective="absolute", smoothing=0.5).fit(X, y)
    rows = OrdinalRows(Design(X, np.ones(120)), y, np.ones(120), 3)
    scores = model.predict_score(X) + leave_one_out_changes(rows, fitted(rows).point)
    best = ordcut.optimal_thresholds(scores, y, objective="absolute", smoothing=0.5)
    np.testing.assert_allclose(model.thresholds_, best.thresholds, atol=1e-6)
