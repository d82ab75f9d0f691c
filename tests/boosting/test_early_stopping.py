"""Early stopping in folds: the refit trains the median of the rounds that the folds kept."""

import lightgbm
import numpy as np
import pytest
import xgboost
from lightgbm import LGBMRegressor
from sklearn.base import clone
from sklearn.ensemble import VotingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skordinal.datasets import load_swd

import ordcut
from ordcut.boosting import CumulativeLink, LikelihoodMetric
from ordcut.estimators import MeanClassRegressor, OrdinalThresholdClassifierCV
from tests.boosting.boosted import LIBRARIES, REGRESSORS, make_rows

LIKELIHOOD = LikelihoodMetric(4)

#: Where each library takes what stops early: parameters, and arguments of ``fit``.
BY_PARAMETER = {
    "LightGBM": ({"early_stopping_round": 5}, {"eval_metric": LIKELIHOOD}),
    "XGBoost": ({"early_stopping_rounds": 5, "eval_metric": LIKELIHOOD}, {"verbose": False}),
}


def by_callback(library):
    if library == "LightGBM":
        callbacks = [lightgbm.early_stopping(5, verbose=False)]
        return {}, {"callbacks": callbacks, "eval_metric": LIKELIHOOD}
    callbacks = [xgboost.callback.EarlyStopping(rounds=5)]
    return {"callbacks": callbacks, "eval_metric": LIKELIHOOD}, {"verbose": False}


def evaluation(library, X, y):
    return {"eval_X": X, "eval_y": y} if library == "LightGBM" else {"eval_set": [(X, y)]}


def kept(library, model):
    return model.best_iteration_ if library == "LightGBM" else model.best_iteration + 1


def median_of_folds(library, trees, folds, rows, arguments):
    X, y = rows
    rounds = [
        kept(library, clone(trees).fit(X[train], y[train], **arguments))
        for train, _ in folds.split(X)
    ]
    assert len(set(rounds)) > 1
    return round(np.median(rounds))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("way", ["parameter", "callback"])
def test_the_refit_trains_the_median_of_the_rounds_of_the_folds(library, way):
    X, y, _ = make_rows(n=600)
    params, arguments = BY_PARAMETER[library] if way == "parameter" else by_callback(library)
    arguments = {**arguments, **evaluation(library, X[400:], y[400:])}
    trees = REGRESSORS[library](CumulativeLink(), n_estimators=200, learning_rate=0.3, **params)
    folds = KFold(3)
    model = OrdinalThresholdClassifierCV(trees, cv=folds).fit(X[:400], y[:400], **arguments)
    expected = median_of_folds(library, trees, folds, (X[:400], y[:400]), arguments)
    assert model.estimator_.n_estimators == expected
    alone = REGRESSORS[library](CumulativeLink(), n_estimators=expected, learning_rate=0.3)
    alone.fit(X[:400], y[:400])
    np.testing.assert_allclose(model.estimator_.predict(X), alone.predict(X), rtol=1e-6)


@pytest.mark.parametrize("library", LIBRARIES)
def test_squared_errors_stop_alike(library):
    X, y, _ = make_rows(n=600)
    params = {"early_stopping_round" if library == "LightGBM" else "early_stopping_rounds": 5}
    if library == "LightGBM":
        params["metric"] = "l2"
    objective = "regression" if library == "LightGBM" else "reg:squarederror"
    trees = REGRESSORS[library](objective, n_estimators=200, learning_rate=0.3, **params)
    arguments = evaluation(library, X[400:], y[400:].astype(float))
    arguments |= {} if library == "LightGBM" else {"verbose": False}
    folds = KFold(3)
    model = OrdinalThresholdClassifierCV(trees, cv=folds).fit(X[:400], y[:400], **arguments)
    expected = median_of_folds(library, trees, folds, (X[:400], y[:400]), arguments)
    assert model.estimator_.n_estimators == expected


@pytest.mark.parametrize("library", LIBRARIES)
def test_rounds_that_are_fixed_stay_as_they_are(library):
    X, y, _ = make_rows()
    trees = REGRESSORS[library](CumulativeLink(), n_estimators=7)
    assert OrdinalThresholdClassifierCV(trees, cv=3).fit(X, y).estimator_.n_estimators == 7


def test_models_inside_pipelines_and_votes_stop_alike():
    X, y, _ = make_rows(n=600)
    params, arguments = BY_PARAMETER["LightGBM"]
    trees = REGRESSORS["LightGBM"](CumulativeLink(), n_estimators=200, learning_rate=0.3, **params)
    pipeline = make_pipeline(StandardScaler(), trees)
    scaled = StandardScaler().fit_transform(X)
    arguments |= evaluation("LightGBM", scaled[400:], y[400:])
    arguments = {f"lgbmregressor__{name}": value for name, value in arguments.items()}
    for inner in (pipeline, MeanClassRegressor(pipeline)):
        model = OrdinalThresholdClassifierCV(inner, cv=3).fit(X[:400], y[:400], **arguments)
        fitted = model.estimator_
        while not isinstance(fitted, LGBMRegressor):
            fitted = fitted[-1] if hasattr(fitted, "steps") else fitted.estimator_
        assert fitted.n_estimators < 200
        assert "early_stopping_round" not in fitted.evals_result_
    vote = VotingRegressor([("line", Ridge()), ("trees", REGRESSORS["LightGBM"]("regression"))])
    fixed = OrdinalThresholdClassifierCV(vote, cv=3).fit(X, y)
    assert fixed.estimator_.named_estimators_["trees"].n_estimators == 8


def held_out_error(trees, arguments, rows, **params):
    X_fit, X_new, y_fit, y_new = rows
    model = OrdinalThresholdClassifierCV(trees, **params).fit(X_fit, y_fit, **arguments)
    return ordcut.evaluate(y_new, model.predict(X_new))


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_mean_class_and_equal_rounds_lower_the_error_on_new_rows(library):
    """Real data: 1000 social workers' decisions in four classes, five splits."""
    data = load_swd()
    X, y = np.asarray(data.data, float), np.unique(data.target, return_inverse=True)[1]
    ours, squared = [], []
    for seed in range(5):
        X_fit, X_new, y_fit, y_new = train_test_split(
            X, y, test_size=0.3, stratify=y, random_state=seed
        )
        X_fit, X_stop, y_fit, y_stop = train_test_split(
            X_fit, y_fit, test_size=0.2, stratify=y_fit, random_state=seed
        )
        rows = X_fit, X_new, y_fit, y_new
        params, arguments = BY_PARAMETER[library]
        arguments = arguments | evaluation(library, X_stop, y_stop)
        trees = {"n_estimators": 300, "learning_rate": 0.1}
        link = REGRESSORS[library](CumulativeLink(), min_child_weight=3, **trees, **params)
        ours.append(held_out_error(link, arguments, rows))
        by_squares = {"metric": "l2", "early_stopping_round": 5}
        objective = "regression"
        if library == "XGBoost":
            objective, by_squares = "reg:squarederror", {"early_stopping_rounds": 5}
        arguments.pop("eval_metric", None)
        plain = REGRESSORS[library](objective, **trees, **by_squares)
        squared.append(held_out_error(plain, arguments, rows))
    assert np.mean(ours) < 1.02 * np.mean(squared)
