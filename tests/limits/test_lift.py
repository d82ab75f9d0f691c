"""Limits that depend on the totals of the classes: the lift of a decision."""

import json

import numpy as np
import pytest

import ordcut
from ordcut._core.limits.text import WORDS
from tests.limits.within_limits import KINDS, random_constraint

SCORES, LABELS = [1, 2, 3, 4, 5, 6, 7, 8], [0, 1, 0, 1, 0, 0, 1, 1]


def lift_of(result, k):
    """The precision of a decision over the share of its class."""
    is_decided, is_true = result.predict(SCORES) == k, np.array(LABELS) == k
    return np.mean(is_true[is_decided]) / np.mean(is_true)


def test_every_constraint_of_the_library_has_an_oracle():
    random = np.random.default_rng(0)
    assert {random_constraint(kind, random, 3).word for kind in KINDS} == set(WORDS)


def test_a_lift_is_the_precision_over_the_share_of_the_class():
    result = ordcut.optimal_thresholds(SCORES, LABELS, constraints=["lift 1 >= 2"])
    assert result.thresholds.tolist() == [6.5]
    assert lift_of(result, 1) == result.constraints[0].reached == 2
    again = ordcut.Thresholds.from_json(result.to_json())
    assert again.constraints[0].limit == "lift 1 >= 2"
    assert result.report(SCORES, LABELS) is not None


def test_a_lift_of_a_class_without_rows_holds():
    result = ordcut.optimal_thresholds([1, 2], [0, 0], classes=[0, 1], constraints=["lift 1 >= 9"])
    assert np.isnan(result.constraints[0].reached)


def test_a_lift_counts_rows_without_class_weights():
    for class_weight in ("balanced", [1, 5]):
        result = ordcut.optimal_thresholds(
            SCORES, LABELS, class_weight=class_weight, constraints=["lift 1 >= 1.5"]
        )
        assert lift_of(result, 1) == result.constraints[0].reached >= 1.5


def test_the_nearest_lift_can_be_reached_and_no_higher_one():
    labels = [0, 1, 1, 0, 1, 1, 0, 2, 2]
    limits = ["share 1 >= 0.5", "lift 1 >= 2"]
    with pytest.raises(ordcut.InfeasibleConstraintsError) as raised:
        ordcut.optimal_thresholds(range(9), labels, constraints=limits)
    nearest = raised.value.nearest["lift 1 >= 2"]
    assert nearest == pytest.approx(4 / 5 * 9 / 4)
    for lift, can_hold in ((nearest, True), (nearest + 1e-6, False)):
        both = [limits[0], ordcut.Lift(1, at_least=lift)]
        if can_hold:
            ordcut.optimal_thresholds(range(9), labels, constraints=both)
        else:
            with pytest.raises(ordcut.InfeasibleConstraintsError):
                ordcut.optimal_thresholds(range(9), labels, constraints=both)


def test_of_a_lift_and_a_precision_of_a_decision_the_stricter_one_counts():
    scores, labels = np.arange(30), np.arange(30) * 7 % 11 % 3
    share = np.mean(labels == 1)
    for precision, lift in ((0.5, 1.8), (0.6, 1.1)):
        both = [f"precision 1 >= {precision}", f"lift 1 >= {lift}"]
        strict = f"precision 1 >= {max(precision, lift * share)}"
        for constraints in (both, both[::-1]):
            result, expected = (
                ordcut.optimal_thresholds(scores, labels, constraints=limits)
                for limits in (constraints, [strict])
            )
            assert result.thresholds.tolist() == expected.thresholds.tolist()


def test_a_minimum_f1_can_be_combined_with_a_precision_that_it_implies():
    scores, labels = np.arange(30), np.arange(30) // 10
    labels[[12, 15, 25, 3]] = 2, 0, 1, 1
    for limits in (["f1 1 >= 0.8", "precision 1 >= 0.3"], ["precision 1 >= 0.3", "f1 1 >= 0.8"]):
        result = ordcut.optimal_thresholds(scores, labels, constraints=[*limits, "digits 0"])
        only = ordcut.optimal_thresholds(scores, labels, constraints=["f1 1 >= 0.8", "digits 0"])
        assert result.thresholds.tolist() == only.thresholds.tolist()


def test_a_lift_has_no_confidence():
    with pytest.raises(ValueError, match="cannot have a confidence: both numbers of its ratio"):
        ordcut.optimal_thresholds(SCORES, LABELS, constraints=["lift 1 >= 2 with 95 %"])


def test_a_page_checks_a_lift_on_the_totals_of_its_rows():
    from ordcut.report.limits import limits_content

    result = ordcut.optimal_thresholds(SCORES, LABELS, constraints=["lift 1 >= 2"])
    (content,) = limits_content(result.origin.limits, np.array([6.5]), np.array([4.0, 4.0]))
    assert json.loads(json.dumps(content)) == {
        "limit": "lift 1 >= 2",
        "part": [[2, [1, 2], [1, 2]]],
        "whole": [[1, [1, 2], [0, 2]]],
        "atLeast": 2.0,
        "atMost": None,
    }
