"""Values next to scores and limits of extreme size, one by one."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
from ordcut._core.data import Rows
from ordcut._core.limits import LimitedSearch, Limits, Names, lower_all
from ordcut._core.pruning import CurveLimit
from ordcut._core.solvers import cut_ranges

INF = np.inf

# Values between two scores

ends = st.tuples(st.integers(-6, 6), st.integers(1, 8)).map(lambda pair: (pair[0], sum(pair)))
pairs = st.one_of(
    ends, ends.map(lambda pair: (-INF, pair[1])), ends.map(lambda pair: (pair[0], INF))
)


def nearest(values, below, above, low, high):
    """The value between two scores that is nearest to their middle, or to the only one."""
    inside = [v for v in values if (v > below or below == -INF) and v <= above and low <= v <= high]
    if below == -INF and -INF in inside:
        return -INF
    if above == INF and INF in inside:
        return INF
    aim = above if below == -INF else below if above == INF else (below + above) / 2
    return min(inside, key=lambda v: (abs(v - aim), v), default=None)


def place(pair, *constraints):
    """The threshold between two scores, or below or above one; None if none can stand there.

    Labels are right for thresholds that are above the one score and not above the other.
    """
    scores = [score for score in pair if np.isfinite(score)]
    labels = [int(score == pair[1]) for score in scores]
    try:
        result = ordcut.optimal_thresholds(
            scores, labels, classes=[0, 1], objective="zero_one", constraints=constraints
        )
    except ordcut.InfeasibleConstraintsError:
        return None
    return result.thresholds[0] if result.value == 0 else None


@settings(max_examples=200)
@given(
    listed=st.lists(
        st.sampled_from([-INF, *(np.arange(-16, 17) / 2), INF]), min_size=1, max_size=6
    ),
    pair=pairs,
    limits=pairs,
)
def test_a_threshold_takes_the_nearest_of_the_listed_values_and_of_equally_near_ones_the_lower(
    listed, pair, limits
):
    allowed = ordcut.Allowed(np.unique(np.array(listed, float)).tolist())
    result = place(pair, allowed, ordcut.Between(0, *limits))
    assert result == nearest(listed, *pair, *limits)


@settings(max_examples=200)
@given(n_digits=st.sampled_from([-1, 0, 1]), pair=pairs, limits=pairs, shift=st.integers(-9, 9))
def test_a_threshold_takes_the_nearest_round_number_and_of_equally_near_ones_one(
    n_digits, pair, limits, shift
):
    pair = tuple(end + shift / 10 for end in pair)
    steps = range(-400, 400)
    every = [(n / 10 if n_digits == 1 else n * 10.0**-n_digits) for n in steps]
    result = place(pair, ordcut.Digits(n_digits), ordcut.Between(0, *limits))
    expected = nearest([-INF, *every, INF], *pair, *limits)
    assert (result is None) == (expected is None)
    if expected is not None:
        middle = sum(pair) / 2
        is_as_near = np.isfinite(middle) and abs(result - middle) == abs(expected - middle)
        assert result == expected or is_as_near
        assert result in [-INF, *every, INF]


@given(pair=pairs, limits=pairs)
def test_a_threshold_stands_in_the_middle_or_at_the_end_of_its_interval_that_is_nearest(
    pair, limits
):
    low, high = limits
    middle = -INF if pair[0] == -INF else sum(pair) / 2
    value = min(max(middle, low), high)
    can_stand = (value > pair[0] or pair[0] == -INF) and value <= pair[1]
    assert place(pair, ordcut.Between(0, low, high)) == (value if can_stand else None)


@pytest.mark.parametrize("gap", [0, 0.5, 1])
def test_listed_values_some_distance_apart_can_be_at_the_ends_of_an_interval(gap):
    for labels, at in (([0, 0, 1, 2], 2.0), ([0, 1, 1, 2], 1.0)):
        limits = [ordcut.Allowed([0, 1, 2, 3]), ordcut.Gap(gap), ordcut.Between(0, 1, 2)]
        result = ordcut.optimal_thresholds([0.5, 1.5, 2.5, 3.5], labels, constraints=limits)
        assert result.thresholds.tolist() == [at, 3]


# Ranges of cuts


def test_limits_on_single_thresholds_are_limits_on_the_weight_below_them():
    rows = Rows.read([1, 2, 3, 4, 5, 6], [0, 1, 0, 2, 1, 2], weights=[1, 2, 1, 3, 1, 2]).sorted()
    absolute = ordcut.resolve_objective("absolute", 3)

    def search(*constraints):
        limits = lower_all(constraints, Names([0, 1, 2], [0, 1, 2]))
        return LimitedSearch(rows, absolute, limits).curve_limits

    def limits(*constraints):
        return [
            (limit.k, (limit.counts > 0).tolist(), limit.at_least, limit.at_most)
            for limit in search(*constraints)
        ]

    every = [True] * 3
    assert limits(ordcut.Between(0, 2.5, 4.0)) == [(0, every, 3, 4)]
    assert limits(ordcut.Fixed(1, 5.0), ordcut.Between(0, 2, 9)) == [
        (1, every, 7, 7),
        (0, every, 1, 10),
    ]
    assert limits(ordcut.Between(0, -INF, 3.0)) == [(0, every, None, 3)]
    assert limits(ordcut.Between(1, 2.0, INF)) == [(1, every, 1, None)]
    assert limits(ordcut.Fixed(0, INF)) == [(0, every, 10, None)]
    assert limits(ordcut.Fixed(0, -INF)) == [(0, every, None, 0)]
    assert limits(ordcut.Under(1, 0.5)) == [(0, [False, True, True], None, 4)]
    assert limits(ordcut.Under(2, 0.5)) == [(1, [False, False, True], None, 2)]
    assert limits(ordcut.Over(0, 0.5)) == [(0, [True, False, False], 1, None)]
    assert limits(ordcut.Over(1, 0.3)) == [(1, [True, True, False], 4, None)]
    assert limits(ordcut.Under(0, 0.1), ordcut.Over(2, 0.1)) == []
    assert limits(ordcut.Recall(2, 0.5)) == [(1, [False, False, True], None, 2)]
    assert limits(ordcut.Share(0, 0.2, 0.5)) == [(0, every, 2, None), (0, every, None, 5)]
    for other in (ordcut.Gap(1), ordcut.Recall(1, 0.5), ordcut.Precision(2, 0.5)):
        assert search(other) is None


def test_cuts_stay_between_whole_scores():
    rows = Rows.read([1.0, 2.0, 2.0, 2.0, 3.0, 3.0], [0, 1, 0, 1, 1, 0]).sorted()
    own, every = np.array([0, 1]), np.array([1, 1])

    def ranges(which, least=None, most=None, k=0, n=1):
        result = cut_ranges(rows, [CurveLimit(k, which, least, most)], n)
        return None if result is None else [part.tolist() for part in result]

    assert ranges(every) == [[0], [6]]
    for least, lowest in ((0, 0), (1, 1), (1.5, 4), (2, 4), (4, 4), (4.5, 6), (6, 6)):
        assert ranges(every, least=least) == [[lowest], [6]]
    assert ranges(every, least=6.5) is None
    for most, highest in ((0, 0), (0.5, 0), (1, 1), (3, 1), (4, 4), (5.9, 4), (6, 6), (99, 6)):
        assert ranges(every, most=most) == [[0], [highest]]
    for least, lowest in ((1, 4), (2, 4), (3, 6)):
        assert ranges(own, least=least) == [[lowest], [6]]
    for most, highest in ((0, 1), (1, 1), (2, 4), (3, 6)):
        assert ranges(own, most=most) == [[0], [highest]]
    assert ranges(every, least=2, k=0, n=2) == [[4, 4], [6, 6]]
    assert ranges(every, most=2, k=1, n=2) == [[0, 0], [1, 1]]
    assert ranges(every, least=2, most=3) is None


def test_ranges_of_weighted_rows_count_their_weight():
    rows = Rows.read([1.0, 2.0, 3.0], [0, 1, 1], weights=[2, 3, 4]).sorted()
    every = np.array([1, 1])
    for least, most, expected in ((2, 5, [1, 2]), (3, 8, [2, 2]), (6, 9, [3, 3]), (0, 1, [0, 0])):
        result = cut_ranges(rows, [CurveLimit(0, every, least, most)], 1)
        assert [part.item() for part in result] == expected


# Sizes


@pytest.mark.parametrize("weight", [1, 2**50, 2**58, 0.1])
def test_counts_of_any_size_are_kept_or_impossible(weight):
    rows = {"scores": [1, 2, 3, 4], "labels": [0, 1, 1, 1], "sample_weight": [weight] * 4}
    for most in (1e300, 4 * weight):
        result = ordcut.optimal_thresholds(**rows, constraints=[ordcut.Count(1, at_most=most)])
        assert result.thresholds.tolist() == [1.5]
    one = ordcut.optimal_thresholds(**rows, constraints=[ordcut.Count(1, at_most=weight)])
    assert one.thresholds.tolist() == [3.5]
    all_of_them = ordcut.Count(1, at_least=4 * weight)
    assert ordcut.optimal_thresholds(**rows, constraints=[all_of_them]).thresholds[0] == -INF
    for least in (1e300, 5.0 * weight):
        with pytest.raises(ordcut.InfeasibleConstraintsError) as error:
            ordcut.optimal_thresholds(**rows, constraints=[ordcut.Count(1, at_least=least)])
        assert list(error.value.nearest.values()) == [pytest.approx(4 * weight)]


@pytest.mark.parametrize("unit", [2**20, 2**40, 2**48, 2**51])
@pytest.mark.parametrize("share", [0.300001, 0.350001, 0.450001, 0.550001, 0.700001])
def test_a_precision_of_heavy_rows_is_that_of_light_ones(unit, share):
    labels, weights = [0, 1, 0, 1, 0, 1], np.array([1, 2, 3, 1, 2, 1])
    limit = ordcut.Precision(1, at_least=share)
    options = {"objective": [[0, 9], [1, 0]], "constraints": [limit]}  # free, all rows would be 1
    first = ordcut.optimal_thresholds(range(6), labels, sample_weight=weights, **options)
    heavy = weights * unit + np.array([1, 0, 1, 0, 0, 0])  # of no common unit
    result = ordcut.optimal_thresholds(range(6), labels, sample_weight=heavy, **options)
    assert result.thresholds.tolist() == first.thresholds.tolist()
    assert result.constraints[0].reached == pytest.approx(first.constraints[0].reached, rel=1e-5)


@pytest.mark.parametrize("make", [ordcut.Under, ordcut.Over])
def test_errors_are_shares_of_all_rows_even_if_no_threshold_can_be_beyond_them(make):
    k = 1 if make is ordcut.Under else 0  # all rows are of the class, and errors are on one side
    rows = {"scores": [1, 2, 3, 4], "labels": [k] * 4, "classes": [0, 1], "objective": "zero_one"}
    for values in ([1.5], [2.5], [3.5], [1.5, 2.5]):
        least = min(np.mean((np.arange(1, 5) < value) == (k == 1)) for value in values)
        limits = [ordcut.Allowed(values), make(k, at_most=least)]
        result = ordcut.optimal_thresholds(**rows, constraints=limits)
        assert result.constraints[1].reached == least
        limits = [ordcut.Allowed(values), make(k, at_most=least - 0.01)]
        with pytest.raises(ordcut.InfeasibleConstraintsError):
            ordcut.optimal_thresholds(**rows, constraints=limits)


@pytest.mark.parametrize("weights", [(1, 2), (2, 1), (10**8, 2 * 10**8 + 1)])
def test_limits_are_never_stricter_as_floats(weights):
    limit = Fraction(weights[1], sum(weights))
    rows = {"scores": [1, 2], "labels": [0, 1], "sample_weight": weights}
    for constraint in ("share 1 <= 0.2", "share 1 >= 0.9"):
        with pytest.raises(ordcut.InfeasibleConstraintsError) as error:
            ordcut.optimal_thresholds(**rows, constraints=[constraint, "fixed 0 1.5"])
        (nearest,) = error.value.nearest.values()
        assert nearest == pytest.approx(float(limit), rel=1e-15)
        exact = ordcut._core.numerics.exact.as_fraction(nearest)
        assert exact >= limit if "<=" in constraint else exact <= limit


def test_the_nearest_limit_can_hold_where_its_float_means_a_simpler_fraction():
    weights = [6004799503160660, 3002399751580331]  # the second is a third of both and a little
    rows = {"scores": [1, 2], "labels": [0, 1], "sample_weight": weights}
    with pytest.raises(ordcut.InfeasibleConstraintsError) as error:
        ordcut.optimal_thresholds(**rows, constraints=["share 1 <= 0.2", "fixed 0 1.5"])
    limit = ordcut.Share(1, at_most=error.value.nearest["share 1 <= 0.2"])
    result = ordcut.optimal_thresholds(**rows, constraints=[limit, "fixed 0 1.5"])
    assert result.thresholds.tolist() == [1.5]


def test_thresholds_that_break_a_limit_are_never_shown(monkeypatch):
    monkeypatch.setattr(Limits, "hold", lambda *_: False)
    with pytest.raises(RuntimeError, match="came out broken, which must not happen"):
        ordcut.optimal_thresholds([1, 2, 3], [0, 1, 1], constraints=["share 1 <= 0.5"])


def test_round_numbers_far_apart_are_found_beyond_the_scores():
    for gap in (1, 5, 20):
        limits = [ordcut.Digits(0), ordcut.Gap(gap), ordcut.Fixed(1, 2.0)]
        result = ordcut.optimal_thresholds(
            [1, 2, 3], [1, 1, 2], classes=range(4), constraints=[*limits, "between 0 -99 99"]
        )
        assert result.thresholds[0] <= 2 - gap
        assert result.thresholds[1] == 2
        assert result.thresholds[2] >= 2 + gap
