"""The gate in Python, values with intervals, and rows that depend on each other in groups."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.metrics import accuracy_score, balanced_accuracy_score

import ordcut

NAMES = ["accuracy", "balanced_accuracy", "absolute", "quadratic_kappa", "macro_f1", "macro_mae"]


def month(seed, n=300, shift=0.0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(1, 5, n)
    return np.round(labels + shift + rng.normal(0, 0.7, n), 3), labels


def in_groups(seed, n_groups=40, n=300, own=0.4):
    """Return scores, labels and groups; scores of a group share a part of their variance."""
    rng = np.random.default_rng(seed)
    groups = np.append(np.arange(n_groups), rng.integers(0, n_groups, n - n_groups))
    z, noise = (
        np.sqrt(1 - own) * rng.normal(size=n) + np.sqrt(own) * rng.normal(size=n_groups)[groups]
        for _ in range(2)
    )
    return z + 0.6 * noise, np.digitize(z, [-0.5, 0.7]), groups


def left_out_values(labels, predictions, objective, classes):
    rows = np.arange(len(labels))
    return np.array([
        ordcut.evaluate(labels[rows != i], predictions[rows != i], objective, classes=classes)
        for i in rows
    ])  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_standard_error_is_the_jackknife(name):
    _, labels = month(0, 40)
    predictions = np.clip(labels + np.random.default_rng(1).integers(-1, 2, 40), 1, 4)
    classes = [1, 2, 3, 4]
    estimate = ordcut.evaluate(labels, predictions, name, classes=classes, intervals=True)
    left_out = left_out_values(labels, predictions, name, classes)
    assert estimate.left_out == pytest.approx(left_out)
    error = np.sqrt(39 / 40 * np.square(left_out - left_out.mean()).sum())
    assert estimate.standard_error == pytest.approx(error)
    low, high = estimate.interval()
    assert low < estimate.value < high
    alone = ordcut.evaluate(
        labels, predictions, name, classes=classes, intervals=True, groups=np.arange(40)
    )
    assert alone.standard_error == pytest.approx(error)


def test_an_accuracy_has_the_interval_of_jeffreys_and_the_value_of_scikit_learn():
    scores, labels = month(2)
    result = ordcut.optimal_thresholds(scores, labels)
    predictions = result.predict(scores)
    values = ordcut.evaluate(labels, predictions, ["accuracy", "balanced_accuracy"])
    assert values["accuracy"] == pytest.approx(accuracy_score(labels, predictions))
    expected = balanced_accuracy_score(labels, predictions)
    assert values["balanced_accuracy"] == pytest.approx(expected)
    right = (labels == predictions).sum()
    low, high = ordcut.evaluate(labels, predictions, "accuracy", intervals=True).interval(0.9)
    ends = beta.ppf([0.05, 0.95], right + 0.5, 300 - right + 0.5)
    assert [low, high] == pytest.approx(ends, rel=1e-9)
    loss = ordcut.evaluate(labels, predictions, "zero_one", intervals=True).interval(0.9)
    assert [1 - high, 1 - low] == pytest.approx(loss)


def test_weights_that_repeat_rows_are_rows():
    _, labels = month(3, 30)
    predictions, counts = np.roll(labels, 1), np.arange(30) % 3 + 1
    for name in NAMES:
        weighted = ordcut.evaluate(
            labels, predictions, name, intervals=True, sample_weight=counts, weight_type="repeats"
        )
        repeated = ordcut.evaluate(
            np.repeat(labels, counts), np.repeat(predictions, counts), name, intervals=True
        )
        assert weighted.value == pytest.approx(repeated.value)
        assert weighted.interval() == pytest.approx(repeated.interval())


@pytest.mark.parametrize("name", NAMES)
def test_repeated_rows_are_no_evidence_if_they_are_groups(name):
    _, labels = month(4, 60)
    predictions = np.where(np.arange(60) % 3, labels, np.roll(labels, 1))
    each = ordcut.evaluate(labels, predictions, name, intervals=True)
    rows = np.tile(np.arange(60), 5)
    many = ordcut.evaluate(
        labels[rows], predictions[rows], name, intervals=True, groups=rows.astype(str)
    )
    assert many.standard_error == pytest.approx(each.standard_error, rel=0.05)
    assert many.n_units == 60


def test_bad_groups_and_options_are_named():
    with pytest.raises(ValueError, match="pass intervals=True"):
        ordcut.evaluate([0, 1], [0, 1], groups=[1, 2])
    with pytest.raises(ValueError, match="at least two groups"):
        ordcut.evaluate([0, 1], [0, 1], intervals=True, groups=["a", "a"])
    result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 0, 1])
    with pytest.raises(ValueError, match="for each of the 4 rows"):
        result.bootstrap(10, groups=[1, 2])
    with pytest.raises(ValueError, match="pass intervals=True"):
        result.report([1, 2, 3, 4], [0, 1, 0, 1], groups=[1, 1, 2, 2])
    with pytest.raises(ValueError, match="target must be a finite number"):
        ordcut.gate(result, [1, 2, 3, 4], [0, 1, 0, 1], target="0.5")
    with pytest.raises(TypeError, match=r"gate\(thresholds, scores, labels\)"):
        ordcut.gate([1, 2, 3, 4], [0, 1, 0, 1], result)
    with pytest.raises(ValueError, match="same length"):
        ordcut.gate(result, [1, 2, 3], [0, 1, 0, 1])
    with pytest.raises(TypeError, match="against must be a pair"):
        ordcut.gate(result, [1, 2, 3, 4], [0, 1, 0, 1], against="may.csv")
    with pytest.raises(ValueError, match="at least two rows"):
        ordcut.gate(result, [1], [0])
    groups = pd.Series([1, 1, 2, 2], index=[3, 2, 1, 0])
    with pytest.raises(ValueError, match="same index in the same order"):
        ordcut.gate(result, pd.Series([1, 2, 3, 4]), [0, 1, 0, 1], groups=groups)
    panel = ordcut.Panel([[0, 1], [1, 1], [0, 0], [1, 1]])
    with pytest.raises(ValueError, match="of the same kind"):
        ordcut.gate(result, [1, 2, 3, 4], panel, "kappa", against=([1, 2, 3], [0, 1, 0]))


def test_a_change_is_noticed_and_rows_are_paired_by_their_names():
    (scores, labels), (then, before) = month(7), month(8)
    fitted = ordcut.optimal_thresholds(then, before)
    names = [f"row {i}" for i in range(300)]
    may = ordcut.Batch(then, before, items=names)
    moved = ordcut.gate(fitted, scores + 0.5, labels, against=may)
    assert (moved.outcome, moved.exit_code) == ("changed", 5)
    value, bias = moved.changes["the rows before"]
    assert not value.is_paired
    assert bias.low > 0
    again = ordcut.gate(fitted, then[::-1], before[::-1], items=names[::-1], against=may)
    value, bias = again.changes["the rows before"]
    assert value.is_paired
    assert (bias.value, bias.low, bias.high) == (0, 0, 0)


@pytest.mark.parametrize(
    "options",
    [
        {"review": 0.3},
        {"class_weight": {4: 3}},
        {"constraints": ["recall 4 >= 0.8"]},
        {"objective": [[0, 0, 1, 3], [1, 1, 0, 0]], "decisions": ["no", "yes"]},
    ],
    ids=lambda options: next(iter(options)),
)
def test_the_value_where_thresholds_were_found_is_corrected(options):
    changes, raw = [], []
    for seed in range(40):
        scores, labels = month(seed, n=120)
        result = ordcut.optimal_thresholds(scores[:60], labels[:60], **options)
        saved = ordcut.Thresholds.from_json(result.to_json())
        gate = ordcut.gate(saved, scores[60:], labels[60:], against=(scores[:60], labels[:60]))
        changes.append(gate.changes["the rows before"][0].value)
        raw.append(gate.estimate.value - result.value)
    assert abs(np.mean(changes)) < 2.5 * np.std(changes) / np.sqrt(40)
    assert np.mean(raw) > np.mean(changes)


def test_names_of_rows_must_differ():
    (scores, labels), (then, before) = month(7), month(8)
    fitted = ordcut.optimal_thresholds(then, before)
    patients = ordcut.Batch(then, before, items=np.arange(300) // 2)
    with pytest.raises(ValueError, match="a different name for each row"):
        ordcut.gate(fitted, scores, labels, against=patients)


def test_a_target_is_a_number_of_any_type():
    scores, labels = month(7)
    fitted = ordcut.optimal_thresholds(scores, labels)
    for target in (1, np.float32(0.99), np.int64(1)):
        assert ordcut.gate(fitted, scores, labels, target=target).outcome == "passed"
    for target in (np.nan, "0.5", True):
        with pytest.raises(ValueError, match="target must be a finite number"):
            ordcut.gate(fitted, scores, labels, target=target)


def test_the_gate_knows_weights_decisions_and_groups():
    scores, labels, groups = in_groups(9)
    weights = np.random.default_rng(0).random(300)
    reviewed = ordcut.optimal_thresholds(scores, labels, review=0.3)
    gate = ordcut.gate(reviewed, scores, labels, sample_weight=weights, groups=groups, target=0.5)
    judged = ordcut.judge(reviewed, scores, labels, sample_weight=weights)
    assert gate.estimate.value == pytest.approx(judged.value)
    assert "over groups" in str(gate)
    assert ordcut.gate(reviewed, scores, labels, against=(scores, labels)).outcome == "passed"


def test_dependent_rows_are_covered_and_look_better_than_they_are_without_groups():
    given = ordcut.Thresholds.from_values([-0.6, 0.9], classes=[0, 1, 2])
    scores, labels, _ = in_groups(0, n_groups=200_000, n=200_000)
    truth = {name: ordcut.evaluate(labels, given.predict(scores), name) for name in NAMES}
    shares = given.report(scores, labels, backend="polars")
    covered = {True: [], False: []}
    for seed in range(1, 121):
        scores, labels, groups = in_groups(seed)
        for is_grouped, rows in covered.items():
            options = {"groups": groups if is_grouped else None, "intervals": True}
            frame = given.report(scores, labels, backend="polars", **options)
            decided = given.predict(scores)
            values = ordcut.evaluate(labels, decided, NAMES, classes=[0, 1, 2], **options)
            ends = [values[name].interval() for name in NAMES]
            inside = [
                low <= truth[name] <= high for name, (low, high) in zip(NAMES, ends, strict=True)
            ]
            for figure in ("share", "recall", "precision", "f1"):
                low, high = frame[f"{figure}_low"], frame[f"{figure}_high"]
                inside += ((low <= shares[figure]) & (shares[figure] <= high)).to_list()
            rows.append(inside)
    with_groups, without = (np.mean(covered[key], axis=0) for key in (True, False))
    assert with_groups.min() >= 0.9
    assert without.mean() < with_groups.mean() - 0.05
