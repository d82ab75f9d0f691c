"""OrdinalBoostingClassifier, and the scores that it averages."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
import skops.io
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.base import clone
from sklearn.ensemble import VotingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, train_test_split
from sklearn.svm import LinearSVC
from skordinal.datasets import load_balance_scale
from xgboost import XGBRegressor

import ordcut
from ordcut.boosting import CumulativeLink
from ordcut.estimators import (
    SKOPS_TYPES,
    CumulativeLinkClassifier,
    MeanClassRegressor,
    OrdinalBoostingClassifier,
    OrdinalThresholdClassifierCV,
)
from ordcut.scorers import ObjectiveScorer
from tests.boosting.boosted import make_rows

NAMES = np.array(["low", "mid", "high", "top"])
LIBRARIES = ["lightgbm", "xgboost", "sklearn"]
every_library = pytest.mark.parametrize("library", LIBRARIES)


def starting(library="lightgbm", **params):
    return OrdinalBoostingClassifier(library=library, **{"n_estimators": 10, "cv": 3, **params})


def real_rows():
    data = load_balance_scale()
    return np.asarray(data.data, float), np.unique(data.target, return_inverse=True)[1]


@every_library
def test_the_score_is_the_weighted_mean_of_two_mean_classes(library):
    X, y, _ = make_rows(n=300)
    model = starting(library).fit(X, y)
    fitted = model.estimator_
    if library == "sklearn":
        parts = fitted.ordered_.predict(X), fitted.unordered_.predict(X)
    else:
        both = fitted.ordered_, fitted.unordered_
        parts = [each.predict_proba(X) @ np.arange(4) for each in both]
    expected = fitted.share * parts[0] + (1 - fitted.share) * parts[1]
    assert 0 <= fitted.share <= 1
    np.testing.assert_allclose(model.predict_score(X), expected, rtol=1e-6)


@every_library
def test_it_takes_text_weights_frames_missing_values_and_categories(library):
    X, y, weights = make_rows(n=300)
    frame = pd.DataFrame(X, columns=["age", "income [$]", "c"])
    frame.loc[::5, "c"] = np.nan
    frame["d"] = pd.Categorical(np.where(X[:, 0] > 0, "high", "low"))
    model = starting(library, classes=NAMES)
    model.fit(frame, NAMES[y], sample_weight=weights)
    assert np.mean(model.predict(frame) == NAMES[y]) > 0.5
    assert model.feature_names_in_.tolist() == frame.columns.tolist()
    probabilities = model.predict_proba(frame)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


@every_library
def test_few_rows_and_a_class_that_a_fold_misses(library):
    X, y, _ = make_rows(n=30)
    y = np.where(y == 3, 2, y)
    y[7] = 3
    model = starting(library, classes=range(6)).fit(X, y)
    assert model.predict_proba(X).shape == (30, 6)
    assert set(model.predict(X)) <= set(range(6))


@every_library
def test_it_is_cloned_pickled_and_stored_with_skops(library):
    X, y, _ = make_rows(n=200)
    model = clone(starting(library)).set_params(objective="quadratic_kappa").fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    data = skops.io.dumps(model)
    foreign = {"lightgbm": "lightgbm.", "xgboost": "xgboost.", "sklearn": "sklearn."}[library]
    untrusted = set(skops.io.get_untrusted_types(data=data)) - set(SKOPS_TYPES)
    assert all(name.startswith((foreign, "collections.")) for name in untrusted)
    loaded = skops.io.loads(data, trusted=[*SKOPS_TYPES, *untrusted])
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_it_takes_what_other_estimators_take():
    X, y, weights = make_rows(n=300)
    groups = np.arange(300) // 3
    limited = starting(constraints=["recall 3 >= 0.9"], class_weight="balanced", smoothing=0)
    limited.fit(X, y, groups=groups)
    assert (
        limited.labeler_.predict(limited.predict_score(X)).tolist() == limited.predict(X).tolist()
    )
    averaged = starting(refit=False, review=0.3).fit(X, y)
    assert len(averaged.estimators_) == 3
    assert any(" or " in str(each) for each in averaged.decide(X))
    search = GridSearchCV(starting(), {"n_estimators": [5, 10]}, scoring=ObjectiveScorer(), cv=2)
    assert search.fit(X, y).best_params_
    with sklearn.config_context(enable_metadata_routing=True):
        routed = starting().fit(X, y, sample_weight=weights)
    plain = starting().fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(routed.predict(X), plain.predict(X))


def test_an_unknown_library_is_refused():
    X, y, _ = make_rows(n=60)
    with pytest.raises(ValueError, match='library must be one of "auto", "lightgbm"'):
        starting("lightgmb").fit(X, y)


def test_auto_takes_the_first_library_that_is_installed(monkeypatch):
    X, y, _ = make_rows(n=100)
    assert isinstance(starting("auto").fit(X, y).estimator_.unordered_, LGBMClassifier)
    from importlib import util

    find = util.find_spec
    monkeypatch.setattr(
        sys.modules["ordcut.boosting.libraries"],
        "find_spec",
        lambda name: None if name in ("lightgbm", "xgboost") else find(name),
    )
    assert not hasattr(starting("auto").fit(X, y).estimator_, "classes_")


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_it_has_a_lower_error_on_new_rows_than_squared_errors(library):
    """Real data: 625 scales that tip to the left, balance or tip to the right, three splits."""
    X, y = real_rows()
    ours, squared = [], []
    for seed in range(3):
        X_fit, X_new, y_fit, y_new = train_test_split(
            X, y, test_size=0.3, stratify=y, random_state=seed
        )
        plain = LGBMRegressor(n_estimators=100, verbose=-1, n_jobs=1)
        for errors, model in (
            (squared, OrdinalThresholdClassifierCV(plain)),
            (ours, OrdinalBoostingClassifier(library=library)),
        ):
            errors.append(ordcut.evaluate(y_new, model.fit(X_fit, y_fit).predict(X_new)))
    assert np.mean(ours) < np.mean(squared)


@pytest.mark.parametrize("library", [LGBMRegressor, XGBRegressor])
def test_the_biases_belong_to_the_rounds_that_are_kept(library):
    X, y, weights = make_rows()
    quiet = {"verbose": -1} if library is LGBMRegressor else {}
    trees = library(objective=CumulativeLink(), n_estimators=20, n_jobs=1, **quiet)
    model = CumulativeLinkClassifier(trees).fit(X, y, sample_weight=weights)
    raw = model.estimator_.predict(X)
    expected = CumulativeLink(4).fit(raw, y, weights)
    np.testing.assert_allclose(model.link_.biases_, expected.biases_, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X), expected.probabilities(raw), atol=1e-6)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


def test_trees_with_a_link_are_cut_at_their_mean_class():
    X, y, _ = make_rows()
    trees = LGBMRegressor(objective=CumulativeLink(), n_estimators=20, n_jobs=1, verbose=-1)
    model = OrdinalThresholdClassifierCV(trees, classes=NAMES).fit(X, NAMES[y])
    by_classifier = CumulativeLinkClassifier(trees).fit(X, y)
    mean = by_classifier.predict_proba(X) @ np.arange(4)
    np.testing.assert_allclose(model.predict_score(X), mean)
    assert isinstance(model.estimator_, LGBMRegressor)
    raw = OrdinalThresholdClassifierCV(trees, response_method="predict").fit(X, y)
    np.testing.assert_allclose(raw.predict_score(X), raw.estimator_.predict(X))
    np.testing.assert_allclose(MeanClassRegressor(trees).fit(X, y).predict(X), mean)


def test_a_classifier_without_a_link_is_refused():
    with pytest.raises(TypeError, match="with objective=CumulativeLink"):
        CumulativeLinkClassifier(Ridge()).fit([[0.0], [1.0]], [0, 1])
    for inner in (Ridge(), LinearSVC()):
        with pytest.raises(TypeError, match="must be a classifier with predict_proba"):
            MeanClassRegressor(inner).fit([[0.0], [1.0]], [0, 1])


def test_the_mean_class_is_of_values_or_of_positions():
    X, y, weights = make_rows()
    probabilities = LogisticRegression().fit(X, y).predict_proba(X)
    values = np.array([1.0, 2.5, 3.0, 10.0])
    by_value = MeanClassRegressor(LogisticRegression()).fit(X, values[y]).predict(X)
    np.testing.assert_allclose(by_value, probabilities @ values, rtol=1e-6)
    by_name = MeanClassRegressor(LogisticRegression(), classes=NAMES).fit(X, NAMES[y]).predict(X)
    np.testing.assert_allclose(by_name, probabilities @ np.arange(4), rtol=1e-6)
    with_gap = MeanClassRegressor(LogisticRegression(), classes=range(9)).fit(X, 2 * y).predict(X)
    np.testing.assert_allclose(with_gap, probabilities @ [0, 2, 4, 6], rtol=1e-6)
    weighted = MeanClassRegressor(LogisticRegression()).fit(X, y, sample_weight=weights)
    expected = LogisticRegression().fit(X, y, weights).predict_proba(X) @ np.arange(4)
    np.testing.assert_allclose(weighted.predict(X), expected, rtol=1e-6)


def test_scikit_learns_votes_combine_scores():
    X, y, _ = make_rows()
    vote = VotingRegressor([("line", Ridge()), ("mean", MeanClassRegressor(LogisticRegression()))])
    folds = KFold(3)
    model = OrdinalThresholdClassifierCV(vote, cv=folds, store_cv_results=True).fit(X, y)
    line = cross_val_predict(Ridge(), X, y.astype(float), cv=folds)
    mean = cross_val_predict(LogisticRegression(), X, y, cv=folds, method="predict_proba")
    expected = (line + mean @ np.arange(4)) / 2
    np.testing.assert_allclose(model.cv_results_["scores"], expected, rtol=1e-6)


def test_numbers_that_are_no_classes_are_refused():
    X, _, _ = make_rows()
    with pytest.raises(ValueError, match="these look continuous"):
        MeanClassRegressor(LogisticRegression()).fit(X, X[:, 0])
