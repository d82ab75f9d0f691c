"""Bad input gets an error that names the argument, what came and what to do."""

import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordcut
from tests.tables import KAPPAS

GOOD = {"scores": [0.1, 0.4, 0.9], "labels": [0, 1, 2]}


def says(text):
    return re.escape(text)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        (
            {"scores": [0.1, np.nan, 0.9], "sample_weight": [0, 2, 1]},
            ValueError,
            "scores must be finite, got nan at position 1",
        ),
        (
            {"scores": [0.1, np.nan, 0.9]},
            ValueError,
            "scores must be finite, got nan at position 1",
        ),
        (
            {"scores": [0.1, 0.4, np.inf]},
            ValueError,
            "scores must be finite, got inf at position 2",
        ),
        ({"scores": [0.1, 0.4]}, ValueError, "got 2 scores and 3 labels"),
        ({"scores": [[0.1, 0.4, 0.9]]}, ValueError, "got shape (1, 3). Pass a flat list."),
        ({"scores": [], "labels": []}, ValueError, "scores must hold at least one row, got none"),
        ({"scores": ["a", "b", "c"]}, ValueError, "they seem to be swapped. Exchange them"),
        (
            {"scores": [1, "b", 2], "labels": ["x", "y", "y"]},
            TypeError,
            "scores must be numbers, got 'b' at position 1",
        ),
        ({"scores": [1j, 2j, 3j]}, TypeError, "complex numbers have no order"),
        ({"scores": 0.5}, ValueError, "scores must be one-dimensional, got shape ()"),
        (
            {"labels": [0, 1, np.nan]},
            ValueError,
            "labels must not be missing, got nan at position 2",
        ),
        (
            {"labels": [0, None, 1]},
            ValueError,
            "labels must not be missing, got None at position 1",
        ),
        ({"labels": ["a", None, "b"]}, ValueError, "must not be missing, got None at position 1"),
        ({"labels": ["a", np.nan, "b"]}, ValueError, "must not be missing, got nan at position 1"),
        (
            {"labels": pd.Series([0, None, 1], dtype="Int64")},
            ValueError,
            "labels must not be missing, got nan at position 1",
        ),
        (
            {"labels": pl.Series([0, None, 1])},
            ValueError,
            "must not be missing, got nan at position 1",
        ),
        (
            {"labels": ["a", 1, "b"]},
            TypeError,
            "labels must be all text or all numbers, got 1 among",
        ),
        (
            {"labels": ["1", "12", "unknown"]},
            ValueError,
            "got 'unknown' among numbers such as '1'. If it is a class, list all in classes=",
        ),
        ({"labels": [0, 1, np.inf]}, ValueError, "labels must be finite, got inf"),
        ({"labels": [1j, 2, 3]}, TypeError, "labels must be numbers, booleans or text"),
        ({"labels": [[[0, 1]]] * 3}, ValueError, "labels must be one-dimensional"),
        ({"labels": [[0], [1, 2], [2]]}, TypeError, "got a list, [0], at position 0"),
        ({"labels": [1, 1, 1]}, ValueError, "labels must hold at least two classes, got only"),
        ({"labels": [0, 1, 7], "classes": [0, 1, 2]}, ValueError, "got 7 at position 2"),
        ({"labels": ["a", "b", "c"], "classes": [0, 1, 2]}, TypeError, "must be of the same type"),
        ({"classes": [0, 1, 1]}, ValueError, "classes must be distinct, got"),
        ({"classes": [0]}, ValueError, "classes must list at least two classes"),
        ({"classes": {0, 1, 2}}, TypeError, "classes must be in order, lowest first, got a set"),
        (
            {"labels": [0, 1, 7], "objective": np.zeros((5, 5))},
            ValueError,
            "labels must be whole numbers from 0 to 4 (the cost matrix has 5 classes), "
            "got 7 at position 2.",
        ),
        (
            {"labels": [1, 2, 2], "objective": np.zeros((5, 5))},
            ValueError,
            "objective is made for 5 classes, but labels hold 2: 1, 2. List all 5 in classes=",
        ),
        (
            {"classes": [0, 1, 2], "objective": np.zeros((5, 5))},
            ValueError,
            "objective must be a (3, 3) matrix for 3 classes, got shape (5, 5)",
        ),
        ({"labels": [[0, -1], [1, 0], [1, 0]]}, ValueError, "got -1.0 at position [0, 1]"),
        ({"labels": np.zeros((3, 2))}, ValueError, "labels must have a weight above 0"),
        ({"labels": np.ones((3, 2)), "classes": [1, 2, 3]}, ValueError, "labels have 2 columns"),
        ({"labels": np.ones((3, 2)), "objective": np.ones((3, 3))}, ValueError, "2 columns"),
        ({"labels": [["a", "b"]] * 3}, TypeError, "soft labels must be numbers"),
        ({"sample_weight": [1, -2, 1]}, ValueError, "not negative, got -2.0 at position 1"),
        ({"sample_weight": [0, 0, 0]}, ValueError, "sample_weight must not be 0 in every row"),
        ({"sample_weight": [1, np.nan, 1]}, ValueError, "sample_weight must be finite"),
        ({"sample_weight": [1, 1]}, ValueError, "for each of the 3 rows, got shape (2,)"),
        ({"sample_weight": ["x", 1, 1]}, TypeError, "sample_weight must be numbers"),
        ({"sample_weight": [1e308] * 3}, ValueError, "sample_weight must have a finite sum"),
        ({"class_weight": [1, 2]}, ValueError, "not of the 2 thresholds), got shape (2,)"),
        ({"class_weight": "balance"}, ValueError, 'class_weight must be "balanced"'),
        (
            {"class_weight": {9: 1}},
            ValueError,
            "class_weight must name known classes, 0, 1, 2; got 9",
        ),
        ({"class_weight": [1, -1, 1]}, ValueError, "class_weight must be finite and not negative"),
        ({"class_weight": [0, 0, 0]}, ValueError, "class_weight must not be 0 for every class"),
        ({"class_weight": ["x", 1, 1]}, TypeError, "class_weight must be numbers"),
        ({"objective": "absolut"}, ValueError, 'Did you mean "absolute"?'),
        ({"objective": "f1"}, ValueError, "objective cannot be the F1 of a single class"),
        ({"objective": "nothing"}, ValueError, 'objective must be one of "absolute"'),
        ({"objective": [[0, 1], [1, 0], [1, 1]]}, ValueError, "name them with decisions="),
        (
            {"objective": [[0, np.nan], [1, 0]]},
            ValueError,
            "must be finite, got nan at position [0, 1]",
        ),
        (
            {"objective": np.full((3, 3), 1e308)},
            ValueError,
            "objective must have costs that can be",
        ),
        ({"objective": None}, ValueError, "objective must be a (K, K) matrix"),
        ({"objective": {}}, ValueError, "the cost of each pair (predicted, true)"),
        ({"objective": ordcut.Kappa(np.eye(3))}, ValueError, "must be 0 on the diagonal"),
        ({"objective": ordcut.Kappa(-np.ones((3, 3)))}, ValueError, "must not be negative"),
        ({"objective": ordcut.Kappa("kappa")}, ValueError, "weights of a Kappa must be a cost"),
        ({"method": "nestd"}, ValueError, 'Did you mean "nested"?'),
        ({"method": "pio", "n_jobs": 0}, ValueError, "n_jobs must be a number of threads"),
        ({"method": "blocks", "block_size": 0}, ValueError, "block_size must be a whole number"),
    ],
)
def test_an_error_names_the_argument_what_came_and_what_to_do(changed, error, message):
    with pytest.raises(error, match=says(message)):
        ordcut.optimal_thresholds(**(GOOD | changed))


@pytest.mark.parametrize("objective", KAPPAS)
def test_a_kappa_of_one_class_only_is_a_clear_error(objective):
    with pytest.raises(
        ValueError, match=f"{objective}' is undefined for these labels: if the class"
    ):
        ordcut.optimal_thresholds([1, 2], [1, 1], classes=[0, 1, 2], objective=objective)
    with pytest.raises(ValueError, match="is undefined"):
        ordcut.evaluate([1, 1], [1, 1], objective, classes=[0, 1, 2])


@pytest.mark.parametrize("labels", [[0, 0, 0], [1, 1, 0]])
def test_constraints_that_exclude_a_prediction_do_not_define_a_kappa(labels):
    one_way = ordcut.Kappa([[0, 2, 1], [0, 0, 2], [1, 2, 0]])
    with pytest.raises(ValueError, match=r"undefined .* Constraints that exclude this do not help"):
        ordcut.optimal_thresholds(
            [1, 2, 3],
            labels,
            classes=[0, 1, 2],
            objective=one_way,
            constraints=["count 2 >= 2", "share 1 <= 0"],
        )


def test_predicting_refuses_nan_and_takes_infinite_and_no_scores():
    result = ordcut.optimal_thresholds([1, 2], [0, 1])
    with pytest.raises(ValueError, match="scores must not be NaN, got nan at position 1"):
        result.predict([0.5, np.nan])
    assert result.predict([-np.inf, np.inf]).tolist() == [0, 1]
    assert result.predict([]).tolist() == []


@pytest.mark.parametrize(
    ("labels", "predictions", "message"),
    [
        ([0, 1], [0, 1, 1], "got 2 labels and 3 predictions"),
        ([0, 1], [0, 5], "predictions must be among the classes 0, 1, got 5 at position 1"),
        ([0, 1], [[[0]], [[1]]], "predictions must be one-dimensional"),
    ],
)
def test_evaluate_names_what_is_wrong(labels, predictions, message):
    with pytest.raises(ValueError, match=says(message)):
        ordcut.evaluate(labels, predictions, classes=[0, 1])


def test_evaluate_takes_predictions_that_do_not_occur_among_the_labels():
    assert ordcut.evaluate([0, 0, 1], [0, 2, 1]) == pytest.approx(2 / 3)


def test_the_crossing_error_survives_pickling():
    error = ordcut.CrossedThresholdsError("io", 3)
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error)
    assert copy.pair == (3, 4)
