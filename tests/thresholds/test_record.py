"""The record of a result: evidence that does not depend on how rows are written."""

import json
import pickle

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordcut
from ordcut._core.thresholds import schema_text
from tests.golden.problems import FOLDER, OPTIONS

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 4, 400)
SCORES = LABELS + RNG.normal(size=400)
RESULT = ordcut.optimal_thresholds(SCORES, LABELS)


def record_of(scores=SCORES, labels=LABELS, **options):
    return ordcut.optimal_thresholds(scores, labels, **options).record


def test_the_record_counts_what_scikit_learn_counts():
    from sklearn.metrics import precision_recall_fscore_support

    predicted = RESULT.predict(SCORES)
    precision, recall, _, true = precision_recall_fscore_support(LABELS, predicted)
    record = RESULT.record
    assert record.counts == tuple(true)
    assert record.decided == tuple(np.bincount(predicted, minlength=4))
    np.testing.assert_allclose(record.recall, recall)
    np.testing.assert_allclose(record.precision, precision)
    assert (record.rows, record.weight, record.effective_rows) == (400, 400, 400)


def test_quantiles_have_the_share_of_the_rows_up_to_them():
    scores = record_of().scores
    assert (scores.low, scores.high, len(scores.scores)) == (SCORES.min(), SCORES.max(), 21)
    for score, share in zip(scores.scores, scores.shares, strict=True):
        assert share == np.mean(score >= SCORES)
    np.testing.assert_allclose(scores.shares[1:], np.arange(1, 21) / 20)


def test_no_score_of_a_row_is_in_the_record_but_the_lowest_and_the_highest():
    assert set(record_of().scores.scores) & set(SCORES) == {SCORES.min(), SCORES.max()}
    few = record_of(SCORES[:12], LABELS[:12])
    assert len(few.scores.scores) == 3


def test_the_order_of_rows_and_how_repeats_are_written_change_nothing():
    order = RNG.permutation(400)
    assert record_of(SCORES[order], LABELS[order]) == record_of()
    assert record_of(SCORES.tolist(), LABELS.tolist()) == record_of()
    twice = record_of(np.tile(SCORES, 2), np.tile(LABELS, 2))
    weighted = record_of(sample_weight=np.full(400, 2))
    assert twice.digest == weighted.digest
    assert twice.counts == weighted.counts


@pytest.mark.parametrize(
    "changed",
    [
        lambda: record_of(SCORES + 1e-9),
        lambda: record_of(labels=np.where(np.arange(400) == 7, 3 - LABELS, LABELS)),
        lambda: record_of(SCORES[1:], LABELS[1:]),
        lambda: record_of(labels=LABELS + 1),
        lambda: record_of(sample_weight=np.linspace(1, 2, 400)),
    ],
)
def test_the_digest_tells_other_data_apart(changed):
    assert changed().digest != record_of().digest


def test_weights_of_importance_have_a_smaller_sample_size():
    weights = np.linspace(0.1, 1.0, 400)
    record = record_of(sample_weight=weights, weight_type="importance")
    assert record.effective_rows == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert record.weight == pytest.approx(weights.sum())
    below = [weights[score >= SCORES].sum() / weights.sum() for score in record.scores.scores]
    np.testing.assert_allclose(record.scores.shares, below)


def test_json_and_pickles_keep_the_record():
    read = ordcut.Thresholds.from_json(RESULT.to_json(time=False))
    assert read.record.digest == RESULT.record.digest
    assert read.record.counts == RESULT.record.counts
    assert read.to_json(time=False) == RESULT.to_json(time=False)
    assert pickle.loads(pickle.dumps(RESULT)).record == RESULT.record


def test_time_is_written_once_and_can_be_left_out():
    read = ordcut.Thresholds.from_json(RESULT.to_json())
    assert read.record.time.endswith("Z")
    assert ordcut.Thresholds.from_json(read.to_json()).record.time == read.record.time
    assert "time" not in json.loads(RESULT.to_json(time=False))["record"]


def test_the_record_of_rows_that_have_changed_says_nothing_about_them():
    scores = SCORES.copy()
    result = ordcut.optimal_thresholds(scores, LABELS)
    scores *= 100
    assert result.record.digest is None
    assert result.record.scores is None
    assert result.record.counts == RESULT.record.counts


@pytest.mark.parametrize("name", ["scores", "labels"])
def test_a_change_of_a_row_that_no_threshold_notices_leaves_the_digest_out(name):
    rows = {"scores": SCORES.copy(), "labels": LABELS.copy()}
    result = ordcut.optimal_thresholds(**rows)
    rows[name][SCORES.argmin()] -= 1
    assert result.record.digest is None
    assert result.record.counts == RESULT.record.counts


@pytest.mark.parametrize("method", ["bootstrap", "near_optimal"])
def test_rows_that_have_changed_are_refused_whatever_the_value(method):
    scores = SCORES.copy()
    result = ordcut.optimal_thresholds(scores, LABELS)
    scores[scores.argmin()] -= 1
    with pytest.raises(ValueError, match=f"{method} needs scores.* have changed since"):
        getattr(result, method)()


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_in_memory_have_the_record_of_arrays(library):
    frame = library.DataFrame({"s": SCORES[::-1], "y": LABELS[::-1], "w": [2] * 400})
    result = ordcut.frames.optimal_thresholds(frame, score="s", label="y", weight="w")
    assert result.record == record_of(sample_weight=np.full(400, 2))
    assert (
        ordcut.frames.optimal_thresholds(frame, score="s", label="y").record.digest
        == RESULT.record.digest
    )


def test_columns_that_are_replaced_later_are_not_in_the_record():
    frame = pd.DataFrame({"s": SCORES, "y": LABELS})
    result = ordcut.frames.optimal_thresholds(frame, score="s", label="y")
    frame["y"] = 3 - frame["y"]
    assert result.record == RESULT.record


def test_rows_that_stay_in_an_engine_have_the_record_of_arrays_but_for_a_digest():
    frame = pl.LazyFrame({"s": SCORES, "y": LABELS})
    record = ordcut.frames.optimal_thresholds(frame, score="s", label="y").record
    assert record.digest is None
    assert (record.counts, record.decided, record.rows) == (
        RESULT.record.counts, RESULT.record.decided, 400,
    )  # fmt: skip
    for score, share in zip(record.scores.scores, record.scores.shares, strict=True):
        assert abs(share - np.mean(score >= SCORES)) < 0.01


def test_costs_of_each_row_have_no_classes():
    result = ordcut.optimal_thresholds([1, 2, 3], None, costs=[[0, 1], [0, 1], [3, 1]])
    assert (result.record.counts, result.record.decided) == ((), (2.0, 1.0))
    assert ordcut.Thresholds.from_json(result.to_json()).record.decided == (2.0, 1.0)


@pytest.mark.parametrize("name", OPTIONS)
def test_files_follow_the_schema(name):
    data = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.validate(data, json.loads(schema_text()))


def test_intervals_are_part_of_the_record_and_follow_the_schema():
    text = RESULT.to_json(bootstrap=RESULT.bootstrap(n=50))
    jsonschema.validate(json.loads(text), json.loads(schema_text()))
    assert ordcut.Thresholds.from_json(text).record.intervals["replicates"] == 50


def test_the_file_of_a_hundred_classes_is_small():
    labels = np.random.default_rng(1).integers(0, 100, 3000)
    result = ordcut.optimal_thresholds(labels + 3 * RNG.normal(size=3000), labels)
    assert len(result.to_json(bootstrap=result.bootstrap(n=2)).encode()) < 20_000


DAMAGED = {
    "record must hold": [1],
    "record must name": {"decided": [1, 1]},
    "decided must hold": {"ordcut": "1", "decided": [0, 0, 0, 0]},
    "decided of a record": {"ordcut": "1", "decided": [1, 1]},
    "counts of a record": {"ordcut": "1", "decided": [1] * 4, "counts": ["a"] * 4},
    "recall of a record": {"ordcut": "1", "decided": [1] * 4, "recall": [-1] * 4},
    "rows of a record": {"ordcut": "1", "decided": [1] * 4, "rows": "many"},
    "scores of a record": {
        "ordcut": "1", "decided": [1] * 4, "scores": {"quantiles": [2, 1], "shares": [0.5, 1]},
    },
    "intervals must hold": {"ordcut": "1", "decided": [1] * 4, "intervals": {"level": 2}},
}  # fmt: skip


@pytest.mark.parametrize("message", DAMAGED)
def test_damaged_records_are_refused(message):
    data = json.loads(RESULT.to_json()) | {"record": DAMAGED[message]}
    with pytest.raises(ValueError, match=message):
        ordcut.Thresholds.from_json(json.dumps(data))


COSTS = [[0, 1, 4, 9], [1, 0, 1, 4], [5, 2, 0, 1], [9, 5, 2, 0]]
ASKED = {
    "costs": {"objective": COSTS},
    "a function": {"objective": lambda decided, true: abs(decided - true) ** 1.5},
    "a kappa": {"objective": ordcut.Kappa(COSTS)},
    "a name for other costs": {"objective": ordcut.Objective("absolute", COSTS)},
    "reviews": {"review": 0.3, "class_weight": {3: 2}},
    "a share of reviews": {"review_share": 0.2},
    "decisions": {"objective": [[0, 0, 2, 2], [1, 1, 0, 0]], "decisions": ["no", "yes"]},
    "a name": {"objective": "macro_f1"},
    "balanced": {"objective": "macro_mae"},
}


@pytest.mark.parametrize("name", ASKED)
def test_a_file_says_what_thresholds_were_found_for(name):
    result = ordcut.optimal_thresholds(SCORES, LABELS, **ASKED[name])
    text = result.to_json()
    jsonschema.validate(json.loads(text), json.loads(schema_text()))
    saved = ordcut.Thresholds.from_json(text)
    assert saved.record.cost == result.record.cost
    again = SCORES[::-1] + 0.3, LABELS[::-1]
    for one in (saved, pickle.loads(pickle.dumps(result))):
        assert ordcut.gate(one, *again).estimate.value == ordcut.gate(result, *again).estimate.value
        first, second = (ordcut.update(each, *again, smoothing=0) for each in (one, result))
        assert first.as_dict() == second.as_dict()


def test_the_card_shows_the_rule_and_the_evidence():
    text = str(ordcut.Thresholds.from_json(RESULT.to_json()).card())
    for part in (f"{RESULT.thresholds[0]:.6g}", "400", RESULT.record.digest, "ordcut", "convex"):
        assert part in text
    html = RESULT.card()._repr_html_()
    assert html.count("<tr>") == 5
    assert html.count('class="note"') == len(RESULT.card().facts)


def test_the_card_escapes_names():
    result = ordcut.optimal_thresholds([1, 2], ["<b>", "\x1b[31m"], classes=["<b>", "\x1b[31m"])
    assert "<b>" not in result.card()._repr_html_()
    assert "\x1b" not in str(result.card())


def test_weights_and_shares_of_classes_are_in_the_record():
    assert record_of(class_weight="balanced").class_weight == "balanced"
    assert record_of(class_weight=[1, 2, 3, 4]).class_weight == (1, 2, 3, 4)
    result = ordcut.optimal_thresholds(SCORES, LABELS, class_shares=[0.4, 0.3, 0.2, 0.1])
    assert result.record.class_shares == (0.4, 0.3, 0.2, 0.1)
    text = result.to_json()
    jsonschema.validate(json.loads(text), json.loads(schema_text()))
    assert ordcut.Thresholds.from_json(text).record.class_shares == (0.4, 0.3, 0.2, 0.1)
