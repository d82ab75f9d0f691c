"""Smoothed thresholds within limits: best for the blend, with limits on the labels as observed."""

from fractions import Fraction

import numpy as np
import pytest

import ordcut
from ordcut._core.data import Rows
from ordcut._core.objectives.named import resolve_objective
from ordcut._core.smoothing import smooth
from tests.limits.within_limits import (
    KINDS,
    all_thresholds,
    holds,
    random_constraint,
    random_problem,
    table_of,
)

OF_ANY_VALUE = [kind for kind in KINDS if kind not in ("allowed", "digits")]


def find(problem, constraints, **options):
    return ordcut.optimal_thresholds(
        problem["scores"],
        problem["labels"],
        classes=range(problem["n_classes"]),
        constraints=constraints,
        **options,
    )


def as_problem(rows, n_classes):
    """Rows as plain tuples with exact weights."""
    weights = np.ones(len(rows.scores), int) if rows.weights is None else rows.weights
    columns = rows.scores.tolist(), rows.codes.tolist(), map(Fraction, weights.tolist())
    return {"rows": list(zip(*columns, strict=True)), "n_classes": n_classes}


def paid(table, cost):
    return sum(
        weight * Fraction(cost[k, label])
        for k, row in enumerate(table)
        for label, weight in enumerate(row)
    )


@pytest.mark.parametrize("kind", OF_ANY_VALUE)
@pytest.mark.parametrize("objective", ["absolute", "zero_one"])
def test_smoothed_thresholds_are_the_best_for_the_blend_that_keep_limits_on_observed_rows(
    kind, objective
):
    random = np.random.default_rng(KINDS.index(kind))
    n_found = 0
    for _ in range(12):
        problem = random_problem(random, weighted=False, n_classes=3)
        constraint = random_constraint(kind, random, 3)
        cost = resolve_objective(objective, 3).cost
        rows = Rows.read(problem["scores"], problem["labels"], classes=range(3))
        blend = as_problem(smooth(rows, resolve_objective(objective, 3), 0.5).rows, 3)
        least = min(
            (
                paid(table_of(blend, at), cost)
                for at in all_thresholds(problem, [constraint])
                if holds(constraint, table_of(problem, at), at)
            ),
            default=None,
        )
        try:
            result = find(problem, [constraint], objective=objective, smoothing=0.5)
        except ordcut.InfeasibleConstraintsError:
            assert least is None
            continue
        n_found += 1
        at = result.thresholds.tolist()
        table = table_of(problem, at)
        assert holds(constraint, table, at)
        assert paid(table_of(blend, at), cost) == least
        total = sum(map(sum, table))
        assert result.value == pytest.approx(float(paid(table, cost) / total))
    assert n_found > 3


@pytest.mark.parametrize("objective", ["absolute", "quadratic_kappa"])
def test_limits_of_smoothed_thresholds_reach_and_cost_what_observed_rows_say(objective):
    random = np.random.default_rng(0)
    for _ in range(6):
        scores = random.normal(size=60).round(1)
        labels = np.digitize(scores + random.normal(size=60), [-0.5, 0.5])
        problem = {"scores": scores, "labels": labels, "n_classes": 3}
        limits = [ordcut.Share(1, at_most=0.2), ordcut.Recall(2, at_least=0.6)]
        options = {"objective": objective, "smoothing": 0.5}
        result = find(problem, limits, **options)
        decided = result.codes(scores)
        share, recall = result.constraints
        assert share.reached == np.mean(decided == 1) <= 0.2
        assert recall.reached == pytest.approx(np.mean(decided[labels == 2] == 2))
        assert result.value == pytest.approx(ordcut.evaluate(labels, decided, objective))
        sign = -1 if objective == "quadratic_kappa" else 1
        for one, left in ((share, limits[1:]), (recall, limits[:1])):
            gained = sign * (result.value - find(problem, left, **options).value)
            assert one.cost == pytest.approx(max(0.0, gained), abs=1e-12)


@pytest.mark.parametrize("smoothing", [0, 0.5])
def test_class_weights_count_in_the_value_and_not_in_the_limits(smoothing):
    random = np.random.default_rng(1)
    scores = random.normal(size=80)
    labels = np.digitize(scores + random.normal(size=80), [-0.5, 0.5])
    problem = {"scores": scores, "labels": labels, "n_classes": 3}
    for factors in ([1, 5, 1], [0.5, 1, 7]):
        options = {"class_weight": factors, "smoothing": smoothing}
        limit = ordcut.Share(1, at_most=0.25)
        result = find(problem, [limit], **options)
        decided = result.codes(scores)
        assert result.constraints[0].reached == np.mean(decided == 1) <= 0.25
        weighted = ordcut.evaluate(labels, decided, "absolute", class_weight=factors)
        assert result.value == pytest.approx(weighted)
        free = find(problem, [], **options).value
        assert result.constraints[0].cost == pytest.approx(max(0.0, result.value - free), abs=1e-12)
