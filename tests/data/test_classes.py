"""Classes: which labels are, in which order, and which are refused."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ordcut
from ordcut._core.data import (
    check_aligned,
    check_classes,
    check_not_continuous,
    check_plausible_classes,
    codes_of,
    encode,
    is_missing,
    stated_order,
)

SIZES = ["small", "medium", "large"]


# Labels that look like scores


def refusal(check, *arguments):
    """What the error says, if there is one."""
    try:
        check(*arguments)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("n_classes", "n_rows", "expected"),
    [
        (5, 5, False),
        (6, 6, True),
        (6, 7, False),
        (20, 21, False),
        (21, 22, True),
        (21, 62, True),
        (21, 63, False),
        (333, 1000, False),
        (334, 1000, True),
    ],
)
def test_fractions_are_continuous_with_few_rows_for_each_of_more_than_20_or_six_that_differ(
    n_classes, n_rows, expected
):
    values = np.arange(n_classes) / 7 + 0.1
    assert ("continuous" in refusal(check_not_continuous, values, n_rows, "y")) == expected
    are_refused = n_classes > max(50, n_rows / 3)
    for steps in (np.arange(n_classes) / 4, np.arange(n_classes), np.arange(n_classes).astype(str)):
        assert ("y must hold" in refusal(check_not_continuous, steps, n_rows, "y")) == are_refused
    eighths = np.arange(n_classes) / 8
    assert ("y must hold" in refusal(check_not_continuous, eighths, n_rows, "y")) == expected


@pytest.mark.parametrize(
    ("n_classes", "n_scores", "n_rows", "n_given", "expected"),
    [
        (2, 1, 10, 10, False),
        (3, 2, 10, 10, True),
        (3, 3, 10, 10, False),
        (3, 2, 10_000, 10_000, True),
        (3, 2, 10_001, 10_001, False),
        (3, 2, 100, 99, False),  # some of the rows
        (3, 2, 5, 4, True),
        (10_001, 2, 20_002, 20_002, False),
        (10_001, 2, 20_001, 20_001, True),
    ],
)
def test_fractions_seem_swapped_with_fewer_whole_scores(
    n_classes, n_scores, n_rows, n_given, expected
):
    classes = np.arange(n_classes) / 7 + 0.1
    scores = np.arange(n_given) % n_scores * 1.0
    assert ("swapped" in refusal(check_plausible_classes, classes, scores, n_rows)) == expected
    if n_given == n_rows:
        assert ("swapped" in refusal(check_plausible_classes, classes, scores)) == expected
    if expected:
        is_refused = refusal(check_plausible_classes, np.arange(n_classes), scores) != ""
        assert is_refused == (n_classes > 20)
        assert "swapped" not in refusal(check_plausible_classes, classes, scores + 0.5)


# What classes are


@pytest.mark.parametrize(
    ("classes", "error", "message"),
    [
        ([1], ValueError, r"at least two classes, lowest first, got \[1\]"),
        ([], ValueError, "at least two classes"),
        ([[1, 2], [3, 4]], ValueError, "at least two classes"),
        (frozenset([1, 2]), TypeError, "got a frozenset, which has none"),
        ({1: 2, 3: 4}, TypeError, "got a dict, which has none"),
        (["a", "b", "a"], ValueError, "classes must be distinct, got 'a' more than once"),
        ([3, 1, 2, 1], ValueError, "classes must be distinct, got 1 more than once"),
        ([1, None], ValueError, "classes must not be missing, got None at position 1"),
        (["a", 1], TypeError, "classes must be all text or all numbers, got 1 among text"),
        ([1, np.nan], ValueError, "classes must not be missing, got nan at position 1"),
    ],
)
def test_classes_are_at_least_two_distinct_values_in_order(classes, error, message):
    with pytest.raises(error, match=message):
        check_classes(classes)


def test_two_classes_are_enough_and_keep_their_order():
    for classes in ([2, 1], ("b", "a"), np.array([2.5, 1.5]), pd.Series([2, 1])):
        assert check_classes(classes).tolist() == list(classes)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([2**63, -1], "at most 64 bits, got numbers from -1 to 9223372036854775808"),
        ([2**64, 0], "at most 64 bits"),
        ([2**63 + 1, 2**63 + 2, 0], "at most 64 bits, got numbers from 0 to 9223372036854775810"),
        ([], "labels must hold at least one row, got none"),
        (np.zeros((0, 3)), "labels must hold at least one row, got none"),
        (np.zeros((2, 2, 2)), r"got shape \(2, 2, 2\)"),
        (np.array(5), r"got shape \(\)"),
        ([7, 7], "at least two classes, got only 7. If other classes"),
        (["a", "a"], "at least two classes, got only 'a'"),
        ([-np.inf, 1.0, 2.0], "labels must be finite, got -inf"),
        ([[1, 0], [0, np.nan]], "must not be missing, got nan at position \\[1, 1\\]"),
        ([[1, 0], [np.inf, 1]], "got inf at position \\[1, 0\\]"),
        ([[1, 0], [0, -1]], "got -1.0 at position \\[1, 1\\]"),
    ],
)
@pytest.mark.filterwarnings("ignore::ordcut.UnorderedLabelsWarning")
def test_labels_that_cannot_be_classes_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        encode(labels)


@pytest.mark.parametrize(
    "labels", [np.array([b"a", b"b"]), np.array(["2026-01-01", "2026-01-02"], "M8[D]"), [1j, 2]]
)
def test_bytes_dates_and_complex_numbers_are_no_labels(labels):
    with pytest.raises(TypeError, match="labels must be numbers, booleans or text, got values of"):
        encode(labels)


def test_the_limits_of_64_bits_are_labels():
    for labels in ([2**64 - 1, 2**63], [-(2**63), 2**63 - 1], [2**63, 2**63 + 1], [1e300, 1.5]):
        for kind in (list, tuple, lambda some: np.array(some, dtype=object)):
            result = encode(kind(labels))
            assert result.classes.tolist() == sorted(labels)
            assert result.classes[result.codes].tolist() == labels


def test_missing_values_are_found_in_arrays_of_every_kind():
    assert is_missing(np.array([1.0, np.nan])).tolist() == [False, True]
    assert is_missing(np.array([1, 2])).tolist() == [False, False]
    assert is_missing(np.array(["a", "nan"])).tolist() == [False, False]
    objects = np.array(["a", None, float("nan"), pd.NA, 3, pd.NaT], dtype=object)
    assert is_missing(objects).tolist() == [False, True, True, True, False, True]


def test_the_first_of_several_missing_labels_is_named():
    with pytest.raises(ValueError, match="must not be missing, got None at position 1"):
        encode(["a", None, "b", float("nan")])
    with pytest.raises(ValueError, match="must not be missing, got nan at position 1"):
        encode([1.5, np.nan, np.nan])


def test_labels_may_come_in_any_sequence():
    assert encode(range(2, 5)).classes.tolist() == [2, 3, 4]
    assert encode(memoryview(np.array([3, 1]))).codes.tolist() == [1, 0]


@pytest.mark.parametrize("n_names", [20, 21])
def test_up_to_twenty_classes_are_listed_in_an_error(n_names):
    classes = np.arange(n_names)
    listed = ", ".join(map(str, range(20))) + (", ... (21 in all)" if n_names > 20 else "")
    with pytest.raises(ValueError, match=f"among the classes {re.escape(listed)}, got 99 at pos"):
        codes_of([0, 99], classes, "labels")


@pytest.mark.parametrize("n_names", [20, 21])
def test_up_to_twenty_names_are_shown_in_a_warning(n_names):
    names = [f"c{i:02}" for i in range(n_names)]
    with pytest.warns(ordcut.UnorderedLabelsWarning) as caught:
        encode(pd.Categorical(names))
    shown = " < ".join(f"'{name}'" for name in names[:20])
    more = " < ... (21 in all)" if n_names > 20 else ""
    assert f"assuming {shown}{more}. Pass" in str(caught[0].message)


@pytest.mark.parametrize(
    "classes", [[3, 1, 2], [0, 1, 2], [5, 7, 9], [2.5, 0.5, 1.5], ["c", "a", "b"]]
)
def test_codes_are_positions_among_classes_in_any_order(classes):
    values = [classes[2], classes[0], classes[0], classes[1]]
    for kind in (list, np.array, lambda some: np.array(some, dtype=object)):
        assert codes_of(kind(values), np.array(classes), "y").tolist() == [2, 0, 0, 1]
    unknown = "zz" if isinstance(classes[0], str) else 99
    for bad in (unknown, "A" if unknown == "zz" else -99):
        with pytest.raises(
            ValueError, match=f"y must be among the classes .*, got '?{bad}(.0)?'? at position 1"
        ):
            codes_of([classes[0], bad], np.array(classes), "y")
    with pytest.raises(TypeError, match=f"got {'numbers' if unknown == 'zz' else 'text'} in y"):
        codes_of([1 if unknown == "zz" else "one"], np.array(classes), "y")
    assert codes_of(np.array(values)[:0], np.array(classes), "y").tolist() == []


def test_a_matrix_for_more_classes_than_occur_needs_labels_that_count_from_0():
    assert encode([0, 2, 2], n_classes=4).classes.tolist() == [0, 1, 2, 3]
    assert encode([0, 0], n_classes=2).codes.tolist() == [0, 0]
    assert encode([5, 7], n_classes=2).codes.tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"whole numbers from 0 to 2 .*, got 3 at position 1"):
        encode([0, 3], n_classes=3)
    for labels in ([1, 2], [0.0, 1.0], [-1, 0]):
        with pytest.raises(
            ValueError, match=r"made for 3 classes, but labels hold 2: .*List all 3"
        ):
            encode(labels, n_classes=3)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int64, np.uint64])
def test_integers_are_encoded_by_value_however_far_apart_they_are(dtype):
    info = np.iinfo(dtype)
    random = np.random.default_rng(0)
    low, high = max(info.min, -3000), min(info.max, 3000)
    for values in (
        [0, info.max],
        [info.min, info.max],
        [info.max - 1, info.max],
        np.arange(0, min(1100, high)),
        np.arange(low, high, 7),
        [max(low, -5), 3, min(high, 1030)],
        [0, 1, min(high, 1024)],
        [0, 1, min(high, 1025)],
        random.integers(0, min(high, 50), 20_000),
        random.integers(0, min(high, 50), 20_000) * 2,
    ):
        labels = np.array(values, dtype=dtype)
        result = encode(labels)
        distinct, codes = np.unique(labels, return_inverse=True)
        assert result.classes.tolist() == distinct.tolist()
        assert result.classes.dtype == dtype
        assert result.codes.tolist() == codes.tolist()


# Soft labels with names


def test_columns_of_soft_labels_are_the_classes():
    soft = pd.DataFrame({"low": [1, 0, 1], "high": [0, 1, 0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert encode(soft).classes.tolist() == ["low", "high"]  # not alphabetical, so on purpose
    with pytest.warns(ordcut.UnorderedLabelsWarning, match="'high' < 'low'"):
        assert encode(soft[["high", "low"]]).classes.tolist() == ["high", "low"]
    assert encode(soft, ["high", "low"]).soft.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert encode(soft, ["high", "low"]).classes.tolist() == ["high", "low"]
    assert encode(soft.set_axis([3, 1], axis=1)).classes.tolist() == [1, 3]
    assert encode(soft.set_axis(["2", "1"], axis=1), [1, 2]).soft.tolist() == [
        [0, 1],
        [1, 0],
        [0, 1],
    ]
    assert encode(soft.astype(bool)).soft.tolist() == soft.to_numpy().tolist()
    with pytest.raises(ValueError, match="labels have 2 columns, but classes lists 3 classes"):
        encode(soft.to_numpy(), ["a", "b", "c"])
    with pytest.raises(ValueError, match="2 columns, but objective is made for 3 classes"):
        encode(soft, None, 3)
    assert encode(soft, None, 2).soft.shape == (3, 2)


# Orders that are stated


def dictionary(ordered):
    return pa.DictionaryArray.from_arrays(pa.array([2, 0, 2]), SIZES, ordered=ordered)


ORDERED = {
    "categorical": pd.Categorical(["large", "small", "large"], SIZES, ordered=True),
    "series": pd.Series(pd.Categorical(["large", "small", "large"], SIZES, ordered=True)),
    "frame": pd.DataFrame({"y": pd.Categorical(["large", "small", "large"], SIZES, ordered=True)}),
    "enum": pl.Series(["large", "small", "large"], dtype=pl.Enum(SIZES)),
    "frame of an enum": pl.DataFrame(
        {"y": pl.Series(["large", "small", "large"], dtype=pl.Enum(SIZES))}
    ),
    "dictionary": dictionary(ordered=True),
    "chunks": pa.chunked_array([dictionary(ordered=True)]),
    "table": pa.table({"y": dictionary(ordered=True)}),
}
UNORDERED = {
    "list": ["large", "small", "large"],
    "array": np.array(["large", "small", "large"]),
    "categories": pl.Series(["large", "small", "large"], dtype=pl.Categorical),
    "dictionary": dictionary(ordered=False),
    "chunks": pa.chunked_array([dictionary(ordered=False)]),
    "frame": pl.DataFrame({"y": ["large", "small", "large"]}),
    "objects": np.array(["large", "small", "large"], dtype=object),
    "StringDType": np.array(["large", "small", "large"], dtype=np.dtypes.StringDType()),
    "pandas": pd.Series(["large", "small", "large"]),
    "polars": pl.Series(["large", "small", "large"]),
    "arrow": pa.array(["large", "small", "large"]),
}


@pytest.mark.parametrize("labels", ORDERED.values(), ids=ORDERED)
def test_an_order_that_labels_state_is_that_of_the_classes(labels):
    result = encode(labels)
    assert result.classes.tolist() == SIZES
    assert result.codes.tolist() == [2, 0, 2]
    assert encode(labels, SIZES[::-1]).codes.tolist() == [0, 2, 0]


@pytest.mark.parametrize("labels", UNORDERED.values(), ids=UNORDERED)
def test_labels_without_an_order_are_refused(labels):
    assert stated_order(labels) is None
    with pytest.raises(ValueError, match="no stated order: 'large', 'small'"):
        encode(labels)


def test_the_bins_of_pandas_cut_are_classes_in_their_order():
    ages = pd.Series([5, 30, 70, 31])
    bins = pd.cut(ages, [0, 18, 65, 100])
    for labels in (bins, bins.array, bins.to_frame()):
        result = encode(labels)
        assert [*map(str, result.classes)] == ["(0, 18]", "(18, 65]", "(65, 100]"]
        assert result.codes.tolist() == [0, 1, 2, 1]


# Indexes


@pytest.mark.parametrize(
    ("one", "other"), [([0, 1, 1], [0, 1, 2]), ([0, 1, 2], [0, 1, 1]), ([0, 1, 2], [2, 3, 4])]
)
def test_indexes_that_share_only_some_labels_are_a_warning(one, other):
    with pytest.warns(ordcut.DifferentIndexWarning, match="one and other have different indexes"):
        check_aligned(one=pd.Series([1, 2, 3], one), other=pd.Series([1, 2, 3], other))


def test_every_pair_of_neighbours_is_compared_and_other_lengths_are_not():
    plain, turned = pd.Series([1, 2]), pd.Series([1, 2], [1, 0])
    with pytest.raises(ValueError, match="second and third must have the same index"):
        check_aligned(first=plain, between=[1, 2], second=plain.copy(), third=turned)
    check_aligned(first=plain, second=pd.Series([1, 2, 3]), third=None)
    levels = pd.MultiIndex.from_tuples([(0, 1), (1, 0)])
    with pytest.warns(ordcut.DifferentIndexWarning):
        check_aligned(first=plain, second=plain.set_axis(levels))
