"""A precision with a confidence, against the tests in a fixed order, one row at a time."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

import ordcut
from ordcut._core.limits.sequence import FEWEST_PER_WRONG_ROW, GROWTH, MOST_WRONG_ROWS
from tests.limits.within_limits import INF, best_within, midpoints, random_problem
from tests.naive import GOODNESS

#: Limits that few rows can keep: the precision, and the risk.
LEAST, RISK = Fraction(1, 2), Fraction(1, 4)


def chance_of_at_least(n_right, n_rows, share):
    """The chance of so many right rows, if each is right with the probability ``share``."""
    return sum(
        comb(n_rows, i) * share**i * (1 - share) ** (n_rows - i) for i in range(n_right, n_rows + 1)
    )


def tolerated(n_rows, share, risk):
    """The largest number of wrong rows with which so many rows pass; -1 if there is none."""
    passed = (w for w in range(n_rows) if chance_of_at_least(n_rows - w, n_rows, share) <= risk)
    return max(passed, default=-1)


def ranks(n_rows, share, risk):
    """The numbers of rows that are tested, by their definition."""
    fewest = next(n for n in range(1, 10**4) if share**n <= risk)
    wrong = min(MOST_WRONG_ROWS, n_rows // (FEWEST_PER_WRONG_ROW * fewest))
    tested = []
    while not tested or tested[-1] < n_rows:
        first = next(n for n in range(fewest, 10**4) if tolerated(n, share, risk) >= wrong)
        tested.append(max([first, *(int(rank * GROWTH) for rank in tested[-1:])]))
        wrong = tolerated(tested[-1], share, risk) + 1
    return [n for n in tested if n < n_rows] + [n_rows] * (fewest <= n_rows)


def promised_values(rows, own, is_highest, share=LEAST, risk=RISK):
    """The thresholds at which all tests pass, from the end inwards."""
    values = midpoints(sorted({score for score, *_ in rows}))
    passed, last = set(), 0
    for rank in ranks(int(sum(weight for *_, weight in rows)), share, risk):
        sizes = []
        for value in values:
            beyond = [row for row in rows if (row[0] >= value) == is_highest]
            sizes.append((int(sum(row[2] for row in beyond)), value, beyond))
        size, value, beyond = min(each for each in sizes if each[0] >= rank)
        if size == last:
            continue
        n_right = int(sum(weight for _, label, weight in beyond if label == own))
        if size - n_right > tolerated(size, share, risk):
            break
        between = [each for each in sizes if 0 < last < each[0] < size]
        passed |= {
            value
            for _, value, rows in between
            if sum(row[2] for row in rows if row[1] != own) <= tolerated(last, share, risk)
        }
        passed.add(value)
        last = size
    return passed


@pytest.mark.parametrize("ends", [[True], [False], [True, False]])
def test_the_best_of_the_thresholds_that_pass(ends):
    random, n_solved = np.random.default_rng(len(ends) + ends[0]), 0
    for i in range(150):
        problem = random_problem(random, weighted=False, n_classes=2 if i % 2 else None)
        problem["scores"] = random.integers(0, 9, 14)
        noise = random.choice([-1, 0, 0, 0, 1], 14)
        k = problem["n_classes"]
        problem["labels"] = np.clip(problem["scores"] * k // 9 + noise, 0, k - 1)
        problem["rows"] = [
            (float(score), int(label), Fraction(1))
            for score, label in zip(problem["scores"], problem["labels"], strict=True)
        ]
        own = [k - 1 if is_highest else 0 for is_highest in ends]
        passed = [
            promised_values(problem["rows"], each, is_highest)
            for each, is_highest in zip(own, ends, strict=True)
        ]
        arguments = {
            "classes": range(k),
            "objective": random.choice(["absolute", "zero_one"]),
            "constraints": [ordcut.Precision(each, at_least=0.5, confidence=0.75) for each in own],
        }
        positions = [k - 2 if is_highest else 0 for is_highest in ends]
        expected = best_at_ends(problem, arguments["objective"], positions, passed)
        if expected is None:
            with pytest.raises(ordcut.InfeasibleConstraintsError):
                ordcut.optimal_thresholds(problem["scores"], problem["labels"], **arguments)
            continue
        result = ordcut.optimal_thresholds(problem["scores"], problem["labels"], **arguments)
        cuts = [int((problem["scores"] < value).sum()) for value in result.thresholds]
        assert [-cut for cut in reversed(cuts)] == expected[1]
        n_solved += 1
    assert n_solved > 20


def best_at_ends(problem, objective, positions, passed):
    """The best thresholds of which those at given positions are among given values."""
    solutions = [
        best_within(problem, list(map(ordcut.Fixed, positions, values)), GOODNESS[objective])
        for values in product(*passed)
    ]
    return max((solution for solution in solutions if solution is not None), default=None)


def test_a_threshold_without_allowed_values_promises_nothing():
    limits = ["precision 1 >= 0.5 with 90 %", "fixed 0 1.5", "digits 0"]
    with pytest.raises(ordcut.InfeasibleConstraintsError, match="cannot hold"):
        ordcut.optimal_thresholds(range(30), [0, 1] * 15, constraints=limits)


def test_the_promise_is_told_and_survives_json():
    random = np.random.default_rng(0)
    scores = random.normal(size=2000)
    labels = (random.uniform(size=2000) < 1 / (1 + np.exp(-6 * scores))).astype(int)
    limits = ["precision 0 >= 0.9 with 90 %", "precision 1 >= 0.9 with 95 %"]
    result = ordcut.optimal_thresholds(scores, labels, review=0.1, constraints=limits)
    assert [outcome.promised for outcome in result.constraints] == [0.9, 0.9]
    assert min(outcome.reached for outcome in result.constraints) > 0.9
    assert result.joint_confidence == pytest.approx(0.85)
    assert "by exact binomial tests in a fixed order" in result.explain()
    again = ordcut.Thresholds.from_json(result.to_json())
    assert str(again.constraints[1]) == str(result.constraints[1])
    assert result.near_optimal(0.01).shape == (2, 2)
    assert result.bootstrap(n=20).n_infeasible < 20


def test_repeated_rows_count_as_often_as_they_occur():
    scores, labels = np.arange(12), [0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1]
    limit = ["precision 1 >= 0.6 with 90 %"]
    repeated = ordcut.optimal_thresholds(
        np.repeat(scores, 3), np.repeat(labels, 3), constraints=limit
    )
    weighted = ordcut.optimal_thresholds(
        scores, labels, sample_weight=np.full(12, 3), weight_type="repeats", constraints=limit
    )
    assert weighted.thresholds.tolist() == repeated.thresholds.tolist()
    with pytest.raises(ValueError, match="must be whole numbers"):
        ordcut.optimal_thresholds(scores, labels, sample_weight=np.full(12, 0.3), constraints=limit)


def test_thresholds_on_a_grid_are_tested_on_the_grid():
    random = np.random.default_rng(1)
    scores = random.normal(size=5000)
    labels = (random.uniform(size=5000) < 1 / (1 + np.exp(-6 * scores))).astype(int)
    limits = ["precision 1 >= 0.9 with 90 %", "digits 1"]
    result = ordcut.optimal_thresholds(scores, labels, constraints=limits)
    coarse = ordcut.optimal_thresholds(np.floor(scores * 10) / 10, labels, constraints=limits)
    assert result.thresholds.tolist() == coarse.thresholds.tolist()


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("precision 1 >= 0.5 with 90 %", "lowest or the highest decision"),
        ("precision 0 or higher >= 0.5 with 90 %", "lowest or the highest decision"),
        ("precision 2 <= 0.5 with 90 %", "only a minimum"),
    ],
)
def test_other_precisions_are_refused(limit, message):
    with pytest.raises(ValueError, match=message):
        ordcut.optimal_thresholds(range(9), [0, 1, 2] * 3, constraints=[limit])


def test_the_error_names_the_number_of_rows_and_the_nearest_precision():
    labels = [0] * 20 + [1] * 20
    with pytest.raises(ordcut.InfeasibleConstraintsError) as raised:
        ordcut.optimal_thresholds(range(40), labels, constraints=["precision 1 >= 0.9 with 95 %"])
    ((text, shortage),) = raised.value.shortages.items()
    # 29 right rows promise it, of which there are 20 in 40: so 80 rows like these are enough.
    assert (shortage.needed, shortage.available) == (80, 40)
    nearest = raised.value.nearest[text]
    weaker = ordcut.Precision(1, at_least=nearest, confidence=0.95)
    assert ordcut.optimal_thresholds(range(40), labels, constraints=[weaker]).value == 0
    assert nearest == pytest.approx(0.05 ** (1 / 20), abs=1e-3)


def test_the_lowest_threshold_may_be_infinite_and_the_decision_never_empty():
    labels = [1] * 30
    result = ordcut.optimal_thresholds(
        range(30), labels, classes=[0, 1], constraints=["precision 1 >= 0.9 with 95 %"]
    )
    assert result.thresholds.tolist() == [-INF]
    with pytest.raises(ordcut.InfeasibleConstraintsError):
        ordcut.optimal_thresholds(
            range(30), labels, classes=[0, 1], constraints=["precision 0 >= 0.9 with 95 %"]
        )
