"""A search that spends its budget sorts all rows, finds the same cuts, and always does so."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import ordcut
from tests.hard_rows import HARD, LABELS, N
from tests.small_sizes import prune_from, set_sizes
from tests.strategies import problems
from tests.tables import EVERY_OBJECTIVE


def spend_after(monkeypatch, steps):
    """Let "auto" prune few rows, with a budget of some steps for each row."""
    prune_from(monkeypatch, -1)
    set_sizes(monkeypatch, counters=64, least_cells=8, steps_of_round=20)
    set_sizes(monkeypatch, steps_to_sort=dict.fromkeys([True, False], steps))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(problem=problems(), steps=st.sampled_from([0, 5, 10, 20, 40, 10**6]))
@pytest.mark.parametrize("name", EVERY_OBJECTIVE)
def test_any_budget_leads_to_the_same_cuts(name, problem, steps):
    assume(len({truth for _, truth, _ in problem.rows}) > 1)  # else kappas are undefined
    options = {
        "objective": name, "classes": problem.classes, "sample_weight": problem.weights,
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        prune_from(patch, 10**9)
        expected = ordcut.optimal_thresholds(problem.scores, problem.labels, **options)
        spend_after(patch, steps)
        result = ordcut.optimal_thresholds(problem.scores, problem.labels, **options)
    assert expected.method != "pruned"
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == expected.value
    assert result.ranges.tolist() == expected.ranges.tolist()


@pytest.mark.parametrize("rows", ["normal", "very sharp probabilities", "one value and a tail"])
@pytest.mark.parametrize("name", EVERY_OBJECTIVE)
def test_the_same_rows_are_always_solved_in_the_same_way(name, rows, monkeypatch):
    prune_from(monkeypatch, 10**9)
    expected = ordcut.optimal_thresholds(HARD[rows], LABELS, objective=name)
    methods = []
    for steps in (0, 10, 20, 30, 50, 10**6):
        spend_after(monkeypatch, steps)
        results = [
            ordcut.optimal_thresholds(HARD[rows], LABELS, objective=name, n_jobs=n_jobs)
            for n_jobs in (1, 1, 3)
        ]
        assert len({result.method for result in results}) == 1
        methods.append(results[0].method)
        for result in results:
            assert result.thresholds.tolist() == expected.thresholds.tolist()
            assert result.value == expected.value
            assert (
                str(result.certificate).split(" after ")[0]
                == (str(expected.certificate).split(" after ")[0])
            )
    # The name of the solver of sorted rows, until the budget is enough.
    assert methods == sorted(methods, key="pruned".__eq__)
    assert methods[0] == expected.method
    assert methods[-1] == "pruned"


@pytest.mark.parametrize("steps", [0, 10, 20, 30, 10**6])
@pytest.mark.parametrize("constraint", ["under 1 <= 0.3", "precision 3 >= 0.6", "gap >= 0.5"])
def test_limits_hold_after_any_budget(constraint, steps, monkeypatch):
    options = {"objective": "absolute", "constraints": [constraint]}
    scores = HARD["normal"]
    prune_from(monkeypatch, 10**9)
    expected = ordcut.optimal_thresholds(scores, LABELS, **options)
    spend_after(monkeypatch, steps)
    result = ordcut.optimal_thresholds(scores, LABELS, **options)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert result.value == expected.value


def test_a_search_that_was_asked_for_has_no_budget(monkeypatch):
    spend_after(monkeypatch, 0)
    scores = np.linspace(0, 1, N)
    assert ordcut.optimal_thresholds(scores, LABELS).method == "nested"
    assert ordcut.optimal_thresholds(scores, LABELS, method="pruned").method == "pruned"
