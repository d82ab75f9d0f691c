"""What floats mean as fractions, and where sums of them stay exact."""

from fractions import Fraction
from itertools import accumulate, chain, pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ordcut._core.numerics.exact import (
    COST_DENOMINATOR,
    UNIT_ROUNDOFF,
    WEIGHT_DENOMINATOR,
    ExactCost,
    as_fraction,
    as_integers,
    convexity_of,
    distinct_values,
    exact_curves,
    in_whole_numbers,
    rounding_bound,
    summable_weights,
)

fractions = st.builds(
    lambda top, bottom, off: top / bottom * (1 + off * 2.0**-52),
    st.integers(-(10**6), 10**6),
    st.integers(1, 10**6),
    st.integers(-6, 6),
)

#: So large that many fractions are within the rounding of a float.
large = st.floats(10**3, 10**9)


@given(
    value=fractions | large | st.floats(allow_nan=False, allow_infinity=False),
    largest=st.sampled_from([COST_DENOMINATOR, WEIGHT_DENOMINATOR]),
)
def test_a_float_is_the_plain_fraction_next_to_it_or_the_number_that_it_is(value, largest):
    exact = Fraction(value)
    near = exact.limit_denominator(largest)
    is_near = abs(near - exact) <= 8 * UNIT_ROUNDOFF * abs(exact)
    is_dyadic = near.denominator & (near.denominator - 1) == 0
    expected = near if is_near and not is_dyadic else exact
    assert as_fraction(value, largest) == expected


def test_costs_are_fractions_of_up_to_a_million_parts_and_weights_of_up_to_ten_thousand():
    assert as_fraction(1 / 1_000_000) == Fraction(1, 1_000_000)
    assert as_fraction(1 / 1_000_001) == Fraction(1 / 1_000_001)
    assert whole_weights(np.array([1 / 10_000, 3 / 10_000])).tolist() == [1, 3]
    assert whole_weights(np.array([1 / 10_001, 3 / 10_001])) is None


# Weights in whole numbers


def whole_weights(weights):
    """The weights as whole multiples of a unit, or None if they have none."""
    multiples, _ = summable_weights(weights)
    return multiples if multiples.dtype == np.int64 else None


weights_of_few_parts = st.builds(
    lambda top, bottom, off: top / bottom * (1 + off * 2.0**-52),
    st.integers(1, 10**6) | st.integers(1, 2**48),
    st.integers(1, 30) | st.integers(1, 10**4),
    st.integers(-3, 3),
)


@example(weights=[1 / 255, 1 / 9617, 30029839.1818182])  # the last has 11 parts, 4 roundings off
@given(weights=st.lists(weights_of_few_parts, min_size=2, max_size=5))
def test_whole_weights_have_the_ratios_of_the_fractions_that_weights_mean(weights):
    whole = whole_weights(np.array(weights))
    meant = [as_fraction(weight, WEIGHT_DENOMINATOR) for weight in weights]
    if whole is not None:
        assert [number * meant[0] for number in whole.tolist()] == [
            int(whole[0]) * one for one in meant
        ]


def test_tiny_and_huge_weights_that_are_no_multiples_of_a_unit_are_not_whole():
    for weights in ([1.0, 5e-324], [0.5, 2.0**60], [1.5, 1e300], [1.0, 2.0**-60]):
        assert whole_weights(np.array(weights)) is None


def test_weights_are_looked_at_one_by_one_up_to_4096_distinct_values():
    assert len(distinct_values(np.arange(4096) / 10)) == 4096
    assert distinct_values(np.arange(4097) / 10) is None
    rare = np.zeros(4 * 4096)  # of which every fourth is a sample
    rare[np.arange(4 * 4096) % 4 > 0] = np.arange(3 * 4096) % 4095 + 1.0
    assert distinct_values(rare).tolist() == list(range(4096))
    rare[1] = 0.5
    assert distinct_values(rare) is None


def test_many_weights_are_taken_to_be_of_many_values_where_a_sample_has_more_than_1024():
    weights = np.zeros(2 * 4096)
    weights[: 2 * 1024 : 2] = np.arange(1024)
    assert len(distinct_values(weights)) == 1024
    weights[2 * 1024] = 1024
    assert distinct_values(weights) is None


# Costs in whole numbers

cost_floats = fractions | st.floats(-1e3, 1e3) | st.integers(-9, 9).map(float)
factor_floats = st.integers(0, 9).map(float) | st.sampled_from([0.1, 1 / 3, 2.5, 1e17, 1e300])


@given(
    cost=hnp.arrays(np.float64, (2, 3), elements=cost_floats),
    factors=st.none() | hnp.arrays(np.float64, 3, elements=factor_floats),
)
def test_exact_costs_are_multiples_of_the_fractions_that_costs_mean(cost, factors):
    result = ExactCost.of(cost, factors)
    factor = [Fraction(1)] * 3 if factors is None else [as_fraction(f) for f in factors.tolist()]
    meant = [as_fraction(c) * factor[i % 3] for i, c in enumerate(cost.ravel().tolist())]
    whole = result.integers.ravel().tolist()
    largest = max(range(6), key=lambda i: abs(meant[i]))
    assert [number * meant[largest] for number in whole] == [whole[largest] * one for one in meant]
    assert whole[largest] * meant[largest] > 0 or not any(whole)
    assert result.gain.tolist() == np.diff(-result.integers.astype(object), axis=0).tolist()
    for scaled, integers in (
        (result.float_cost, result.integers),
        (result.float_gain, result.gain),
    ):
        flat = integers.ravel().tolist()
        most = max(map(abs, flat))
        if most > 0:
            assert 0.5 <= np.abs(scaled).max() <= 1
            unit = Fraction(float(np.abs(scaled).max())) / most
            assert [float(number * unit) for number in flat] == pytest.approx(
                scaled.ravel().tolist(), rel=1e-15
            )
        else:
            assert not scaled.any()


@given(values=hnp.arrays(np.float64, (2, 2), elements=cost_floats | st.sampled_from([1e300, 2e18])))
def test_integers_have_the_ratios_of_the_fractions_that_floats_mean(values):
    meant = [as_fraction(value) for value in values.ravel().tolist()]
    result = as_integers(values)
    assert result.shape == values.shape
    largest = max(range(4), key=lambda i: abs(meant[i]))
    whole = result.ravel().tolist()
    assert [number * meant[largest] for number in whole] == [whole[largest] * one for one in meant]


@pytest.mark.parametrize("dtype", [object, np.int64])
@pytest.mark.parametrize("largest", [1, 3, 2**31, 2**31 + 1, 2**53, 2**62 - 1])
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_over_the_most_weight_are_below_two_to_the_62(largest, sign, dtype):
    result = ExactCost.of(np.array([[0, sign * largest], [1, 0]], dtype=dtype))
    assert result.integers.dtype == np.int64
    assert result.integers.tolist() == [[0, sign * largest], [1, 0]]
    assert result.most_weight * largest < 2**62 <= (result.most_weight + 1) * largest


def test_costs_from_two_to_the_62_on_are_integers_of_python():
    result = ExactCost.of(np.array([[0, 2**62], [1, 0]], dtype=object))
    assert (result.integers.dtype, result.most_weight) == (object, 0)
    assert result.integers.tolist() == [[0, 2**62], [1, 0]]


def test_costs_from_two_to_the_31_on_are_divided_by_what_they_share():
    for cost, expected in (
        ([[0.0, 2.0**31 - 2], [2.0**30, 0.0]], [[0, 2**31 - 2], [2**30, 0]]),
        ([[0.0, 2.0**31], [2.0**30, 0.0]], [[0, 2], [1, 0]]),
        ([[0.0, 2.0**31 + 2], [2.0, 0.0]], [[0, 2**30 + 1], [1, 0]]),
        ([[0.0, -(2.0**40)], [2.0**39, 0.0]], [[0, -2], [1, 0]]),
    ):
        result = ExactCost.of(np.array(cost))
        assert result.integers.tolist() == expected
        assert result.most_weight == (2**62 - 1) // np.abs(expected).max()


def test_costs_that_are_all_zero_leave_room_for_any_weight():
    for factors in (None, np.array([2.0, 3.0])):
        result = ExactCost.of(np.zeros((2, 2)), factors)
        assert result.integers.tolist() == [[0, 0], [0, 0]]
        assert result.most_weight == 2**62 - 1


def test_costs_are_whole_up_to_the_weight_at_which_sums_fit():
    cost = np.array([[0.0, 1024.0], [512.0, 0.0]])
    assert in_whole_numbers(cost, 2.0**52 - 1).dtype == np.int64
    assert in_whole_numbers(cost, 2.0**52) is cost


small_costs = st.tuples(st.integers(2, 4), st.integers(2, 4)).flatmap(
    lambda shape: hnp.arrays(np.int64, shape, elements=st.integers(-3, 3))
)


@given(cost=small_costs)
def test_costs_are_convex_where_gains_times_some_factors_never_rise(cost):
    gain = cost[:-1] - cost[1:]
    ratios = {Fraction(abs(a), abs(b)) for a in range(1, 7) for b in range(1, 7)}
    some = [Fraction(1, 1000), *ratios, Fraction(1000)]
    can_fall = all(
        any((ratio * after <= before).all() for ratio in some) for before, after in pairwise(gain)
    )
    if (gain[1:] <= gain[:-1]).all():
        assert convexity_of(cost) == "convex"
    else:
        assert convexity_of(cost) == ("up to scale" if can_fall else "no")


square_costs = st.integers(2, 4).flatmap(
    lambda k: st.tuples(
        hnp.arrays(np.int64, (k, k), elements=st.integers(0, 1)),
        hnp.arrays(np.int64, k, elements=st.integers(0, 3)),
        hnp.arrays(np.int64, k, elements=st.integers(0, 3)),
        st.booleans(),
    )
)


@given(parts=square_costs)
def test_errors_are_equal_where_all_wrong_predictions_cost_the_same_and_the_right_one_less(parts):
    noise, wrong, right, is_noisy = parts
    k = len(wrong)
    cost = np.where(np.eye(k, dtype=bool), right, wrong) + is_noisy * noise
    are_equal = all(
        len({int(cost[d, truth]) for d in range(k) if d != truth}) == 1
        and cost[truth, truth] <= cost[truth - 1, truth]
        for truth in range(k)
    )
    assert ExactCost.of(cost).has_equal_errors == are_equal
    assert not ExactCost.of(cost[:-1] if k > 2 else np.ones((3, 2), int)).has_equal_errors


def test_exact_curves_are_sums_of_gains_in_a_common_unit():
    random = np.random.default_rng(0)
    for n_cuts in (1, 2, 5) * 10:
        tops, bottoms = random.integers(0, 9, (n_cuts + 1, 3)), random.integers(1, 12, (3, 3))
        between = np.empty((n_cuts + 1, 3), dtype=object)
        for i, j in np.ndindex(between.shape):
            between[i, j] = Fraction(int(tops[i, j]), int(bottoms[i % 3, j]))
        gain = random.integers(-3, 4, (2, 3)).astype(object)
        expected = [list(accumulate((between[:-1] @ row).tolist())) for row in gain]
        result = exact_curves(gain, between).tolist()
        pairs = list(zip(chain(*expected), chain(*result), strict=True))
        units = {Fraction(curve) / value for value, curve in pairs if value != 0}
        assert len(units) <= 1
        assert all(unit > 0 for unit in units)
        assert all(curve == 0 and isinstance(curve, int) for value, curve in pairs if value == 0)


# Sums of floats


@pytest.mark.parametrize("n_rows", [1, 5, 1000])
@pytest.mark.parametrize("scale", [1.0, 3e-9, 7e200])
def test_the_bound_on_rounding_is_above_the_worst_error_and_not_far_above(n_rows, scale):
    worst = n_rows * UNIT_ROUNDOFF * scale  # each addition rounds by up to half a unit
    assert 2 * worst + 2 * 3 * UNIT_ROUNDOFF * scale <= rounding_bound(scale, n_rows)
    assert rounding_bound(scale, n_rows) <= 200 * worst


def test_products_that_underflow_are_within_the_bound_on_rounding():
    for n_rows in (1, 10, 1000):
        assert n_rows * 5e-324 <= rounding_bound(0.0, n_rows) <= n_rows * 1e-320
