"""NaN is missing in every file, also where the statistics of the file do not count it."""

import duckdb
import ibis
import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ordcut
from ordcut import frames
from tests.frames.frame_rows import assert_same

N = 900
RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, N)
IS_NAN = np.arange(N) % 100 == 7

#: Scores by the statistics that a file has of them: a constant lets an engine compute more.
SCORES = {
    "different": CODES + RNG.normal(scale=0.8, size=N),
    "constant": np.ones(N),
    "two": np.repeat([1.0, 2.0], N // 2),
    "float32": (CODES + RNG.normal(scale=0.8, size=N)).astype(np.float32),
}


def write_pyarrow(table, path):
    pq.write_table(table, path, row_group_size=N // 2)


def write_pyarrow_without_statistics(table, path):
    pq.write_table(table, path, write_statistics=False)


def write_polars(table, path):
    pl.from_arrow(table).write_parquet(path, statistics="full", row_group_size=N // 2)


def write_polars_without_statistics(table, path):
    pl.from_arrow(table).write_parquet(path, statistics=False)


def write_duckdb(table, path):
    duckdb.from_arrow(table).write_parquet(str(path))


WRITERS = [
    write_pyarrow,
    write_pyarrow_without_statistics,
    write_polars,
    write_polars_without_statistics,
    write_duckdb,
]
READERS = {
    "duckdb": lambda path: duckdb.read_parquet(str(path)),
    "ibis": lambda path: ibis.duckdb.connect().read_parquet(path),
    "lazy polars": pl.scan_parquet,
    "pyarrow": pq.read_table,
}


def with_nan(values):
    return np.where(IS_NAN, np.nan, values).astype(values.dtype)


@pytest.fixture(params=WRITERS, ids=lambda writer: writer.__name__)
def write(request, tmp_path):
    def write(**columns):
        request.param(pa.table(columns), tmp_path / "rows.parquet")
        return tmp_path / "rows.parquet"

    return write


pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("kind", SCORES)
def test_a_nan_score_gets_no_class(write, reader, kind):
    thresholds = ordcut.Thresholds.from_values([0.5, 1.5], ["low", "mid", "high"])
    frame = reader(write(s=with_nan(SCORES[kind])))
    labelled = frames.predict(frame, thresholds, score="s")
    label = nw.from_native(labelled).lazy().collect()["label"].to_list()
    expected = thresholds.predict(SCORES[kind]).tolist()
    assert label == [None if gone else name for gone, name in zip(IS_NAN, expected, strict=True)]


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("kind", SCORES)
def test_rows_with_nan_scores_are_dropped_or_refused(write, reader, kind):
    frame = reader(write(s=with_nan(SCORES[kind]), y=CODES))
    with pytest.raises(ValueError, match=f"missing values, got {IS_NAN.sum()} in 's'"):
        frames.optimal_thresholds(frame, score="s", label="y")
    result = frames.optimal_thresholds(frame, score="s", label="y", nulls="drop")
    assert_same(result, ordcut.optimal_thresholds(SCORES[kind][~IS_NAN], CODES[~IS_NAN]))
    assert result.dropped == IS_NAN.sum()
    evaluation = frames.evaluate(frame, result, score="s", label="y", nulls="drop")
    assert evaluation.value == pytest.approx(result.value)
    assert evaluation.dropped == IS_NAN.sum()


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("column", ["y", "w"])
def test_rows_with_nan_labels_or_weights_are_dropped_or_refused(write, reader, column):
    columns = {"s": SCORES["different"], "y": CODES / 1, "w": np.ones(N)}
    columns[column] = with_nan(columns[column])
    frame, names = reader(write(**columns)), {"score": "s", "label": "y", "weight": "w"}
    with pytest.raises(ValueError, match=f"missing values, got {IS_NAN.sum()} in '{column}'"):
        frames.optimal_thresholds(frame, **names)
    result = frames.optimal_thresholds(frame, **names, nulls="drop")
    scores, labels = columns["s"][~IS_NAN], CODES[~IS_NAN] / 1
    assert_same(
        result, ordcut.optimal_thresholds(scores, labels, sample_weight=np.ones(len(labels)))
    )
    assert result.dropped == IS_NAN.sum()


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_all_rows_are_fetched_without_those_of_nan(write, reader):
    frame = reader(write(s=with_nan(SCORES["constant"]), y=CODES))
    options = {"objective": "absolute", "constraints": "recall 1 >= 0.1", "smoothing": 0.1}
    result = frames.optimal_thresholds(frame, score="s", label="y", nulls="drop", **options)
    expected = ordcut.optimal_thresholds(SCORES["constant"][~IS_NAN], CODES[~IS_NAN], **options)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
