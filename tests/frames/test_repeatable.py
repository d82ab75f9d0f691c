"""A frame whose rows change between queries is an error, even if a single row has changed."""

import numpy as np
import pytest

import ordcut
from ordcut import frames
from ordcut.frames import FrameSource
from tests.frames.frame_rows import SCORES, assert_same
from tests.hard_rows import LABELS, N

WEIGHTS = np.random.default_rng(3).integers(1, 5, N).astype(np.float64)
MUST = "must return the same rows in every query"


def change(which, k=0):
    """Return the columns with a change in the row whose score is the first above a threshold."""
    columns = {"s": SCORES.copy(), "y": LABELS.copy(), "w": WEIGHTS.copy()}
    threshold = ordcut.optimal_thresholds(SCORES, LABELS, sample_weight=WEIGHTS).thresholds[k]
    row = np.where(threshold <= SCORES, SCORES, np.inf).argmin()
    if which == "score":
        columns["s"][row] += 1
    elif which == "label":
        columns["y"][row] = (columns["y"][row] + 1) % (LABELS.max() + 1)
    elif which == "new label":
        columns["y"][row] = 99
    elif which == "weight":
        columns["w"][row] += 1
    elif which == "fraction":
        columns["w"][row] += 0.25
    return columns


def find_while_changing(frames_of, changed, weight="w", **options):
    """Write other files before the second pass over a frame."""
    passes = []

    def write(description):
        passes.append(description)
        if len(passes) == 2:
            frames_of.write(**changed)

    frame = frames_of(s=SCORES, y=LABELS, w=WEIGHTS)
    return frames.optimal_thresholds(
        frame, score="s", label="y", weight=weight, progress=write, **options
    )


@pytest.mark.parametrize("which", ["score", "label", "new label", "weight", "fraction"])
def test_a_single_row_that_changes_is_an_error_where_rows_are_fetched(rereading_frames_of, which):
    with pytest.raises(RuntimeError, match=MUST):
        find_while_changing(rereading_frames_of, change(which))


@pytest.mark.parametrize("which", ["score", "label", "new label", "weight", "fraction"])
def test_a_single_row_that_changes_is_an_error_where_cells_are_split(
    quick_frames_of, few_cells, which
):
    with pytest.raises(RuntimeError, match=MUST):
        find_while_changing(quick_frames_of, change(which, k=-1))


@pytest.mark.parametrize(
    "options",
    [{"constraints": ["digits 1"]}, {"smoothing": 0.5}, {"constraints": ["share 2 <= 0.1"]}],
    ids=["lumps", "all rows", "limits"],
)
@pytest.mark.parametrize("which", ["label", "weight"])
def test_rows_that_change_are_an_error_with_limits_and_smoothing(quick_frames_of, options, which):
    with pytest.raises(RuntimeError, match=MUST):
        find_while_changing(quick_frames_of, change(which), **options)


def test_rows_that_stay_are_no_error(rereading_frames_of, few_cells):
    same = {"s": SCORES, "y": LABELS, "w": WEIGHTS}
    result = find_while_changing(rereading_frames_of, same)
    assert_same(result, ordcut.optimal_thresholds(SCORES, LABELS, sample_weight=WEIGHTS))


@pytest.mark.parametrize("which", ["s", "y", "w"])
def test_random_columns_of_duckdb_are_an_error(which):
    duckdb = pytest.importorskip("duckdb")
    rows = {"s": "i / 7", "y": "i * 3 // 5000", "w": "1 + i % 3"}
    rows[which] = {"s": "i / 7 + random()", "y": "(random() * 3) :: int", "w": "random()"}[which]
    query = ", ".join(f"{text} as {name}" for name, text in rows.items())
    frame = duckdb.connect().sql(f"select {query} from range(5000) t(i)")
    with pytest.raises(RuntimeError, match=MUST):
        frames.optimal_thresholds(frame, score="s", label="y", weight="w")


@pytest.mark.xdist_group("clusters")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("which", ["s", "y", "w"])
def test_random_columns_of_spark_are_an_error(spark, tmp_path, which):
    from pyspark.sql import functions

    seed = tmp_path / "seed"
    seed.write_text("0")

    def shift(value):  # by an amount that depends on the number of passes
        return value + int(seed.read_text()) % 2

    def count(_):
        seed.write_text(str(int(seed.read_text()) + 1))

    rows = [(float(i) / 7, i * 3 // 2000, i % 3 + 1) for i in range(2000)]
    frame = spark.createDataFrame(rows, "s double, y long, w long")
    dtype = dict(frame.dtypes)[which]
    shifted = functions.udf(shift, dtype).asNondeterministic()(functions.col(which))
    frame = frame.withColumn(which, shifted)
    with pytest.raises(RuntimeError, match=MUST):
        frames.optimal_thresholds(frame, score="s", label="y", weight="w", progress=count)


def test_nulls_that_come_and_go_are_an_error():
    polars = pytest.importorskip("polars")
    n_queries = 0

    def with_nulls(frame):
        nonlocal n_queries
        n_queries += 1
        is_null = polars.int_range(polars.len()) < n_queries
        return frame.with_columns(polars.when(~is_null).then("y").alias("y"))

    frame = polars.DataFrame({"s": SCORES, "y": LABELS}).lazy().map_batches(with_nulls)
    with pytest.raises(RuntimeError, match=MUST):
        frames.optimal_thresholds(frame, score="s", label="y", nulls="drop")


def test_the_last_cell_has_no_rows_of_those_beyond_it(local_frames_of):
    scores = np.append(np.arange(3000.0), 2996.5 + np.arange(8) / 16)
    labels = (scores > 2996.7).astype(np.int64)
    frame = local_frames_of(s=scores, y=labels)
    counted = FrameSource(frame, score="s", label="y").count()
    above = counted.cells.key == counted.cells.root.ends[1]
    for chosen in (~above, above):
        if chosen.any():
            assert counted.fetch(chosen).n_rows == counted.cells.n_rows[chosen].sum()
