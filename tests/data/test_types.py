"""Numbers that float64 would change, and text that only looks different, are refused."""

import enum

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordcut
from ordcut import frames

SCORES, LABELS = [1.0, 2.0, 3.0], [0, 1, 2]
COST = 1 - np.eye(3)

#: Where numbers are read, with numbers of the same shape as those that are changed.
NUMBERS = {
    "sample_weight": lambda change: ordcut.optimal_thresholds(
        SCORES, LABELS, sample_weight=change(np.array([1, 2, 3]))
    ),
    "class_weight": lambda change: ordcut.optimal_thresholds(
        SCORES, LABELS, class_weight=change(np.array([1, 2, 3]))
    ),
    "objective": lambda change: ordcut.optimal_thresholds(
        SCORES, LABELS, objective=change(COST.astype(int))
    ),
    "costs": lambda change: ordcut.optimal_thresholds(SCORES, costs=change(COST.astype(int))),
    "values": lambda change: ordcut.Thresholds.from_values(change(np.array([1, 2])), LABELS),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda numbers: numbers.astype("m8[D]"), "dates or durations"),
        (lambda numbers: numbers * 1j, "complex numbers"),
        (lambda numbers: numbers * 2**54 + 1, "exact in float64"),
        (lambda numbers: (numbers.astype(object) * 2**80 + 1).tolist(), "exact in float64"),
        (lambda numbers: np.ma.masked_equal(numbers, 1), "masked"),
    ],
    ids=["durations", "complex", "large", "larger", "masked"],
)
def test_numbers_that_float64_would_change_are_refused(name, change, message):
    with pytest.raises((TypeError, ValueError), match=f"{name} must .*{message}"):
        NUMBERS[name](change)
    NUMBERS[name](lambda numbers: numbers)
    NUMBERS[name](lambda numbers: numbers * 2**54)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="no longer floats here")
def test_long_floats_that_collide_are_refused():
    scores = np.array([1, 1 + np.longdouble(2) ** -60, 2], np.longdouble)
    with pytest.raises(ValueError, match="scores must differ in float64"):
        ordcut.optimal_thresholds(scores, LABELS)
    ordcut.optimal_thresholds(scores[1:], LABELS[1:])


@pytest.mark.parametrize("other", [" 1", "1.0", "01", "+1", "1e0"])
@pytest.mark.parametrize("n_repeats", [1, 5000])
def test_texts_that_are_the_same_number_are_refused(other, n_repeats):
    labels, scores = ["1", other, "2"] * n_repeats, SCORES * n_repeats
    with pytest.raises(ValueError, match="the same text where they are the same number, got"):
        ordcut.optimal_thresholds(scores, labels)
    with pytest.raises(ValueError, match="the same text where they are the same number, got"):
        frames.optimal_thresholds(pl.DataFrame({"s": scores, "y": labels}), score="s", label="y")
    classes = ["1", other, "2"]
    assert ordcut.optimal_thresholds(scores, labels, classes=classes).classes.tolist() == classes


def test_members_of_an_enum_of_text_are_their_text():
    class Risk(str, enum.Enum):  # noqa: UP042 (as code for Python 3.10 has it)
        LOW, MID, HIGH = "low", "middle", "high"

    result = ordcut.optimal_thresholds(SCORES, list(Risk), classes=list(Risk))
    assert result.classes.tolist() == ["low", "middle", "high"]
    assert result.predict(SCORES).tolist() == list(Risk)


def test_classes_that_pandas_rounds_beside_a_missing_score_are_refused():
    classes = [2**60, 2**60 + 2]
    result = ordcut.Thresholds.from_values([1.5], classes)
    with pytest.raises(ValueError, match=f"exact in float64 for pandas.*got {2**60 + 2}"):
        frames.predict(pd.DataFrame({"s": [1.0, np.nan, 2.0]}), result, score="s")
    frame = pl.DataFrame({"s": [1.0, None, 2.0]})
    assert frames.predict(frame, result, score="s")["label"].to_list() == [2**60, None, 2**60 + 2]
