"""CumulativeLink in LightGBM and XGBoost: all interfaces, and no state that leaks between fits."""

import copy
import pickle

import joblib
import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from ordcut.boosting import CumulativeLink
from tests.boosting.boosted import LIBRARIES, LIGHT, REGRESSORS, ROUNDS, XGB, make_rows
from tests.tables import BOOSTED_LINKS


def train_lightgbm(objective, X, y, weights):
    data = lightgbm.Dataset(X, y, weight=weights)
    return lightgbm.train({"objective": objective, **LIGHT}, data, ROUNDS).predict(X)


def train_xgboost(objective, X, y, weights):
    data = xgboost.DMatrix(X, y, weight=weights)
    return xgboost.train(XGB, data, ROUNDS, obj=objective).predict(data)


NATIVE = {"LightGBM": train_lightgbm, "XGBoost": train_xgboost}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_native_and_scikit_learn_interfaces_train_the_same_trees(library, is_weighted):
    X, y, weights = make_rows()
    weights = weights if is_weighted else None
    native, other = CumulativeLink(), CumulativeLink()
    scores = NATIVE[library](native, X, y, weights)
    model = REGRESSORS[library](other).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(model.predict(X), scores)
    np.testing.assert_array_equal(native.biases_, other.biases_)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("link", BOOSTED_LINKS)
def test_training_raises_the_likelihood_of_labels(library, link):
    X, y, _ = make_rows()
    objective = CumulativeLink(link=link)
    model = REGRESSORS[library](objective).fit(X, y)

    def log_likelihood(scores):
        probabilities = CumulativeLink(link=link).fit(scores, y).probabilities(scores)
        return np.log(probabilities[np.arange(len(y)), y]).mean()

    trained = objective.probabilities(model.predict(X))
    assert trained.shape == (400, 4)
    np.testing.assert_allclose(trained.sum(axis=1), 1.0)
    assert log_likelihood(model.predict(X)) > log_likelihood(np.zeros(400)) + 0.1


@pytest.mark.parametrize("library", LIBRARIES)
def test_weights_of_2_train_the_same_trees_as_repeated_rows(library):
    X, y, _ = make_rows(n=120)
    X = X.round(1)  # few values, each of which gets a bin of its own
    weights = 1.0 + (np.arange(120) % 2)
    repeats = weights.astype(int)
    # Leaves are limited by Hessians instead of rows.
    limits = {
        "LightGBM": {"min_child_samples": 0, "min_data_in_bin": 1, "min_child_weight": 1.0},
        "XGBoost": {"tree_method": "exact"},
    }[library]

    def make():
        return REGRESSORS[library](CumulativeLink(), **limits)

    weighted = make().fit(X, y, sample_weight=weights).predict(X)
    repeated = make().fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats)).predict(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-4)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_second_fit_does_not_depend_on_the_first(library):
    X, y, _ = make_rows()
    fresh = REGRESSORS[library](CumulativeLink()).fit(X, y)
    used = REGRESSORS[library](CumulativeLink())
    used.fit(*make_rows(n=250, seed=1, n_classes=6)[:2])
    used.fit(X, y)
    np.testing.assert_array_equal(used.predict(X), fresh.predict(X))
    np.testing.assert_array_equal(used.objective.biases_, fresh.objective.biases_)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_clone_knows_no_biases_and_leaves_those_of_the_original(library):
    X, y, _ = make_rows()
    model = REGRESSORS[library](CumulativeLink(4, "probit")).fit(X, y)
    biases = model.objective.biases_.copy()
    copied = clone(model)
    assert copied.objective.link == "probit"
    with pytest.raises(AttributeError, match="only after training"):
        _ = copied.objective.biases_
    copied.fit(*make_rows(seed=1)[:2])
    np.testing.assert_array_equal(model.objective.biases_, biases)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_deep_copy_of_a_model_is_refitted_without_changing_the_original(library):
    X, y, _ = make_rows()
    model = REGRESSORS[library](CumulativeLink()).fit(X, y)
    biases = model.objective.biases_.copy()
    copied = copy.deepcopy(model)
    np.testing.assert_array_equal(copied.objective.biases_, biases)
    copied.fit(*make_rows(seed=1)[:2])
    assert (copied.objective.biases_ != biases).all()
    np.testing.assert_array_equal(model.objective.biases_, biases)


def test_a_deep_copy_of_an_objective_is_independent():
    objective = CumulativeLink().fit([0.0, 1.0], [0, 1])
    copied = copy.deepcopy(objective)
    copied.fit([5.0, 6.0], [0, 1])
    assert objective.biases_ == pytest.approx([0.5])
    assert copied.biases_ == pytest.approx([5.5])


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_pickled_model_predicts_the_same_probabilities(library):
    X, y, _ = make_rows()
    model = REGRESSORS[library](CumulativeLink()).fit(X, y)
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        loaded.objective.probabilities(loaded.predict(X)),
        model.objective.probabilities(model.predict(X)),
    )


@pytest.mark.parametrize("backend", ["threading", "loky"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_models_that_are_fitted_in_parallel_are_those_fitted_one_by_one(library, backend):
    problems = [make_rows(n=200, seed=seed)[:2] for seed in range(3)]
    model = REGRESSORS[library](CumulativeLink())
    alone = [clone(model).fit(X, y) for X, y in problems]
    together = joblib.Parallel(n_jobs=2, backend=backend)(
        joblib.delayed(clone(model).fit)(X, y) for X, y in problems
    )
    for one_by_one, parallel, (X, _) in zip(alone, together, problems, strict=True):
        np.testing.assert_array_equal(parallel.predict(X), one_by_one.predict(X))
        np.testing.assert_array_equal(parallel.objective.biases_, one_by_one.objective.biases_)


def test_one_instance_serves_models_that_are_trained_at_the_same_time():
    (X, y, _), (other_X, other_y, _) = make_rows(), make_rows(n=300, seed=1, n_classes=3)
    objective = CumulativeLink()
    shared = [
        lightgbm.Booster({**LIGHT, "objective": "none"}, lightgbm.Dataset(*rows))
        for rows in [(X, y), (other_X, other_y)]
    ]
    for _ in range(ROUNDS):  # as lightgbm.cv does
        for booster in shared:
            booster.update(fobj=objective)
    for booster, rows in zip(shared, [(X, y), (other_X, other_y)], strict=True):
        alone = train_lightgbm(CumulativeLink(), *rows, None)
        np.testing.assert_array_equal(booster.predict(rows[0], raw_score=True), alone)


def test_cross_validation_of_the_libraries_runs():
    X, y, _ = make_rows()
    light = lightgbm.cv(
        {**LIGHT, "objective": CumulativeLink(), "metric": "l2"}, lightgbm.Dataset(X, y), 3, nfold=2
    )
    assert len(light["valid l2-mean"]) == 3
    boosted = xgboost.cv(XGB, xgboost.DMatrix(X, y), 3, nfold=2, obj=CumulativeLink())
    assert len(boosted) == 3


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_grid_search_over_links_runs(library):
    X, y, _ = make_rows(n=150)
    grid = {"objective": [CumulativeLink(link=link) for link in ("logit", "probit")]}
    search = GridSearchCV(REGRESSORS[library](CumulativeLink()), grid, cv=2).fit(X, y)
    assert search.best_estimator_.objective.biases_.shape == (3,)


def test_an_initial_score_of_lightgbm_is_part_of_the_scores():
    X, y, _ = make_rows()
    start = np.linspace(-1, 1, len(y))
    objective = CumulativeLink()
    data = lightgbm.Dataset(X, y, init_score=start)
    lightgbm.train({**LIGHT, "objective": objective}, data, 1)
    np.testing.assert_array_equal(objective.biases_, CumulativeLink().fit(start, y).biases_)


@pytest.mark.parametrize("library", LIBRARIES)
def test_missing_and_categorical_features_are_left_to_the_library(library):
    import pandas as pd

    X, y, _ = make_rows()
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.loc[::7, "a"] = np.nan
    frame["d"] = pd.Categorical(np.where(X[:, 1] > 0, "high", "low"))
    params = {"enable_categorical": True} if library == "XGBoost" else {}
    scores = REGRESSORS[library](CumulativeLink(), **params).fit(frame, y).predict(frame)
    assert np.corrcoef(scores, y)[0, 1] > 0.5
