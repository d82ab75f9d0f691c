"""Every engine finds what the arrays give, bit for bit."""

import re

import duckdb
import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import confusion_matrix

import ordcut
from ordcut import frames
from tests.frames.frame_rows import SCORES, assert_same
from tests.hard_rows import HARD, LABELS, N
from tests.tables import OBJECTIVES

RNG = np.random.default_rng(6)
NASTY_FOR_ALL = [
    "heavy ties",
    "log-normal",
    "cauchy",
    "sharp probabilities",
    "one in a hundred moved far",
]


def hard_scores(name, dtype):
    with np.errstate(over="ignore"):
        return np.nan_to_num(HARD[name].astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_hard_data_give_the_same_in_quick_engines(quick_frames_of, few_cells, dtype):
    for name in HARD:
        scores = hard_scores(name, dtype)
        frame = quick_frames_of(s=scores, y=LABELS)
        result = frames.optimal_thresholds(frame, score="s", label="y")
        assert_same(result, ordcut.optimal_thresholds(scores, LABELS))
        assert result.passes <= 6


def test_hard_data_give_the_same_in_all_engines(frames_of, few_cells):
    for name in NASTY_FOR_ALL:
        scores = hard_scores(name, np.float64)
        result = frames.optimal_thresholds(frames_of(s=scores, y=LABELS), score="s", label="y")
        assert_same(result, ordcut.optimal_thresholds(scores, LABELS))


@pytest.mark.parametrize("offset", [1e6, 1e12])
def test_few_rows_are_fetched_though_a_threshold_lies_among_far_outliers(quick_frames_of, offset):
    random = np.random.default_rng(0)
    scores, is_moved = random.normal(size=100_000), random.random(100_000) < 0.02
    labels = (scores + random.normal(size=100_000) / 3 > 0) + 2 * is_moved
    scores[is_moved] += offset
    frame = quick_frames_of(s=scores, y=labels)
    result = frames.optimal_thresholds(frame, score="s", label="y", max_rows=100)
    assert_same(result, ordcut.optimal_thresholds(scores, labels))


@pytest.mark.parametrize("step", [1, -1])
def test_few_rows_are_fetched_though_a_table_of_duckdb_is_sorted(capsys, step):
    random = np.random.default_rng(0)
    scores = np.sort(random.normal(size=200_000))[::step].copy()
    noise = random.normal(size=len(scores))
    labels = np.clip(np.round(2 + 1.2 * scores + noise), 0, 4).astype(np.int64)
    table = duckdb.from_arrow(pa.table({"s": scores, "y": labels}))
    result = frames.optimal_thresholds(table, score="s", label="y", progress=True)
    assert_same(result, ordcut.optimal_thresholds(scores, labels))
    last = re.search(r"the rows of \d+ cells: (\d+) rows\n$", capsys.readouterr().err)
    assert int(last[1]) < 0.1 * len(scores)


def test_few_passes_are_made_though_sharp_probabilities_are_tied(quick_frames_of):
    random = np.random.default_rng(0)
    z = random.normal(size=200_000)
    labels = np.clip(np.round(2 + 1.2 * z + random.normal(size=len(z))), 0, 4).astype(np.int64)
    scores = (1 / (1 + np.exp(-8 * z))).astype(np.float32)  # near 1, they differ by 6e-8 or more
    expected = ordcut.optimal_thresholds(scores, labels, objective="zero_one", method="dp")
    result = frames.optimal_thresholds(
        quick_frames_of(s=scores, y=labels),
        score="s", label="y", objective="zero_one", max_rows=20_000,
    )  # fmt: skip
    assert_same(result, expected)
    assert result.passes <= 5


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("size", ["few cells", "many cells"])
def test_all_objectives_give_the_same(size, objective, request):
    if size == "few cells":
        request.getfixturevalue("few_cells")
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"s": SCORES, "y": LABELS}).lazy()
    result = frames.optimal_thresholds(frame, score="s", label="y", objective=objective)
    assert_same(result, ordcut.optimal_thresholds(SCORES, LABELS, objective=objective))


def test_kappas_and_whole_weights_give_the_same(frames_of, few_cells):
    weights = RNG.integers(0, 4, N)
    frame = frames_of(s=SCORES, y=LABELS, w=weights)
    result = frames.optimal_thresholds(
        frame, score="s", label="y", weight="w", objective="quadratic_kappa"
    )
    expected = ordcut.optimal_thresholds(
        SCORES, LABELS, sample_weight=weights, objective="quadratic_kappa"
    )
    assert_same(result, expected)


def test_class_weights_give_the_same(quick_frames_of, few_cells):
    frame = quick_frames_of(s=SCORES, y=LABELS)
    options = {"objective": "squared", "class_weight": "balanced"}
    result = frames.optimal_thresholds(frame, score="s", label="y", **options)
    assert_same(result, ordcut.optimal_thresholds(SCORES, LABELS, **options))


LABEL_KINDS = {
    "text": (np.array(["e", "d", "c", "b", "a"])[LABELS], list("edcbaz")),
    "booleans": (LABELS > 2, None),
    "floats": (LABELS / 2, None),
    "classes that never occur": (LABELS, list(range(9))),
    "small integers": (LABELS.astype(np.int8) - np.int8(3), None),
    "small unsigned integers": (LABELS.astype(np.uint8) + np.uint8(250), None),
}


@pytest.mark.parametrize("kind", list(LABEL_KINDS))
def test_labels_of_any_kind_give_the_same_in_local_engines(local_frames_of, kind):
    assert_labels_give_the_same(local_frames_of, kind)


def test_text_gives_the_same_in_all_engines(frames_of):
    assert_labels_give_the_same(frames_of, "text")


def assert_labels_give_the_same(frames_of, kind):
    labels, classes = LABEL_KINDS[kind]
    frame = frames_of(s=np.round(SCORES * 100).astype(np.int64), y=labels)
    result = frames.optimal_thresholds(frame, score="s", label="y", classes=classes)
    expected = ordcut.optimal_thresholds(np.round(SCORES * 100), labels, classes=classes)
    assert_same(result, expected)
    predicted = nw.from_native(frames.predict(frame, result, score="s", name="p")).lazy()
    pairs = predicted.group_by("s", "p").agg(nw.len().alias("n")).collect().sort("s")
    assert pairs["p"].to_list() == result.predict(np.unique(np.round(SCORES * 100))).tolist()
    judged = frames.evaluate(frame, result, score="s", label="y")
    assert judged.value == result.value
    assert judged.confusion.sum() == N


@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb"])
def test_an_enum_states_the_order_of_its_classes(library):
    names = ["low", "mid", "high", "top"]
    labels = np.array(names)[LABELS % 3]
    module = pytest.importorskip(library)
    if library == "pandas":
        ordered = module.Categorical(labels, categories=names, ordered=True)
        frame = module.DataFrame({"s": SCORES, "y": ordered})
    elif library == "polars":
        kind = module.Enum(names)
        frame = module.DataFrame({"s": SCORES, "y": module.Series(labels.tolist(), dtype=kind)})
    else:
        table = pa.table({"s": SCORES, "y": labels})
        connection = module.connect()
        connection.sql("create type grade as enum ('low', 'mid', 'high', 'top')")
        frame = connection.from_arrow(table).project("s, y::grade as y")
    result = frames.optimal_thresholds(frame, score="s", label="y")
    assert_same(result, ordcut.optimal_thresholds(SCORES, labels, classes=names))


def test_missing_values_are_dropped_and_counted_if_asked(frames_of):
    scores, labels = SCORES.astype(np.float64), LABELS.astype(np.float64)
    no_score, no_label = np.arange(N) % 7 == 0, np.arange(N) % 11 == 0
    frame = frames_of(s=pa.array(scores, mask=no_score), y=pa.array(labels, mask=no_label))
    kept = ~(no_score | no_label)
    result = frames.optimal_thresholds(frame, score="s", label="y", nulls="drop")
    assert_same(result, ordcut.optimal_thresholds(scores[kept], labels[kept]))
    assert result.dropped == N - kept.sum()
    judged = frames.evaluate(frame, result, score="s", label="y", nulls="drop")
    assert judged.value == result.value
    assert judged.dropped == result.dropped
    with pytest.raises(ValueError, match=f"got {no_score.sum()} in 's', {no_label.sum()} in 'y'"):
        frames.optimal_thresholds(frame, score="s", label="y")


def test_both_zeros_are_one_score(local_frames_of):
    scores = np.tile([-0.0, 0.0, 1.0, -1.0], 50)
    labels = np.tile([0, 1, 1, 0], 50)
    result = frames.optimal_thresholds(local_frames_of(s=scores, y=labels), score="s", label="y")
    assert_same(result, ordcut.optimal_thresholds(scores, labels))


@pytest.mark.parametrize("smoothing", ["auto", 0.5])
def test_smoothed_thresholds_give_the_same(frames_of, smoothing):
    scores, labels = SCORES[:400].astype(np.float64), LABELS[:400]
    weights = np.arange(400) * 7 % 4
    missing = np.append(np.nan, np.zeros(399))
    frame = frames_of(s=scores + missing, y=labels, w=weights)
    options = {"objective": "quadratic_kappa", "class_weight": "balanced", "smoothing": smoothing}
    result = frames.optimal_thresholds(
        frame, score="s", label="y", weight="w", nulls="drop", **options
    )
    some = slice(1, None)
    expected = ordcut.optimal_thresholds(
        scores[some], labels[some], sample_weight=weights[some], **options
    )
    assert_same(result, expected)
    assert (result.passes, result.dropped) == (3, 1)  # one of them asks what is missing


def test_smoothing_is_for_rows_that_fit_in_memory():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"s": SCORES, "y": LABELS})
    with pytest.raises(ValueError, match=r"smoothing must be 0 for more than max_rows \(100\)"):
        frames.optimal_thresholds(frame, score="s", label="y", smoothing=0.5, max_rows=100)
    with pytest.raises(ValueError, match='smoothing must be a number from 0 to 1, "auto" or'):
        frames.optimal_thresholds(frame, score="s", label="y", smoothing="much")


def test_rows_that_weigh_nothing_cost_no_pass(quick_frames_of):
    weights = np.arange(N) % 2
    frame = quick_frames_of(s=SCORES, y=LABELS, w=weights)
    result = frames.optimal_thresholds(frame, score="s", label="y", weight="w")
    assert_same(result, ordcut.optimal_thresholds(SCORES, LABELS, sample_weight=weights))
    assert (result.passes, result.dropped) == (2, 0)
    judged = frames.evaluate(frame, result, score="s", label="y", weight="w")
    assert judged.value == result.value
    expected = confusion_matrix(LABELS, result.predict(SCORES), sample_weight=weights)
    assert judged.confusion.tolist() == expected.tolist()


@pytest.mark.parametrize("far", [-5.6e307, 5.6e307, 1.7e308])
def test_scores_near_the_end_of_the_floats_give_the_same(quick_frames_of, few_cells, far):
    scores = np.where(np.arange(N) % 3 == 0, SCORES.astype(np.float64), far)
    scores[::7] = np.nextafter(scores[::7], 0)
    frame = quick_frames_of(s=scores, y=LABELS)
    result = frames.optimal_thresholds(frame, score="s", label="y")
    assert_same(result, ordcut.optimal_thresholds(scores, LABELS))


def test_the_order_of_a_dictionary_or_an_enum_is_kept(tmp_path):
    import dask.dataframe as dd
    import duckdb
    import pandas as pd

    names = np.array(["low", "mid", "high", "top", "over"])
    order = names.tolist()
    labels = pd.Categorical(names[LABELS], categories=order, ordered=True)
    table = pa.Table.from_pandas(pd.DataFrame({"s": SCORES, "y": labels}))
    connection = duckdb.connect()
    connection.execute(f"create type grade as enum {tuple(order)}")
    relation = connection.from_arrow(pa.table({"s": SCORES, "t": names[LABELS]}))
    relation = relation.project("s, t::grade as y")
    rows = pd.DataFrame({"s": SCORES, "y": labels})
    rows.to_parquet(tmp_path / "rows.parquet")  # of which Dask knows the categories when it reads
    for frame in (table, relation, rows, dd.read_parquet(tmp_path / "rows.parquet")):
        result = frames.optimal_thresholds(frame, score="s", label="y")
        assert result.classes.tolist() == order
        expected = ordcut.optimal_thresholds(SCORES, names[LABELS], classes=order)
        assert result.thresholds.tolist() == expected.thresholds.tolist()
