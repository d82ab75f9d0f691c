"""Constraints as pages check them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from ordcut._core.limits import Outcome, limits_for, read_constraints
from ordcut._core.numerics.exact import as_exact
from ordcut.report import page
from tests.report.page_contents import content_of

RATIOS = [
    "recall 1 >= 0.1",
    "precision 2 >= 0.1",
    "share 0 >= 0.1 and <= 0.9",
    "count 1 <= 11",
    "under 1 <= 0.9",
    "under 0 <= 0.9",
    "over 1 <= 0.9",
    "over 2 <= 0.9",
]
CLASSES = np.array([0, 1, 2])
SCORES, LABELS = np.arange(12.0), np.array([0, 0, 1, 0, 1, 1, 2, 1, 2, 1, 2, 2])


def found_within(*constraints, scores=SCORES, **options):
    """The thresholds of some rows within limits, and the content of the page about them."""
    result = ordcut.optimal_thresholds(scores, LABELS, constraints=constraints, **options)
    return result, content_of(page(scores, LABELS, thresholds=result))


def weight(table, blocks):
    return sum(
        coefficient * table[slice(*decisions), slice(*classes)].sum()
        for coefficient, decisions, classes in blocks
    )


@pytest.mark.parametrize("review", [None, 0.2])
def test_the_ratio_of_the_two_blocks_is_what_a_constraint_reaches(review):
    result, content = found_within(*RATIOS, review=review)
    limits = limits_for(read_constraints(RATIOS), result.origin.objective, CLASSES)
    random = np.random.default_rng(0)
    for _ in range(100):
        table = random.integers(0, 7, (len(result.decisions), 3)) * (random.random(3) < 0.8)
        outcome = Outcome(as_exact(table.astype(float)), result.thresholds)
        for form, limit in zip(limits.forms, content["constraints"], strict=True):
            whole = 1 if limit["whole"] is None else weight(table, limit["whole"])
            ratio = weight(table, limit["part"]) / whole if whole else np.nan
            assert ratio == pytest.approx(form.reached(outcome), nan_ok=True)


def test_limits_have_the_numbers_of_their_constraints():
    texts = [
        "share 0 >= 0.1",
        "fixed 1 7",
        "between 0 -inf 3",
        "allowed 0.75 1.75 7 inf",
        "digits 2",
    ]
    _, content = found_within(*texts, "gap >= 0.5")
    limits = content["constraints"]
    assert [one.pop("limit") for one in limits] == [*texts, "gap >= 0.5"]
    assert (limits[0]["atLeast"], limits[0]["atMost"]) == (0.1, None)
    assert limits[1:] == [
        {"threshold": 1, "low": 7.0, "high": 7.0},
        {"threshold": 0, "low": "-inf", "high": 3.0},
        {"values": [0.75, 1.75, 7.0, "inf"]},
        {"digits": 2},
        {"gap": 0.5},
    ]


@settings(max_examples=60)
@given(low=st.floats(-50, 50), width=st.floats(0.01, 25), n_digits=st.integers(-2, 1))
def test_round_numbers_within_the_scores_can_be_chosen(low, width, n_digits):
    scores = np.linspace(low, low + width, 12)
    _, content = found_within(f"digits {n_digits}", scores=scores)
    every = [round(k * 10.0**-n_digits, n_digits) for k in range(-3000, 3001)]
    inside = [value for value in every if low <= value <= low + width]
    # A number at an end may be left out or in, by the rounding of a division.
    assert set(inside[1:-1]) <= set(content["positions"])


def test_there_are_no_values_to_choose_from_where_they_are_many():
    _, content = found_within("digits 5")
    assert len(content["positions"]) < 50


@pytest.mark.parametrize("constraint", ["digits 0", "allowed 1.25 4.5 7.75", "fixed 0 3.125"])
def test_the_positions_of_a_page_hold_the_values_that_constraints_allow(constraint):
    _, content = found_within(constraint)
    values = map(float, constraint.split()[1:])
    allowed = {
        "digits 0": list(range(12)),
        "allowed 1.25 4.5 7.75": list(values),
        "fixed 0 3.125": [3.125],
    }[constraint]
    assert set(allowed) <= set(content["positions"])
    below = np.cumsum(content["counts"], axis=0)
    for position, row in zip(content["positions"], below, strict=False):
        assert row.tolist() == [np.sum(LABELS[position > SCORES] == k) for k in CLASSES]


def test_a_page_stays_small_however_many_values_are_allowed():
    values = np.linspace(0, 11, 100_001)
    result = ordcut.optimal_thresholds(SCORES, LABELS, constraints=[ordcut.Allowed(values)])
    text = page(SCORES, LABELS, thresholds=result)
    assert len(text) < 100_000
    assert "allowed 0 0.00011 " in text


def test_limits_with_a_confidence_are_those_on_the_share_that_promises_them():
    scores, labels = np.arange(400.0), np.repeat([0, 1, 2, 2], 100)
    result = ordcut.optimal_thresholds(scores, labels, constraints=["under 1 <= 0.05 with 95 %"])
    content = content_of(page(scores, labels, thresholds=result))
    assert content["constraints"][0]["atMost"] == 8 / 300  # P(at most 8 of 300 at 5 %) = 0.035
    assert "promised for new rows with 95 % confidence" in str(content)
