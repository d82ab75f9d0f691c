"""Constraints as pages check them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordcut
from ordcut.exact import as_exact
from ordcut.limits import Limits, Outcome, read_constraints
from ordcut.objectives import resolve_objective
from ordcut.report.content import page_content
from ordcut.report.limits import limits_content, values_allowed
from ordcut.report.pages import array_source, page

RATIOS = [
    "recall 1 >= 0.5",
    "precision 2 >= 0.5",
    "share 0 >= 0.2 and <= 0.7",
    "count 1 <= 5",
    "under 1 <= 0.2",
    "under 0 <= 0.2",
    "over 1 <= 0.2",
    "over 2 <= 0.2",
]
CLASSES = np.array([0, 1, 2])
LINE = np.concatenate([[-np.inf], np.arange(12.0), [np.inf]])
SCORES, LABELS = np.arange(12.0), np.array([0, 0, 1, 0, 1, 1, 2, 1, 2, 1, 2, 2])


def limits_of(text):
    return Limits.of(read_constraints(text), resolve_objective("absolute", CLASSES), CLASSES)


def weight(table, blocks):
    return sum(
        coefficient * table[slice(*decisions), slice(*classes)].sum()
        for coefficient, decisions, classes in blocks
    )


def tables(n_decisions):
    every = st.lists(st.integers(0, 6), min_size=3 * n_decisions, max_size=3 * n_decisions)
    return every.map(lambda some: np.array(some).reshape(n_decisions, 3))


@pytest.mark.parametrize("review", [None, 0.2])
@given(data=st.data())
def test_the_ratio_of_the_two_blocks_is_what_a_constraint_reaches(review, data):
    found = ordcut.optimal_thresholds(SCORES, LABELS, review=review)
    constraints, objective = read_constraints(RATIOS), found.origin.objective
    table = data.draw(tables(len(found.decisions)))
    outcome = Outcome(as_exact(table.astype(float)), found.thresholds)
    limits = Limits.of(constraints, objective, CLASSES)
    for form, limit in zip(limits.forms, limits_content(limits, LINE), strict=True):
        whole = 1 if limit["whole"] is None else weight(table, limit["whole"])
        ratio = weight(table, limit["part"]) / whole if whole else np.nan
        assert ratio == pytest.approx(form.reached(outcome), nan_ok=True)


def test_limits_have_the_numbers_of_their_constraints():
    objective = resolve_objective("absolute", CLASSES)
    texts = ["share 0 >= 0.2", "fixed 1 2.5", "between 0 -inf 3", "allowed 0.7 1 inf", "digits 1"]
    constraints = read_constraints([*texts, "gap >= 0.5"])
    found = limits_content(Limits.of(constraints, objective, CLASSES), LINE)
    assert [one.pop("limit") for one in found] == [*texts, "gap >= 0.5"]
    assert (found[0]["atLeast"], found[0]["atMost"]) == (0.2, None)
    assert found[1:] == [
        {"threshold": 1, "low": 2.5, "high": 2.5},
        {"threshold": 0, "low": "-inf", "high": 3.0},
        {"values": [1.0, "inf"]},
        {"digits": 1},
        {"gap": 0.5},
    ]


@given(
    st.floats(-50, 50).flatmap(lambda low: st.tuples(st.just(low), st.floats(low, low + 25))),
    st.integers(-2, 1),
)
def test_round_numbers_within_the_scores_can_be_chosen(extent, n_digits):
    low, high = extent
    values = values_allowed(limits_of(f"digits {n_digits}"), extent)
    every = [round(k * 10.0**-n_digits, n_digits) for k in range(-3000, 3001)]
    expected = [value for value in every if low <= value <= high]
    assert len(values) == len({*values.tolist()})
    assert all(round(value, n_digits) == value for value in values.tolist())
    # A number at an end may be left out or in, by the rounding of a division.
    assert (
        set(expected[1:-1])
        <= set(values.tolist())
        <= {value for value in every if low - 1e-9 <= value <= high + 1e-9}
    )


def test_there_are_no_values_to_choose_from_where_they_are_many():
    assert len(values_allowed(limits_of("digits 5"), (0.0, 1.0))) == 0


@pytest.mark.parametrize("constraint", ["digits 0", "allowed 1.25 4.5 7.75", "fixed 0 3.125"])
def test_the_positions_of_a_page_hold_the_values_that_constraints_allow(constraint):
    found = ordcut.optimal_thresholds(SCORES, LABELS, constraints=[constraint])
    source = array_source(
        SCORES,
        LABELS,
        thresholds=found,
        objective=None,
        classes=None,
        sample_weight=None,
        n_jobs=None,
    )
    content = page_content(source, found)
    allowed = values_allowed(limits_of(constraint), (0.0, 11.0)).tolist()
    assert allowed
    assert set(allowed) <= set(content["positions"])
    below = np.cumsum(content["counts"], axis=0)
    for position, row in zip(content["positions"], below, strict=False):
        assert row.tolist() == [np.sum(LABELS[position > SCORES] == k) for k in CLASSES]


def test_a_page_stays_small_however_many_values_are_allowed():
    values = np.linspace(0, 11, 100_001)
    found = ordcut.optimal_thresholds(SCORES, LABELS, constraints=[ordcut.Allowed(values)])
    text = page(SCORES, LABELS, thresholds=found)
    assert len(text) < 100_000
    assert "allowed 0 0.00011 " in text
