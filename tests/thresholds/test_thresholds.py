"""The frozen result: predicting, storing it and writing it as a rule for other systems."""

import dataclasses
import json
import pickle
import sqlite3

import duckdb
import formulas
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from ordcut.estimators import OrdinalLogisticRegression
from tests.strategies import problems

RESULT = ordcut.optimal_thresholds(
    [0.1, 0.4, 0.5, 0.9],
    ["it's", "it's", '"so', "<b>so"],
    classes=["it's", '"so', "<b>so", "never"],
)


def test_a_result_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        RESULT.value = 0
    with pytest.raises(ValueError, match="read-only"):
        RESULT.thresholds[0] = 0


def test_a_result_reads_well():
    assert repr(RESULT) == (
        "Thresholds([0.45, 0.7, inf], classes=[\"it's\", '\"so', '<b>so', 'never'], "
        "absolute=0, method='nested', never predicted: ['never'])"
    )
    assert "<td>&lt;b&gt;so</td>" in RESULT._repr_html_()
    assert "<b>so" not in RESULT._repr_html_()


def test_results_compare_by_their_contents():
    same = ordcut.optimal_thresholds([1, 2, 3], [0, 1, 2])
    assert same == ordcut.optimal_thresholds([1, 2, 3], [0, 1, 2])
    assert hash(same) == hash(ordcut.optimal_thresholds([1, 2, 3], [0, 1, 2]))
    assert same != ordcut.optimal_thresholds([1, 2, 4], [0, 1, 2])
    assert same != "something else"
    assert pickle.loads(pickle.dumps(same)) == same


@given(problem=problems(), names=st.sampled_from([None, "text", "fractions", "booleans"]))
def test_json_keeps_everything(problem, names):
    k = problem.n_classes
    classes = {
        None: list(range(k)),
        "text": [f"class {code}" for code in range(k)],
        "fractions": [code + 0.5 for code in range(k)],
        "booleans": [False, True],
    }[names]
    labels = [classes[code % len(classes)] for code in problem.labels]
    result = ordcut.optimal_thresholds(problem.scores, labels, classes=classes)
    read = ordcut.Thresholds.from_json(result.to_json())
    assert read == result
    assert read.classes.dtype == result.classes.dtype
    assert read.predict(problem.scores).tolist() == result.predict(problem.scores).tolist()


def broken(**changed):
    return json.dumps(json.loads(RESULT.to_json()) | changed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "text must be the JSON that Thresholds.to_json wrote"),
        (RESULT.to_json()[:-20], "text must be the JSON that Thresholds.to_json wrote"),
        ('{"a": 1}', '"schema": "ordcut.thresholds"'),
        ("[1, 2]", '"schema": "ordcut.thresholds"'),
        (broken(thresholds=[0.5]), "thresholds must be 3 numbers for 4 classes"),
        (broken(thresholds=["x", 1, 2]), "thresholds must be numbers"),
        (broken(ranges=[[0, 1]]), "ranges must be a pair for each threshold"),
        (broken(ranges=[[5, 6]] * 3), "ranges must contain the thresholds"),
        (broken(classes=["a"]), "classes must list at least two classes"),
        (broken(classes=None), "classes must be a list in the JSON of thresholds, got None"),
        (broken(method=3), "method must be a str in the JSON of thresholds, got 3"),
        (broken(value="inf"), "value must be a finite number"),
    ],
)
def test_damaged_or_foreign_json_says_what_is_wrong(text, message):
    with pytest.raises(ValueError, match=message):
        ordcut.Thresholds.from_json(text)


def spread(result):
    """Scores on both sides of every threshold, and the thresholds themselves."""
    finite = result.thresholds[np.isfinite(result.thresholds)]
    return np.unique(
        np.concatenate([finite, np.nextafter(finite, -np.inf), finite + 1, [-9.5, 9.5]])
    )


@given(problem=problems())
def test_sql_gives_the_same_classes_in_duckdb_and_sqlite(problem):
    result = ordcut.optimal_thresholds(problem.scores / 3, problem.labels, classes=problem.classes)
    scores = spread(result)
    query = f"SELECT {result.to_sql('a score')} FROM rows"
    with sqlite3.connect(":memory:") as lite, duckdb.connect() as duck:
        for database in (lite, duck):
            database.execute('CREATE TABLE rows ("a score" DOUBLE)')
            database.executemany("INSERT INTO rows VALUES (?)", [(s,) for s in scores.tolist()])
            rows = database.execute(query).fetchall()
            assert [label for (label,) in rows] == result.predict(scores).tolist()
    lite.close()


def test_sql_quotes_names_and_text_and_passes_null_on():
    with duckdb.connect() as database:
        database.execute(
            'CREATE TABLE rows AS SELECT 0.2::FLOAT AS "x""; drop" UNION ALL SELECT NULL'
        )
        rule = RESULT.to_sql('x"; drop')
        rows = database.execute(f"SELECT {rule} FROM rows ORDER BY 1").fetchall()
    assert rows == [("it's",), (None,)]


@given(problem=problems())
def test_python_gives_the_same_classes(problem):
    result = ordcut.optimal_thresholds(problem.scores / 3, problem.labels, classes=problem.classes)
    namespace = {}
    exec(result.to_python(), namespace)
    scores = spread(result)
    assert [namespace["predict"](score) for score in scores] == result.predict(scores).tolist()
    with pytest.raises(ValueError, match="score must not be NaN"):
        namespace["predict"](np.nan)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([0, 0, 1, 2], [0, 1, 2]),
        ([1, 1, 1, 2], [0, 1, 2, 3]),
        (["a", "a", 'b"', "c"], ["a", 'b"', "c"]),
    ],
)
def test_the_spreadsheet_formula_gives_the_same_classes(labels, classes):
    result = ordcut.optimal_thresholds(np.array([0.1, 0.4, 0.5, 0.9]) / 3, labels, classes=classes)
    formula = formulas.Parser().ast(result.to_excel("A2"))[1].compile()
    scores = [-3.0, 0.1, 1 / 6, 0.2, 0.3, 7.0]
    assert [formula(np.array([[score]])).item() for score in scores] == result.predict(
        scores
    ).tolist()


def test_infinite_scores_get_the_class_of_scores_far_out_through_every_door():
    import duckdb
    import polars as pl

    pytest.importorskip("torch.nn")  # a folder of tests is called torch as well
    import torch

    import ordcut.frames
    import ordcut.torch

    result = ordcut.optimal_thresholds([1.0, 2.0], [1, 2], classes=range(4))
    assert result.thresholds.tolist() == [-np.inf, 1.5, np.inf]
    scores = [-np.inf, 0.0, 9.0, np.inf]
    frame = pl.DataFrame({"s": scores})
    assert result.predict(scores).tolist() == [1, 1, 2, 2]
    assert ordcut.frames.predict(frame, result, score="s")["label"].to_list() == [1, 1, 2, 2]
    assert ordcut.torch.threshold_labels(torch.tensor(scores), result).tolist() == [1, 1, 2, 2]
    by_sql = duckdb.sql(f"select {result.to_sql('s')} from frame").fetchall()
    assert by_sql == [(1,), (1,), (2,), (2,)]


def test_a_threshold_moved_onto_its_neighbour_leaves_out_the_class_between_them_and_no_further():
    scores, labels = [1, 2, 3, 4], [0, 1, 2, 2]
    result = ordcut.optimal_thresholds(scores, labels)
    moved = result.moved(0, result.thresholds[1])
    assert moved.predict(scores).tolist() == [0, 0, 2, 2]
    assert moved.value == ordcut.evaluate(labels, [0, 0, 2, 2])
    with pytest.raises(ValueError, match="must keep the thresholds in ascending order"):
        result.moved(0, np.nextafter(result.thresholds[1], np.inf))


@pytest.mark.parametrize("labeling", ["optimal", "likelihood", "biases", "rounding"])
def test_only_thresholds_that_are_optimal_on_the_data_are_explained_as_such(labeling):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(80, 1))
    labels = np.digitize(features[:, 0] + rng.normal(size=80), [-0.5, 1.0, 1.2])
    model = OrdinalLogisticRegression(objective="absolute", labeling=labeling, smoothing=0).fit(
        features, labels
    )
    least = ordcut.optimal_thresholds(model.predict_score(features), labels).value
    says_so = "No other thresholds do better" in model.labeler_.explain()
    assert says_so == (model.labeler_.value == least)


def test_many_classes_are_shortened_in_every_text():
    labels = np.repeat(np.arange(3000), 3)
    result = ordcut.optimal_thresholds(labels + 0.25, labels)
    assert "(2999 in all)" in repr(result)
    assert "(3000 in all)" in repr(result)
    assert "... (3000 labels in all)" in result.explain()
    for text in (repr(result), result.explain(), result._repr_html_()):
        assert len(text) < 2000
    with pytest.raises(ValueError, match=r"19, \.\.\. \(3000 in all\); got 'x'"):
        ordcut.optimal_thresholds(labels + 0.25, labels, constraints="share x <= 0.1")
