"""What has names is read by name: class weights, soft labels, cost matrices and cost functions."""

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ordcut
from ordcut._core.data import encode
from ordcut._core.objectives.named import n_classes_of, resolve_objective

SCORES = [0.1, 0.2, 0.4, 0.5, 0.7, 0.9]
LABELS = ["low", "mid", "low", "high", "mid", "high"]
NAMES = ["low", "mid", "high"]
COST = np.array([[0.0, 1, 5], [2, 0, 3], [9, 1, 0]])


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_the_index_of_class_weights_names_the_classes(order):
    weights = pd.Series([1.0, 2, 7], index=NAMES).iloc[[*order]]
    result = ordcut.optimal_thresholds(SCORES, LABELS, classes=NAMES, class_weight=weights)
    expected = ordcut.optimal_thresholds(
        SCORES, LABELS, classes=NAMES, class_weight={"low": 1, "mid": 2, "high": 7}
    )
    assert result == expected


def test_class_weights_without_names_are_read_by_position():
    for weights in (pd.Series([1.0, 2, 7]), pl.Series([1.0, 2, 7]), [1.0, 2, 7]):
        objective = resolve_objective("absolute", NAMES).weighted(weights, np.array(NAMES))
        assert objective.class_weight.tolist() == [1, 2, 7]


def test_class_weights_of_other_classes_are_refused():
    for index in (["low", "mid", "top"], ["low", "mid", "mid"], [1, 2, 3]):
        with pytest.raises(ValueError, match="class_weight must have a number for each class, low"):
            ordcut.optimal_thresholds(
                SCORES, LABELS, classes=NAMES, class_weight=pd.Series([1, 2, 3], index=index)
            )


SHARES = np.array([[0.5, 0.25, 0.25], [0, 0.25, 0.75]])


@pytest.mark.parametrize("names", [*permutations([1, 2, 5])])
def test_columns_of_soft_labels_that_are_numbers_name_the_classes(names):
    frame = pd.DataFrame(SHARES, columns=[1, 2, 5])[[*names]]
    for labels in (encode(frame), encode(frame, [1, 2, 5])):
        assert labels.classes.tolist() == [1, 2, 5]
        assert labels.soft.tolist() == SHARES.tolist()
    assert encode(frame, [5, 2, 1]).soft.tolist() == SHARES[:, ::-1].tolist()


def test_columns_of_arrow_and_polars_name_the_classes():
    columns = dict(zip("cab", SHARES.T, strict=True))
    for frame in (pa.table(columns), pl.DataFrame(columns), pd.DataFrame(columns)):
        assert encode(frame, ["b", "c", "a"]).soft.tolist() == SHARES[:, [2, 0, 1]].tolist()


def test_columns_without_names_are_read_by_position():
    for frame in (pd.DataFrame(SHARES), pl.DataFrame(SHARES), SHARES):
        assert encode(frame, ["b", "c", "a"]).soft.tolist() == SHARES.tolist()


@pytest.mark.parametrize("names", [["a", "b", "x"], [0, 1, 7], ["p(a)", "p(b)", "p(c)"]])
def test_columns_of_other_names_than_the_classes_are_refused(names):
    frame = pd.DataFrame(SHARES, columns=names)
    with pytest.raises(ValueError, match=r"labels must have a column for each class, a, b, c, got"):
        encode(frame, ["a", "b", "c"])


@pytest.mark.parametrize("index", ["true", "Actual", "y_true", "True label", "truth", None])
@pytest.mark.parametrize("columns", ["predicted", "y_pred", "Predicted label", "decision", None])
def test_the_names_of_its_axes_decide_how_a_cost_matrix_lies(index, columns):
    if index is None and columns is None:
        return
    standing = pd.DataFrame(COST, NAMES, NAMES).rename_axis(index=columns, columns=index)
    unnamed = pd.DataFrame(COST).rename_axis(index=columns, columns=index)
    for frame in (standing, standing.T, standing.loc[::-1].T, unnamed, unnamed.T):
        assert (resolve_objective(frame, NAMES).cost == COST).all()


def test_a_cost_matrix_of_decisions_may_lie_as_well():
    frame = pd.DataFrame([[0, 1], [2, 0], [4, 5]]).rename_axis(index="true", columns="decision")
    assert n_classes_of(frame, has_decisions=True) == 3
    resolved = resolve_objective(frame, 3, ["no", "yes"])
    assert resolved.cost.tolist() == [[0, 2, 4], [1, 0, 5]]


def test_axes_of_the_same_name_are_refused():
    frame = pd.DataFrame(COST, NAMES, NAMES).rename_axis(index="true", columns="actual")
    with pytest.raises(ValueError, match="got 'true' in rows and 'actual' in columns"):
        resolve_objective(frame, NAMES)


FUNCTIONS = {
    "positions": lambda k, l: COST[k, l],  # noqa: E741
    "one name": lambda k, truth: COST[k, truth],
    "pred, true": lambda y_pred, y_true: COST[y_pred, y_true],
    "true, pred": lambda y_true, y_pred: COST[y_pred, y_true],
    "true, hat": lambda y, y_hat: COST[y_hat, y],
    "true first": lambda true_label, other: COST[other, true_label],
    "predicted second": lambda j, predicted: COST[predicted, j],
    "decision": lambda decision, label: COST[decision, label],
    "label": lambda label, decision: COST[decision, label],
    "with a default": lambda actual, pred, scale=1: scale * COST[pred, actual],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_of_a_cost_function_are_read_by_name(name):
    assert (resolve_objective(FUNCTIONS[name], 3).cost == COST).all()


@pytest.mark.parametrize("gains", [np.eye(3), 5 - COST, [[2, 0], [1, 1]]])
def test_a_matrix_whose_right_decisions_cost_most_is_said_to_hold_gains(gains):
    with pytest.warns(UserWarning, match="gains instead of costs.*pass -objective"):
        resolve_objective(gains, len(gains))


@pytest.mark.parametrize("cost", [COST, 1 - np.eye(3), np.zeros((2, 2)), [[1, 0], [0, 0]]])
def test_other_matrices_say_nothing(cost):
    resolve_objective(cost, len(cost))


def test_the_weights_of_a_kappa_are_not_said_to_hold_gains():
    with pytest.raises(ValueError, match="weights of a Kappa must be 0 on the diagonal"):
        resolve_objective(ordcut.Kappa(np.eye(3)), 3)


def test_squares_of_distances_are_exact_or_refused():
    assert resolve_objective("squared", [0, 2**26 + 1]).cost[0, 1] == (2**26 + 1) ** 2
    for classes in ([0, 2**27 + 1], [-(2**26), 2**26 + 1]):
        resolve_objective("absolute", classes)
        with pytest.raises(ValueError, match=r"squared distances that are exact .* got 18014398"):
            resolve_objective("squared", classes)


@pytest.mark.parametrize("objective", ["absolute", "squared"])
def test_distances_of_large_classes_are_exact_or_refused(objective):
    exact = resolve_objective(objective, [0, 2**40, 2**60])
    power = 2 if objective == "squared" else 1
    assert exact.cost[0].tolist() == [0, 2.0 ** (40 * power), 2.0 ** (60 * power)]
    for classes in ([0, 1, 2**53 + 1], [-(2**53), 0, 1], [0, 10**18 + 1]):
        with pytest.raises(ValueError, match=r"distances that are exact in float64, .* got \d+"):
            resolve_objective(objective, classes)
