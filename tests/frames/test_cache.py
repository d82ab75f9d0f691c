"""Rows that an engine keeps, and cells that hold all scores: quicker, and the same."""

import numpy as np
import pytest

import ordcut
from ordcut import frames
from ordcut.frames import FrameSource
from tests.frames.frame_rows import SCORES, assert_same
from tests.hard_rows import LABELS
from tests.small_sizes import set_sizes

SMALL_LABELS = LABELS.astype(np.int8)


def test_rows_that_are_kept_change_nothing_but_the_passes(frames_of, few_cells, monkeypatch):
    frame = frames_of(s=SCORES, y=SMALL_LABELS)
    expected = ordcut.optimal_thresholds(SCORES, SMALL_LABELS)
    kept = frames.optimal_thresholds(frame, score="s", label="y")
    assert_same(kept, expected)
    set_sizes(monkeypatch, most_cached=0)
    asked_again = frames.optimal_thresholds(frame, score="s", label="y")
    assert_same(asked_again, expected)
    if frames_of.engine == "ibis":  # which has no way to keep rows without writing a table
        assert kept.passes == asked_again.passes
    else:
        assert kept.passes == 2 < asked_again.passes


def test_kappas_ask_for_other_cells_than_those_that_are_kept(quick_frames_of, few_cells):
    frame = quick_frames_of(s=SCORES, y=SMALL_LABELS)
    for objective in ("quadratic_kappa", "zero_one"):
        result = frames.optimal_thresholds(frame, score="s", label="y", objective=objective)
        assert_same(result, ordcut.optimal_thresholds(SCORES, SMALL_LABELS, objective=objective))


@pytest.mark.xdist_group("clusters")
def test_spark_keeps_nothing_afterwards(spark, few_cells):
    def n_kept():
        return spark.sparkContext._jsc.getPersistentRDDs().size()

    frame = spark.createDataFrame(
        [(float(s), int(y)) for s, y in zip(SCORES[:2000], LABELS[:2000], strict=True)], ["s", "y"]
    )
    before = n_kept()
    frames.optimal_thresholds(frame, score="s", label="y")
    assert n_kept() == before


@pytest.mark.parametrize("far", [None, 1e300, -40.0, np.nan])
@pytest.mark.parametrize("small", [False, True])
def test_cells_need_not_hold_every_score(quick_frames_of, few_cells, far, small):
    scores = SCORES.astype(np.float64)
    labels = SMALL_LABELS if small else LABELS.astype(np.int64)
    if far is not None:
        scores = np.append(scores, far)
        labels = np.append(labels, labels[:1])
    frame = quick_frames_of(s=scores, y=labels)
    is_there = ~np.isnan(scores)
    result = frames.optimal_thresholds(frame, score="s", label="y", nulls="drop")
    assert_same(result, ordcut.optimal_thresholds(scores[is_there], labels[is_there]))
    assert result.dropped == (~is_there).sum()


@pytest.mark.parametrize("column", ["s", "y"])
@pytest.mark.parametrize("kind", [np.int8, np.int64])
def test_nulls_are_found_where_all_scores_are_in_cells(few_cells, column, kind):
    duckdb, pa = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    is_null = np.arange(len(SCORES)) == 5
    table = pa.table(
        {
            "s": pa.array(SCORES, mask=is_null & (column == "s")),
            "y": pa.array(LABELS.astype(kind), mask=is_null & (column == "y")),
        }
    )
    frame = duckdb.connect().from_arrow(table)
    result = frames.optimal_thresholds(frame, score="s", label="y", nulls="drop")
    assert result.dropped == 1
    assert_same(result, ordcut.optimal_thresholds(SCORES[~is_null], LABELS[~is_null]))
    with pytest.raises(ValueError, match=f"got 1 in '{column}'"):
        frames.optimal_thresholds(frame, score="s", label="y")


def test_each_pass_is_told_of_once(quick_frames_of, few_cells, capsys):
    frame = quick_frames_of(s=SCORES, y=SMALL_LABELS)
    result = frames.optimal_thresholds(frame, score="s", label="y", progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1].strip() for line in lines] == ["pass 1", "pass 2"]
    assert lines[1].endswith("cells, to be kept")
    assert result.passes == 2


@pytest.mark.parametrize("first", ["absolute", "smoothed"])
def test_a_source_can_be_asked_again_and_again(quick_frames_of, few_cells, first):
    frame = quick_frames_of(s=SCORES, y=SMALL_LABELS)
    source = FrameSource(frame, score="s", label="y")
    if first == "smoothed":
        assert source.all_rows().n_rows == len(SCORES)
    for _ in range(2):
        for objective in ("absolute", "squared", "zero_one", "quadratic_kappa"):
            expected = ordcut.optimal_thresholds(SCORES, SMALL_LABELS, objective=objective)
            resolved = ordcut.resolve_objective(objective, source.classes)
            assert_same(frames.thresholds_of(source, resolved), expected)
        absolute = ordcut.resolve_objective("absolute", source.classes)
        result = frames.thresholds_of(source, absolute, smoothing=0.5)
        assert_same(result, ordcut.optimal_thresholds(SCORES, SMALL_LABELS, smoothing=0.5))
        every = source.all_rows()
        assert every.totals.tolist() == np.bincount(SMALL_LABELS).tolist()
