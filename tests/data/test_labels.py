"""Labels of every kind become codes in their order."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ordcut
from ordcut._core.data import encode

SIZES = ["small", "medium", "large"]


def test_categories_of_numbers_keep_their_stated_order():
    encoded = encode(pd.Categorical([3, 1], categories=[3, 2, 1], ordered=True))
    assert encoded.classes.tolist() == [3, 2, 1]
    assert encoded.codes.tolist() == [0, 2]


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a", "b"],
        np.array(["b", "a", "b"], dtype=object),
        pd.Series(["b", "a", "b"]),
        pl.Series(["b", "a", "b"]),
        pa.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], dtype=np.dtypes.StringDType()),
    ],
    ids=["list", "objects", "pandas", "polars", "arrow", "StringDType"],
)
def test_text_without_an_order_is_an_error(labels):
    with pytest.raises(ValueError, match=r"no stated order: 'a', 'b'. Pass classes= with all"):
        encode(labels)


@pytest.mark.parametrize("n_rows", [3, 15_000])
@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pd.Categorical, pl.Series])
def test_numbers_written_as_text_are_in_the_order_of_their_values(kind, n_rows):
    labels = ["10", "9.5", "-1"] * (n_rows // 3)
    with pytest.warns(ordcut.UnorderedLabelsWarning, match="such as '-1' and '9.5', counts as 1"):
        encoded = encode(kind(labels))
    assert encoded.classes.tolist() == ["-1", "9.5", "10"]
    assert encoded.classes[encoded.codes].tolist() == labels


def test_whole_numbers_one_apart_written_as_text_have_their_distances():
    assert encode(["10", "9", "11"]).classes.tolist() == ["9", "10", "11"]


@pytest.mark.parametrize("n_rows", [3, 15_000])
def test_an_unordered_categorical_keeps_its_listed_order_with_a_warning(n_rows):
    labels = pd.Categorical(["mid", "low", "high"] * (n_rows // 3), ["low", "none", "mid", "high"])
    for given in (labels, pd.Series(labels), pd.DataFrame({"y": labels})):
        with pytest.warns(ordcut.UnorderedLabelsWarning, match="'low' < 'mid' < 'high'. Pass"):
            encoded = encode(given)
        assert encoded.classes.tolist() == ["low", "mid", "high"]
        assert encoded.codes[:3].tolist() == [1, 0, 2]


def test_the_warning_points_at_the_line_of_the_user():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ordcut.optimal_thresholds([1, 2], pd.Categorical(["a", "b"]))
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "labels",
    [
        [1, 3, 5],
        [-7, 0, 2],
        [0.5, 1.5, 2.25],
        [-(2**62), 0, 2**62],
        np.array([250, 251, 255], dtype=np.uint8),
        np.array([-128, 0, 127], dtype=np.int8),
        np.array([2**64 - 3, 2**64 - 2, 2**64 - 1], dtype=np.uint64),
    ],
)
def test_gaps_negative_numbers_and_fractions_are_classes_in_ascending_order(labels):
    result = ordcut.optimal_thresholds([1, 2, 3], labels)
    assert result.classes.tolist() == list(labels)
    assert result.predict([1, 2, 3]).tolist() == list(labels)
    assert result.classes.dtype == np.asarray(labels).dtype


def test_small_integers_are_not_copied():
    labels = np.array([0, 2, 1], dtype=np.int8)
    assert encode(labels).codes is labels


def test_classes_that_never_occur_have_thresholds_too():
    result = ordcut.optimal_thresholds([1, 2, 3, 4], [1, 1, 3, 3], classes=[0, 1, 2, 3, 4])
    assert result.thresholds.tolist() == [-np.inf, 2.5, 2.5, np.inf]
    assert result.predict([0, 9]).tolist() == [1, 3]


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series, pa.array])
def test_scores_and_weights_come_as_any_array(kind):
    result = ordcut.optimal_thresholds(
        kind([0.1, 0.4, 0.5, 0.9]), kind([0, 0, 1, 2]), sample_weight=kind([1, 2, 1, 1])
    )
    assert result.thresholds.tolist() == [0.45, 0.7]


def test_soft_labels_are_the_votes_of_raters():
    votes = [[3, 0, 0], [1, 2, 0], [0, 1, 2], [0, 0, 3]]
    result = ordcut.optimal_thresholds([1, 2, 3, 4], votes, classes=["no", "perhaps", "yes"])
    scores, labels = [], []
    for score, row in zip([1, 2, 3, 4], votes, strict=True):
        for code, count in enumerate(row):
            scores += [score] * count
            labels += [code] * count
    one_by_one = ordcut.optimal_thresholds(scores, labels)
    assert result.thresholds.tolist() == one_by_one.thresholds.tolist()
    assert result.value == one_by_one.value
    assert result.classes.tolist() == ["no", "perhaps", "yes"]


def test_balanced_classes_count_the_same():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [80, 10, 10])
    scores = labels + rng.normal(scale=1.5, size=100)
    balanced = ordcut.optimal_thresholds(scores, labels, class_weight="balanced")
    by_hand = ordcut.optimal_thresholds(scores, labels, class_weight=[1, 8, 8])
    by_name = ordcut.optimal_thresholds(scores, labels, class_weight={1: 8, 2: 8})
    assert balanced == by_hand == by_name
    assert balanced.value < ordcut.evaluate(
        labels,
        ordcut.optimal_thresholds(scores, labels).predict(scores),
        class_weight="balanced",
    )


def test_integers_that_are_codes_already_are_neither_copied_nor_let_out_of_range():
    labels = np.array([2, 0, 2])
    for classes in (range(4), np.arange(3)):
        assert encode(labels, classes).codes is labels
    with pytest.raises(ValueError, match="among the classes 0, 1, got 2 at position 0"):
        encode(labels, [0, 1])
    with pytest.raises(ValueError, match="got -1 at position 1"):
        encode(np.array([0, -1]), range(3))


def test_a_frame_whose_only_column_has_a_number_for_a_name_is_its_column():
    assert encode(pd.DataFrame([3, 1, 2])).classes.tolist() == [1, 2, 3]


def test_decimals_are_the_numbers_that_they_are():
    whole = encode([Decimal("2.00"), Decimal(1)])
    assert (whole.classes.tolist(), whole.classes.dtype.kind) == ([1, 2], "i")
    assert encode([Decimal("0.1"), 2, Decimal("1.5")]).classes.tolist() == [0.1, 1.5, 2.0]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([Decimal("NaN"), Decimal(1)], "must not be missing"),
        ([Decimal("Infinity"), Decimal(1)], "must be finite"),
        ([Decimal(2**53) + Decimal("0.1"), Decimal(2**53) + Decimal("0.2")], "differ in float64"),
        ([2**70, 2**71], "at most 64 bits"),
        ([Decimal(2**70), Decimal(2**71)], "at most 64 bits"),
    ],
)
def test_numbers_that_no_type_holds_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        encode(labels)


def test_ratings_in_quarters_and_whole_numbers_are_classes_if_they_recur():
    scores, codes = np.arange(240) / 7, np.arange(240) // 3
    for labels in (codes / 4, codes, codes.astype(float), codes.astype(str)):
        result = ordcut.optimal_thresholds(scores, labels)
        assert result.classes.tolist() == labels[::3].tolist()


@pytest.mark.parametrize("ids", [np.arange(7000) * 3, np.arange(21), np.arange(99).astype(str)])
def test_ids_are_no_classes_unless_they_are_listed(ids):
    scores = np.arange(len(ids)) / 7
    with pytest.raises(ValueError, match=f"look like ids .* {len(ids)} different values"):
        ordcut.optimal_thresholds(scores, ids)
    assert len(ordcut.optimal_thresholds(scores, ids, classes=ids).classes) == len(ids)


def test_whole_scores_and_classes_in_the_wrong_order_are_noticed():
    random = np.random.default_rng(0)
    for n_rows in (500, 30_000):
        credit = random.integers(300, 850, n_rows)
        with pytest.raises(ValueError, match="only 5 whole numbers: they seem to be swapped"):
            ordcut.optimal_thresholds(random.integers(0, 5, n_rows), credit)


@pytest.mark.parametrize("rare", [1, 2, 3, 4])
def test_only_classes_that_occur_are_found_among_many_labels_of_which_few_are_the_highest(rare):
    random = np.random.default_rng(rare)
    for at in random.integers(0, 50_000, 20).tolist():  # mostly where a sample would miss it
        labels = random.integers(0, 2, 50_000)
        labels[at] = rare
        result = encode(labels)
        assert result.classes.tolist() == sorted({0, 1, rare})
        assert result.classes[result.codes].tolist() == labels.tolist()


@pytest.mark.parametrize("dtype", ["<i8", ">i8", "<i4", ">i2", "i1", "<u8", ">u4", "u1"])
@pytest.mark.parametrize("values", [[0, 1, 2], [0, 2, 4], [5, 6], [1, 0], [0, 1, 100], [-2, 0, 1]])
def test_integers_of_any_type_are_encoded_by_their_values(values, dtype):
    labels = np.array(values * 2).astype(dtype)
    result = encode(labels, None, None)
    distinct, codes = np.unique(labels, return_inverse=True)
    assert result.classes.tolist() == distinct.tolist()
    assert result.codes.tolist() == codes.tolist()
