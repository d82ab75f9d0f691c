"""Categoricals keep the type and the order of their categories, as labels of arrays do."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import ordcut
from ordcut import frames
from tests.frames.conftest import needs
from tests.frames.frame_rows import assert_same

N = 200
RNG = np.random.default_rng(0)
LABELS = RNG.choice([1, 2, 10], N)
SCORES = LABELS + RNG.normal(scale=2, size=N)
GAPS = np.where(np.arange(N) % 9 == 0, None, LABELS)

CATEGORICALS = {
    "numbers": pd.Categorical(LABELS),
    "ordered numbers": pd.Categorical(LABELS, [1, 2, 10], ordered=True),
    "numbers in another order": pd.Categorical(11 - LABELS, [10, 9, 1], ordered=True),
    "fractions": pd.Categorical(LABELS / 4, ordered=True),
    "booleans": pd.Categorical(LABELS > 1),
    "ordered booleans": pd.Categorical(LABELS > 1, [False, True], ordered=True),
    "text": pd.Categorical(LABELS.astype(str), ["1", "2", "10"], ordered=True),
    "bins": pd.cut(LABELS, [0, 1, 5, 20]),
}


def as_pandas(labels):
    return pd.DataFrame({"s": SCORES, "y": labels})


def as_dask(labels):
    needs("dask.dataframe")
    import dask.dataframe as dd

    return dd.from_pandas(as_pandas(labels), npartitions=2)


@pytest.mark.parametrize("make", [as_pandas, as_dask])
@pytest.mark.parametrize("objective", ["absolute", "squared"])
@pytest.mark.parametrize("name", CATEGORICALS)
def test_categoricals_are_read_as_in_arrays(make, objective, name):
    labels = CATEGORICALS[name]
    frame = make(labels)
    result = frames.optimal_thresholds(frame, score="s", label="y", objective=objective)
    expected = ordcut.optimal_thresholds(SCORES, labels, objective=objective)
    assert_same(result, expected)
    assert result.classes.dtype.kind == expected.classes.dtype.kind
    assert frames.evaluate(frame, expected, score="s", label="y").value == result.value


def test_missing_categories_are_dropped():
    for labels in (pd.Categorical(GAPS), pd.Categorical(GAPS, [1, 2, 10], ordered=True)):
        result = frames.optimal_thresholds(as_pandas(labels), score="s", label="y", nulls="drop")
        is_there = GAPS != None  # noqa: E711
        expected = ordcut.optimal_thresholds(SCORES[is_there], LABELS[is_there])
        assert_same(result, expected)
        assert result.dropped == N - is_there.sum()


@pytest.mark.parametrize("is_ordered", [False, True])
def test_dictionaries_of_arrow_are_read_as_their_values(is_ordered):
    codes = pa.array(np.searchsorted([1, 2, 10], LABELS), pa.int8())
    column = pa.DictionaryArray.from_arrays(codes, pa.array([1, 2, 10]), ordered=is_ordered)
    table = pa.table({"s": SCORES, "y": column})
    result = frames.optimal_thresholds(table, score="s", label="y")
    assert_same(result, ordcut.optimal_thresholds(SCORES, LABELS))
