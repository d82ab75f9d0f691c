"""What docs/theory.md states about the nearest limits that could hold, against brute force."""

from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest

import ordcut
from tests.limits.within_limits import holds, midpoints, random_constraint, random_problem, table_of

SHARES = [
    "recall", "precision", "least share", "most share", "both shares", "count", "under", "over",
]  # fmt: skip


def all_outcomes(problem):
    every = midpoints(score for score, *_ in problem["rows"])
    for thresholds in combinations_with_replacement(every, problem["n_decisions"] - 1):
        yield table_of(problem, thresholds), thresholds


@pytest.mark.parametrize("kind", SHARES)
def test_proposition_20_the_nearest_limit_is_an_extreme_of_what_the_others_leave(kind):
    random = np.random.default_rng(SHARES.index(kind))
    n_judged = 0
    for i in range(150):
        problem = random_problem(random, weighted=i % 2 == 1)
        kinds = [kind, *random.choice(SHARES, 2)]
        constraints = [random_constraint(one, random, problem["n_classes"]) for one in kinds]
        try:
            ordcut.optimal_thresholds(
                problem["scores"],
                problem["labels"],
                classes=range(problem["n_classes"]),
                sample_weight=problem["weights"],
                constraints=constraints,
            )
        except ordcut.InfeasibleConstraintsError as error:
            by_text = {str(constraint): constraint for constraint in constraints}
            conflict = [by_text[text] for text in error.constraints]
            for text, limit in error.nearest.items():
                one = by_text[text]
                least, most = getattr(one, "at_least", None), getattr(one, "at_most", None)
                is_floor = most is None or (least is not None and limit < least)
                side, step = ("at_least", 1e-7) if is_floor else ("at_most", -1e-7)
                left = [
                    outcome
                    for outcome in all_outcomes(problem)
                    if all(holds(other, *outcome) for other in conflict if other is not one)
                ]
                nearest = replace(one, **{side: limit})
                assert any(holds(nearest, *outcome) for outcome in left)
                stricter = replace(one, **{side: limit + step})
                assert not any(holds(stricter, *outcome) for outcome in left)
                n_judged += 1
    assert n_judged > 20


@pytest.mark.parametrize("n_digits", range(1, 9))
def test_the_nearest_digits_are_the_fewest_that_can_separate_the_classes_up_to_six_more(n_digits):
    scores = np.array([0.5, 1.5]) / 10**n_digits  # 1 / 10**n_digits is the roundest in between
    with pytest.raises(ordcut.InfeasibleConstraintsError) as error:
        ordcut.optimal_thresholds(
            scores, [0, 1], constraints=["recall 0 >= 1", "recall 1 >= 1", "digits 0"]
        )
    expected = n_digits if n_digits <= 6 else None
    assert error.value.nearest.get("digits 0") == expected


@pytest.mark.parametrize(("least", "most", "nearest"), [(0.4, 0.45, 0.5), (0.55, 0.6, 0.5)])
def test_of_two_limits_the_one_that_is_missed_by_less_is_said(least, most, nearest):
    share = ordcut.Share(1, at_least=least, at_most=most)
    with pytest.raises(ordcut.InfeasibleConstraintsError) as error:
        ordcut.optimal_thresholds([1, 2], [0, 1], constraints=[share])  # 0, 0.5 and 1 are possible
    assert error.value.nearest == {str(share): nearest}
