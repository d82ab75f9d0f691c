"""Labels of ``pandas.cut`` are intervals, and come back as intervals."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordcut
from ordcut import frames
from ordcut.estimators import OrdinalLogisticRegression
from tests.frames.conftest import needs

RNG = np.random.default_rng(0)
VALUES = RNG.normal(scale=10, size=300)
SCORES = VALUES + RNG.normal(scale=3, size=300)
BINS = {
    "numbers": pd.cut(VALUES, [-100, -10.5, 0.25, 10, 100]),
    "infinite": pd.cut(VALUES, [-np.inf, 0, np.inf], right=False),
    "times": pd.cut(pd.Timestamp("2030-01-01", tz="UTC") + pd.to_timedelta(VALUES, unit="D"), 4),
    "durations": pd.cut(pd.to_timedelta(VALUES, unit="D"), 4),
}
CONTAINERS = {
    "Categorical": lambda labels: labels,
    "Series": pd.Series,
    "unordered": lambda labels: labels.as_unordered(),
    "intervals": lambda labels: pd.Series(list(labels)),
    "objects": lambda labels: np.array(list(labels), dtype=object),
    "list": list,
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("bins", BINS)
def test_predictions_can_be_compared_with_labels(bins, container):
    labels = CONTAINERS[container](BINS[bins])
    result = ordcut.optimal_thresholds(SCORES, labels)
    expected = ordcut.optimal_thresholds(SCORES, BINS[bins].codes)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    is_right = expected.predict(SCORES) == BINS[bins].codes
    assert np.array_equal(np.asarray(result.predict(SCORES) == labels), is_right)
    assert ordcut.judge(result, SCORES, labels).value == result.value


@pytest.mark.parametrize("bins", BINS)
def test_intervals_are_read_from_json(bins):
    result = ordcut.optimal_thresholds(SCORES, BINS[bins])
    read = ordcut.Thresholds.from_json(result.to_json())
    assert read == result
    assert read.classes.tolist() == list(BINS[bins].categories)


@pytest.mark.parametrize("end", ['{"a": 1}', "null", '"x"', "[]", "1e400"])
def test_damaged_intervals_are_refused(end):
    text = ordcut.optimal_thresholds(SCORES, BINS["infinite"]).to_json()
    with pytest.raises(ValueError, match="classes must be"):
        ordcut.Thresholds.from_json(text.replace('"-inf"', end, 1))


def test_rules_for_other_systems_have_intervals_as_text():
    result = ordcut.optimal_thresholds(SCORES, BINS["infinite"])
    named = ordcut.optimal_thresholds(SCORES, BINS["infinite"].astype(str), classes=NAMES)
    assert result.to_sql("s") == named.to_sql("s")
    assert result.to_python() == named.to_python()
    assert result.to_excel("A1") == named.to_excel("A1")
    assert repr(result) == repr(named)


NAMES = ["[-inf, 0.0)", "[0.0, inf)"]


def test_text_of_intervals_is_judged_by_intervals_and_named_in_limits():
    labels = BINS["infinite"]
    result = ordcut.optimal_thresholds(SCORES, labels, constraints=["recall [0.0, inf) >= 0.99"])
    assert result.constraints[0].reached >= 0.99
    assert ordcut.judge(result, SCORES, labels.astype(str)).value == result.value
    assert ordcut.optimal_thresholds(SCORES, labels, classes=NAMES).classes.tolist() == NAMES
    with pytest.raises(TypeError, match="got numbers in labels"):
        ordcut.judge(result, SCORES, labels.codes)


def as_dask(frame):
    needs("dask.dataframe")
    import dask.dataframe as dd

    return dd.from_pandas(frame, npartitions=2)


@pytest.mark.parametrize("make", [pd.DataFrame, as_dask])
@pytest.mark.parametrize("container", ["Categorical", "unordered"])
def test_frames_have_intervals(make, container):
    labels = CONTAINERS[container](BINS["numbers"])
    frame = make(pd.DataFrame({"s": SCORES, "y": labels}))
    result = frames.optimal_thresholds(frame, score="s", label="y")
    expected = ordcut.optimal_thresholds(SCORES, labels)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.classes.tolist() == expected.classes.tolist()
    predicted = frames.predict(frame, result, score="s")
    predicted = predicted.compute() if make is as_dask else predicted
    assert (predicted["label"] == expected.predict(SCORES)).all()
    assert (predicted["label"] == predicted["y"]).mean() > 0.7
    assert frames.evaluate(frame, expected, score="s", label="y").value == expected.value


def test_frames_without_intervals_have_their_text():
    result = ordcut.optimal_thresholds(SCORES, BINS["infinite"])
    frame = pl.DataFrame({"s": SCORES, "y": BINS["infinite"].astype(str).tolist()})
    predicted = frames.predict(frame, result, score="s")["label"].to_list()
    assert predicted == [str(interval) for interval in result.predict(SCORES)]
    assert frames.evaluate(frame, result, score="s", label="y").value == result.value


def test_a_missing_score_has_no_interval():
    result = ordcut.optimal_thresholds(SCORES, BINS["infinite"])
    frame = pd.DataFrame({"s": [np.nan, 99.0]})
    labels = frames.predict(frame, result, score="s")["label"]
    assert labels.isna().tolist() == [True, False]


def test_estimators_predict_intervals():
    model = OrdinalLogisticRegression().fit(SCORES[:, None], BINS["infinite"])
    assert np.mean(model.predict(SCORES[:, None]) == BINS["infinite"]) > 0.9
