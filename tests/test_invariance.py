"""Laws of scores, classes, rows and costs, and of kernels that run compiled or not."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from tests.strategies import enough_classes, find, problems
from tests.tables import BALANCED, CONVEX, COSTS, OBJECTIVES

#: Maps that keep the order of scores, and which float64 computes without a tie.
INCREASING = {
    "cube": lambda scores: scores**3,
    "exp": np.exp,
    "arctan": np.arctan,
    "steps": lambda scores: np.floor(scores) * 1e6 + scores,
    "ranks": lambda scores: np.unique(scores, return_inverse=True)[1].astype(float),
    "far": lambda scores: scores * 1e300,
    "float32": lambda scores: scores.astype(np.float32),
}


def labels_of(result, scores):
    return result.predict(scores).tolist()


def small(problem):
    return {"sample_weight": problem.weights}


@pytest.mark.parametrize("name", INCREASING)
@settings(max_examples=100)
@given(problem=problems().filter(enough_classes), objective=st.sampled_from(OBJECTIVES))
def test_an_increasing_map_of_the_scores_changes_no_label(name, problem, objective):
    mapped = INCREASING[name](problem.scores)
    before = find(problem.scores, problem.labels, problem.n_classes, objective, **small(problem))
    after = find(mapped, problem.labels, problem.n_classes, objective, **small(problem))
    counts = ... if problem.weights is None else problem.weights > 0
    assert labels_of(after, mapped[counts]) == labels_of(before, problem.scores[counts])
    assert after.value == before.value


@given(problem=problems().filter(enough_classes), objective=st.sampled_from(OBJECTIVES))
def test_reversed_scores_and_classes_reach_the_same_value(problem, objective):
    last = problem.n_classes - 1
    before = find(problem.scores, problem.labels, problem.n_classes, objective, **small(problem))
    back = find(-problem.scores, last - problem.labels, problem.n_classes, objective,
                **small(problem))  # fmt: skip
    assert back.value == pytest.approx(before.value, abs=1e-15)
    # The labels of one, reversed, are optimal for the other.
    again = ordcut.evaluate(problem.labels, last - back.predict(-problem.scores), objective,
                            classes=problem.classes, **small(problem))  # fmt: skip
    assert again == pytest.approx(before.value, abs=1e-15)


@given(problem=problems(), objective=st.sampled_from(COSTS))
def test_the_loss_of_two_samples_together_is_at_least_that_of_each_alone(problem, objective):
    n = len(problem.scores)
    weights = np.ones(n) if problem.weights is None else problem.weights
    halves = [np.arange(n) % 2 == half for half in (0, 1)]
    if not all(weights[half].any() for half in halves):
        return
    sums = [
        find(problem.scores[half], problem.labels[half], problem.n_classes, objective,
             sample_weight=weights[half]).value * weights[half].sum()
        for half in halves
    ]  # fmt: skip
    together = find(problem.scores, problem.labels, problem.n_classes, objective,
                    sample_weight=weights).value * weights.sum()  # fmt: skip
    assert together >= sum(sums) - 1e-12


@given(problem=problems().filter(enough_classes), objective=st.sampled_from(OBJECTIVES))
def test_rows_concatenated_with_themselves_change_nothing(problem, objective):
    twice = [np.concatenate([column] * 2) for column in (problem.scores, problem.labels)]
    weights = None if problem.weights is None else np.concatenate([problem.weights] * 2)
    before = find(problem.scores, problem.labels, problem.n_classes, objective, **small(problem))
    after = find(*twice, problem.n_classes, objective, sample_weight=weights)
    assert after.thresholds.tolist() == before.thresholds.tolist()
    assert after.value == pytest.approx(before.value, abs=1e-15)


@given(problem=problems(), data=st.data())
def test_a_constant_added_to_the_costs_of_a_row_changes_no_threshold(problem, data):
    n, n_classes = len(problem.scores), problem.n_classes
    entries = st.lists(st.integers(-9, 9), min_size=n_classes, max_size=n_classes)
    costs = np.array(data.draw(st.lists(entries, min_size=n, max_size=n)))
    shifts = data.draw(st.lists(st.sampled_from([-1e15, -7, 0, 3, 1e15]), min_size=n, max_size=n))

    def thresholds(matrix):
        result = ordcut.optimal_thresholds(problem.scores, costs=matrix)
        return result.thresholds.tolist()

    # Sums of whole numbers up to 2**53 are exact, so that only the constants differ.
    assert thresholds(costs + np.array(shifts)[:, None]) == thresholds(costs)


@given(problem=problems(), data=st.data())
def test_a_constant_added_to_the_costs_of_a_truth_changes_no_threshold(problem, data):
    k = problem.n_classes
    entries = st.lists(st.integers(0, 9), min_size=k, max_size=k)
    cost = np.array(data.draw(st.lists(entries, min_size=k, max_size=k)))
    shift = np.array(data.draw(entries))
    before = find(problem.scores, problem.labels, k, cost, **small(problem))
    after = find(problem.scores, problem.labels, k, cost + shift, **small(problem))
    assert after.thresholds.tolist() == before.thresholds.tolist()


@pytest.mark.parametrize("objective", [*COSTS, *BALANCED])
@settings(max_examples=100)
@given(problem=problems().filter(enough_classes), weighted=st.booleans())
def test_every_method_agrees_under_balanced_weights(objective, problem, weighted):
    weights = None if problem.weights is None else problem.weights / (7 if weighted else 1)
    kind = {} if objective in BALANCED else {"class_weight": "balanced"}
    results = {}
    for method in CONVEX:
        try:
            results[method] = find(problem.scores, problem.labels, problem.n_classes, objective,
                                   method=method, sample_weight=weights, **kind)  # fmt: skip
        except ValueError as error:  # a method for convex or ordered problems
            assert f'method="{method}"' in str(error)  # noqa: PT017
    expected = results["dp"]
    for result in results.values():
        assert result.thresholds.tolist() == expected.thresholds.tolist()
        assert result.value == expected.value


SOLVE = """
import numpy as np, ordcut
i = np.arange(3000)
labels = (i * 7919 % 1009 + i // 3) // 400 % 5
scores = np.round(labels + 2 * np.sin(i), 3)
for objective in ("absolute", "zero_one", "quadratic_kappa"):
    for method in ("dp", "pruned", "auto"):
        result = ordcut.optimal_thresholds(scores, labels, objective=objective, method=method)
        print([float.hex(t) for t in result.thresholds], float.hex(result.value))
print(ordcut.optimal_thresholds(scores, labels, constraints=["share 1 <= 0.1"]).thresholds.tolist())
"""


def test_results_are_the_same_with_kernels_compiled_and_without():
    outputs = set()
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        command = [sys.executable, "-W", "ignore", "-c", SOLVE]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        outputs.add(done.stdout)
    assert len(outputs) == 1
