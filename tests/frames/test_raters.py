"""Several raters in a frame: the thresholds of a panel, from frames of any engine."""

import re
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import ordcut
from ordcut import frames
from tests.frames.frame_rows import assert_same

RATERS = ["rater_a", "rater_b", "rater_c"]
N = 120


def rated_rows(seed=0):
    """Return scores, weights and ratings from 1 to 4 with gaps, some rows without any."""
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=N), 2)
    ratings = np.clip(np.rint(2.5 + scores[:, None] + rng.normal(size=(N, 3))), 1, 4)
    ratings[rng.random((N, 3)) < 0.25] = np.nan
    ratings[:2] = np.nan
    return scores, rng.integers(1, 4, N), ratings


SCORES, WEIGHTS, RATINGS = rated_rows()
INTEGERS = {
    name: pa.array([None if np.isnan(rating) else int(rating) for rating in column])
    for name, column in zip(RATERS, RATINGS.T, strict=True)
}
NAMES = np.array(["low", "mid", "high", "top"])
TEXT = {
    name: pa.array([None if np.isnan(rating) else str(NAMES[int(rating) - 1]) for rating in column])
    for name, column in zip(RATERS, RATINGS.T, strict=True)
}
COLUMNS = {"s": SCORES, "w": WEIGHTS, **INTEGERS, "other": ["x"] * N}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"smoothing": 0},
        {"smoothing": 0, "objective": "quadratic_kappa"},
        {"constraints": "recall 4 >= 0.8"},
        {"review_share": 0.2},
        {"classes": [1, 2, 3, 4, 5], "smoothing": 0},
        {"class_weight": "balanced", "smoothing": 0},
    ],
    ids=str,
)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_frames_give_the_thresholds_of_the_panel(local_frames_of, options, is_weighted):
    on_arrays, on_frames = dict(options), dict(options)
    if is_weighted:
        on_arrays["sample_weight"], on_frames["weight"] = WEIGHTS, "w"
    expected = ordcut.optimal_thresholds(SCORES, ordcut.Panel(RATINGS), **on_arrays)
    frame = local_frames_of(**COLUMNS)
    result = frames.optimal_thresholds(frame, score="s", label=RATERS, **on_frames)
    assert_same(result, expected)
    assert result.dropped == expected.dropped >= 2
    assert result.passes == 1


def test_text_is_ordered_by_classes(local_frames_of):
    frame = local_frames_of(s=SCORES, **TEXT)
    result = frames.optimal_thresholds(frame, score="s", label=RATERS, classes=NAMES)
    panel = ordcut.Panel(np.array(list(TEXT.values()), dtype=object).T, classes=NAMES)
    assert_same(result, ordcut.optimal_thresholds(SCORES, panel))


def as_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"s": SCORES, **TEXT})
    return frame.with_columns(polars.col(RATERS).cast(polars.Enum(NAMES.tolist())))


def as_pandas():
    pytest.importorskip("pandas")
    return as_polars().to_pandas()


def as_duckdb():
    values = ", ".join(f"'{name}'" for name in NAMES)
    casts = ", ".join(f"{name}::enum({values}) as {name}" for name in RATERS)
    table = pa.table({"s": SCORES, **TEXT})
    return pytest.importorskip("duckdb").connect().from_arrow(table).project(f"s, {casts}")


@pytest.mark.parametrize(
    "build",
    [
        as_polars,
        lambda: as_polars().lazy(),
        as_pandas,
        lambda: pa.Table.from_pandas(as_pandas()),
        as_duckdb,
    ],
    ids=["polars", "lazy polars", "pandas", "pyarrow", "duckdb"],
)
def test_text_is_ordered_by_the_categories_that_columns_state(build):
    result = frames.optimal_thresholds(build(), score="s", label=RATERS)
    panel = ordcut.Panel(np.array(list(TEXT.values()), dtype=object).T, classes=NAMES)
    assert_same(result, ordcut.optimal_thresholds(SCORES, panel))


def test_columns_that_are_not_named_are_not_read():
    polars = pytest.importorskip("polars")

    def fail(_):
        raise AssertionError("a column was computed that nobody asked for")

    frame = polars.LazyFrame(COLUMNS).with_columns(
        polars.col("other").map_batches(fail, return_dtype=polars.String)
    )
    result = frames.optimal_thresholds(frame, score="s", label=RATERS)
    assert_same(result, ordcut.optimal_thresholds(SCORES, ordcut.Panel(RATINGS)))


def test_float32_scores_stay_float32(local_frames_of):
    scores = SCORES.astype(np.float32)
    frame = local_frames_of(**{**COLUMNS, "s": scores})
    result = frames.optimal_thresholds(frame, score="s", label=RATERS)
    assert_same(result, ordcut.optimal_thresholds(scores, ordcut.Panel(RATINGS)))


def test_a_list_with_one_column_is_a_plain_label(local_frames_of):
    is_rated = ~np.isnan(RATINGS[:, 0])
    frame = local_frames_of(s=SCORES[is_rated], y=RATINGS[is_rated, 0].astype(int))
    assert_same(
        frames.optimal_thresholds(frame, score="s", label=["y"]),
        frames.optimal_thresholds(frame, score="s", label="y"),
    )


def test_a_repeated_index_of_pandas_does_not_matter():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"s": SCORES, **dict(zip(RATERS, RATINGS.T, strict=True))})
    result = frames.optimal_thresholds(frame.set_axis([0] * N), score="s", label=RATERS)
    assert_same(result, ordcut.optimal_thresholds(SCORES, ordcut.Panel(RATINGS)))


def test_rows_without_a_score_are_refused_or_dropped(local_frames_of):
    is_known = np.arange(N) % 7 > 0
    scores = pa.array(SCORES, mask=~is_known)
    frame = local_frames_of(**{**COLUMNS, "s": scores})
    with pytest.raises(ValueError, match="missing values, got 18 in 's'"):
        frames.optimal_thresholds(frame, score="s", label=RATERS)
    result = frames.optimal_thresholds(frame, score="s", label=RATERS, nulls="drop")
    panel = ordcut.Panel(RATINGS[is_known])
    assert_same(result, ordcut.optimal_thresholds(SCORES[is_known], panel))
    assert result.dropped == 18 + panel.n_unrated


def test_progress_is_said_before_rows_are_fetched():
    said = []
    table = pa.table(COLUMNS)
    frames.optimal_thresholds(table, score="s", label=RATERS, progress=said.append)
    assert said == ["fetching all rows"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"label": ["rater_a", "rater_d"]}, ValueError, 'label must be one of "s", "w", "rater_a"'),
        ({"label": []}, ValueError, "label must name at least one column, got an empty list"),
        ({"label": ["rater_a"] * 2}, ValueError, "name each column once, got 'rater_a' twice"),
        ({"label": ["rater_a", SCORES]}, TypeError, "names of columns, got a ndarray"),
        (
            {"label": np.array(RATERS)},
            TypeError,
            "ndarray. .* or a list of names for several",
        ),
        ({"label": ["rater_a", "many"]}, TypeError, "one class per row, got 'many' of type List"),
        ({"label": ["other", "other2"]}, ValueError, "text with no stated order"),
        ({"score": "other"}, TypeError, "score must name a column of numbers, got 'other' of type"),
        ({"score": "ids"}, ValueError, "scores must be exact in float64"),
        ({"score": "decimals"}, ValueError, "scores must differ in float64"),
        ({"weight": "other"}, TypeError, "weight must name a column of numbers, got 'other'"),
        ({"weight": "v"}, ValueError, "weight must be one of"),
        ({"nulls": "ignore"}, ValueError, "nulls must be"),
        ({"max_rows": 100}, ValueError, "max_rows must be at least .* for several raters, .* 100"),
        ({"classes": [1, 2, 3]}, ValueError, "ratings must be among the classes 1, 2, 3, got 4"),
        ({"groups": "other", "constraints": "recall 4 >= 0.5 where x"}, ValueError, "single label"),
    ],
)
def test_wrong_arguments_are_refused(options, error, message):
    ids = (1 << 60) + np.arange(N)
    table = pa.table(
        {
            **COLUMNS,
            "other2": ["x", "y"] * (N // 2),
            "many": [[1]] * N,
            "ids": ids,
            "decimals": [Decimal(number) for number in ids.tolist()],
        }
    )
    with pytest.raises(error) as caught:
        frames.optimal_thresholds(table, **{"score": "s", "label": RATERS, **options})
    assert re.search(message, str(caught.value))


def test_an_evaluation_of_several_raters_points_to_the_agreement_with_them():
    table = pa.table(COLUMNS)
    result = frames.optimal_thresholds(table, score="s", label=RATERS)
    with pytest.raises(TypeError, match=r"got 3 names.* ordcut\.Panel\(ratings\)\.agreement_with"):
        frames.evaluate(table, result, score="s", label=RATERS)
