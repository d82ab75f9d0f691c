"""How the values of options are read."""

import numpy as np
import pytest

from ordcut.cli.failures import UserError
from ordcut.cli.options import read_class_weight, read_objective


def test_a_matrix_of_costs_is_read(tmp_path):
    path = tmp_path / "cost.csv"
    path.write_text("0;1.5\n4;0\n\n")
    assert read_objective(str(path)).cost == [[0.0, 1.5], [4.0, 0.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n", "square matrix"),
        ("0,1\n1,0,1\n", "2 lines of 2 or 3 numbers"),
        ("a,b\n0,1\n", "square matrix"),
        ("0,x\n1,0\n", "square matrix"),
        ("a,b\n0,1\n1,x\n", "file of numbers, with one line per predicted class"),
        ("a,b,c\n0,1\n1,0\n", "2 lines of 2 or 3 numbers"),
        ("", "0 lines of no numbers"),
        (None, "No such file"),
    ],
)
def test_a_bad_matrix_of_costs_is_refused(tmp_path, text, message):
    path = tmp_path / "cost.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_objective(str(path))


def test_a_misspelt_objective_is_corrected():
    with pytest.raises(UserError, match='Did you mean "quadratic_kappa"'):
        read_objective("quadratic_kapa")


#: The costs of predicting low, mid and high, for the true classes in the same order.
COSTS = [[0.0, 1.0, 5.0], [2.0, 0.0, 3.0], [9.0, 4.0, 0.0]]


@pytest.mark.parametrize(
    "text",
    [
        "0,1,5\n2,0,3\n9,4,0\n",
        "low,mid,high\n0,1,5\n2,0,3\n9,4,0\n",
        "low,0,1,5\nmid,2,0,3\nhigh,9,4,0\n",
        ",low,mid,high\nlow,0,1,5\nmid,2,0,3\nhigh,9,4,0\n",
        "predicted; low; mid; high\nlow;0;1;5\nmid;2;0;3\nhigh;9;4;0\n",
        "low,mid,high\nlow,0,1,5\nmid,2,0,3\nhigh,9,4,0\n",
        "high,low,mid\n5,0,1\n3,2,0\n0,9,4\n",
        ",high,low,mid\nmid,3,2,0\nhigh,0,9,4\nlow,5,0,1\n",
    ],
)
def test_costs_with_names_are_put_in_the_order_of_the_classes(tmp_path, text):
    path = tmp_path / "cost.csv"
    path.write_text(text)
    classes = np.array(["low", "mid", "high"])
    assert read_objective(str(path)).for_classes(classes) == COSTS


@pytest.mark.parametrize(
    "text",
    [
        "1,2,3\n0,1,5\n2,0,3\n9,4,0\n",
        "1,0,1,5\n2,2,0,3\n3,9,4,0\n",
        ",1,2,3\n1,0,1,5\n2,2,0,3\n3,9,4,0\n",
        ",3.0,1,2\n1,5,0,1\n2,3,2,0\n3,0,9,4\n",
    ],
)
def test_numbers_can_be_the_names_of_classes(tmp_path, text):
    path = tmp_path / "cost.csv"
    path.write_text(text)
    assert read_objective(str(path)).for_classes(np.array([1, 2, 3])) == COSTS


@pytest.mark.parametrize("header", ["low,high", "low,low", "low,mid"])
def test_costs_must_name_every_class_once(tmp_path, header):
    path = tmp_path / "cost.csv"
    path.write_text(f"{header}\n0,1\n1,0\n")
    classes = np.array(["bad", "good"]) if header == "low,high" else np.array(["low", "high"])
    with pytest.raises(UserError, match="must name each class once in its header"):
        read_objective(str(path)).for_classes(classes)


@pytest.mark.parametrize(
    ("text", "classes", "weights"),
    [
        (None, ["a", "b"], None),
        ("none", ["a", "b"], None),
        ("balanced", ["a", "b"], "balanced"),
        ("b=2.5", ["a", "b"], [1, 2.5]),
        ("b=0, a=3", ["a", "b"], [3, 0]),
        ('"x, y=1=4"', ["x, y=1", "z"], [4, 1]),
        ("2=3", [1, 2], [1, 3]),
        ("2=3", [1.5, 2.0], [1, 3]),
        ("True=7", [False, True], [1, 7]),
    ],
)
def test_weights_of_classes_are_read_by_name(text, classes, weights):
    assert read_class_weight(text, np.array(classes)) == weights


@pytest.mark.parametrize("text", ["c=1", "a", "a=", "a=-1", "a=inf", "a=1,a=2", "a=nan", "=2"])
def test_weights_that_are_none_are_refused(text):
    with pytest.raises(UserError, match=r"such as b=2 .* The classes are: a, b\."):
        read_class_weight(text, np.array(["a", "b"]))
