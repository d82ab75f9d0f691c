"""CumulativeLink and the metrics inside OrdinalThresholdClassifierCV."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import HistGradientBoostingRegressor

from ordcut.boosting import CumulativeLink, LikelihoodMetric, ThresholdMetric
from ordcut.estimators import OrdinalThresholdClassifierCV
from tests.boosting.boosted import LIBRARIES, REGRESSORS, make_rows
from tests.tables import BOOSTED_LINKS

#: Rows are few here, and nothing depends on when training stops.
pytestmark = pytest.mark.filterwarnings("ignore:ThresholdMetric needs at least")

GRADES = np.array(["low", "mid", "high", "top"])


def estimator_of(library, **params):
    link = params.pop("link", "logit")
    inner = REGRESSORS[library](CumulativeLink(link=link), **params)
    return OrdinalThresholdClassifierCV(inner, classes=GRADES, cv=3)


def evaluation(library, X, y):
    """Arguments of fit for evaluation rows."""
    if library == "LightGBM":
        return {"eval_X": X, "eval_y": y, "eval_metric": ThresholdMetric("quadratic_kappa")}
    return {"eval_set": [(X, y)], "verbose": False}


@pytest.mark.parametrize("library", LIBRARIES)
def test_text_labels_are_encoded_for_training(library):
    X, y, weights = make_rows()
    by_text = estimator_of(library).fit(X, GRADES[y], sample_weight=weights)
    by_code = OrdinalThresholdClassifierCV(by_text.estimator, cv=3).fit(X, y, weights)
    np.testing.assert_array_equal(by_text.predict(X), GRADES[by_code.predict(X)])
    assert by_text.estimator_.objective.biases_.shape == (3,)
    assert by_text.estimator_.feature_importances_.shape == (3,)


@pytest.mark.parametrize("library", LIBRARIES)
def test_labels_of_evaluation_rows_are_encoded_and_every_fold_stops_early(library):
    X, y, _ = make_rows(n=600)
    stopping = {
        "LightGBM": {"early_stopping_round": 5},
        "XGBoost": {
            "early_stopping_rounds": 5,
            "eval_metric": ThresholdMetric("quadratic_kappa"),
        },
    }[library]
    model = estimator_of(library, n_estimators=300, learning_rate=0.3, **stopping)
    model.fit(X[:400], GRADES[y[:400]], **evaluation(library, X[400:], GRADES[y[400:]]))
    inner = model.estimator_
    assert inner.n_estimators < 300
    values = (
        inner.evals_result_["valid_0"]["quadratic_kappa_loss"]
        if library == "LightGBM"
        else inner.evals_result()["validation_0"]["quadratic_kappa_loss"]
    )
    expected = ThresholdMetric("quadratic_kappa")(y[400:], inner.predict(X[400:]))
    assert values[-1] == pytest.approx(expected, rel=1e-5)


def test_evaluation_labels_may_come_in_every_form():
    X, y, _ = make_rows()
    names = GRADES[y]

    class Recorder(RegressorMixin, BaseEstimator):
        given: dict = {}  # noqa: RUF012

        def fit(self, X, y, eval_set=None, eval_y=None, y_val=None):  # noqa: ARG002
            Recorder.given = {"eval_set": eval_set, "eval_y": eval_y, "y_val": y_val}
            self.mean_ = y.mean()
            return self

        def predict(self, X):
            return np.arange(len(X)) + self.mean_

    model = OrdinalThresholdClassifierCV(Recorder(), classes=GRADES, cv=2)
    expected = y[:7].astype(float)
    model.fit(X, names, eval_set=[(X[:7], names[:7]), (X[:3], list(names[:3]))])
    np.testing.assert_array_equal(Recorder.given["eval_set"][0][1], expected)
    np.testing.assert_array_equal(Recorder.given["eval_set"][1][1], expected[:3])
    model.fit(X, names, eval_set=(X[:7], names[:7]), eval_y=(names[:7], names[:2]), y_val=names[:7])
    np.testing.assert_array_equal(Recorder.given["eval_set"][1], expected)
    np.testing.assert_array_equal(Recorder.given["eval_y"][1], expected[:2])
    np.testing.assert_array_equal(Recorder.given["y_val"], expected)
    pool = object()
    model.fit(X, names, eval_set=pool)
    assert Recorder.given["eval_set"] is pool


def test_evaluation_rows_as_many_as_rows_are_not_cut():
    X, y, _ = make_rows(n=150)
    new_X, new_y, _ = make_rows(n=150, seed=1)
    inner = HistGradientBoostingRegressor(max_iter=5, early_stopping=True)
    model = OrdinalThresholdClassifierCV(inner, cv=3)
    model.fit(X, y, X_val=new_X, y_val=new_y)
    alone = clone(inner).fit(X, y.astype(float), X_val=new_X, y_val=new_y.astype(float))
    np.testing.assert_array_equal(model.predict_score(X), alone.predict(X))


def test_names_as_many_as_rows_are_not_cut():
    X, y, _ = make_rows(n=150)
    wide = np.tile(X, 50)  # as many features as rows
    names = [f"feature_{i}" for i in range(150)]
    inner = LGBMRegressor(objective=CumulativeLink(), n_estimators=2, verbose=-1)
    model = OrdinalThresholdClassifierCV(inner, cv=2)
    model.fit(pd.DataFrame(wide, columns=names), y, feature_name=names)
    assert model.estimator_.feature_name_ == names


def test_initial_scores_are_cut_to_the_rows_of_each_fold():
    X, y, _ = make_rows()
    model = OrdinalThresholdClassifierCV(REGRESSORS["LightGBM"](CumulativeLink()), cv=3)
    assert model.fit(X, y, init_score=np.linspace(0, 1, 400)).predict(X).shape == (400,)


def test_evaluation_labels_that_are_no_classes_are_refused():
    X, y, _ = make_rows()
    with pytest.raises(ValueError, match="eval_y must be among the classes low, mid"):
        estimator_of("LightGBM").fit(X, GRADES[y], eval_X=X[:2], eval_y=["low", "huge"])


def test_evaluation_labels_that_a_classifier_was_not_trained_on_are_refused():
    X, y, _ = make_rows()
    seen = y != 1
    model = OrdinalThresholdClassifierCV(LGBMClassifier(verbose=-1), classes=range(4), cv=2)
    with pytest.raises(ValueError, match=r"among the classes that occur in y.*position 1"):
        model.fit(X[seen], y[seen], eval_X=X, eval_y=y)


def test_routed_evaluation_rows_are_encoded_and_not_cut():
    X, y, weights = make_rows()
    with sklearn.config_context(enable_metadata_routing=True):
        inner = REGRESSORS["LightGBM"](CumulativeLink()).set_fit_request(
            sample_weight=True, eval_X=True, eval_y=True, eval_metric=True
        )
        model = OrdinalThresholdClassifierCV(inner, classes=GRADES, cv=2)
        model.set_fit_request(sample_weight=True)
        arguments = evaluation("LightGBM", X[:50], GRADES[y[:50]])
        model.fit(X[50:], GRADES[y[50:]], sample_weight=weights[50:], **arguments)
    assert len(model.estimator_.evals_result_["valid_0"]["quadratic_kappa_loss"]) == 8


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("link", BOOSTED_LINKS)
def test_probabilities_are_those_of_the_trees_to_a_power(library, link):
    X, y, weights = make_rows()
    model = estimator_of(library, link=link).set_params(probabilities=True)
    model.fit(X, GRADES[y], sample_weight=weights)
    own = CumulativeLink(4, link).fit(model.estimator_.predict(X), y, weights)
    assert own.model.link == link
    own = own.probabilities(model.estimator_.predict(X))
    result = model.predict_proba(X)
    np.testing.assert_allclose(result.sum(axis=1), 1)
    np.testing.assert_allclose(model.predict_score(X), own @ np.arange(4), rtol=1e-5)
    logs, by_model = np.log(own), np.log(result)
    # A little of the shares of the classes is mixed in, which changes small probabilities.
    likely = (own > 0.05).all(axis=1)
    own_gaps, gaps = (np.ptp(np.sort(table[likely]), axis=1) for table in (logs, by_model))
    assert np.ptp(gaps / own_gaps) < 0.1


def test_a_class_that_is_missing_in_a_fold_is_no_obstacle():
    X, y, _ = make_rows(n=200)
    rare = np.where(y == 3, 2, y)
    rare[0] = 3
    model = OrdinalThresholdClassifierCV(
        REGRESSORS["LightGBM"](CumulativeLink()), probabilities=True, cv=4
    ).fit(X, rare)
    assert model.predict_proba(X).shape == (200, 4)


def test_categorical_and_missing_features_reach_the_trees():
    X, y, _ = make_rows()
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.loc[::5, "b"] = np.nan
    frame["d"] = pd.Categorical(np.where(X[:, 0] > 0, "high", "low"))
    model = estimator_of("LightGBM", n_estimators=40).fit(frame, GRADES[y])
    assert np.mean(model.predict(frame) == GRADES[y]) > 0.5


def test_a_likelihood_metric_serves_inside_too():
    X, y, _ = make_rows()
    model = estimator_of("LightGBM", early_stopping_round=3)
    model.fit(X[:300], GRADES[y[:300]], eval_X=X[300:], eval_y=GRADES[y[300:]],
              eval_metric=LikelihoodMetric())  # fmt: skip
    assert "ordinal_log_loss" in model.estimator_.evals_result_["valid_0"]
