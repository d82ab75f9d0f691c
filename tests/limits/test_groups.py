"""Limits on several decisions together, and the cheapest review within a share."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut

CLASSES = ["low", "mid", "high"]

rows = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=4, max_size=14).map(
    lambda pairs: tuple(np.array(pairs).T)
)


def every_codes(scores, n_decisions):
    """The decisions of all ordered thresholds."""
    cuts = [*np.unique(scores).tolist(), np.inf]
    for thresholds in combinations_with_replacement(cuts, n_decisions - 1):
        yield np.searchsorted(thresholds, scores, side="right")


def is_kept(word, group, limit, codes, truth):
    decided, true = np.isin(codes, group), np.isin(truth, group)
    part, whole = {
        "share": (decided, np.ones(len(codes), bool)),
        "recall": (decided & true, true),
        "precision": (decided & true, decided),
    }[word]
    share = part.sum() / whole.sum() if whole.any() else None
    return share is None or (share <= limit if word == "share" else share >= limit)


@pytest.mark.parametrize("word", ["share", "recall", "precision"])
@pytest.mark.parametrize(
    ("name", "group"),
    [("mid or higher", [1, 2]), ("mid or lower", [0, 1]), ("low or higher", [0, 1, 2])],
)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(rows=rows, limit=st.sampled_from([0.25, 0.5, 0.75]))
def test_groups_at_an_end_are_limited_as_the_brute_force_says(word, name, group, rows, limit):
    scores, codes = rows
    sign = "<=" if word == "share" else ">="
    costs = [
        np.abs(decided - codes).sum()
        for decided in every_codes(scores, 3)
        if is_kept(word, group, limit, decided, codes)
    ]
    labels = np.array(CLASSES)[codes]
    constraint = f"{word} {name} {sign} {limit}"
    if not costs:
        with pytest.raises(ordcut.InfeasibleConstraintsError):
            ordcut.optimal_thresholds(scores, labels, classes=CLASSES, constraints=constraint)
        return
    result = ordcut.optimal_thresholds(scores, labels, classes=CLASSES, constraints=constraint)
    assert result.value == pytest.approx(min(costs) / len(scores))
    assert is_kept(word, group, limit, result.codes(scores), codes)
    assert ordcut.Thresholds.from_json(result.to_json()) == result


def test_a_class_with_its_review_is_not_missed():
    scores, labels = [1, 2, 3, 4, 5, 6], ["low", "high", "low", "low", "high", "high"]
    limit = "recall high or its review >= 1"
    result = ordcut.optimal_thresholds(
        scores, labels, classes=["low", "high"], review=0.3, constraints=limit
    )
    assert result.constraints[0].reached == 1
    assert "low or high" in result.predict([2])
    plain = ordcut.optimal_thresholds(
        scores, labels, classes=["low", "high"], review=0.3, constraints="recall high >= 1"
    )
    assert plain.value > result.value  # a review that is not named is a miss


@pytest.mark.parametrize(
    ("limit", "options", "message"),
    [
        (
            "share mid or its review <= 0.2",
            {"review": 0.3},
            "depends on thresholds 0, 3 tog",
        ),
        ("recall high or its review >= 0.9", {}, "needs review="),
        ("share medium or higher <= 0.2", {}, "must name a decision, one of low, mid, high"),
        ("share mid or above <= 0.2", {}, "Groups are written as 'mid or higher' or lower"),
    ],
)
def test_other_groups_are_refused_with_the_reason(limit, options, message):
    with pytest.raises(ValueError, match=message):
        ordcut.optimal_thresholds([1, 2, 3], CLASSES, classes=CLASSES, constraints=limit, **options)


def test_a_name_that_exists_comes_before_a_group():
    names = ["mid", "mid or higher", "top"]
    result = ordcut.optimal_thresholds(
        [1, 2, 3, 4], ["mid", "mid or higher", "top", "top"], classes=names,
        constraints="share mid or higher <= 0",
    )  # fmt: skip
    assert result.never_predicted == ["mid or higher"]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(rows=rows, share=st.sampled_from([0, 0.1, 0.3, 0.5, 0.9, 1]))
def test_the_cheapest_review_within_a_share_is_that_of_the_brute_force(rows, share):
    scores, codes = rows
    lines = {
        (
            np.abs(decided[decided % 2 == 0] // 2 - codes[decided % 2 == 0]).sum(),
            np.sum(decided % 2),
        )
        for decided in every_codes(scores, 5)
    }

    def is_enough(cost):
        """Whether thresholds within the share are among the best at a cost of review."""
        best = min(paid + cost * reviewed for paid, reviewed in lines)
        within = [paid + cost * n for paid, n in lines if n <= share * len(scores)]
        return min(within) <= best + 1e-9

    result = ordcut.optimal_thresholds(
        scores, np.array(CLASSES)[codes], classes=CLASSES, review_share=share
    )
    assert result.review_share <= share
    cost = float(result.objective.rpartition(" ")[2])
    assert is_enough(cost + 1e-5)
    assert cost == 0 or not is_enough(cost - 1e-4)
    assert result.value == pytest.approx(
        min(paid + cost * reviewed for paid, reviewed in lines) / len(scores), abs=1e-5
    )


def test_a_constraint_costs_what_the_cost_of_reviews_that_was_found_would_save_without_it():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, 200)
    scores = codes + rng.normal(size=200)
    limited = ordcut.optimal_thresholds(
        scores, codes, review_share=0.2, constraints="recall 2 or its review >= 0.95"
    )
    cost = limited.origin.objective.cost[1, 0]
    free = ordcut.optimal_thresholds(scores, codes, review=cost)
    (outcome,) = limited.constraints
    assert 0 < outcome.cost == pytest.approx(limited.value - free.value)


def test_what_a_share_of_reviews_cannot_be_combined_with():
    scores, labels = [1, 2, 3, 4], [0, 1, 0, 1]
    for options in ({"review": 0.2}, {"smoothing": 0.5}, {"class_weight": "balanced"}):
        with pytest.raises(ValueError, match="review_share"):
            ordcut.optimal_thresholds(scores, labels, review_share=0.5, **options)
    with pytest.raises(ValueError, match="from 0 to 1, got 2"):
        ordcut.optimal_thresholds(scores, labels, review_share=2)
    with pytest.raises(ValueError, match=r"at least 0.5 with these constraints"):
        ordcut.optimal_thresholds(
            scores, labels, review_share=0.1, constraints="share 0 or 1 >= 0.5"
        )
