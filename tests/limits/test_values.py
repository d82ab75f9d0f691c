"""Limits on the values of thresholds, against all values that there are."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ordcut


@given(first=st.integers(0, 99), steps=st.lists(st.integers(1, 99), min_size=2, max_size=3))
def test_decimals_that_are_as_far_apart_as_a_gap_keep_it_in_spite_of_rounding(first, steps):
    decimals = [whole / 100 for whole in np.cumsum([first, *steps]).tolist()]
    result = ordcut.optimal_thresholds(
        [decimals[0] - 1, *decimals],
        [0] * (len(decimals) + 1),  # without limits, all thresholds would be above the scores
        classes=range(len(decimals) + 1),
        constraints=[ordcut.Allowed(decimals), ordcut.Gap(at_least=min(steps) / 100)],
    )
    assert result.thresholds.tolist() == decimals


@given(
    lower=st.integers(0, 400),
    width=st.integers(1, 400),
    low=st.integers(0, 800),
    range_of=st.integers(0, 400),
    n_digits=st.sampled_from([-1, 0, 1]),
)
def test_of_the_round_numbers_in_a_range_it_is_the_one_nearest_to_the_middle(
    lower, width, low, range_of, n_digits
):
    lower, upper = lower / 4, (lower + width) / 4
    low, high = low / 4, (low + range_of) / 4
    steps = np.arange(4000)
    every = steps / 10 if n_digits == 1 else steps * 10.0**-n_digits
    allowed = every[(lower < every) & (every <= upper) & (low <= every) & (every <= high)]
    assume(len(allowed) > 0)
    constraints = [f"digits {n_digits}", f"between 0 {low} {high}"]
    (result,) = ordcut.optimal_thresholds(
        [lower, upper], [0, 1], constraints=constraints
    ).thresholds
    middle = (lower + upper) / 2
    assert result in allowed
    assert abs(result - middle) == np.abs(allowed - middle).min()


def test_digits_that_are_finer_than_the_scores_cost_nothing_however_many_numbers_they_leave():
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 2000)
    scores = np.round(1000 * labels + random.normal(scale=1000, size=2000), 3)
    free = ordcut.optimal_thresholds(scores, labels)
    for n_digits in (4, 6, 9):  # up to 10**13 round numbers between the scores
        result = ordcut.optimal_thresholds(scores, labels, constraints=[ordcut.Digits(n_digits)])
        assert result.value == free.value
        assert result.thresholds.tolist() == np.round(result.thresholds, n_digits).tolist()


@pytest.mark.parametrize(("largest", "is_held"), [(2.0**53 - 1, True), (2.0**53, False)])
def test_digits_are_refused_from_where_floats_do_not_hold_every_round_number(largest, is_held):
    scores, options = [0.0, largest], {"constraints": [ordcut.Digits(0)]}
    if is_held:
        assert ordcut.optimal_thresholds(scores, [0, 1], **options).value == 0
    else:
        with pytest.raises(ValueError, match="must leave numbers that floats can hold"):
            ordcut.optimal_thresholds(scores, [0, 1], **options)


def test_thresholds_move_away_from_the_middle_to_keep_a_gap():
    result = ordcut.optimal_thresholds([1, 2, 3, 4], [0, 1, 1, 2], constraints=["gap >= 2.5"])
    assert (result.value, result.thresholds.tolist()) == (0.0, [1.25, 3.75])
    assert result.constraints[0].cost == 0


def test_intervals_without_a_score_between_them_leave_room_for_a_gap():
    limits = ["between 0 1.1 1.2", "between 1 1.1 1.9", "gap >= 0.5"]
    result = ordcut.optimal_thresholds([1, 2], [0, 1], classes=[0, 1, 2], constraints=limits)
    low, high = result.thresholds
    assert 1.1 <= low <= 1.2
    assert low + 0.5 <= high <= 1.9


def test_a_gap_is_kept_by_the_floats_themselves():
    # 0.3 is less than 0.2 above 0.1 in floats: a free threshold moves, and fixed ones may stay.
    scores, labels = [0.0, 0.2, 0.25, 0.3, 0.4], [0, 1, 1, 2, 2]
    free = ordcut.optimal_thresholds(scores, labels, constraints=["fixed 0 0.1", "gap >= 0.2"])
    assert np.diff(free.thresholds) >= 0.2
    assert free.value > 0
    fixed = ["fixed 0 0.1", "fixed 1 0.3", "gap >= 0.2"]
    assert ordcut.optimal_thresholds(scores, labels, constraints=fixed).value == 0
