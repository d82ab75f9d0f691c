"""Label sets: what they cover, counted by leaving each row out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordcut

CLASSES = [0, 1, 2]


@st.composite
def labelled_scores(draw):
    """Scores with many ties, and their classes, some of which may be missing."""
    rows = st.tuples(st.integers(0, 8), st.sampled_from(CLASSES))
    return np.array(draw(st.lists(rows, min_size=4, max_size=40)), dtype=float).T


def is_covered_left_out(scores, labels, **options):
    """Whether the set for each row, found without it, contains its class."""
    covered = []
    for i in range(len(scores)):
        others = np.arange(len(scores)) != i
        sets = ordcut.label_sets(scores[others], labels[others], classes=CLASSES, **options)
        ((low, high),) = sets.predict(scores[i : i + 1])
        covered.append(low <= labels[i] <= high)
    return np.array(covered)


@given(labelled_scores(), st.sampled_from([0.5, 0.8, 0.9]))
def test_of_the_rows_of_each_class_the_level_is_covered_when_left_out(rows, level):
    # Rows are exchangeable, so this share is what the probability of a new row averages over.
    scores, labels = rows
    covered = is_covered_left_out(scores, labels, level=level)
    for k in CLASSES:
        own = labels == k
        assert covered[own].sum() >= round(level * own.sum(), 9)


@given(labelled_scores(), st.sampled_from([0.5, 0.8, 0.9]))
def test_of_all_rows_the_level_is_covered_when_left_out(rows, level):
    scores, labels = rows
    covered = is_covered_left_out(scores, labels, level=level, by_class=False)
    assert covered.sum() >= round(level * len(labels), 9)


@pytest.mark.parametrize("by_class", [True, False])
def test_sets_are_not_much_larger_than_they_must_be(by_class):
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 4000)
    scores = labels + 0.5 * random.normal(size=4000)
    sets = ordcut.label_sets(scores[:2000], labels[:2000], level=0.9, by_class=by_class)
    low, high = sets.predict(scores[2000:]).T
    assert (low <= high).all()
    assert 0.88 < ((low <= labels[2000:]) & (labels[2000:] <= high)).mean() < 0.93
    assert (high - low).mean() < 0.6


@pytest.mark.parametrize("by_class", [True, False])
def test_a_weight_of_2_equals_a_repeated_row(by_class):
    random = np.random.default_rng(0)
    labels, weights = random.integers(0, 3, 60), random.integers(1, 4, 60)
    scores = np.round(labels + random.normal(size=60), 1)
    rows = random.permutation(np.repeat(np.arange(60), weights))
    weighted = ordcut.label_sets(scores, labels, by_class=by_class, sample_weight=weights)
    assert weighted == ordcut.label_sets(scores[rows], labels[rows], by_class=by_class)


@pytest.mark.parametrize("by_class", [True, False])
def test_too_few_rows_have_every_class_in_every_set(by_class):
    sets = ordcut.label_sets([1, 2, 3], [0, 1, 2], level=0.9, by_class=by_class)
    assert sets.predict([0.0, 2.0, 9.0]).tolist() == [[0, 2]] * 3


def test_each_end_is_a_rule_like_any_other():
    sets = ordcut.label_sets(np.arange(30.0), np.repeat([0, 1, 2], 10), level=0.8)
    assert ordcut.Thresholds.from_json(sets.lowest.to_json()) == sets.lowest
    assert "probability 0.8" in sets.highest.explain()
    assert "CASE" in sets.highest.to_sql("score")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1}, "level must be a number between 0 and 1"),
        ({"sample_weight": [0.5, 1, 1]}, "whole numbers"),
        ({"labels": [[0.5, 0.5], [0, 1], [1, 0]]}, "one class per row"),
    ],
)
def test_what_has_no_meaning_is_refused(options, message):
    arguments = {"scores": [1, 2, 3], "labels": [0, 1, 1], **options}
    with pytest.raises(ValueError, match=message):
        ordcut.label_sets(**arguments)
