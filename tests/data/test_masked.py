"""Masked values are missing, and scores that float64 merges are refused."""

from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import ordcut
from ordcut.estimators import OrdinalLogisticRegression, OrdinalThresholdClassifierCV

SCORES = np.arange(6.0)
LABELS = np.array([0, 0, 1, 1, 2, 2])
RESULT = ordcut.optimal_thresholds(SCORES, LABELS)
COSTS = np.eye(3)[LABELS]


def masked(values):
    mask = np.zeros(np.shape(values), np.bool_)
    mask[3] = True
    return np.ma.array(values, mask=mask)


MODELS = OrdinalLogisticRegression(), OrdinalThresholdClassifierCV(Ridge(), cv=2)


def fit(model, what):
    features = SCORES[:, None]
    given = {"X": features, "y": LABELS, "sample_weight": LABELS + 1}
    model.fit(
        **{name: masked(values) if name == what else values for name, values in given.items()}
    )
    if what == "predict":
        model.predict(masked(features))
    elif what == "score":
        model.score(features, masked(LABELS))


ENTRY_POINTS = {
    "scores": lambda: ordcut.optimal_thresholds(masked(SCORES), LABELS),
    "whole scores": lambda: ordcut.optimal_thresholds(masked(LABELS), LABELS),
    "labels": lambda: ordcut.optimal_thresholds(SCORES, masked(LABELS)),
    "text": lambda: ordcut.optimal_thresholds(SCORES, masked(LABELS.astype(str))),
    "many labels": lambda: ordcut.optimal_thresholds(
        np.arange(30_000.0), masked(np.repeat(["1", "2", "3"], 10_000))
    ),
    "soft labels": lambda: ordcut.optimal_thresholds(SCORES, masked(COSTS)),
    "weights": lambda: ordcut.optimal_thresholds(SCORES, LABELS, sample_weight=masked(LABELS + 1)),
    "costs": lambda: ordcut.optimal_thresholds(SCORES, costs=masked(COSTS)),
    "predict": lambda: RESULT.predict(masked(SCORES)),
    "predictions": lambda: ordcut.evaluate(LABELS, masked(LABELS)),
    "judge": lambda: ordcut.judge(RESULT, masked(SCORES), LABELS),
    **{
        f"{type(model).__name__}: {what}": partial(fit, model, what)
        for model in MODELS
        for what in ("X", "y", "sample_weight", "predict", "score")
    },
}


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_masked_values_are_refused(name):
    message = r"must not be masked, got \d masked values?, the first at position .*3"
    with pytest.raises(ValueError, match=message):
        ENTRY_POINTS[name]()


def test_without_masked_values_masked_arrays_are_arrays():
    arrays = (np.ma.array(values) for values in (SCORES, LABELS, np.ones(6)))
    scores, labels, weights = arrays
    assert ordcut.optimal_thresholds(scores, labels, sample_weight=weights) == RESULT


def test_masked_ratings_are_gaps_of_a_panel():
    ratings = np.ma.array([[1, 9], [2, 2], [3, 1]], mask=[[0, 1], [0, 0], [0, 0]])
    panel = ordcut.Panel(ratings)
    assert panel.counts.tolist() == ordcut.Panel([[1, None], [2, 2], [3, 1]]).counts.tolist()
    rows = {"item": [1, 2], "rater": [1, 1], "rating": np.ma.array([1, 9], mask=[0, 1])}
    long = ordcut.Panel.from_long(rows, item="item", rater="rater", rating="rating", classes=[1, 2])
    assert long.n_ratings.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Decimal("0.1"), Decimal("0.10000000000000000001")),
        (Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**20)),
    ],
)
def test_decimals_and_fractions_that_are_one_in_float64_are_refused(first, second):
    with pytest.raises(
        ValueError, match=r"scores must differ in float64.*Subtract a common offset"
    ):
        ordcut.optimal_thresholds([first, second, first + 1], [0, 1, 1])
    offset = [0, second - first, 1]
    assert ordcut.optimal_thresholds(offset, [0, 1, 1]).value == 0


def test_decimals_that_differ_are_scores():
    scores = [Decimal("0.1"), Decimal("0.2"), Decimal("0.1"), Fraction(1, 10)]
    assert ordcut.optimal_thresholds(scores, [0, 1, 0, 0]).value == 0
