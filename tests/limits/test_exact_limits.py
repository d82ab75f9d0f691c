"""Constraints are kept, and costs compared, in exact arithmetic for every finite input."""

import numpy as np
import pytest

import ordcut
from tests.limits.adversarial_limits import check_limits
from tests.limits.adversarial_scores import (
    check_balanced_scores,
    check_constraint_costs,
    check_near_optimal,
)

# `make bench-exact` runs 20 000.


@pytest.mark.parametrize("part", range(4))
def test_the_best_thresholds_within_limits_are_found_in_exact_arithmetic(part):
    outcomes = [check_limits(seed) for seed in range(150 * part, 150 * (part + 1))]
    assert np.count_nonzero(outcomes) > 75  # limits that cannot hold are the exception


@pytest.mark.parametrize(
    "check", [check_balanced_scores, check_near_optimal, check_constraint_costs]
)
def test_scores_ranges_and_costs_of_constraints_are_those_of_fractions(check):
    outcomes = [check(seed) for seed in range(100)]
    assert np.count_nonzero(outcomes) > 40


@pytest.mark.parametrize("unit", [1, 1 / 7, 0.1, 1e-3])
def test_intervals_of_thresholds_do_not_depend_on_the_unit_of_the_weights(unit):
    scores, labels = [3, 0, 3, 3, 3], [1, 0, 1, 0, 0]
    weights = np.array([2, 2, 8, 17, 16]) * unit
    for limit in (ordcut.Between(0, 2.25, 3.25), ordcut.Fixed(0, 3.25)):
        result = ordcut.optimal_thresholds(
            scores, labels, sample_weight=weights, constraints=[limit]
        )
        assert result.thresholds.tolist() == [3.25]


@pytest.mark.parametrize("n", [2, 3, 7])
def test_counts_are_exact_where_weights_have_a_large_common_denominator(n):
    weights = [1 / 7919, 1 / 9973] + [1.0] * n
    for limit in (ordcut.Count(1, at_most=n), ordcut.Share(1, at_most=1)):
        result = ordcut.optimal_thresholds(
            range(n + 2),
            [1] * (n + 2),
            classes=[0, 1],
            sample_weight=weights,
            constraints=[limit],
        )
        n_kept = n if isinstance(limit, ordcut.Count) else n + 2
        assert (result.predict(range(n + 2)) == 1).sum() == n_kept


def test_counts_that_tiny_weights_cannot_reach_are_infeasible():
    weights = np.array([1, 2, 1]) * 2.0**-66
    rows = {"scores": [1, 2, 3], "labels": [0, 1, 1], "sample_weight": weights}
    with pytest.raises(ordcut.InfeasibleConstraintsError, match="count"):
        ordcut.optimal_thresholds(**rows, constraints=["count 1 >= 1"])
    result = ordcut.optimal_thresholds(**rows, constraints=[ordcut.Count(1, 3 * 2.0**-66)])
    assert result.thresholds.tolist() == [1.5]


def test_gaps_are_kept_where_sums_do_not_fit_into_whole_numbers():
    result = ordcut.optimal_thresholds(
        [4, 2, 2, 3, 1, 2],
        [3, 2, 3, 3, 1, 2],
        classes=range(4),
        objective="linear_kappa",
        sample_weight=[1e18, 2, 1e15, 1, 1, 3],
        constraints=["gap >= 0.9"],
    )
    gaps = np.diff(result.thresholds[np.isfinite(result.thresholds)])
    assert (gaps >= 0.9).all()
