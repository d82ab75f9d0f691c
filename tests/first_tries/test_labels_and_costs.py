"""Enums as labels, costs in a dict, metrics and reviews are read, or refused with the reason."""

from enum import Enum, StrEnum

import numpy as np
import pandas as pd
import pytest

import ordcut
from ordcut.estimators import OrdinalLogisticRegression
from tests.first_tries.rows import NAMES, ORDER, N, S, Y, best


class Stage(Enum):
    LOW, MID, HIGH, TOP = ORDER


class Word(StrEnum):
    LOW, MID, HIGH, TOP = ORDER


class Grade(Enum):
    ONE, TWO, THREE, FOUR = 1, 2, 3, 4


STAGES = [Stage(name) for name in NAMES]
DISTANCES = np.abs(np.subtract.outer(range(4), range(4)))
PAIRS = {(low, high): abs(i - j) for i, low in enumerate(ORDER) for j, high in enumerate(ORDER)}
NESTED = {low: {high: PAIRS[low, high] for high in ORDER} for low in ORDER}
TWO = Y > 2

#: What is tried, and what it must be equal to.
RIGHT = {
    "members of an Enum": lambda: (best(STAGES), best(NAMES, classes=ORDER)),
    "a series of members": lambda: (best(pd.Series(STAGES)), best(STAGES)),
    "members of a StrEnum": lambda: (best([Word(name) for name in NAMES]), best(STAGES)),
    "members with numbers": lambda: (best([Grade(y) for y in Y]), best()),
    "an Enum as classes": lambda: (best(NAMES, classes=Stage), best(STAGES)),
    "members in a constraint": lambda: (
        best(STAGES, constraints=ordcut.Recall(Stage.HIGH, at_least=0.9)),
        best(STAGES, constraints="recall high >= 0.9"),
    ),
    "members as keys": lambda: (
        best(STAGES, class_weight={Stage.HIGH: 2}), best(STAGES, class_weight={"high": 2}),
    ),
    "members in evaluate": lambda: (
        ordcut.evaluate(STAGES, best(STAGES).predict(S)), best(STAGES).value,
    ),
    "members in an estimator": lambda: (
        OrdinalLogisticRegression().fit(S[:, None], STAGES).classes_.tolist(), ORDER,
    ),
    "costs of pairs": lambda: (
        best(STAGES, objective=PAIRS), best(STAGES, objective=DISTANCES),
    ),
    "nested costs": lambda: (best(STAGES, objective=NESTED), best(STAGES, objective=PAIRS)),
    "too low costs more": lambda: (
        best(TWO, objective={(False, True): 5, (True, False): 1}),
        best(TWO, objective=[[0, 5], [1, 0]]),
    ),
    "costs of decisions": lambda: (
        best(TWO, decisions=["wait", "act"], objective={
            "wait": {False: 0, True: 5}, "act": {False: 1, True: 0},
        }),
        best(TWO, decisions=["wait", "act"], objective=[[0, 5], [1, 0]]),
    ),
    "adjacent accuracy": lambda: (
        best(objective="adjacent_accuracy").value,
        np.mean(np.abs(best(objective="within_one").predict(S) - Y) > 1),
    ),
    "classes that are not reviewed": lambda: (
        {type(k) for k in best(review=0.2).predict(S).tolist() if " or " not in str(k)}, {int},
    ),
    "which rows are reviewed": lambda: (
        float(best(review=0.2).is_review[best(review=0.2).codes(S)].mean()),
        best(review=0.2).review_share,
    ),
    "the review of two classes": lambda: (
        best(TWO, review=0.2, constraints="share review <= 0.05").review_share <= 0.05, True,
    ),
}  # fmt: skip

#: What is tried, and what the error must say.
ERRORS = {
    "text in the place of classes": (
        lambda: best(NAMES, classes="low,mid,high,top"), "must be a list of all classes",
    ),
    "a pair that is missing": (
        lambda: best(TWO, objective={(False, True): 5}), r"\(True, False\) is missing. Right",
    ),
    "a pair that is unknown": (lambda: best(objective={(1, 9): 5}), r"1, 2, 3, 4, got \(1, 9\)"),
    "a key that is no pair": (lambda: best(objective={"low": 5}), "got the key 'low'"),
    "the Matthews correlation": (lambda: best(objective="mcc"), 'Use "kappa"'),
    "all reviews together": (
        lambda: best(review=0.2, constraints="share review <= 0.2"), "Pass review_share=",
    ),
    "reviews without review=": (lambda: best(constraints="share review <= 0.2"), "needs review="),
    "values of half of the rows": (
        lambda: best(np.arange(N) * 4 // 9, np.arange(N)), "look like ids or measurements",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_a_label_or_a_cost_is_read(name):
    result, expected = RIGHT[name]()
    assert result == expected


@pytest.mark.parametrize("name", ERRORS)
def test_what_cannot_be_read_is_an_error_that_says_what_to_do(name):
    attempt, message = ERRORS[name]
    with pytest.raises((ValueError, TypeError), match=message):
        attempt()
