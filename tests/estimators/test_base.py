"""Labels, weights and labelings: what holds for all three estimators."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import Ridge
from sklearn.metrics import ConfusionMatrixDisplay, confusion_matrix
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneGroupOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ordcut
from ordcut.estimators import (
    LinearThresholdClassifier,
    OrdinalLogisticRegression,
    OrdinalThresholdClassifierCV,
)
from tests.ordinal_data import ordinal_data
from tests.tables import BALANCED, COSTS, LINKS

ESTIMATORS = [
    OrdinalLogisticRegression(objective="absolute"),
    LinearThresholdClassifier(),
    LinearThresholdClassifier(surrogate="squared"),
    OrdinalThresholdClassifierCV(Ridge()),
]
all_estimators = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
LABELINGS = ["optimal", "biases", "likelihood", "rounding"]
NAMES = np.array(["poor", "fair", "good"])


@all_estimators
def test_text_takes_the_order_of_classes(estimator):
    X, y = ordinal_data()
    by_name = clone(estimator).set_params(classes=NAMES).fit(X, NAMES[y].tolist())
    assert (by_name.predict(X) == NAMES[clone(estimator).fit(X, y).predict(X)]).all()
    assert by_name.classes_.tolist() == NAMES.tolist()


@all_estimators
def test_ordered_categoricals_state_their_order(estimator):
    X, y = ordinal_data()
    model = clone(estimator).fit(X, pl.Series(NAMES[y], dtype=pl.Enum(NAMES.tolist())))
    assert model.classes_.tolist() == NAMES.tolist()
    assert (model.predict(X) == NAMES[clone(estimator).fit(X, y).predict(X)]).all()


@all_estimators
def test_text_without_an_order_is_refused(estimator):
    X, y = ordinal_data()
    with pytest.raises(ValueError, match=r"no stated order: 'fair', 'good', 'poor'. Pass classes="):
        clone(estimator).fit(X, NAMES[y])


@all_estimators
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_dataframes_give_what_arrays_give_and_leave_their_names(estimator, frame):
    X, y = ordinal_data()
    rows = frame(pd.DataFrame(X, columns=["a", "b", "c"]))
    model = clone(estimator).fit(rows, y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert (model.predict(rows) == clone(estimator).fit(X, y).predict(X)).all()


@all_estimators
@pytest.mark.parametrize("labeling", LABELINGS)
def test_a_weight_of_two_equals_the_row_twice_and_of_zero_no_row(estimator, labeling):
    X, y = ordinal_data(60)
    times = np.random.default_rng(1).integers(0, 3, size=60)
    again = np.repeat(np.arange(60), times)
    folds = np.arange(60) % 3
    weighted = clone(estimator).set_params(labeling=labeling)
    repeated = clone(weighted)
    if hasattr(estimator, "cv"):
        logo = LeaveOneGroupOut()
        weighted.set_params(cv=list(logo.split(X, groups=folds)))
        repeated.set_params(cv=list(logo.split(X[again], groups=folds[again])))
    weighted.fit(X, y, sample_weight=times)
    repeated.fit(X[again], y[again])
    np.testing.assert_allclose(weighted.thresholds_, repeated.thresholds_, rtol=1e-6)
    np.testing.assert_allclose(weighted.predict_score(X), repeated.predict_score(X), rtol=1e-6)


@pytest.mark.parametrize("estimator", ESTIMATORS[:3], ids=repr)
def test_balanced_class_weights_equal_the_row_weights_they_amount_to(estimator):
    X, y = ordinal_data()
    rows = (len(y) / (3 * np.bincount(y)))[y]
    balanced = clone(estimator).set_params(class_weight="balanced").fit(X, y)
    by_hand = clone(estimator).fit(X, y, sample_weight=rows)
    np.testing.assert_allclose(balanced.coef_, by_hand.coef_, rtol=1e-6)
    np.testing.assert_allclose(balanced.thresholds_, by_hand.thresholds_, rtol=1e-6)


@all_estimators
def test_class_weights_are_one_for_each_class_by_list_or_by_name(estimator):
    X, y = ordinal_data()
    listed = clone(estimator).set_params(class_weight=[1, 5, 1]).fit(X, y)
    named = clone(estimator).set_params(class_weight={1: 5}).fit(X, y)
    assert (listed.thresholds_ == named.thresholds_).all()


@all_estimators
@pytest.mark.parametrize("labeling", LABELINGS)
def test_thresholds_ascend_and_are_those_of_the_labeler(estimator, labeling):
    X, y = ordinal_data()
    model = clone(estimator).set_params(labeling=labeling).fit(X, y)
    assert model.thresholds_.shape == (2,)
    assert (np.diff(model.thresholds_) >= 0).all()
    assert (model.predict(X) == model.labeler_.predict(model.predict_score(X))).all()


@pytest.mark.parametrize("estimator", ESTIMATORS[:3], ids=repr)
@pytest.mark.parametrize("objective", ["absolute", "squared", "zero_one", "quadratic_kappa"])
def test_no_labeling_beats_the_optimal_one_on_its_own_rows(estimator, objective):
    X, y = ordinal_data()
    values = []
    for labeling in LABELINGS:
        model = (
            clone(estimator)
            .set_params(objective=objective, labeling=labeling, smoothing=0)
            .fit(X, y)
        )
        reached = ordcut.evaluate(y, model.predict(X), objective)
        assert model.labeler_.value == pytest.approx(reached, abs=1e-12)
        values.append(reached if objective != "quadratic_kappa" else -reached)
    assert values[0] == min(values)


@pytest.mark.parametrize("objective", COSTS)
@pytest.mark.parametrize("link", LINKS)
def test_likelihood_labels_have_the_least_expected_cost(link, objective):
    X, y = ordinal_data()
    model = OrdinalLogisticRegression(objective=objective, labeling="likelihood", link=link).fit(
        X, y
    )
    cost = ordcut.resolve_objective(objective, 3).cost
    new = np.random.default_rng(5).normal(size=(500, 3))
    cheapest = np.argmin(model.predict_proba(new) @ cost.T, axis=1)
    assert (model.predict(new) == cheapest).all()


def test_a_cost_that_makes_labels_fall_gets_the_best_ordered_ones():
    # Class 0 is cheap for the truths 0 and 2, class 1 for the truth 1: labels go 0, 1, 0.
    X, y = ordinal_data()
    cost = np.array([[0, 1, 0], [1, 0, 1], [2, 2, 2.0]])
    model = OrdinalLogisticRegression(objective=cost, labeling="likelihood").fit(X, y)
    expected = model.predict_proba(X) @ cost.T
    paid = expected[np.arange(len(X)), model.predict(X)].sum()
    best = ordcut.optimal_thresholds(model.predict_score(X), model.predict_proba(X), objective=cost)
    assert paid / len(X) == pytest.approx(best.value)


def test_labels_by_biases_are_the_medians_of_the_model():
    X, y = ordinal_data()
    model = OrdinalLogisticRegression(labeling="biases", probabilities=True).fit(X, y)
    medians = (model.predict_cumproba(X) < 0.5).sum(axis=1)
    assert (model.predict(X) == medians).all()


@all_estimators
def test_clone_pickle_and_refit_give_the_same_labels(estimator):
    X, y = ordinal_data()
    model = clone(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()
    assert again.labeler_ == model.labeler_


@all_estimators
def test_grid_search_chooses_among_objectives_and_labelings(estimator):
    X, y = ordinal_data()
    grid = {"objective": ["absolute", "zero_one"], "labeling": LABELINGS}
    search = GridSearchCV(estimator, grid, cv=3).fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    assert search.best_score_ > 0.4


@all_estimators
def test_pipelines_and_calibration_take_them(estimator):
    X, y = ordinal_data()
    model = make_pipeline(StandardScaler(), CalibratedClassifierCV(estimator, cv=3)).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


WITHOUT_PROBABILITIES = pytest.mark.parametrize("estimator", ESTIMATORS[1:], ids=repr)


@WITHOUT_PROBABILITIES
def test_probabilities_leave_the_labels_as_they_are(estimator):
    X, y = ordinal_data()
    plain = clone(estimator).fit(X, y)
    model = clone(estimator).set_params(probabilities=True).fit(X, y)
    assert (model.predict(X) == plain.predict(X)).all()
    assert model.labeler_ == plain.labeler_


@WITHOUT_PROBABILITIES
def test_probabilities_sum_to_one_and_add_up_to_the_cumulative_ones(estimator):
    X, y = ordinal_data()
    model = clone(estimator).set_params(probabilities=True).fit(X, y)
    summed = np.cumsum(model.predict_proba(X), axis=1)
    np.testing.assert_allclose(summed, model.predict_cumproba(X), atol=1e-12)
    np.testing.assert_allclose(summed[:, -1], 1)


@WITHOUT_PROBABILITIES
def test_probabilities_are_those_of_an_ordinal_logistic_regression_on_the_scores(estimator):
    X, y = ordinal_data()
    folds = list(KFold(2).split(X))
    model = clone(estimator).set_params(probabilities=True)
    if hasattr(estimator, "cv"):
        model.set_params(cv=folds, store_cv_results=True)
    model.fit(X, y)
    known = getattr(model, "cv_results_", {"scores": model.predict_score(X), "labels": y})
    by_hand = OrdinalLogisticRegression(probabilities=True).fit(
        known["scores"][:, None], known["labels"]
    )
    probabilities = by_hand.predict_proba(model.predict_score(X)[:, None])
    np.testing.assert_allclose(model.predict_proba(X), probabilities, atol=1e-6)


@WITHOUT_PROBABILITIES
def test_probabilities_can_be_had_after_fit(estimator):
    X, y = ordinal_data()
    model = clone(estimator).fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="has predict_proba only with probabilities=True"):
        model.predict_proba(X)
    with pytest.raises(ValueError, match="must be set before fit"):
        model.set_params(probabilities=True).predict_proba(X)
    assert model.fit(X, y).predict_proba(X).shape == (len(X), 3)


@all_estimators
def test_score_is_the_accuracy_whatever_the_objective(estimator):
    X, y = ordinal_data()
    weights = np.arange(len(y))
    model = clone(estimator).fit(X, y)
    assert model.score(X, y, weights) == np.average(model.predict(X) == y, weights=weights)


@all_estimators
def test_the_confusion_matrix_display_takes_them(estimator):
    X, y = ordinal_data()
    model = clone(estimator).fit(X, y)
    import matplotlib as mpl

    mpl.use("Agg")
    shown = ConfusionMatrixDisplay.from_estimator(model, X, y)
    assert (shown.confusion_matrix == confusion_matrix(y, model.predict(X))).all()


@all_estimators
def test_one_class_is_an_error_that_says_what_to_do(estimator):
    X, _ = ordinal_data()
    with pytest.raises(ValueError, match=r"only one class: 7\..*classes="):
        clone(estimator).fit(X, np.full(len(X), 7))


@all_estimators
def test_labels_outside_classes_are_named(estimator):
    X, y = ordinal_data()
    with pytest.raises(ValueError, match="labels must be among the classes 0, 1, got 2"):
        clone(estimator).set_params(classes=[0, 1]).fit(X, y)


def decided(scores, thresholds):
    """What an estimator whose score is its feature decides, by hand-made thresholds."""
    y = np.arange(40) % (len(thresholds) + 1)
    model = LinearThresholdClassifier(surrogate="squared").fit(y[:, None].astype(float), y)
    model.thresholds_ = np.array(thresholds)
    X = (scores[:, None] - model.predict_score(np.zeros((1, 1)))) / model.coef_
    return model.predict_score(X), model.decision_function(X)


@pytest.mark.parametrize(
    "thresholds", [[0.0, 1.0], [0.0, 0.0], [-np.inf, 0.5], [0.5, np.inf], [-np.inf, np.inf]]
)
def test_the_largest_margin_is_that_of_the_predicted_class(thresholds):
    scores, result = decided(np.array([-3.0, -0.1, 0.25, 0.75, 7.0]), thresholds)
    predicted = np.searchsorted(thresholds, scores, side="right")
    assert (result.argmax(axis=1) == predicted).all()
    assert np.isfinite(result).all()


@pytest.mark.parametrize("threshold", [-np.inf, 0.3, np.inf])
def test_the_margin_of_two_classes_keeps_the_order_of_the_scores(threshold):
    scores, result = decided(np.array([-3.0, 0.0, 0.25, 0.5, 7.0]), [threshold])
    assert ((result > 0) == (scores >= threshold)).all()
    assert (np.diff(result) > 0).all()


@pytest.mark.parametrize("objective", BALANCED)
def test_objectives_that_balance_the_classes_work_in_estimators(objective):
    random = np.random.default_rng(0)
    features = random.normal(size=(150, 2))
    y = np.digitize(features.sum(axis=1) + random.normal(size=150) / 2, [0.5, 1.5])
    model = OrdinalThresholdClassifierCV(Ridge(), objective=objective, smoothing=0).fit(features, y)
    scores = model.predict_score(features)
    with pytest.raises(ValueError, match="class_weight must be None"):
        OrdinalThresholdClassifierCV(
            Ridge(), objective=objective, class_weight=[1, 2, 3], smoothing=0
        ).fit(features, y)
    assert model.labeler_.objective in ("macro_mae", "balanced_zero_one")
    assert np.array_equal(model.predict(features), model.labeler_.predict(scores))
