"""One call: its value is what the thresholds pay on the rows as observed, whatever the options."""

import numpy as np
import pytest

import ordcut
from tests.tables import BALANCED, COSTS, KAPPAS

RANDOM = np.random.default_rng(5)
LABELS = RANDOM.integers(0, 3, 150)
SCORES = np.round(LABELS + RANDOM.normal(size=150), 1)
WEIGHTS = {
    "none": None,
    "whole": LABELS % 2 + 1,
    "fractions": RANDOM.choice([0.1, 0.3, 0.7], 150),
    "many fractions": RANDOM.random(150),
}
OBJECTIVES = [*COSTS, *KAPPAS, *BALANCED]


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("smoothing", [0, 0.5, 1])
@pytest.mark.parametrize("constraints", [(), ["share 2 <= 0.3"], [ordcut.Digits(0)]], ids=str)
def test_the_value_is_that_of_the_predictions_on_the_observed_rows(
    weights, objective, smoothing, constraints
):
    result = ordcut.optimal_thresholds(
        SCORES,
        LABELS,
        objective=objective,
        sample_weight=weights,
        smoothing=smoothing,
        constraints=constraints,
    )
    paid = ordcut.evaluate(LABELS, result.predict(SCORES), objective, sample_weight=weights)
    if objective in BALANCED:  # whose factors are sums, too
        paid = pytest.approx(paid, rel=1e-14)
    assert result.value == paid
    name = {"balanced_accuracy": "balanced_zero_one"}.get(objective, objective)
    assert result.objective == name
    judged = ordcut.judge(result, SCORES, LABELS, objective, sample_weight=weights)
    assert judged.value == paid


@pytest.mark.parametrize("smoothing", [0, 0.5])
@pytest.mark.parametrize(
    ("class_weight", "factors"),
    [(None, [1, 1, 1]), ("balanced", 1 / np.bincount(LABELS)), ({1: 3}, [1, 3, 1])],
    ids=["none", "balanced", "dict"],
)
def test_the_value_counts_classes_by_their_weights_and_names_the_share_under_review(
    smoothing, class_weight, factors
):
    options = {"review": 0.3, "smoothing": smoothing, "class_weight": class_weight}
    result = ordcut.optimal_thresholds(SCORES, LABELS, **options)
    each = np.array(factors)[LABELS]
    costs = np.abs(result.codes(SCORES) / 2 - LABELS)
    is_review = result.codes(SCORES) % 2 == 1
    paid = np.where(is_review, 0.3, costs)
    assert result.value == pytest.approx((each * paid).sum() / each.sum())
    assert result.review_share == pytest.approx(is_review.mean())
    moved = result.moved(0, result.thresholds[0])
    for same in (moved, moved.moved(1, result.thresholds[1])):
        assert same.review_share == result.review_share
        assert same.value == pytest.approx(result.value, rel=1e-14)


@pytest.mark.parametrize("smoothing", [True, False, -0.1, 1.1, "some", np.nan])
def test_smoothing_is_a_number_from_0_to_1(smoothing):
    with pytest.raises(ValueError, match="smoothing must be a number from 0 to 1"):
        ordcut.optimal_thresholds(SCORES, LABELS, smoothing=smoothing)


@pytest.mark.parametrize("method", ["pruned", "dp", "nested"])
@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_every_method_finds_the_same_thresholds_within_limits_on_values(method, weights):
    options = {"sample_weight": weights, "constraints": [ordcut.Digits(0)]}
    expected = ordcut.optimal_thresholds(SCORES, LABELS, **options)
    result = ordcut.optimal_thresholds(SCORES, LABELS, method=method, **options)
    assert result.thresholds.tolist() == expected.thresholds.tolist()
    assert (result.thresholds == np.rint(result.thresholds)).all()


def test_the_number_of_threads_and_of_rows_in_a_block_are_checked_for_every_method():
    for options in ({"n_jobs": 0}, {"n_jobs": 1.5}, {"block_size": 0}, {"block_size": 2.5}):
        name = next(iter(options))
        with pytest.raises(ValueError, match=f"{name} must be"):
            ordcut.optimal_thresholds(SCORES, LABELS, method="blocks", **options)


@pytest.mark.parametrize("constraints", [(), ["share 1 <= 0.9"]])
def test_costs_are_refused_that_class_weights_make_too_large_to_be_added_up(constraints):
    cost = [[0, 1e300], [1e300, 0]]
    options = {"objective": cost, "constraints": constraints}
    with pytest.raises(ValueError, match=r"can be added up over 3e\+10 rows, got 1e\+300"):
        ordcut.optimal_thresholds([1, 2, 3], [0, 1, 1], class_weight={1: 1e10}, **options)
    result = ordcut.optimal_thresholds([1, 2, 3], [0, 1, 1], class_weight={1: 1e-10}, **options)
    assert result.thresholds.tolist() == [1.5]
