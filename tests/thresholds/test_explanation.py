"""What a result says in plain words, sentence by sentence."""

from dataclasses import replace

import numpy as np
import pytest

import ordcut
from ordcut._core.thresholds import ConstraintOutcome, Thresholds, explained, how_sure, reason

SCORES, LABELS = [1, 2, 3, 4, 5, 6], ["a", "a", "b", "a", "c", "c"]
ADVICE = "For confidence intervals on new data, pass result.bootstrap() to explain()."


def find(**options):
    return ordcut.optimal_thresholds(SCORES, LABELS, classes=list("abc"), **options)


def test_a_result_is_explained_by_its_rule_its_value_and_its_proof():
    assert find().explain().split("\n") == [
        "A score below 2.5 is labelled a; from 2.5 to below 4.5 it is b; from 4.5 on it is c.",
        "On the data that they were found on, these thresholds reach a mean absolute error of "
        "0.166667.",
        "No other thresholds do better there: convex objective (Theorem 2).",
        ADVICE,
    ]


def test_a_bootstrap_takes_the_place_of_the_advice_to_draw_one():
    result = find()
    boot = result.bootstrap(n=20)
    sentences = result.explain(boot).split("\n")
    expected = how_sure(0.95, boot.intervals(0.95).tolist(), boot.value_interval(0.95).tolist())
    assert sentences == [*result.explain().split("\n")[:-1], expected]


def test_thresholds_without_rows_are_explained_without_that_advice():
    read = Thresholds.from_json(find().to_json())
    assert read.explain() + "\n" + ADVICE == find().explain()


@pytest.mark.parametrize(
    ("objective", "phrase"),
    [
        ("zero_one", "an error rate of 0.166667"),
        ("linear_kappa", "a linearly weighted kappa of 0"),
        ([[0, 1, 2], [1, 0, 1], [2, 1, 0]], "a value of 0.166667 (objective: custom cost)"),
    ],
)
def test_what_is_reached_is_said_in_words_where_there_are_some(objective, phrase):
    [sentence] = [one for one in explained(find(objective=objective)) if one.startswith("On ")]
    assert sentence.startswith(
        f"On the data that they were found on, these thresholds reach {phrase}"
    )


def test_classes_that_are_never_predicted_are_named_with_the_reason_if_there_is_one():
    options = {"classes": list("wabcz")}
    free = ordcut.optimal_thresholds(SCORES, LABELS, **options)
    why = "No score is labelled w and z: that would not improve the value on the data."
    assert explained(free)[1] == why
    limited = ordcut.optimal_thresholds(SCORES, LABELS, constraints=["digits 1"], **options)
    smoothed = ordcut.optimal_thresholds(SCORES, LABELS, smoothing=0.5, **options)
    given = free.moved(1, 1.5)
    for result in (limited, smoothed, given):
        assert explained(result)[1] == "No score is labelled w and z."
    assert not any("No score" in sentence for sentence in explained(find()))


def test_equal_and_infinite_thresholds_are_left_out_of_the_rule():
    def rule(values):
        return explained(Thresholds.from_values(values, list("abcd")))[0]

    inf = np.inf
    assert rule([-inf, 2, 2]) == "A score below 2 is labelled b; from 2 on it is d."
    assert rule([1, 1, inf]) == "A score below 1 is labelled a; from 1 on it is c."
    assert rule([-inf, -inf, -inf]) == "Every score is labelled d."
    assert rule([-inf, inf, inf]) == "Every score is labelled b."
    assert rule([0.5, 1.5, inf]) == (
        "A score below 0.5 is labelled a; from 0.5 to below 1.5 it is b; from 1.5 on it is c."
    )


def test_given_thresholds_are_explained_as_such():
    given = Thresholds.from_values([2, 4], list("abc"))
    claim = "They are not claimed to be optimal: thresholds were given."
    assert explained(given)[1:] == [claim]
    moved = find().moved(0, 3.5)
    assert explained(moved)[1:] == [
        "On the data that they were judged on, these thresholds reach a mean absolute error of "
        "0.333333.",
        claim,
    ]


def test_the_cost_of_a_review_is_part_of_what_is_reached():
    assert (
        "a mean absolute error of 0.0833333, where each review costs 0.5."
        in find(review=0.5).explain()
    )


def test_smoothed_thresholds_say_how_much_is_the_share_of_the_model():
    result = find(smoothing=0.25)
    assert reason(result) == (
        "They are optimal for smoothed labels: 0.25 of each label comes from a model of the "
        "scores, which reduces the effect of noise (convex objective (Theorem 2)); on the "
        "observed labels, other thresholds may be better."
    )


def test_constraints_are_explained_with_what_they_reach():
    limits = ["share c <= 0.5", "digits 0", "recall d >= 0.5"]
    result = ordcut.optimal_thresholds(SCORES, LABELS, classes=list("abcd"), constraints=limits)
    sentences = explained(result)
    assert sentences[-2] == (
        "They keep the constraints: share c <= 0.5 (0.333333 reached); digits 0; recall d >= 0.5."
    )
    assert sentences[-1].startswith("No other thresholds that keep them do better there: ")


@pytest.mark.parametrize("n", [100, 101])
def test_constraints_of_more_than_100_characters_are_cut_off(n):
    limit = "allowed ".ljust(n, "7")
    result = find()
    outcome = ConstraintOutcome(limit, (1.0, 2.0), lambda: 0.0)
    kept = explained(replace(result, constraints=(outcome,)))[-2]
    shown = limit if n == 100 else limit[:100] + " ..."
    assert kept == f"They keep the constraints: {shown}."


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        (["-inf", "inf"], "anywhere"),
        ([-np.inf, 2], "below 2"),
        ([1.5, "inf"], "above 1.5"),
        ([1.5, 2], "between 1.5 and 2"),
    ],
)
def test_intervals_are_named_by_their_finite_ends(ends, text):
    start = "With 90 % confidence, on new data the value is between 0 and 0.25, and the best "
    assert how_sure(0.9, [ends], [0, 0.25]) == f"{start}threshold is {text}."
    several = how_sure(0.9, [[1, 2], ends, [3, 4]], [0, 0.25])
    assert several == f"{start}thresholds are between 1 and 2, {text} and between 3 and 4."


def test_names_with_braces_are_explained_as_they_are():
    objective = ordcut.Objective("cost {0} of {x}", [[0, 1], [1, 0]])
    result = ordcut.optimal_thresholds([1, 2], ["{", "}"], classes=["{", "}"], objective=objective)
    assert "a value of 0 (objective: cost {0} of {x})" in result.explain()
