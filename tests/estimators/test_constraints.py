"""Constraints of estimators: they hold on the scores that thresholds are found on."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import check_estimator

import ordcut
from ordcut.estimators import (
    LinearThresholdClassifier,
    OrdinalLogisticRegression,
    OrdinalThresholdClassifierCV,
    expected_failed_checks,
)
from tests.ordinal_data import ordinal_data

LIMITS = ["recall 2 >= 0.75", "share 0 <= 0.4"]
ESTIMATORS = [
    OrdinalLogisticRegression(objective="absolute"),
    LinearThresholdClassifier(objective="zero_one"),
    OrdinalThresholdClassifierCV(Ridge()),
    OrdinalThresholdClassifierCV(LogisticRegression(), objective="quadratic_kappa"),
]
all_estimators = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


def shares_of(labeler):
    return [outcome.reached for outcome in labeler.constraints]


@all_estimators
@pytest.mark.parametrize("smoothing", [0, 0.5, "auto"])
def test_limits_hold_on_the_rows_that_thresholds_are_found_on(estimator, smoothing):
    X, y = ordinal_data()
    model = clone(estimator).set_params(constraints=LIMITS, smoothing=smoothing).fit(X, y)
    recall, share = shares_of(model.labeler_)
    assert recall >= 0.75
    assert share <= 0.4
    free = clone(estimator).set_params(smoothing=smoothing).fit(X, y)
    assert model.thresholds_.tolist() != free.thresholds_.tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS[1:], ids=repr)
def test_thresholds_are_those_of_a_call_on_the_same_scores(estimator):
    X, y = ordinal_data()
    model = clone(estimator).set_params(constraints=LIMITS, smoothing=0)
    if hasattr(model, "cv"):
        model.set_params(store_cv_results=True)
    model.fit(X, y)
    known = getattr(model, "cv_results_", {"scores": model.predict_score(X), "labels": y})
    by_hand = ordcut.optimal_thresholds(
        known["scores"], known["labels"], objective=model.objective, constraints=LIMITS
    )
    assert model.thresholds_.tolist() == by_hand.thresholds.tolist()
    assert model.labeler_.value == by_hand.value


@all_estimators
def test_weights_count_in_limits_and_class_weights_do_not(estimator):
    X, y = ordinal_data()
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    model = clone(estimator).set_params(
        constraints=["count 0 <= 50"], class_weight={0: 3}, smoothing=0
    )
    model.fit(X, y, sample_weight=weights)
    (outcome,) = model.labeler_.constraints
    assert 0 < outcome.reached <= 50
    assert outcome.reached == int(outcome.reached)


@all_estimators
def test_clone_parameters_and_pickles_keep_constraints_untouched(estimator):
    X, y = ordinal_data()
    constraints = [ordcut.Recall(2, at_least=0.75), "digits 1"]
    model = clone(estimator).set_params(constraints=constraints)
    assert model.get_params()["constraints"] is constraints
    assert clone(model).get_params()["constraints"] == constraints
    model.fit(X, y)
    assert model.constraints is constraints
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()
    assert [str(constraint) for constraint in again.labeler_.constraints] == [
        str(constraint) for constraint in model.labeler_.constraints
    ]
    assert clone(again).constraints == constraints


@all_estimators
def test_limits_that_cannot_hold_are_an_error_of_fit(estimator):
    X, y = ordinal_data()
    model = clone(estimator).set_params(constraints=["share 0 >= 0.9", "share 2 >= 0.9"])
    with pytest.raises(ordcut.InfeasibleConstraintsError, match="cannot hold together"):
        model.fit(X, y)


@all_estimators
@pytest.mark.parametrize("labeling", ["biases", "likelihood", "rounding"])
def test_only_optimal_thresholds_take_constraints(estimator, labeling):
    X, y = ordinal_data()
    model = clone(estimator).set_params(constraints=LIMITS, labeling=labeling)
    with pytest.raises(ValueError, match=f"constraints need optimal thresholds.*{labeling}"):
        model.fit(X, y)


def test_the_likeliest_class_takes_no_constraints():
    X, y = ordinal_data()
    with pytest.raises(ValueError, match="labeling='likelihood'"):
        OrdinalLogisticRegression(labeling="likelihood", constraints=LIMITS).fit(X, y)


@all_estimators
@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (["recall 7 >= 0.5"], "must name a class, one of 0, 1, 2"),
        (["recal 1 >= 0.5"], "Did you mean 'recall 1 >= 0.5'"),
        (["fixed 2 0.5"], "must name a threshold from 0 to 1"),
    ],
)
def test_constraints_that_mean_nothing_say_why(estimator, constraints, message):
    X, y = ordinal_data()
    with pytest.raises(ValueError, match=message):
        clone(estimator).set_params(constraints=constraints).fit(X, y)


@all_estimators
def test_an_objective_with_decisions_of_its_own_is_refused(estimator):
    X, y = ordinal_data()
    objective = ordcut.resolve_objective([[0, 1, 2], [2, 1, 0]], [0, 1, 2], ["no", "yes"])
    with pytest.raises(ValueError, match="a classifier predicts classes"):
        clone(estimator).set_params(objective=objective).fit(X, y)


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks_pass_with_a_constraint():
    model = LinearThresholdClassifier(constraints="digits 3")
    results = check_estimator(model, expected_failed_checks=expected_failed_checks(model))
    assert not [result["check_name"] for result in results if result["status"] == "failed"]
