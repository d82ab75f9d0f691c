"""How the values of options are read."""

import csv
import io
import json

import pytest


@pytest.fixture
def fit(ordcut):
    """Run ``fit`` for rows of classes in ascending order."""

    def call(classes, *options):
        file = io.StringIO()
        writer = csv.writer(file)
        writer.writerows([("score", "label"), *enumerate(classes)])
        columns = "--score", "score", "--label", "label", "--json"
        return ordcut("fit", "-", *columns, *options, stdin=file.getvalue())

    return call


@pytest.fixture
def fit_by_costs(fit, tmp_path):
    """Run ``fit`` with a file of costs."""

    def call(text, *classes, named=True):
        path = tmp_path / "cost.csv"
        if text is not None:
            path.write_text(text)
        order = ["--classes", ",".join(classes)] if named else []
        return fit(classes, "--objective", path, *order)

    return call


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
def test_a_bad_matrix_of_costs_is_refused(fit_by_costs, text, message):
    done = fit_by_costs(text, "a", "b")
    assert done.code == 2
    assert message in done.err


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
def test_costs_with_names_are_put_in_the_order_of_the_classes(fit_by_costs, text):
    assert json.loads(fit_by_costs(text, "low", "mid", "high").out)["record"]["cost"] == COSTS


@pytest.mark.parametrize(
    "text",
    [
        "1,2,3\n0,1,5\n2,0,3\n9,4,0\n",
        "1,0,1,5\n2,2,0,3\n3,9,4,0\n",
        ",1,2,3\n1,0,1,5\n2,2,0,3\n3,9,4,0\n",
        ",3.0,1,2\n1,5,0,1\n2,3,2,0\n3,0,9,4\n",
    ],
)
def test_numbers_can_be_the_names_of_classes(fit_by_costs, text):
    assert json.loads(fit_by_costs(text, "1", "2", "3", named=False).out)["record"]["cost"] == COSTS


@pytest.mark.parametrize("header", ["low,high", "low,low", "low,mid"])
def test_costs_must_name_every_class_once(fit_by_costs, header):
    classes = ["bad", "good"] if header == "low,high" else ["low", "high"]
    done = fit_by_costs(f"{header}\n0,1\n1,0\n", *classes)
    assert done.code == 2
    assert "must name each class once in its header" in done.err


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
def test_weights_of_classes_are_read_by_name(fit, text, classes, weights):
    order = ["--classes", ",".join(f'"{name}"' for name in classes)] if text != "2=3" else []
    option = [] if text is None else ["--class-weight", text]
    assert json.loads(fit(classes, *option, *order).out)["record"].get("class_weight") == weights


@pytest.mark.parametrize("text", ["c=1", "a", "a=", "a=-1", "a=inf", "a=1,a=2", "a=nan", "=2"])
def test_weights_that_are_none_are_refused(fit, text):
    done = fit(["a", "b"], "--classes", "a,b", "--class-weight", text)
    assert done.code == 2
    assert "such as b=0.2 " in done.err
    assert "The classes are: a, b." in done.err
