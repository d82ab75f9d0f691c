"""Many labels of text are encoded as few are."""

import sys

import numpy as np
import pandas as pd
import pytest

from ordcut._core.data import encode

#: From this many rows on, text is encoded in another way; and of fewer classes than the second.
FEWEST_ROWS, MOST_DISTINCT = 10_000, 1024

NAMES = ["poor", "fair", "good", "excellent indeed", "p"]
CODES = np.random.default_rng(0).integers(0, 5, FEWEST_ROWS + 7)
TEXT = np.array(NAMES)[CODES]

CONTAINERS = {
    "text": TEXT,
    "wide text": TEXT.astype("U33"),
    "text with gaps": np.repeat(TEXT, 2)[::2],
    "text of another byte order": TEXT.astype(TEXT.dtype.newbyteorder()),
    "objects": TEXT.astype(object),
    "list": TEXT.tolist(),
    "tuple": tuple(TEXT.tolist()),
    "series": pd.Series(TEXT),
    "categorical": pd.Series(pd.Categorical(TEXT, categories=[*reversed(NAMES), "none"])),
}


@pytest.mark.parametrize("labels", CONTAINERS.values(), ids=CONTAINERS)
def test_many_labels_get_the_codes_of_their_classes(labels):
    result = encode(labels, NAMES)
    assert result.classes.tolist() == NAMES
    assert result.codes.tolist() == CODES.tolist()


def test_many_strings_get_the_same_codes_where_pandas_is_not_imported(monkeypatch):
    monkeypatch.delitem(sys.modules, "pandas")
    result = encode(TEXT.tolist(), NAMES)
    assert result.codes.tolist() == CODES.tolist()


@pytest.mark.parametrize("make", [list, tuple, lambda some: np.array(some, object), pd.Series])
def test_many_numbers_in_any_container_are_encoded_by_value(make):
    result = encode(make((3 * CODES).tolist()))
    assert result.classes.tolist() == [0, 3, 6, 9, 12]
    assert result.codes.tolist() == CODES.tolist()


def test_many_soft_labels_in_lists_stay_soft():
    soft = np.eye(5)[CODES].tolist()
    assert encode(soft).soft.tolist() == soft


def test_many_labels_of_text_and_numbers_are_an_error():
    with pytest.raises(TypeError, match=f"all text or all numbers.*position {len(TEXT)}"):
        encode([*TEXT.tolist(), 3], NAMES)


def test_an_ordered_categorical_keeps_its_order_and_categories_that_do_not_occur():
    categories = ["none", *NAMES, "best"]
    result = encode(pd.Series(pd.Categorical(TEXT, categories=categories, ordered=True)))
    assert result.classes.tolist() == categories
    assert result.codes.tolist() == (CODES + 1).tolist()


@pytest.mark.parametrize("make", [np.array, list, pd.Series, lambda some: np.array(some, object)])
def test_the_position_of_an_unknown_label_is_named_among_many(make):
    labels = [*TEXT.tolist(), "unheard of"]
    with pytest.raises(ValueError, match=f"got 'unheard of' at position {len(TEXT)}"):
        encode(make(labels), NAMES)


@pytest.mark.parametrize("missing", [None, float("nan")])
@pytest.mark.parametrize("make", [list, lambda some: np.array(some, object), pd.Categorical])
def test_the_position_of_a_missing_label_is_named_among_many(make, missing):
    labels = [*TEXT.tolist(), missing]
    with pytest.raises(ValueError, match=f"must not be missing.*position {len(TEXT)}"):
        encode(make(labels), NAMES)


def test_text_of_any_width_and_as_many_classes_as_a_table_holds_is_encoded():
    random = np.random.default_rng(2)
    for width in [*range(1, 12), 32, 33]:
        names = {"".join(random.choice(list("abc"), width)) + "x" * (i % 2) for i in range(40)}
        names = np.array(sorted(names))
        codes = random.integers(0, len(names), FEWEST_ROWS)
        assert encode(names[codes], names.tolist()).codes.tolist() == codes.tolist()


@pytest.mark.parametrize("n_classes", [MOST_DISTINCT - 1, MOST_DISTINCT, MOST_DISTINCT + 1])
def test_text_of_many_classes_is_encoded(n_classes):
    names = [f"class {i}" for i in range(n_classes)]
    codes = np.random.default_rng(1).permutation(np.arange(2 * FEWEST_ROWS) % n_classes)
    assert encode(np.array(names)[codes], names).codes.tolist() == codes.tolist()


def test_categories_that_do_not_occur_change_no_code():
    for unused in ([], ["none"], ["none", "never"]):
        categories = [*unused, *reversed(NAMES), *[f"{name} again" for name in unused]]
        result = encode(pd.Series(pd.Categorical(TEXT, categories)), NAMES)
        assert result.codes.tolist() == CODES.tolist()


@pytest.mark.parametrize("has_pandas", [False, True])
def test_many_labels_without_a_hash_or_of_several_types_are_refused(monkeypatch, has_pandas):
    if not has_pandas:
        monkeypatch.delitem(sys.modules, "pandas")
    labels = np.empty(FEWEST_ROWS, dtype=object)
    labels[:] = [["a"]] * FEWEST_ROWS
    for wrong in (labels, np.array([1, "a"] * FEWEST_ROWS, dtype=object)):
        with pytest.raises((TypeError, ValueError), match="labels must be"):
            encode(wrong)
