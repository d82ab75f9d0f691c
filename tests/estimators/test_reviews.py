"""Reviews in estimators: decisions are those of a call, and predict still returns classes."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge

import ordcut
from ordcut.estimators import (
    LinearThresholdClassifier,
    OrdinalLogisticRegression,
    OrdinalThresholdClassifierCV,
)
from tests.ordinal_data import ordinal_data

ESTIMATORS = [
    OrdinalLogisticRegression(objective="absolute", labeling="optimal", smoothing=0),
    LinearThresholdClassifier(smoothing=0),
    OrdinalThresholdClassifierCV(Ridge(), smoothing=0, store_cv_results=True),
]
all_estimators = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
OPTIONS = [
    {"review": 0.3},
    {"review_share": 0.2},
    {"review": 0.3, "constraints": ["recall 2 or its review >= 0.9"]},
    {"review_share": 0.2, "constraints": ["share 1 or higher <= 0.7"]},
]


def scored_rows(model, X, y):
    known = getattr(model, "cv_results_", None)
    if known is None:
        return model.predict_score(X), y
    return known["scores"], known["labels"]


@all_estimators
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_decisions_are_those_of_a_call_on_the_same_scores(estimator, options):
    X, y = ordinal_data()
    model = clone(estimator).set_params(**options).fit(X, y)
    by_hand = ordcut.optimal_thresholds(*scored_rows(model, X, y), **options)
    assert model.decider_ == by_hand
    assert model.decide(X).tolist() == by_hand.predict(model.predict_score(X)).tolist()


@all_estimators
@pytest.mark.parametrize("options", OPTIONS[:2], ids=str)
def test_predicted_classes_are_the_best_that_agree_with_decisions_without_review(
    estimator, options
):
    X, y = ordinal_data()
    model = clone(estimator).set_params(**options).fit(X, y)
    scores, labels = scored_rows(model, X, y)
    decided = model.decider_.predict(scores).astype(str)
    predicted = model.labeler_.predict(scores)
    is_decided = np.char.find(decided, " or ") < 0
    assert (predicted[is_decided].astype(str) == decided[is_decided]).all()
    distinct = np.unique(scores)
    edges = np.append(distinct, np.inf)
    losses = [
        np.abs(codes - labels).mean()
        for cuts in combinations_with_replacement(edges, 2)
        for codes in [np.searchsorted(cuts, scores, side="right")]
        if (codes[is_decided].astype(str) == decided[is_decided]).all()
    ]
    assert model.labeler_.value == pytest.approx(min(losses))


@all_estimators
def test_without_reviews_decisions_are_the_predicted_classes(estimator):
    X, y = ordinal_data()
    model = clone(estimator).fit(X, y)
    assert model.decide(X).tolist() == model.predict(X).tolist()


def test_a_share_of_reviews_needs_no_other_smoothing_than_the_default():
    X, y = ordinal_data()
    model = OrdinalThresholdClassifierCV(Ridge(), review_share=0.2).fit(X, y)
    assert 0 < model.decider_.review_share <= 0.2
    with pytest.raises(ValueError, match="review_share cannot be combined with smoothing"):
        model.set_params(smoothing=0.5).fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"review": 0.2, "review_share": 0.2}, "cannot be combined with review, got 0.2 and 0.2"),
        ({"review": 0.2, "labeling": "rounding"}, "reviews need optimal thresholds"),
        ({"review": 0.2, "objective": "qwk"}, "review needs an additive loss"),
        ({"review_share": 2}, "review_share must be a number from 0 to 1, got 2"),
    ],
)
def test_reviews_that_make_no_sense_are_refused(options, message):
    X, y = ordinal_data()
    with pytest.raises(ValueError, match=message):
        OrdinalThresholdClassifierCV(Ridge(), **options).fit(X, y)
