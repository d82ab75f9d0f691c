"""Typical mistakes are said wherever scores and labels are passed, and nothing else is."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score

import ordcut
import ordcut.torch
from ordcut.estimators import (
    LinearThresholdClassifier,
    OrdinalLogisticRegression,
    OrdinalThresholdClassifierCV,
)

N = 300
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 4, N)
S = Y + RNG.normal(scale=0.6, size=N)
X = np.column_stack([S, RNG.normal(size=N)])
MINE = ordcut.Thresholds.from_values([0.5, 1.5, 2.5], [0, 1, 2, 3])


class Negated(Ridge):
    """A regressor whose predictions fall."""

    def predict(self, X):
        return -super().predict(X)


def prefit(scores, labels, **options):
    model = Ridge().fit(scores[:, None], scores)  # whose predictions are the scores
    return OrdinalThresholdClassifierCV(model, cv="prefit", **options).fit(scores[:, None], labels)


def scanned(scores, labels):
    return ordcut.torch.optimal_thresholds(
        torch.as_tensor(scores), torch.as_tensor(labels), method="scan"
    )


#: Everything that takes scores and labels.
ENTRY_POINTS = {
    "optimal_thresholds": ordcut.optimal_thresholds,
    "smoothing": lambda s, y: ordcut.optimal_thresholds(s, y, smoothing=0.5),
    "weights": lambda s, y: ordcut.optimal_thresholds(s, y, sample_weight=np.ones(N)),
    "ScoreTable": ordcut.ScoreTable,
    "asymmetry_path": ordcut.asymmetry_path,
    "class_weight_path": lambda s, y: ordcut.class_weight_path(s, y, Y[0]),
    "constraint_path": lambda s, y: ordcut.constraint_path(s, y, "digits", [1, 2]),
    "frames": lambda s, y: ordcut.frames.optimal_thresholds(
        pd.DataFrame({"s": s, "y": y}), score="s", label="y"
    ),
    "report.page": lambda s, y: ordcut.report.page(s, y),
    "plot": lambda s, y: ordcut.plots.ThresholdDisplay.from_predictions(y, s),
    "tensors": lambda s, y: ordcut.torch.optimal_thresholds(torch.as_tensor(s), torch.as_tensor(y)),
    "scan": scanned,
}
all_entry_points = pytest.mark.parametrize("name", ENTRY_POINTS)


@all_entry_points
def test_scores_that_fall_are_said_once(name):
    with pytest.warns(ordcut.ReversedScoresWarning) as caught:
        ENTRY_POINTS[name](-S, Y)
    assert len(caught) == 1


@all_entry_points
def test_scores_that_rise_say_nothing(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ENTRY_POINTS[name](S, Y)


@all_entry_points
@pytest.mark.parametrize(
    ("scores", "labels", "message"),
    [(S, S + RNG.normal(size=N), "look continuous"), (Y.astype(float), S, "seem to be swapped")],
    ids=["continuous", "swapped"],
)
def test_labels_that_are_scores_are_an_error(name, scores, labels, message):
    with pytest.raises(ValueError, match=message):
        ENTRY_POINTS[name](scores, labels)


@all_entry_points
def test_ratings_in_half_steps_and_ages_are_classes(name):
    if name != "class_weight_path":  # which needs the name of a class
        ENTRY_POINTS[name](S, Y / 2)
        ENTRY_POINTS[name](S, (10 * S).round().astype(int))


@pytest.mark.parametrize(
    "tried",
    [
        lambda: ordcut.judge(MINE, -S, Y),
        lambda: ordcut.optimal_thresholds(-S, np.eye(4)[Y]),
        lambda: prefit(-S, Y),
        lambda: prefit(-S, Y, labeling="rounding"),
        lambda: prefit(-S, Y, labeling="likelihood"),
        lambda: OrdinalThresholdClassifierCV(Negated()).fit(X, Y),
    ],
    ids=["judge", "soft labels", "prefit", "rounding", "likelihood", "cross-fitted"],
)
def test_given_thresholds_soft_labels_and_estimators_say_that_scores_fall(tried):
    with pytest.warns(ordcut.ReversedScoresWarning) as caught:
        tried()
    assert len(caught) == 1


def test_costs_of_rows_have_no_direction():
    costs = np.abs(np.arange(4) - Y[:, None])
    assert ordcut.optimal_thresholds(-S, costs=costs).value > 0


def test_integers_that_floats_merge_are_refused_for_tensors():
    for scores, method in product(
        (10**18 + torch.arange(N) * 3 + 1, 2**53 + 2 - torch.arange(1, N + 1)), ("auto", "scan")
    ):
        with pytest.raises(ValueError, match="Subtract a common offset"):
            ordcut.torch.optimal_thresholds(scores, torch.as_tensor(np.sort(Y)), method=method)


@pytest.mark.parametrize("objective", ["absolute", "zero_one", "qwk"])
def test_scores_in_the_place_of_predictions_are_an_error(objective):
    with pytest.raises(ValueError, match=r"predictions must hold classes.*thresholds.predict"):
        ordcut.evaluate(Y, S, objective)
    with pytest.raises(ValueError, match=r"labels must hold classes.*true classes come first"):
        ordcut.evaluate(S, Y, objective)


def test_arguments_in_the_order_of_another_function_are_an_error():
    thresholds = ordcut.optimal_thresholds(S, Y)
    with pytest.raises(TypeError, match=r"got thresholds.*use ordcut.judge\(thresholds, scores"):
        ordcut.evaluate(thresholds, S, Y)
    with pytest.raises(TypeError, match=r"They come first: judge\(thresholds, scores, labels\)"):
        ordcut.judge(S, Y, thresholds)
    with pytest.raises(ValueError, match=r"scores hold classes such as .* seem to be swapped"):
        ordcut.judge(thresholds, Y, S)
    with pytest.raises(ValueError, match=r"If labels and predictions are swapped, exchange them"):
        ordcut.evaluate(Y, np.eye(Y.max() + 1)[Y])
    with pytest.raises(ValueError, match=r"got a Panel. If labels and predictions are swapped"):
        ordcut.evaluate(Y, ordcut.Panel(np.column_stack([Y, Y])))


def test_decisions_with_reviews_are_judged_and_not_evaluated():
    decided = ordcut.optimal_thresholds(S, Y, review=0.4).predict(S)
    with pytest.raises(TypeError, match=r"got reviews among them.*use ordcut.judge"):
        ordcut.evaluate(Y, decided)


def test_swapped_text_labels_are_an_error():
    names = np.array(["low", "high"])[(Y > 1).astype(int)]
    thresholds = ordcut.optimal_thresholds(S, names, classes=["low", "high"])
    with pytest.raises(ValueError, match="they seem to be swapped"):
        ordcut.optimal_thresholds(names, S)
    with pytest.raises(ValueError, match="they seem to be swapped"):
        ordcut.judge(thresholds, names, S)
    with pytest.raises(ValueError, match="they seem to be swapped"):
        ordcut.plots.ThresholdDisplay.from_predictions(S, names)


ESTIMATORS = [
    OrdinalThresholdClassifierCV(Ridge()),
    OrdinalLogisticRegression(),
    LinearThresholdClassifier(),
]
all_estimators = pytest.mark.parametrize("model", ESTIMATORS, ids=lambda m: type(m).__name__)


@all_estimators
def test_estimators_refuse_continuous_labels(model):
    with pytest.raises(ValueError, match=r"y must hold classes.*list them in classes="):
        model.fit(X, S)


@all_estimators
def test_estimators_take_ratings_in_half_steps(model):
    model.fit(X, Y / 2)
    assert model.classes_.tolist() == [0, 0.5, 1, 1.5]
    expected = accuracy_score(Y, (2 * model.predict(X)).astype(int), sample_weight=Y + 1)
    assert model.score(X, Y / 2, sample_weight=Y + 1) == expected
    with pytest.raises(ValueError, match="NaN"):
        model.score(X, np.where(Y == 0, np.nan, Y / 2))


@all_estimators
def test_estimators_say_that_arguments_are_swapped(model):
    with pytest.raises(ValueError, match="seem to be swapped"):
        model.fit(Y, X)


@all_estimators
def test_estimators_compare_indexes(model):
    rows, labels, weights = pd.DataFrame(X), pd.Series(Y), pd.Series(np.ones(N))
    with pytest.raises(ValueError, match=r"y.loc\[X.index\]"):
        model.fit(rows, labels.iloc[::-1])
    with pytest.raises(ValueError, match="y and sample_weight must have the same index"):
        model.fit(rows, labels, sample_weight=weights.iloc[::-1])
    with pytest.warns(ordcut.DifferentIndexWarning, match="X and y"):
        model.fit(rows, labels.set_axis(np.arange(N) + 7))
    model.fit(rows, labels, sample_weight=weights)
    model.fit(rows.iloc[::-1], labels.iloc[::-1])
